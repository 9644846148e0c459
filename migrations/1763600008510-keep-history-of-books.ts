import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Names the history that the database is on: system identifier and timeline. Another server, a restored backup and a promoted
 * standby have another one. Transfers keep that of their creation, sender queues that of their last comparison with the chain.
 */
export class KeepHistoryOfBooks1763600008510 implements MigrationInterface {
  readonly name = 'KeepHistoryOfBooks1763600008510';

  async up(runner: QueryRunner): Promise<void> {
    // The name of the log file is right at once after a promotion; the control file has the timeline of the last checkpoint. Where
    // a role may not read them, every start of the server counts as another history: the books are compared more often.
    await runner.query(`
      create function database_history() returns text language plpgsql stable as $$
      begin
        return (select system_identifier::text from pg_control_system())
          || '/' || left(pg_walfile_name(pg_current_wal_lsn()), 8);
      exception when insufficient_privilege or undefined_function or feature_not_supported
          or object_not_in_prerequisite_state then
        return 'started ' || extract(epoch from pg_postmaster_start_time());
      end $$`);
    await runner.query('alter table transfers add column history text');
    await runner.query('alter table chain_lanes add column history text, add column compared_from bigint');
    await runner.query(`create index chain_lanes_held on chain_lanes (app_id, network, address) where history = ''`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop index chain_lanes_held');
    await runner.query('alter table chain_lanes drop column history, drop column compared_from');
    await runner.query('alter table transfers drop column history');
    await runner.query('drop function database_history()');
  }
}
