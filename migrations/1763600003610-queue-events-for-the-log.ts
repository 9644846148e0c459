import type { MigrationInterface, QueryRunner } from 'typeorm';

const BATCH = 50_000;

const LOGGED = `select app_id, id, type, body::jsonb -> 'data' as data, created_at, position, null::bigint as seq from event_log`;
const WAITING = `select app_id, id, type, data::jsonb, created_at, null, seq from unsequenced_events`;
const FORMER = `select app_id, id, type, data, created_at, null, null from former_events`;

/**
 * Committed events wait here for their positions. Rows of the former table get their numbers once, in their former order; the
 * sequencer then moves them to the log. Transaction ids ordered them before: a change that waited for another could come out before
 * it, and the ids did not survive dump and restore. Under its former name, a view takes the inserts of the previous release.
 *
 * The former rows follow in batches, with numbers below those of new events: to copy a large table under a lock would stop each call that
 * stores an event. A migration that was interrupted goes on with the rows that are left.
 */
export class QueueEventsForTheLog1763600003610 implements MigrationInterface {
  readonly name = 'QueueEventsForTheLog1763600003610';
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    if ((await kindOf(runner, 'events')) === 'r') await this.redirect(runner);
    while ((await kindOf(runner, 'former_events')) === 'r' && (await this.moveBatch(runner)) > 0);
    await runner.startTransaction();
    await runner.query(`create or replace view events as ${LOGGED} union all ${WAITING}`);
    await runner.query(`drop table if exists former_events`);
    await runner.commitTransaction();
  }

  /** From here on events go to the new table. Nothing is copied under the lock. */
  private async redirect(runner: QueryRunner): Promise<void> {
    await runner.startTransaction();
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
    await runner.query(`alter table events rename to former_events`);
    await runner.query(`create view events as ${LOGGED} union all ${WAITING} union all ${FORMER}`);
    await runner.query(`
      create function queue_event() returns trigger language plpgsql as $$
      begin
        insert into unsequenced_events (app_id, id, type, data) values (new.app_id, new.id, new.type, new.data::json);
        return new;
      end $$`);
    await runner.query(
      `create trigger queue_event instead of insert on events for each row execute function queue_event()`,
    );
    await runner.commitTransaction();
  }
  /** Their numbers end at 0, so the number of rows that are left says where a batch begins. */
  private async moveBatch(runner: QueryRunner): Promise<number> {
    const [{ moved }] = (await runner.query(`
      with picked as (
        select *, row_number() over (order by xid, id) - (select count(*) from former_events) as number
          from former_events order by xid, id limit ${BATCH}
      ), taken as (
        delete from former_events f using picked p where f.app_id = p.app_id and f.id = p.id
      ), moved as (
        insert into unsequenced_events (app_id, seq, id, type, data, created_at) overriding system value
        select app_id, number, id, type, data::json, created_at from picked
        returning 1
      )
      select count(*)::int as moved from moved`)) as [{ moved: number }];
    return moved;
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

/** `r` for a table, `v` for a view, undefined when there is none. */
async function kindOf(runner: QueryRunner, name: string): Promise<string | undefined> {
  const [row] = (await runner.query(`select relkind as kind from pg_class where oid = to_regclass($1)`, [name])) as {
    kind: string;
  }[];
  return row?.kind;
}
