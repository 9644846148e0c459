import type { MigrationInterface, QueryRunner } from 'typeorm';

/** One row for each address with which a login was begun or completed in the last hour: transactions lock it. */
export class CreateWalletAddresses1763600006010 implements MigrationInterface {
  readonly name = 'CreateWalletAddresses1763600006010';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table wallet_addresses (
        app_id         text        not null,
        public_address text        not null,
        locked_at      timestamptz not null,
        constraint wallet_addresses_pkey primary key (app_id, public_address)
      )`);
    await runner.query(`create index wallet_addresses_end on wallet_addresses (app_id, locked_at)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`drop table wallet_addresses`);
  }
}
