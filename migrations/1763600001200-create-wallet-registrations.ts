import type { MigrationInterface, QueryRunner } from 'typeorm';

export class CreateWalletRegistrations1763600001200 implements MigrationInterface {
  readonly name = 'CreateWalletRegistrations1763600001200';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table wallet_registrations (
        app_id         text        not null,
        id             text        not null,
        form           text        not null,
        wallet_type    text        not null,
        public_address text        not null,
        user_id        text        not null,
        attaches       boolean     not null,
        nonce          text        not null,
        challenge      text        not null,
        created_at     timestamptz not null default now(),
        expires_at     timestamptz not null,
        spent_at       timestamptz,
        constraint wallet_registrations_pkey primary key (app_id, id)
      )`);
    await runner.query(
      `create index wallet_registrations_open on wallet_registrations (app_id, public_address, id) where spent_at is null`,
    );
    await runner.query(`
      create index wallet_registrations_of_user on wallet_registrations (app_id, user_id)
        where attaches and spent_at is null`);
    await runner.query(`create index wallet_registrations_end on wallet_registrations (app_id, expires_at)`);
    await runner.query(`
      create table wallet_imports (
        app_id             text        not null,
        id                 text        not null,
        user_id            text        not null,
        wallet_type        text        not null,
        sealed_private_key bytea       not null,
        expires_at         timestamptz not null,
        constraint wallet_imports_pkey primary key (app_id, id)
      )`);
    await runner.query(`create index wallet_imports_of_user on wallet_imports (app_id, user_id)`);
    await runner.query(`create index wallet_imports_end on wallet_imports (app_id, expires_at)`);
    // An address belongs to one user and one wallet of an app. Addresses of different chains have different forms, so
    // the chain is not part of the key.
    await runner.query(`drop index wallets_address`);
    await runner.query(`
      create unique index wallets_address on wallets (app_id, public_address, is_read_only)
        where deleted_at is null`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`drop index wallets_address`);
    await runner.query(`create index wallets_address on wallets (app_id, public_address)`);
    await runner.query(`drop table wallet_imports`);
    await runner.query(`drop table wallet_registrations`);
  }
}
