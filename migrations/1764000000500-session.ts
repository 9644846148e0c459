import { FirstTables } from './first-tables.js';

export class Session1764000000500 extends FirstTables {
  readonly tables = `
    -- The free space keeps updates of last_active_at, by far the most frequent write, in their page and out of the indexes. fresh_factors
    -- are the keys of the factors that make a session fresh when they are proved.
    create table sessions (
      app_id         text        not null,
      id             text        not null,
      user_id        text        not null,
      token_hash     bytea       not null,
      started_at     timestamptz not null default now(),
      expires_at     timestamptz not null,
      last_active_at timestamptz not null default now(),
      factors        jsonb       not null,
      fresh_factors  text[],
      user_agent     text        not null,
      ip             text        not null,
      revoked_at     timestamptz,
      version        integer     not null default 1,
      mac            bytea,
      updated_at     timestamptz not null default now(),
      created_at     timestamptz not null default now(),
      constraint sessions_pkey primary key (app_id, id),
      constraint sessions_token_hash unique (app_id, token_hash)
    ) with (fillfactor = 85);
    create index sessions_live_of_user on sessions (app_id, user_id, expires_at) where revoked_at is null;
    create index sessions_end on sessions (app_id, expires_at);

    -- public_mac authenticates public_jwk by a key of the service, so that it can be published while no key provider opens the private key.
    create table signing_keys (
      app_id             text        not null,
      id                 text        not null,
      state              text        not null,
      public_jwk         jsonb       not null,
      sealed_private_key bytea       not null,
      public_mac         bytea,
      activated_at       timestamptz,
      retired_at         timestamptz,
      created_at         timestamptz not null default now(),
      constraint signing_keys_pkey primary key (app_id, id),
      constraint signing_keys_state check (state in ('next', 'current', 'previous'))
    );
    create unique index signing_keys_one_current on signing_keys (app_id) where state = 'current';
    create unique index signing_keys_one_next on signing_keys (app_id) where state = 'next';
  `;
}
