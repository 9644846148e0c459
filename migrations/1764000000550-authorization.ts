import { FirstTables } from './first-tables.js';

export class Authorization1764000000550 extends FirstTables {
  readonly tables = `
    create table authorization_clients (
      app_id                  text        not null,
      id                      text        not null,
      name                    text        not null,
      type                    text        not null,
      settings                jsonb       not null,
      secret_hash             bytea,
      previous_secret_hash    bytea,
      previous_secret_ends_at timestamptz,
      created_at              timestamptz not null,
      updated_at              timestamptz not null,
      mac                     bytea,
      constraint authorization_clients_pkey primary key (app_id, id)
    );

    create table authorization_resources (
      app_id        text        not null,
      id            text        not null,
      audience      text        not null,
      canonical     text        not null,
      name          text        not null,
      scopes        text[]      not null,
      token_seconds integer     not null,
      created_at    timestamptz not null,
      updated_at    timestamptz not null,
      mac           bytea,
      constraint authorization_resources_pkey primary key (app_id, id),
      constraint authorization_resources_canonical_key unique (app_id, canonical)
    );

    -- Access tokens that are JWTs have no row until they are revoked.
    create table authorization_revoked_tokens (
      app_id     text        not null,
      jti        text        not null,
      expires_at timestamptz not null,
      constraint authorization_revoked_tokens_pkey primary key (app_id, jti)
    );
    create index authorization_revoked_tokens_end on authorization_revoked_tokens (app_id, expires_at);`;
}
