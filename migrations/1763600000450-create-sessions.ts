import type { MigrationInterface, QueryRunner } from 'typeorm';

export class CreateSessions1763600000450 implements MigrationInterface {
  readonly name = 'CreateSessions1763600000450';

  async up(runner: QueryRunner): Promise<void> {
    // The free space keeps updates of last_active_at, by far the most frequent write, in their page and out of the
    // indexes.
    await runner.query(`
      create table sessions (
        app_id         text        not null,
        id             text        not null,
        user_id        text        not null,
        token_hash     bytea       not null,
        started_at     timestamptz not null default now(),
        expires_at     timestamptz not null,
        last_active_at timestamptz not null default now(),
        factors        jsonb       not null,
        user_agent     text        not null,
        ip             text        not null,
        revoked_at     timestamptz,
        version        integer     not null default 1,
        updated_at     timestamptz not null default now(),
        created_at     timestamptz not null default now(),
        constraint sessions_pkey primary key (app_id, id),
        constraint sessions_token_hash unique (app_id, token_hash)
      ) with (fillfactor = 85)`);
    await runner.query(`create index sessions_of_user on sessions (app_id, user_id, id) where revoked_at is null`);
    await runner.query(`create index sessions_end on sessions (app_id, expires_at)`);
    await runner.query(`
      create table signing_keys (
        app_id             text        not null,
        id                 text        not null,
        state              text        not null,
        public_jwk         jsonb       not null,
        sealed_private_key bytea       not null,
        activated_at       timestamptz,
        retired_at         timestamptz,
        created_at         timestamptz not null default now(),
        constraint signing_keys_pkey primary key (app_id, id),
        constraint signing_keys_state check (state in ('next', 'current', 'previous'))
      )`);
    await runner.query(`create unique index signing_keys_one_current on signing_keys (app_id) where state = 'current'`);
    await runner.query(`create unique index signing_keys_one_next on signing_keys (app_id) where state = 'next'`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`drop table signing_keys`);
    await runner.query(`drop table sessions`);
  }
}
