import { FirstTables } from './first-tables.js';

export class Events1764000001400 extends FirstTables {
  readonly tables = `
    -- Committed events wait here for their positions.
    create table unsequenced_events (
      app_id     text        not null,
      seq        bigint      not null generated always as identity,
      id         text        not null,
      type       text        not null,
      data       json        not null,
      request_id text,
      created_at timestamptz not null default now(),
      constraint unsequenced_events_pkey primary key (app_id, seq)
    ) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);

    -- One partition for each day on which events got their positions. sequenced_at never decreases along the positions of an app, so a
    -- dropped partition removes a prefix of the positions and leaves no gap.
    create table event_log (
      app_id       text        not null,
      id           text        not null,
      position     bigint      not null,
      type         text        not null,
      user_id      text,
      body         text        not null,
      created_at   timestamptz not null,
      sequenced_at timestamptz not null,
      constraint event_log_pkey primary key (app_id, id, sequenced_at)
    ) partition by range (sequenced_at);
    create index event_log_feed on event_log (app_id, position);
    create index event_log_feed_of_type on event_log (app_id, type, position);
    create index event_log_feed_of_user on event_log (app_id, user_id, position) where user_id is not null;

    create table event_positions (
      app_id            text        not null,
      last_position     bigint      not null default 0,
      last_sequenced_at timestamptz not null default '-infinity',
      dropped_position  bigint      not null default 0,
      feeds             jsonb       not null default '[]',
      constraint event_positions_pkey primary key (app_id)
    ) with (fillfactor = 70);

    -- Counts of events by hour.
    create table event_statistics (
      app_id text        not null,
      hour   timestamptz not null,
      metric text        not null,
      label  text        not null,
      value  bigint      not null,
      constraint event_statistics_pkey primary key (app_id, hour, metric, label)
    );

    create table counted_events (
      app_id       text        not null,
      position     bigint      not null default 0,
      sequenced_at timestamptz not null default '-infinity',
      constraint counted_events_pkey primary key (app_id)
    );
  `;
}
