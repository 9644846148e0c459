import type { MigrationInterface, QueryRunner } from 'typeorm';

export class CreateLimits1763600000700 implements MigrationInterface {
  readonly name = 'CreateLimits1763600000700';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table send_counts (
        app_id     text        not null,
        key        text        not null,
        slot       bigint      not null,
        counts     integer[]   not null,
        expires_at timestamptz not null,
        constraint send_counts_pkey primary key (app_id, key)
      )`);
    // One round trip takes from all counts or from none. The window of a count has 60 slots, and counts holds 61, the
    // current one last: a send counts for one window at least and a sixtieth longer at most. Locks are taken in key
    // order.
    await runner.query(`
      create function take_sends(app text, keys text[], windows integer[], maxima integer[])
        returns table (refused integer, seconds double precision)
        language plpgsql as $$
      declare
        width double precision;
        now_seconds double precision := extract(epoch from clock_timestamp());
        newest bigint;
        sent integer[];
      begin
        -- All sends of an app count in one row, one after another: a wait for the disk each would be the limit. A crash
        -- of the server may forget the last moments' counts, no more.
        perform set_config('synchronous_commit', 'off', true);
        for i in 1 .. cardinality(keys) loop
          width := windows[i] / 60.0;
          insert into send_counts as c (app_id, key, slot, counts, expires_at)
          values (app, keys[i], floor(now_seconds / width), array_fill(0, array[61]),
                  to_timestamp(now_seconds + windows[i] + 2 * width))
          on conflict (app_id, key) do update set
            counts = (c.counts || array_fill(0, array[least(greatest(excluded.slot - c.slot, 0), 61)::integer]))
                     [1 + least(greatest(excluded.slot - c.slot, 0), 61)::integer :],
            slot = greatest(excluded.slot, c.slot),
            expires_at = greatest(excluded.expires_at, c.expires_at)
          returning c.slot, c.counts into newest, sent;
          if (select sum(n) from unnest(sent) n) >= maxima[i] then
            -- One more may be sent when enough of the oldest slots have left the window.
            return query
              select i, coalesce(min((newest + age) * width) - now_seconds, windows[i])
                from (select age, sum(n) over (order by age) as gone, sum(n) over () as total
                        from unnest(sent) with ordinality as slots(n, age)) as leaving
               where gone > total - maxima[i];
            return;
          end if;
        end loop;
        update send_counts set counts[61] = counts[61] + 1 where app_id = app and key = any(keys);
      end $$`);
    await runner.query(`
      create table wrong_tries (
        app_id       text          not null,
        user_id      text          not null,
        tries        timestamptz[] not null,
        locked_until timestamptz,
        constraint wrong_tries_pkey primary key (app_id, user_id)
      )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`drop table wrong_tries`);
    await runner.query(`drop function take_sends`);
    await runner.query(`drop table send_counts`);
  }
}
