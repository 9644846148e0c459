import { FirstTables } from './first-tables.js';

export class Passkey1764000001000 extends FirstTables {
  readonly tables = `
    -- user_handle: the handle under which the authenticator stores an imported passkey; null if it is the id of the user.
    -- is_backup_unknown: an imported passkey, whose first login says whether it may be copied.
    -- The free space keeps recorded logins in their page and out of the indexes.
    create table webauthn_credentials (
      app_id             text        not null,
      id                 text        not null,
      user_id            text        not null,
      credential_id      bytea       not null,
      public_key         bytea       not null,
      rp_id              text        not null,
      name               text        not null,
      transports         text[]      not null,
      sign_count         bigint      not null,
      is_backup_eligible boolean     not null,
      is_backed_up       boolean     not null,
      suspicious_at      timestamptz,
      last_used_at       timestamptz,
      created_at         timestamptz not null,
      mac                bytea,
      user_handle        text,
      is_backup_unknown  boolean,
      import_mac         bytea,
      constraint webauthn_credentials_pkey primary key (app_id, id),
      constraint webauthn_credentials_of_app unique (app_id, credential_id)
    ) with (fillfactor = 80);
    create index webauthn_credentials_of_user on webauthn_credentials (app_id, user_id);

    create table webauthn_challenges (
      app_id         text        not null,
      challenge_hash bytea       not null,
      purpose        text        not null,
      user_id        text,
      expires_at     timestamptz not null,
      constraint webauthn_challenges_pkey primary key (app_id, challenge_hash)
    );
    create index webauthn_challenges_end on webauthn_challenges (app_id, expires_at);
    create index webauthn_challenges_of_user on webauthn_challenges (app_id, user_id) where user_id is not null;

    create table webauthn_decoy_shapes (
      app_id  text    not null,
      rp_id   text    not null,
      shapes  jsonb   not null,
      sampled integer not null,
      constraint webauthn_decoy_shapes_pkey primary key (app_id, rp_id)
    );
  `;
}
