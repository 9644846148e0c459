import type { MigrationInterface, QueryRunner } from 'typeorm';

export class CreateApps1763600000300 implements MigrationInterface {
  readonly name = 'CreateApps1763600000300';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table apps (
        id                  text        not null,
        name                text        not null,
        mode                text        not null,
        default_wallet_type text        not null,
        allowed_origins     text[]      not null,
        limits              jsonb       not null,
        created_at          timestamptz not null,
        updated_at          timestamptz not null,
        deleted_at          timestamptz,
        constraint apps_pkey primary key (id),
        constraint apps_mode_check check (mode in ('test', 'live'))
      )`);
    await runner.query(`
      create table api_keys (
        app_id       text        not null,
        id           text        not null,
        kind         text        not null,
        name         text        not null,
        key_hash     bytea       not null,
        created_at   timestamptz not null,
        last_used_at timestamptz,
        expires_at   timestamptz,
        revoked_at   timestamptz,
        constraint api_keys_pkey primary key (app_id, id),
        constraint api_keys_kind_check check (kind in ('secret', 'public')),
        constraint api_keys_app_fkey foreign key (app_id) references apps (id)
      )`);
    // Not unique: the app of a key is known only after the look-up, and 256 random bits do not collide.
    await runner.query(`create index api_keys_key_hash on api_keys (key_hash)`);
    await runner.query(`
      create table redirect_urls (
        app_id     text        not null,
        id         text        not null,
        kind       text        not null,
        url        text        not null,
        is_default boolean     not null,
        created_at timestamptz not null,
        constraint redirect_urls_pkey primary key (app_id, id),
        constraint redirect_urls_url_key unique (app_id, kind, url),
        constraint redirect_urls_kind_check check (kind in ('login', 'registration', 'invite')),
        constraint redirect_urls_app_fkey foreign key (app_id) references apps (id)
      )`);
    await runner.query(
      `create unique index redirect_urls_one_default on redirect_urls (app_id, kind) where is_default`,
    );
    await runner.query(`
      create table oauth_connections (
        app_id        text        not null,
        id            text        not null,
        provider      text        not null,
        client_id     text        not null,
        client_secret bytea,
        issuer        text,
        team_id       text,
        key_id        text,
        private_key   bytea,
        trusts_email  boolean     not null,
        created_at    timestamptz not null,
        updated_at    timestamptz not null,
        constraint oauth_connections_pkey primary key (app_id, id),
        constraint oauth_connections_provider_key unique (app_id, provider),
        constraint oauth_connections_app_fkey foreign key (app_id) references apps (id)
      )`);
    await runner.query(`create index oauth_connections_id on oauth_connections (id)`);
    await runner.query(`
      create table management_keys (
        id               text        not null,
        name             text        not null,
        key_hash         bytea       not null,
        from_environment boolean     not null default false,
        created_at       timestamptz not null default now(),
        last_used_at     timestamptz,
        revoked_at       timestamptz,
        constraint management_keys_pkey primary key (id),
        constraint management_keys_key_hash_key unique (key_hash)
      )`);
    await runner.query(`
      create table audit_log (
        app_id     text        not null,
        id         text        not null,
        actor      text        not null,
        action     text        not null,
        target_id  text        not null,
        fields     text[]      not null,
        request_id text,
        created_at timestamptz not null,
        constraint audit_log_pkey primary key (app_id, id)
      )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const table of ['audit_log', 'management_keys', 'oauth_connections', 'redirect_urls', 'api_keys', 'apps']) {
      await runner.query(`drop table ${table}`);
    }
  }
}
