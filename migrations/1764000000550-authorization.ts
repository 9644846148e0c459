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

    -- What users have consented to.
    create table authorization_grants (
      app_id          text        not null,
      id              text        not null,
      user_id         text        not null,
      client_id       text        not null,
      session_id      text        not null,
      granted         jsonb       not null,
      rejected        jsonb       not null,
      is_offline      boolean     not null,
      session_ends_at timestamptz not null,
      used_at         timestamptz not null default now(),
      created_at      timestamptz not null default now(),
      mac             bytea,
      constraint authorization_grants_pkey primary key (app_id, id)
    );
    create index authorization_grants_of_user on authorization_grants (app_id, user_id);
    create index authorization_grants_of_client on authorization_grants (app_id, client_id);
    create index authorization_grants_used on authorization_grants (app_id, used_at);

    -- Codes, refresh tokens, logins of browsers, interactions: what oidc-provider stores.
    create table authorization_artifacts (
      app_id      text        not null,
      kind        text        not null,
      id_hash     bytea       not null,
      grant_id    text,
      payload     bytea       not null,
      secret_hash bytea,
      consumed_at timestamptz,
      expires_at  timestamptz not null,
      created_at  timestamptz not null default now(),
      constraint authorization_artifacts_pkey primary key (app_id, kind, id_hash)
    );
    create index authorization_artifacts_of_grant on authorization_artifacts (app_id, grant_id) where grant_id is not null;
    create index authorization_artifacts_end on authorization_artifacts (app_id, expires_at);

    -- Access tokens that are JWTs have no row until they are revoked.
    create table authorization_revoked_tokens (
      app_id     text        not null,
      jti        text        not null,
      expires_at timestamptz not null,
      constraint authorization_revoked_tokens_pkey primary key (app_id, jti)
    );
    create index authorization_revoked_tokens_end on authorization_revoked_tokens (app_id, expires_at);`;
}
