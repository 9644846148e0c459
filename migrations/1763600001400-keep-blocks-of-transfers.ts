import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The block of a payment shows whether a balance already includes it. Each chain's tracker finds its own transfers. */
export class KeepBlocksOfTransfers1763600001400 implements MigrationInterface {
  readonly name = 'KeepBlocksOfTransfers1763600001400';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('drop index transfers_mined, transfers_due');
    await runner.query('alter table transfers drop column mined_at, add column mined_block bigint');
    await runner.query(
      `create index transfers_mined on transfers (app_id, network, source_address, mined_block) where mined_block is not null`,
    );
    await runner.query(
      `create index transfers_due on transfers (app_id, chain, next_check_at) where status = 'pending'`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop index transfers_mined, transfers_due');
    await runner.query('alter table transfers drop column mined_block, add column mined_at timestamptz');
    await runner.query(
      `create index transfers_mined on transfers (app_id, network, source_address, mined_at) where mined_at is not null`,
    );
    await runner.query(`create index transfers_due on transfers (app_id, next_check_at) where status = 'pending'`);
  }
}
