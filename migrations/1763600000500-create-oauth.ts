import type { MigrationInterface, QueryRunner } from 'typeorm';

export class CreateOauth1763600000500 implements MigrationInterface {
  readonly name = 'CreateOauth1763600000500';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table oauth_states (
        app_id           text        not null,
        state_hash       bytea       not null,
        connection_id    text        not null,
        login_url        text        not null,
        registration_url text        not null,
        sealed_verifier  bytea       not null,
        nonce            text        not null,
        browser_hash     bytea,
        code_challenge   text,
        created_at       timestamptz not null default now(),
        expires_at       timestamptz not null,
        consumed_at      timestamptz,
        constraint oauth_states_pkey primary key (app_id, state_hash)
      )`);
    await runner.query(`create index oauth_states_end on oauth_states (app_id, expires_at)`);
    await runner.query(`
      create table login_tickets (
        app_id               text        not null,
        token_hash           bytea       not null,
        user_id              text        not null,
        connection_id        text        not null,
        provider             text        not null,
        subject              text        not null,
        provider_identity_id text        not null,
        sealed_tokens        bytea,
        code_challenge       text,
        created_at           timestamptz not null default now(),
        expires_at           timestamptz not null,
        consumed_at          timestamptz,
        constraint login_tickets_pkey primary key (app_id, token_hash)
      )`);
    await runner.query(
      `create index login_tickets_of_user on login_tickets (app_id, user_id) where consumed_at is null`,
    );
    await runner.query(`create index login_tickets_end on login_tickets (app_id, expires_at)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`drop table login_tickets`);
    await runner.query(`drop table oauth_states`);
  }
}
