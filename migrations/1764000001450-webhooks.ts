import { FirstTables } from './first-tables.js';

export class Webhooks1764000001450 extends FirstTables {
  readonly tables = `
    create table webhook_endpoints (
      app_id                  text        not null,
      id                      text        not null,
      url                     text        not null,
      event_types             text[]      not null,
      description             text        not null,
      is_ordered              boolean     not null,
      sealed_secret           bytea       not null,
      sealed_previous_secret  bytea,
      previous_secret_ends_at timestamptz,
      created_at              timestamptz not null,
      updated_at              timestamptz not null,
      disabled_at             timestamptz,
      disabled_reason         text,
      tested_at               timestamptz,
      key_id                  text,
      constraint webhook_endpoints_pkey primary key (app_id, id)
    );

    create table webhook_health (
      app_id        text        not null,
      endpoint_id   text        not null,
      failing_since timestamptz not null,
      failures      integer     not null,
      probe_at      timestamptz,
      constraint webhook_health_pkey primary key (app_id, endpoint_id)
    ) with (fillfactor = 50);

    -- A pending delivery. When it ends, its row moves to webhook_deliveries.
    create table webhook_queue (
      app_id       text        not null,
      endpoint_id  text        not null,
      id           text        not null,
      event_id     text        not null,
      event_type   text        not null,
      position     bigint      not null,
      sequenced_at timestamptz,
      order_key    text,
      body         text,
      tries        integer     not null default 0,
      claims       integer     not null default 0,
      attempts     jsonb       not null default '[]',
      due_at       timestamptz not null default now(),
      lease        text,
      leased_until timestamptz,
      created_at   timestamptz not null default now(),
      constraint webhook_queue_pkey primary key (app_id, endpoint_id, id)
    ) with (fillfactor = 60, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);
    -- The condition is always true. Only claims state it, so that no look-up of a delivery by its key reads this index instead.
    create index webhook_queue_due on webhook_queue (app_id, endpoint_id, due_at, position) where tries >= 0;
    create index webhook_queue_order on webhook_queue (app_id, endpoint_id, order_key, position) where order_key is not null;

    -- One partition for each day on which deliveries ended.
    create table webhook_deliveries (
      app_id       text        not null,
      endpoint_id  text        not null,
      id           text        not null,
      event_id     text        not null,
      event_type   text        not null,
      position     bigint      not null,
      sequenced_at timestamptz,
      body         text,
      status       text        not null,
      attempts     jsonb       not null,
      created_at   timestamptz not null,
      ended_at     timestamptz not null,
      constraint webhook_deliveries_pkey primary key (app_id, endpoint_id, id, ended_at)
    ) partition by range (ended_at);
    create index webhook_deliveries_failed on webhook_deliveries (app_id, endpoint_id, id) where status = 'failed';
  `;
}
