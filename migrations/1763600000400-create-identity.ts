import type { MigrationInterface, QueryRunner } from 'typeorm';

export class CreateIdentity1763600000400 implements MigrationInterface {
  readonly name = 'CreateIdentity1763600000400';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table users (
        app_id         text        not null,
        id             text        not null,
        first_name     text        not null,
        middle_name    text        not null,
        last_name      text        not null,
        status         text        not null,
        wallet_type    text        not null,
        deactivated_at timestamptz,
        deleted_at     timestamptz,
        created_at     timestamptz not null,
        updated_at     timestamptz not null,
        constraint users_pkey primary key (app_id, id),
        constraint users_status check (status in ('pending', 'active')),
        constraint users_wallet_type check (wallet_type in ('ethereum', 'solana', 'none'))
      )`);
    for (const table of ['emails', 'phone_numbers']) {
      await runner.query(`
        create table ${table} (
          app_id      text        not null,
          id          text        not null,
          user_id     text        not null,
          text        text        not null,
          canonical   text        not null,
          verified_at timestamptz,
          created_at  timestamptz not null,
          updated_at  timestamptz not null,
          constraint ${table}_pkey primary key (app_id, id),
          constraint ${table}_canonical unique (app_id, canonical),
          constraint ${table}_user foreign key (app_id, user_id) references users (app_id, id)
        )`);
      await runner.query(`create index ${table}_of_user on ${table} (app_id, user_id)`);
    }
    await runner.query(`
      create table provider_identities (
        app_id        text        not null,
        id            text        not null,
        user_id       text        not null,
        connection_id text        not null,
        provider      text        not null,
        subject       text        not null,
        created_at    timestamptz not null,
        updated_at    timestamptz not null,
        constraint provider_identities_pkey primary key (app_id, id),
        constraint provider_identities_subject unique (app_id, connection_id, subject),
        constraint provider_identities_user foreign key (app_id, user_id) references users (app_id, id)
      )`);
    await runner.query(`create index provider_identities_of_user on provider_identities (app_id, user_id)`);
    await runner.query(
      `create index provider_identities_of_provider on provider_identities (app_id, provider, user_id)`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`drop table provider_identities, phone_numbers, emails, users`);
  }
}
