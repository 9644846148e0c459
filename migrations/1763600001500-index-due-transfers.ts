import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Of two indexes of what is pending the planner may take the one that fits worse, as long as its statistics know of nothing
 * that is pending: then every confirmation would read all that its app has under way.
 */
export class IndexDueTransfers1763600001500 implements MigrationInterface {
  readonly name = 'IndexDueTransfers1763600001500';

  async up(runner: QueryRunner): Promise<void> {
    // Those who read go on meanwhile: the old one goes when the new one is there.
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
