import { FirstTables } from './first-tables.js';

export class Services1764000000100 extends FirstTables {
  readonly tables = `
    create table master_keys (
      key_id      text        not null,
      check_value bytea       not null,
      created_at  timestamptz not null default now(),
      retired_at  timestamptz,
      constraint master_keys_pkey primary key (key_id)
    );

    -- The keys that a key provider has wrapped. app_id is 'service' for the key of values of no app. key_ref is the provider's name of
    -- its key. A row that was missing and was stored again has restored_at, and may be beside another of its generation.
    create table wrapping_keys (
      app_id      text        not null,
      generation  integer     not null,
      provider    text        not null,
      wrapped_key bytea       not null,
      key_ref     text        not null,
      check_value bytea       not null,
      created_at  timestamptz not null default now(),
      restored_at timestamptz,
      retired_at  timestamptz,
      constraint wrapping_keys_pkey primary key (app_id, generation, check_value)
    );
    create unique index wrapping_keys_of_provider on wrapping_keys (app_id, provider, generation) where restored_at is null;

    -- The last escrow of the wrapping keys, by the provider that was the present one.
    create table key_escrows (
      provider        text        not null,
      created_at      timestamptz not null,
      keys            integer     not null,
      threshold       integer     not null,
      recipients      integer     not null,
      recipients_hash bytea       not null,
      constraint key_escrows_pkey primary key (provider)
    );

    -- The service makes its secret at its first start, because a migration runs without master keys.
    create table service_secrets (
      id            text        not null,
      sealed_secret bytea       not null,
      created_at    timestamptz not null default now(),
      constraint service_secrets_pkey primary key (id)
    );

    -- The running processes of the service. Each changes seen_at every five seconds.
    create table replicas (
      id         text        not null,
      host       text        not null,
      version    text        not null,
      revision   text        not null,
      role       text        not null,
      started_at timestamptz not null default now(),
      seen_at    timestamptz not null default now(),
      constraint replicas_pkey primary key (id)
    );

    -- rank_at is the order in which due jobs run, so that the jobs of one app cannot delay those of another.
    create table jobs (
      id         text        not null,
      app_id     text,
      kind       text        not null,
      payload    bytea,
      unique_key text,
      attempt    integer     not null default 0,
      due_at     timestamptz not null default now(),
      rank_at    timestamptz not null default now(),
      lease      text,
      died_at    timestamptz,
      error      text,
      request_id text,
      created_at timestamptz not null default now(),
      constraint jobs_pkey primary key (id)
    );
    create index jobs_due on jobs (due_at) where died_at is null;
    create index jobs_rank on jobs (rank_at) where died_at is null;
    create index jobs_of_app on jobs (app_id, id);
    create index jobs_dead on jobs (app_id, id) where died_at is not null;
    create unique index jobs_unique_key on jobs (kind, unique_key)
      where unique_key is not null and lease is null and died_at is null;

    create table send_counts (
      app_id     text        not null,
      key        text        not null,
      slot       bigint      not null,
      counts     integer[]   not null,
      expires_at timestamptz not null,
      constraint send_counts_pkey primary key (app_id, key)
    );

    create table wrong_tries (
      app_id       text          not null,
      user_id      text          not null,
      tries        timestamptz[] not null,
      locked_until timestamptz,
      constraint wrong_tries_pkey primary key (app_id, user_id)
    );

    -- The mails and SMS of each app without their content, for operators.
    create table messages (
      app_id     text        not null,
      id         text        not null,
      channel    text        not null,
      kind       text        not null,
      recipient  text        not null,
      status     text        not null default 'pending',
      attempts   integer     not null default 0,
      last_error text,
      request_id text,
      created_at timestamptz not null default now(),
      sent_at    timestamptz,
      constraint messages_pkey primary key (app_id, id),
      constraint messages_status_check check (status in ('pending', 'sent', 'failed'))
    );
    create index messages_unsent on messages (app_id, status, id) where status <> 'sent';
    create index messages_age on messages (app_id, created_at);
    create index messages_recipient on messages (app_id, recipient, id);

    create table message_statistics (
      app_id text        not null,
      hour   timestamptz not null,
      label  text        not null,
      value  bigint      not null,
      constraint message_statistics_pkey primary key (app_id, hour, label)
    );

    -- Refusals of one class within one minute. A row is removed when its minute ends.
    create table refusals (
      app_id   text        not null,
      recorder text        not null,
      class    text        not null,
      since    timestamptz not null default now(),
      calls    integer     not null,
      written  integer     not null default 0,
      constraint refusals_pkey primary key (app_id, recorder, class)
    );

    -- The last batch of refusals that a process has stored for an app.
    create table refusal_batches (
      app_id    text        not null,
      process   text        not null,
      batch     bigint      not null,
      stored_at timestamptz not null default now(),
      constraint refusal_batches_pkey primary key (app_id, process)
    );
  `;
}
