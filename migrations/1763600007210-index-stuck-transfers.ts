import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Lists the transfers that are marked stuck, newest first. Built without locking the table, so outside a transaction. */
export class IndexStuckTransfers1763600007210 implements MigrationInterface {
  readonly name = 'IndexStuckTransfers1763600007210';
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    // An interrupted build leaves an invalid index.
    await runner.query('drop index concurrently if exists transfers_stuck');
    await runner.query(
      'create index concurrently transfers_stuck on transfers (app_id, id) where stuck_since is not null',
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop index transfers_stuck');
  }
}
