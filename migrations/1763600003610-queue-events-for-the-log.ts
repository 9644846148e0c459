import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Committed events wait here for their positions. Rows of the former table get their numbers once, in their former order; the
 * sequencer then moves them to the log. Transaction ids ordered them before: a change that waited for another could come out before
 * it, and the ids did not survive dump and restore. Under its former name, a view takes the inserts of the previous release.
 */
export class QueueEventsForTheLog1763600003610 implements MigrationInterface {
  readonly name = 'QueueEventsForTheLog1763600003610';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table unsequenced_events (
        app_id     text        not null,
        seq        bigint      not null generated always as identity,
        id         text        not null,
        type       text        not null,
        data       json        not null,
        created_at timestamptz not null default now(),
        constraint unsequenced_events_pkey primary key (app_id, seq)
      ) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000)`);
    await runner.query(`lock table events in access exclusive mode`);
    await runner.query(`
      insert into unsequenced_events (app_id, id, type, data, created_at)
      select app_id, id, type, data::json, created_at from events order by xid, id`);
    await runner.query(`drop table events`);
    await runner.query(`
      create view events as
      select app_id, id, type, body::jsonb -> 'data' as data, created_at, position, null::bigint as seq from event_log
       union all
      select app_id, id, type, data::jsonb, created_at, null, seq from unsequenced_events`);
    await runner.query(`
      create function queue_event() returns trigger language plpgsql as $$
      begin
        insert into unsequenced_events (app_id, id, type, data) values (new.app_id, new.id, new.type, new.data::json);
        return new;
      end $$`);
    await runner.query(
      `create trigger queue_event instead of insert on events for each row execute function queue_event()`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`alter view events rename to former_events`);
    await runner.query(`
      create table events (
        app_id     text        not null,
        id         text        not null,
        type       text        not null,
        data       jsonb       not null,
        xid        bigint      not null default (pg_current_xact_id()::text)::bigint,
        created_at timestamptz not null default now(),
        constraint events_pkey primary key (app_id, id)
      )`);
    await runner.query(`
      insert into events (app_id, id, type, data, created_at)
      select app_id, id, type, data, created_at from former_events order by position, seq`);
    await runner.query(`create index events_feed on events (app_id, xid, id)`);
    await runner.query(`drop view former_events`);
    await runner.query(`drop function queue_event()`);
    await runner.query(`drop table unsequenced_events`);
  }
}
