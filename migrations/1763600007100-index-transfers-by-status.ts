import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Lists the transfers of one status, newest first. Built without locking the table, so outside a transaction. */
export class IndexTransfersByStatus1763600007100 implements MigrationInterface {
  readonly name = 'IndexTransfersByStatus1763600007100';
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    // An interrupted build leaves an invalid index.
    await runner.query('drop index concurrently if exists transfers_of_status');
    await runner.query('create index concurrently transfers_of_status on transfers (app_id, status, id)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop index transfers_of_status');
  }
}
