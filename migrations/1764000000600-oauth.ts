import { FirstTables } from './first-tables.js';

export class Oauth1764000000600 extends FirstTables {
  readonly tables = `
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
    );
    create index oauth_states_end on oauth_states (app_id, expires_at);

    create table login_tickets (
      app_id               text        not null,
      token_hash           bytea       not null,
      user_id              text        not null,
      connection_id        text        not null,
      provider             text        not null,
      subject              text        not null,
      provider_identity_id text,
      sealed_tokens        bytea,
      code_challenge       text,
      is_browser_bound     boolean     not null default false,
      user_created         boolean     not null default false,
      -- The account, if its user has got it by this login.
      prepared             jsonb,
      created_at           timestamptz not null default now(),
      expires_at           timestamptz not null,
      consumed_at          timestamptz,
      mac                  bytea,
      constraint login_tickets_pkey primary key (app_id, token_hash)
    );
    create index login_tickets_of_user on login_tickets (app_id, user_id) where consumed_at is null;
    create index login_tickets_end on login_tickets (app_id, expires_at);

    create table operator_sign_ins (
      app_id     text        not null,
      state_hash bytea       not null,
      expires_at timestamptz not null,
      constraint operator_sign_ins_pkey primary key (app_id, state_hash)
    );
    create index operator_sign_ins_end on operator_sign_ins (app_id, expires_at);
  `;
}
