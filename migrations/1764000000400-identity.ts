import { FirstTables } from './first-tables.js';

export class Identity1764000000400 extends FirstTables {
  readonly tables = `
    -- claim says whether an account passes to the person who proves its address: open while nothing was ever made or set on it, closed from
    -- then on, taken once it has passed. first_proved_at is when its first sign-in method was proved, notified_at when
    -- the user was last notified of a change of them.
    create table users (
      app_id         text        not null,
      id             text        not null,
      first_name     text        not null,
      middle_name    text        not null,
      last_name      text        not null,
      status         text        not null,
      claim          text        not null default 'closed',
      wallet_type    text        not null,
      external_id    text,
      metadata       jsonb       not null default '{}',
      first_proved_at timestamptz,
      notified_at        timestamptz,
      deactivated_at timestamptz,
      deleted_at     timestamptz,
      created_at     timestamptz not null,
      updated_at     timestamptz not null,
      mac            bytea,
      claim_mac      bytea,
      app_data_mac   bytea,
      constraint users_pkey primary key (app_id, id),
      constraint users_status check (status in ('pending', 'active')),
      constraint users_wallet_type check (wallet_type in ('ethereum', 'solana', 'none'))
    );
    -- Not of deleted users: a replica of an earlier revision does not clear the external id when it deletes a user.
    create unique index users_external_id on users (app_id, external_id) where external_id is not null and deleted_at is null;
    create index users_pending on users (app_id, id) where status = 'pending' and deleted_at is null;
    -- One of 16 users, in the order of a hash of their ids: a search tests some of them to estimate how many users match.
    create index users_sampled on users (app_id, hashtext(id)) include (id) where hashtext(id) < -1879048192 and deleted_at is null;

    -- unverified_until says how long an unverified address may stay on its account; null if it is verified, or the only address of its user.
    create table emails (
      app_id           text        not null,
      id               text        not null,
      user_id          text        not null,
      text             text        not null,
      canonical        text        not null,
      verified_at      timestamptz,
      unverified_until timestamptz,
      created_at       timestamptz not null,
      updated_at       timestamptz not null,
      mac              bytea,
      constraint emails_pkey primary key (app_id, id),
      constraint emails_canonical unique (app_id, canonical),
      constraint emails_user foreign key (app_id, user_id) references users (app_id, id)
    );
    create index emails_of_user on emails (app_id, user_id);
    create index emails_unverified on emails (app_id, unverified_until) where unverified_until is not null;
    create index emails_not_verified on emails (app_id, user_id) where verified_at is null;
    alter table emails alter column text set statistics 1000;

    create table phone_numbers (
      app_id           text        not null,
      id               text        not null,
      user_id          text        not null,
      text             text        not null,
      canonical        text        not null,
      verified_at      timestamptz,
      unverified_until timestamptz,
      created_at       timestamptz not null,
      updated_at       timestamptz not null,
      mac              bytea,
      constraint phone_numbers_pkey primary key (app_id, id),
      constraint phone_numbers_canonical unique (app_id, canonical),
      constraint phone_numbers_user foreign key (app_id, user_id) references users (app_id, id)
    );
    create index phone_numbers_of_user on phone_numbers (app_id, user_id);
    create index phone_numbers_unverified on phone_numbers (app_id, unverified_until) where unverified_until is not null;
    create index phone_numbers_not_verified on phone_numbers (app_id, user_id) where verified_at is null;
    alter table phone_numbers alter column text set statistics 1000;

    create table provider_identities (
      app_id        text        not null,
      id            text        not null,
      user_id       text        not null,
      connection_id text        not null,
      provider      text        not null,
      subject       text        not null,
      proved_at     timestamptz,
      created_at    timestamptz not null,
      updated_at    timestamptz not null,
      mac           bytea,
      constraint provider_identities_pkey primary key (app_id, id),
      constraint provider_identities_subject unique (app_id, connection_id, subject),
      constraint provider_identities_user foreign key (app_id, user_id) references users (app_id, id)
    );
    create index provider_identities_of_user on provider_identities (app_id, user_id);
    create index provider_identities_of_provider on provider_identities (app_id, provider, user_id);

    -- A new address that opens the account of a user from ready_at on, unless the recovery is cancelled before.
    create table recoveries (
      app_id     text        not null,
      user_id    text        not null,
      kind       text        not null,
      text       text        not null,
      canonical  text        not null,
      begun_at   timestamptz not null,
      ready_at   timestamptz not null,
      expires_at timestamptz not null,
      mac        bytea,
      constraint recoveries_pkey primary key (app_id, user_id),
      constraint recoveries_address unique (app_id, kind, canonical),
      constraint recoveries_user foreign key (app_id, user_id) references users (app_id, id)
    );
    create index recoveries_end on recoveries (app_id, expires_at);

    -- An import does not bring back a user who was deleted in the last 400 days. The hash is keyed.
    create table deleted_external_ids (
      app_id           text        not null,
      external_id_hash bytea       not null,
      expires_at       timestamptz not null,
      constraint deleted_external_ids_pkey primary key (app_id, external_id_hash)
    );
    create index deleted_external_ids_end on deleted_external_ids (app_id, expires_at);

    -- Searches by a part of an address or a name use these indexes, if the extensions are or can be installed. Otherwise such searches
    -- read all rows of the app. The planner estimates the matches of a part by a sample of the values, 100 by default. It has no sample of
    -- the values of a partial index, so the index of names has the deleted users too, whose names are empty.
    do $$
    declare trigrams text;
    begin
      begin
        create extension if not exists pg_trgm;
        create extension if not exists btree_gin;
      exception when undefined_file or feature_not_supported or insufficient_privilege then
        return;
      end;
      select quote_ident(n.nspname) || '.gin_trgm_ops' into trigrams
        from pg_extension e join pg_namespace n on n.oid = e.extnamespace where e.extname = 'pg_trgm';
      execute format('create index emails_text_trgm on emails using gin (app_id, text %s)', trigrams);
      execute format('create index phone_numbers_text_trgm on phone_numbers using gin (app_id, text %s)', trigrams);
      execute format($index$
        create index users_full_name_trgm on users using gin (app_id, (ltrim(
          first_name || coalesce(' ' || nullif(middle_name, ''), '') || coalesce(' ' || nullif(last_name, ''), '')
        )) %s) $index$, trigrams);
      alter index users_full_name_trgm alter column 2 set statistics 1000;
    end $$;
  `;
}
