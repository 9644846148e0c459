-- One round trip takes from all counts or from none. The window of a count has 60 slots, and counts holds 61, the current one last: a send
-- counts for one window at least and a sixtieth longer at most. Locks are taken in key order.
create or replace function take_sends(app text, keys text[], windows integer[], maxima integer[])
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
    -- Written once per send, instead of once to check the count and once to increment it.
    insert into send_counts as c (app_id, key, slot, counts, expires_at)
    values (app, keys[i], floor(now_seconds / width), array_fill(0, array[60]) || 1,
            to_timestamp(now_seconds + windows[i] + 2 * width))
    on conflict (app_id, key) do update set
      counts = (c.counts || array_fill(0, array[least(greatest(excluded.slot - c.slot, 0), 61)::integer]))
               [1 + least(greatest(excluded.slot - c.slot, 0), 61)::integer
                : 60 + least(greatest(excluded.slot - c.slot, 0), 61)::integer]
               || (1 + case when excluded.slot > c.slot then 0 else c.counts[61] end),
      slot = greatest(excluded.slot, c.slot),
      expires_at = greatest(excluded.expires_at, c.expires_at)
    returning c.slot, c.counts into newest, sent;
    if (select sum(n) from unnest(sent) n) > maxima[i] then
      update send_counts set counts[61] = counts[61] - 1 where app_id = app and key = any(keys[:i]);
      sent[61] := sent[61] - 1;
      -- One more may be sent when enough of the oldest slots have left the window.
      return query
        select i, coalesce(min((newest + age) * width) - now_seconds, windows[i])
          from (select age, sum(n) over (order by age) as gone, sum(n) over () as total
                  from unnest(sent) with ordinality as slots(n, age)) as leaving
         where gone > total - maxima[i];
      return;
    end if;
  end loop;
end $$;
