import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Lets a statement raise an error, which rolls its transaction back even when COMMIT is already sent. Only logins on replicas of the
 * previous release call it. The release after this one may drop it.
 */
export class RefuseInStatements1763600001700 implements MigrationInterface {
  readonly name = 'RefuseInStatements1763600001700';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create function refuse(reason text) returns boolean language plpgsql as $$
      begin
        raise exception using errcode = 'RF001', message = reason;
      end $$`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`drop function refuse(text)`);
  }
}
