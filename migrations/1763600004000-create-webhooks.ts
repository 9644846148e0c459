import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Webhook endpoints and deliveries. A pending delivery is in `webhook_queue`; when it ends, its row moves to `webhook_deliveries`, which
 * has one partition for each day on which deliveries ended.
 */
export class CreateWebhooks1763600004000 implements MigrationInterface {
  readonly name = 'CreateWebhooks1763600004000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
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
        constraint webhook_endpoints_pkey primary key (app_id, id)
      )`);
    await runner.query(`
      create table webhook_health (
        app_id        text        not null,
        endpoint_id   text        not null,
        failing_since timestamptz not null,
        failures      integer     not null,
        probe_at      timestamptz,
        constraint webhook_health_pkey primary key (app_id, endpoint_id)
      ) with (fillfactor = 50)`);
    await runner.query(`
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
      ) with (fillfactor = 60, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000)`);
    // The condition is always true. Only claims state it, so that no look-up of a delivery by its key reads this index instead.
    await runner.query(
      `create index webhook_queue_due on webhook_queue (app_id, endpoint_id, due_at, position) where tries >= 0`,
    );
    await runner.query(
      `create index webhook_queue_order on webhook_queue (app_id, endpoint_id, order_key, position)
        where order_key is not null`,
    );
    await runner.query(`
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
      ) partition by range (ended_at)`);
    await runner.query(
      `create index webhook_deliveries_failed on webhook_deliveries (app_id, endpoint_id, id) where status = 'failed'`,
    );
    await runner.query(`
      create function webhook_delivery_id(event_id text, endpoint_id text) returns text language sql immutable as $$
        -- The time of the event, then 64 bits of a hash: hexadecimal digits are digits of an id.
        select 'whd_' || substr(event_id, 5, 10)
                      || substr(encode(sha256(convert_to(event_id || endpoint_id, 'UTF8')), 'hex'), 1, 16)
      $$`);
    await runner.query(`
      create function create_webhook_partitions(days_ahead integer) returns void language plpgsql as $$
      declare
        today date := (now() at time zone 'UTC')::date;
        day   date;
        name  text;
      begin
        for day in select today + n from generate_series(0, days_ahead) as n loop
          name := 'webhook_deliveries_' || to_char(day, 'YYYYMMDD');
          continue when to_regclass(name) is not null;
          -- The lock that ATTACH takes: readers and writers go on, and of two callers one waits and then finds the partition.
          lock table webhook_deliveries in share update exclusive mode;
          continue when to_regclass(name) is not null;
          execute format('create table %I (like webhook_deliveries including defaults)', name);
          execute format('alter table webhook_deliveries attach partition %I for values from (%L) to (%L)',
                         name, day::timestamp at time zone 'UTC', (day + 1)::timestamp at time zone 'UTC');
        end loop;
      end $$`);
    await runner.query(`
      create function drop_webhook_partition(before timestamptz) returns text language plpgsql as $$
      declare
        oldest text;
      begin
        select min(c.relname) into oldest
          from pg_inherits i join pg_class c on c.oid = i.inhrelid
         where i.inhparent = 'webhook_deliveries'::regclass
           and c.relname < 'webhook_deliveries_' || to_char(before at time zone 'UTC', 'YYYYMMDD');
        if oldest is null then return null; end if;
        -- A drop waits for open readers, and later readers wait behind it: give up soon and let the next run try again.
        perform set_config('lock_timeout', '500ms', true);
        execute format('drop table %I', oldest);
        return oldest;
      end $$`);
    await runner.query(`select create_webhook_partitions(7)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`drop function drop_webhook_partition(timestamptz)`);
    await runner.query(`drop function create_webhook_partitions(integer)`);
    await runner.query(`drop function webhook_delivery_id(text, text)`);
    await runner.query(`drop table webhook_deliveries`);
    await runner.query(`drop table webhook_queue`);
    await runner.query(`drop table webhook_health`);
    await runner.query(`drop table webhook_endpoints`);
  }
}
