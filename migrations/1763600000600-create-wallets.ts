import type { MigrationInterface, QueryRunner } from 'typeorm';

export class CreateWallets1763600000600 implements MigrationInterface {
  readonly name = 'CreateWallets1763600000600';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table wallets (
        app_id         text        not null,
        id             text        not null,
        user_id        text        not null,
        wallet_type    text        not null,
        public_address text        not null,
        verified       boolean     not null,
        is_default     boolean     not null,
        is_read_only   boolean     not null,
        is_imported    boolean     not null,
        sealed_key     bytea,
        created_at     timestamptz not null default now(),
        updated_at     timestamptz not null default now(),
        deleted_at     timestamptz,
        constraint wallets_pkey primary key (app_id, id),
        constraint wallets_key_unless_read_only check (is_read_only = (sealed_key is null))
      )`);
    await runner.query(`
      create unique index wallets_one_default on wallets (app_id, user_id, wallet_type)
        where is_default and deleted_at is null`);
    await runner.query(`create index wallets_of_user on wallets (app_id, user_id, id)`);
    await runner.query(`create index wallets_address on wallets (app_id, public_address)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`drop table wallets`);
  }
}
