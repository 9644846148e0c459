import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Without statistics of pending transfers, the planner may choose the worse of two matching indexes. Then every
 * confirmation would read all open transfers of its app.
 */
export class IndexDueTransfers1763600001500 implements MigrationInterface {
  readonly name = 'IndexDueTransfers1763600001500';

  async up(runner: QueryRunner): Promise<void> {
    // The previous index serves readers until the new one exists.
    await runner.query(
      `create index transfers_due_now on transfers (app_id, chain, next_check_at)
        where status = 'pending' and next_check_at is not null`,
    );
    await runner.query('drop index transfers_due');
    await runner.query('alter index transfers_due_now rename to transfers_due');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop index transfers_due');
    await runner.query(
      `create index transfers_due on transfers (app_id, chain, next_check_at) where status = 'pending'`,
    );
  }
}
