import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The event log, in one partition for each day on which events got their positions. `sequenced_at` never decreases along the
 * positions of an app, so a dropped partition removes a prefix of the positions and leaves no gap.
 */
export class CreateEventLog1763600003600 implements MigrationInterface {
  readonly name = 'CreateEventLog1763600003600';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
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
      ) partition by range (sequenced_at)`);
    await runner.query(`create index event_log_feed on event_log (app_id, position)`);
    await runner.query(`create index event_log_feed_of_type on event_log (app_id, type, position)`);
    await runner.query(
      `create index event_log_feed_of_user on event_log (app_id, user_id, position) where user_id is not null`,
    );
    await runner.query(`
      create table event_positions (
        app_id            text        not null,
        last_position     bigint      not null default 0,
        last_sequenced_at timestamptz not null default '-infinity',
        dropped_position  bigint      not null default 0,
        constraint event_positions_pkey primary key (app_id)
      ) with (fillfactor = 70)`);
    await runner.query(`
      create function create_event_partitions(days_ahead integer) returns void language plpgsql as $$
      declare
        today date := (now() at time zone 'UTC')::date;
        day   date;
        name  text;
      begin
        for day in select today + n from generate_series(0, days_ahead) as n loop
          name := 'event_log_' || to_char(day, 'YYYYMMDD');
          continue when to_regclass(name) is not null;
          -- The lock that ATTACH takes: readers and writers go on, and of two callers one waits and then finds the partition.
          lock table event_log in share update exclusive mode;
          continue when to_regclass(name) is not null;
          execute format('create table %I (like event_log including defaults)', name);
          execute format('alter table event_log attach partition %I for values from (%L) to (%L)',
                         name, day::timestamp at time zone 'UTC', (day + 1)::timestamp at time zone 'UTC');
        end loop;
      end $$`);
    await runner.query(`
      create function drop_event_partition(before timestamptz) returns text language plpgsql as $$
      declare
        oldest text;
      begin
        select min(c.relname) into oldest
          from pg_inherits i join pg_class c on c.oid = i.inhrelid
         where i.inhparent = 'event_log'::regclass
           and c.relname < 'event_log_' || to_char(before at time zone 'UTC', 'YYYYMMDD');
        if oldest is null then return null; end if;
        -- A drop waits for open readers, and later readers wait behind it: give up soon and let the next run try again.
        perform set_config('lock_timeout', '500ms', true);
        execute format('lock table event_log, %I in access exclusive mode', oldest);
        execute format('update event_positions p set dropped_position = d.last
                          from (select app_id, (select max(position) from %I l where l.app_id = a.app_id) as last
                                  from event_positions a) d
                         where p.app_id = d.app_id and d.last > p.dropped_position', oldest);
        execute format('drop table %I', oldest);
        return oldest;
      end $$`);
    await runner.query(`select create_event_partitions(7)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`drop function drop_event_partition(timestamptz)`);
    await runner.query(`drop function create_event_partitions(integer)`);
    await runner.query(`drop table event_positions`);
    await runner.query(`drop table event_log`);
  }
}
