import { FirstTables } from './first-tables.js';

export class MagicLink1764000000700 extends FirstTables {
  readonly tables = `
    -- One row per address, so that a newer link replaces the previous one. Embedded links have no address, and nulls are distinct.
    create table magic_links (
      app_id      text        not null,
      token_hash  bytea       not null,
      user_id     text        not null,
      email_id    text,
      email       text,
      ip          text,
      user_agent  text,
      mismatches  integer     not null default 0,
      created_at  timestamptz not null default now(),
      expires_at  timestamptz not null,
      consumed_at timestamptz,
      mac         bytea,
      constraint magic_links_pkey primary key (app_id, token_hash),
      constraint magic_links_one_per_email unique (app_id, email_id)
    );
    create index magic_links_of_user on magic_links (app_id, user_id) where consumed_at is null;
    create index magic_links_end on magic_links (app_id, expires_at);

    -- Links that a newer one replaced, for an hour: they say why an old link is refused.
    create table replaced_magic_links (
      app_id     text        not null,
      token_hash bytea       not null,
      user_id    text        not null,
      email_id   text        not null,
      ended_at   timestamptz not null,
      ending     text        not null,
      constraint replaced_magic_links_pkey primary key (app_id, token_hash)
    );
    create index replaced_magic_links_end on replaced_magic_links (app_id, ended_at);
  `;
}
