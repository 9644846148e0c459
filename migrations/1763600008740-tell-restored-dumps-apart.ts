import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * A dump that is restored into the same server keeps system identifier and timeline, but its tables are other ones: the history
 * of the database names the table of the transfers too.
 */
export class TellRestoredDumpsApart1763600008740 implements MigrationInterface {
  readonly name = 'TellRestoredDumpsApart1763600008740';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create or replace function database_history() returns text language plpgsql stable as $$
      declare books text := 'transfers'::regclass::oid;
      begin
        return (select system_identifier::text from pg_control_system())
          || '/' || left(pg_walfile_name(pg_current_wal_lsn()), 8) || '/' || books;
      exception when insufficient_privilege or undefined_function or feature_not_supported
          or object_not_in_prerequisite_state then
        return 'started ' || extract(epoch from pg_postmaster_start_time()) || '/' || books;
      end $$`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create or replace function database_history() returns text language plpgsql stable as $$
      begin
        return (select system_identifier::text from pg_control_system())
          || '/' || left(pg_walfile_name(pg_current_wal_lsn()), 8);
      exception when insufficient_privilege or undefined_function or feature_not_supported
          or object_not_in_prerequisite_state then
        return 'started ' || extract(epoch from pg_postmaster_start_time());
      end $$`);
  }
}
