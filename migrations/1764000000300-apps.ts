import { FirstTables } from './first-tables.js';

export class Apps1764000000300 extends FirstTables {
  readonly tables = `
    create table apps (
      id                  text        not null,
      name                text        not null,
      mode                text        not null,
      default_wallet_type text        not null,
      allowed_origins     text[]      not null,
      limits              jsonb       not null,
      messages            jsonb       not null default '{}',
      assets              jsonb       not null default '[]',
      -- The networks that it may use; null: ethereum and solana.
      networks            text[],
      transfer_policy     jsonb       not null default '{}',
      signing_policy      jsonb       not null default '{}',
      settings            jsonb       not null default '{}',
      accept_confirmed    jsonb       not null default '{}',
      oauth_begin         text        not null default 'any',
      step_up             jsonb       not null default '{}',
      -- A new random text with each change of what the app's wallets may sign.
      signing_revision    text        not null default '',
      approver_passkey_hours integer,
      frozen_at           timestamptz,
      created_at          timestamptz not null,
      updated_at          timestamptz not null,
      deleted_at          timestamptz,
      mac                 bytea,
      messages_mac        bytea,
      signing_mac         bytea,
      constraint apps_pkey primary key (id),
      constraint apps_mode_check check (mode in ('test', 'live'))
    );

    create table api_keys (
      app_id       text        not null,
      id           text        not null,
      kind         text        not null,
      name         text        not null,
      key_hash     bytea       not null,
      restriction  jsonb,
      created_at   timestamptz not null,
      last_used_at timestamptz,
      expires_at   timestamptz,
      revoked_at   timestamptz,
      mac          bytea,
      constraint api_keys_pkey primary key (app_id, id),
      constraint api_keys_kind_check check (kind in ('secret', 'public', 'restricted')),
      constraint api_keys_restriction_check check ((kind = 'restricted') = (restriction is not null)),
      constraint api_keys_app_fkey foreign key (app_id) references apps (id)
    );
    -- Not unique: the app of a key is known only after the look-up, and 256 random bits do not collide.
    create index api_keys_key_hash on api_keys (key_hash);
    create index api_keys_of_user on api_keys (app_id, (restriction #>> '{binding,userId}')) where kind = 'restricted' and revoked_at is null;
    create index api_keys_of_wallets on api_keys using gin ((restriction #> '{binding,walletIds}')) where kind = 'restricted' and revoked_at is null;

    -- Its one row stops the keys of all apps.
    create table service_stops (
      id          text        not null,
      reason      text        not null,
      stopped_at  timestamptz not null,
      recorded_at timestamptz,
      constraint service_stops_pkey primary key (id),
      constraint service_stops_id_check check (id = 'all')
    );

    create table redirect_urls (
      app_id     text        not null,
      id         text        not null,
      kind       text        not null,
      url        text        not null,
      is_default boolean     not null,
      created_at timestamptz not null,
      mac        bytea,
      constraint redirect_urls_pkey primary key (app_id, id),
      constraint redirect_urls_url_key unique (app_id, kind, url),
      constraint redirect_urls_kind_check check (kind in ('login', 'registration', 'invite')),
      constraint redirect_urls_app_fkey foreign key (app_id) references apps (id)
    );
    create unique index redirect_urls_one_default on redirect_urls (app_id, kind) where is_default;

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
      email_domains text[]      not null default '{}',
      pkce          boolean     not null default true,
      userinfo      text        not null default 'required',
      created_at    timestamptz not null,
      updated_at    timestamptz not null,
      mac           bytea,
      constraint oauth_connections_pkey primary key (app_id, id),
      constraint oauth_connections_provider_key unique (app_id, provider),
      constraint oauth_connections_userinfo_check check (userinfo in ('required', 'optional')),
      constraint oauth_connections_app_fkey foreign key (app_id) references apps (id)
    );
    create index oauth_connections_id on oauth_connections (id);

    create table management_keys (
      id               text        not null,
      name             text        not null,
      role             text        not null default 'owner',
      key_hash         bytea       not null,
      from_environment boolean     not null default false,
      created_at       timestamptz not null default now(),
      expires_at       timestamptz,
      last_used_at     timestamptz,
      revoked_at       timestamptz,
      mac              bytea,
      constraint management_keys_pkey primary key (id),
      constraint management_keys_key_hash_key unique (key_hash),
      constraint management_keys_role_check check (role in ('owner', 'operator', 'support', 'auditor'))
    );

    -- The sessions of browsers that signed in with a management key, or at the OpenID provider of the operators.
    create table management_sessions (
      token_hash bytea       not null,
      key_id     text,
      registration text,
      operator   text,
      role       text,
      created_at timestamptz not null default now(),
      expires_at timestamptz not null,
      last_used_at timestamptz not null default now(),
      proved_at  timestamptz,
      mac        bytea,
      constraint management_sessions_pkey primary key (token_hash),
      constraint management_sessions_key_fkey foreign key (key_id) references management_keys (id),
      constraint management_sessions_role_check check (role in ('owner', 'operator', 'support', 'auditor')),
      constraint management_sessions_of check (
        key_id is not null and num_nonnulls(registration, operator, role) = 0
        or key_id is null and num_nonnulls(registration, operator, role) = 3)
    );
    create index management_sessions_of_key on management_sessions (key_id);
    create index management_sessions_end on management_sessions (expires_at);
  `;
}
