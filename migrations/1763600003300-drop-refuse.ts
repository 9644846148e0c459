import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Drops a function that statements called in an earlier version to roll back behind a COMMIT that was already sent. */
export class DropRefuse1763600003300 implements MigrationInterface {
  readonly name = 'DropRefuse1763600003300';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`drop function refuse(text)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create function refuse(reason text) returns boolean language plpgsql as $$
      begin
        raise exception using errcode = 'RF001', message = reason;
      end $$`);
  }
}
