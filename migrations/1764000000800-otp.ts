import { FirstTables } from './first-tables.js';

export class Otp1764000000800 extends FirstTables {
  readonly tables = `
    -- One row per address, so that a new code replaces the previous one. Without a sealed code there is no code to verify.
    create table otps (
      app_id      text        not null,
      method_id   text        not null,
      user_id     text        not null,
      address     text        not null,
      sealed_code bytea,
      -- The keyed hash of the code, and those of the two codes before it: they say why an old code is refused.
      code_hash   bytea,
      spent_at    timestamptz,
      former_hashes  bytea[]       not null default '{}',
      former_ends    timestamptz[] not null default '{}',
      former_endings text[]        not null default '{}',
      generation  integer     not null default 1,
      tries       integer     not null default 0,
      created_at  timestamptz not null default now(),
      expires_at  timestamptz not null,
      mac         bytea,
      constraint otps_pkey primary key (app_id, method_id)
    );
    create index otps_of_user on otps (app_id, user_id) where sealed_code is not null;
    create index otps_end on otps (app_id, expires_at);
  `;
}
