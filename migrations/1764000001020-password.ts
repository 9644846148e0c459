import { FirstTables } from './first-tables.js';

export class Password1764000001020 extends FirstTables {
  readonly tables = `
    create table imported_passwords (
      app_id      text        not null,
      id          text        not null,
      user_id     text        not null,
      sealed_hash bytea       not null,
      created_at  timestamptz not null,
      mac         bytea,
      constraint imported_passwords_pkey primary key (app_id, id),
      constraint imported_passwords_of_user unique (app_id, user_id)
    );
    -- By it the password that stands in for one that does not exist is found.
    create index imported_passwords_decoys on imported_passwords (app_id, hashtext(id));
  `;
}
