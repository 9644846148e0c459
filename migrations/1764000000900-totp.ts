import { FirstTables } from './first-tables.js';

export class Totp1764000000900 extends FirstTables {
  readonly tables = `
    -- The free space keeps counted attempts and spent steps in their page and out of the indexes.
    create table totps (
      app_id                text        not null,
      id                    text        not null,
      user_id               text        not null,
      sealed_secret         bytea       not null,
      sealed_recovery_codes bytea       not null,
      used_recovery_codes   smallint[]  not null,
      verified_at           timestamptz,
      recovery_codes_read_at timestamptz,
      expires_at            timestamptz not null,
      last_used_step        integer,
      tries                 integer     not null,
      last_tried_at         timestamptz,
      created_at            timestamptz not null,
      updated_at            timestamptz not null,
      mac                   bytea,
      constraint totps_pkey primary key (app_id, id),
      constraint totps_of_user unique (app_id, user_id)
    ) with (fillfactor = 80);
    create index totps_pending_end on totps (app_id, expires_at) where verified_at is null;
  `;
}
