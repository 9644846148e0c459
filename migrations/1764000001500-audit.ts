import { FirstTables } from './first-tables.js';

export class Audit1764000001500 extends FirstTables {
  readonly tables = `
    -- A hash chain for each app, and one for entries that name no app (app_id is then empty). An entry has no number until it is chained.
    create table audit_log (
      app_id        text        not null,
      id            text        not null,
      actor         text        not null,
      action        text        not null,
      target_id     text        not null,
      fields        text[]      not null,
      outcome       text        not null default 'ok',
      error_type    text,
      calls         integer     not null default 1,
      ip_commitment bytea,
      request_id    text,
      created_at    timestamptz not null,
      number        bigint,
      chained_at    timestamptz,
      hash          bytea,
      mac           bytea,
      constraint audit_log_pkey primary key (app_id, id),
      constraint audit_log_keyed check (number is null or mac is not null)
    );
    create unique index audit_log_chained on audit_log (app_id, number);
    create index audit_log_unchained on audit_log (app_id, id) where number is null;
    create index audit_log_of_actor on audit_log (app_id, actor, id);
    -- Refused calls have one action, so this one serves the filter for them too.
    create index audit_log_of_action on audit_log (app_id, action, id);
    create index audit_log_of_changes on audit_log (app_id, id) where outcome = 'ok';

    create table audit_personal_data (
      app_id   text  not null,
      entry_id text  not null,
      salt     bytea not null,
      ip       text  not null,
      constraint audit_personal_data_pkey primary key (app_id, entry_id)
    );

    create table audit_chains (
      app_id          text   not null,
      last_number     bigint not null default 0,
      last_hash       bytea  not null,
      last_checkpoint bigint not null default 0,
      constraint audit_chains_pkey primary key (app_id)
    ) with (fillfactor = 70);

    create table audit_signing_keys (
      id                 text        not null,
      public_key         text        not null,
      sealed_private_key bytea       not null,
      created_at         timestamptz not null default now(),
      constraint audit_signing_keys_pkey primary key (id)
    );

    -- A checkpoint names the head of the service and its predecessor. Those of a release candidate have a kind instead.
    create table audit_checkpoints (
      app_id    text        not null,
      seq       bigint      not null,
      kind      text,
      head      bigint,
      number    bigint      not null,
      hash      bytea       not null,
      previous  bytea,
      at        timestamptz not null,
      key_id    text        not null,
      signature bytea       not null,
      constraint audit_checkpoints_pkey primary key (app_id, seq),
      constraint audit_checkpoints_named check (kind is null and head is not null and previous is not null)
    );

    -- One signed head of the service names the ends of all chains.
    create table audit_heads (
      seq       bigint      not null,
      at        timestamptz not null,
      chains    bigint      not null,
      entries   bigint      not null,
      digest    bytea       not null,
      previous  bytea       not null,
      key_id    text        not null,
      signature bytea       not null,
      ends      text,
      constraint audit_heads_pkey primary key (seq)
    );

    -- The newest head once more, for those who set the audit tables back to an earlier state.
    create table service_state (
      name  text not null,
      value text not null,
      constraint service_state_pkey primary key (name)
    );

    -- Entries of refused calls are removed after a time. A signed cut stands for each run of them, so that the chain can be verified
    -- across it.
    create table audit_cuts (
      app_id    text        not null,
      last      bigint      not null,
      first     bigint      not null,
      hash      bytea       not null,
      at        timestamptz not null,
      key_id    text        not null,
      signature bytea       not null,
      constraint audit_cuts_pkey primary key (app_id, last)
    );

    -- What a key was refused, by hour: a help for those who look for a fault, and no evidence.
    create table refused_calls (
      app_id          text        not null,
      id              text        not null,
      hour            timestamptz not null,
      key_id          text        not null,
      operation       text        not null,
      error_type      text        not null,
      calls           integer     not null,
      last_at         timestamptz not null,
      last_request_id text        not null,
      constraint refused_calls_pkey primary key (app_id, id),
      constraint refused_calls_of_hour unique (app_id, hour, key_id, operation, error_type)
    ) with (fillfactor = 80);
    create index refused_calls_of_key on refused_calls (app_id, key_id, id);
  `;
}
