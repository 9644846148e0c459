import { MOST_OF_APP, MOST_OF_ENDPOINT, MOST_OF_HOST } from '../domain/delivery-queue.js';
import { MOST_ENDPOINTS, NO_EVENTS } from '../domain/webhook-endpoint.js';

/** The lease is longer than the time limit of an attempt; a running process renews it. */
const LEASE = `interval '30 seconds'`;
/** A successor is released when its predecessor ends. This bounds the wait if both happen at the same moment. */
const PARKED = `interval '10 seconds'`;
/** An endpoint with more failures and no success gets one delivery at a time. */
const BROKEN_AFTER = 5;
const FIRST_PROBE_SECONDS = 5;
const LONGEST_PROBE_SECONDS = 60;
/** An endpoint without a success for this long is disabled. */
export const LOST_AFTER = `interval '5 days'`;

/** A client that may read events no more keeps only endpoints that were made without them. */
export const KEEPS_EVENTS = `(o.scopes is null or o.scopes ? 'events:read' or e.event_types = '{${NO_EVENTS.join()}}')`;

/** The endpoints of a restricted key receive nothing from the moment at which it ends, before a job disables them. */
const IS_OF_LIVE_KEY = `(e.key_id is null or exists (select from live_keys k where k.app_id = $1 and k.key_id = e.key_id)
          or exists (select from live_token_owners o where o.app_id = $1 and o.id = e.key_id and ${KEEPS_EVENTS}))`;

/** A part of the sequencer's statement: `numbered` are the events of app $1. */
export const QUEUE = `
  insert into webhook_queue (app_id, endpoint_id, id, event_id, event_type, position, sequenced_at, order_key)
  select n.app_id, e.id, webhook_delivery_id(n.id, e.id), n.id, n.type, n.position, n.sequenced_at,
         case when e.is_ordered then n.data->>'user_id' end
    from webhook_endpoints e
    join numbered n on n.app_id = e.app_id and (e.event_types = '{}' or n.type = any(e.event_types))
   where e.app_id = $1 and e.disabled_at is null and ${IS_OF_LIVE_KEY}
  returning 1`;

/** Statistics of an often empty table mislead. Without sorts the planner uses the index of due rows; joins would read the whole table. */
export const QUEUE_SETTINGS = `
  select set_config('enable_seqscan', 'off', true), set_config('enable_sort', 'off', true), set_config('jit', 'off', true),
         exists (select 1 from webhook_endpoints where app_id = $1)`;

/** The first condition selects the index of due deliveries. */
const IS_FREE = `tries >= 0 and due_at <= now() and (leased_until is null or leased_until <= now())`;

const SHARED_OF_APP = MOST_OF_APP - MOST_ENDPOINTS;

/** The port is left out: all ports of a host are one machine. */
const HOST = String.raw`substring(e.url from '^\w+://(\[[^]]*\]|[^:/?#]+)')`;

/** The condition uses the primary key, however few rows the planner expects. Ids of deliveries are unique in an app. */
const isAmong = (rows: string): string =>
  `q.app_id = $1 and q.endpoint_id = any(array(select endpoint_id from ${rows})) and q.id = any(array(select id from ${rows}))`;

/** Reads only the due rows that an endpoint may have, so a backlog costs others nothing. Each endpoint owns its first slot. */
export const CLAIM = `
  with busy as materialized (
    select * from json_to_recordset($3::json) as b(app_id text, endpoint_id text, host text, used int, is_proven boolean)
     where b.app_id = $1
  ), candidates as materialized (
    select e.id as endpoint_id, e.url, e.sealed_secret,
           case when e.previous_secret_ends_at > now() then e.sealed_previous_secret end as sealed_previous_secret,
           h.failures >= ${BROKEN_AFTER} as is_broken,
           case when b.is_proven and coalesce(h.failures, 0) < ${BROKEN_AFTER} then ${MOST_OF_ENDPOINT} else 1 end
             - coalesce(b.used, 0) as free,
           coalesce(b.used, 0) as used, ${HOST} as host,
           ${MOST_OF_HOST} - coalesce((select sum(used) from busy where host = ${HOST}), 0) as free_of_host,
           greatest(${SHARED_OF_APP} - coalesce((select sum(used - 1) from busy where used > 0), 0), 0) as shared,
           ${MOST_OF_APP} - coalesce((select sum(used) from busy), 0) as free_of_app
      from webhook_endpoints e
      left join webhook_health h on h.app_id = $1 and h.endpoint_id = e.id
      left join busy b on b.endpoint_id = e.id
     where e.app_id = $1 and e.disabled_at is null and ${IS_OF_LIVE_KEY} and (h.probe_at is null or h.probe_at <= now())
       and exists (select from live_apps l where l.app_id = $1)
       and (select due_at from webhook_queue
             where app_id = $1 and endpoint_id = e.id and ${IS_FREE}
             order by due_at, position limit 1) is not null
  ), shares as materialized (
    select c.*, case when row_number() over (order by free desc, random()) <= $2::int then
                  least(free, greatest($2::int / count(*) over (), 1),
                        (used = 0)::int + shared / greatest(wanting, 1)
                          + (row_number() over (order by free > 1 desc, used, random()) <= shared % greatest(wanting, 1))::int,
                        (used = 0)::int + rest_of_host / greatest(wanting_of_host, 1)
                          + (row_number() over (partition by host order by free > 1 desc, used, random())
                             <= rest_of_host % greatest(wanting_of_host, 1))::int)::int else 0 end as size
      from (
        select c.*, count(*) filter (where free + used > 1) over () as wanting,
               count(*) filter (where free + used > 1) over (partition by host) as wanting_of_host,
               greatest(free_of_host - count(*) filter (where used = 0) over (partition by host), 0) as rest_of_host
          from candidates c) c
     where free > 0 and free_of_app > 0 and free_of_host > 0
  ), picked as materialized (
    select s.endpoint_id, q.id, s.is_broken,
           case when q.order_key is not null then (
             select due_at from webhook_queue b
              where b.app_id = $1 and b.endpoint_id = s.endpoint_id and b.order_key = q.order_key
                and b.position < q.position
              order by b.position limit 1) end as predecessor_due_at
      from shares s
     cross join lateral (
       select id, order_key, position from webhook_queue
        where app_id = $1 and endpoint_id = s.endpoint_id and ${IS_FREE}
        order by due_at, position limit s.size for update skip locked) q
     limit $2::int
  ), parked as (
    update webhook_queue q set due_at = greatest(p.predecessor_due_at, now() + ${PARKED})
      from picked p
     where ${isAmong('picked where predecessor_due_at is not null')} and q.endpoint_id = p.endpoint_id and q.id = p.id
    returning 1
  ), claimed as (
    update webhook_queue q set lease = $4, leased_until = now() + ${LEASE}, claims = claims + 1
     where ${isAmong('picked where predecessor_due_at is null')}
    returning q.endpoint_id, q.id, q.event_id, q.sequenced_at, q.body, q.tries, q.claims, q.due_at
  ), probing as (
    update webhook_health h set probe_at = now() + ${LEASE}
      from picked p
     where p.is_broken and p.predecessor_due_at is null and h.app_id = $1 and h.endpoint_id = p.endpoint_id
  )
  select s.endpoint_id as "endpointId", s.url, s.sealed_secret as "sealedSecret",
         s.sealed_previous_secret as "sealedPreviousSecret",
         s.host,
         s.has_more as "hasMore",
         exists (select from parked) as "hasParked", c.id, c.event_id as "eventId", c.tries, c.claims, c.due_at::text as "dueAt",
         coalesce(c.body, l.body) as body
    from (
      select s.*, (select due_at from webhook_queue
                    where app_id = $1 and endpoint_id = s.endpoint_id and ${IS_FREE}
                    order by due_at, position offset s.size limit 1) is not null as has_more
        from shares s offset 0) s
    left join claimed c on c.endpoint_id = s.endpoint_id
    left join lateral (
      select body from logged_events
       where app_id = $1 and id = c.event_id and sequenced_at = c.sequenced_at limit 1) l on true`;

const IS_HELD = `app_id = $1 and endpoint_id = r.endpoint_id and id = r.id and lease = r.lease`;

/** Rows that another transaction has locked are skipped: waiting for them in any order may deadlock. */
export const EXTEND = `
  with held as materialized (
    select q.endpoint_id, q.id
      from json_to_recordset($2::json) as r(endpoint_id text, id text, lease text)
     cross join lateral (select endpoint_id, id from webhook_queue where ${IS_HELD} for update skip locked) q
  )
  update webhook_queue q set leased_until = now() + ${LEASE} where ${isAmong('held')}`;

/** Use it before RECORD in its transaction, which then sees the rows as they are and finds them at their place. */
export const HOLD = `
  select from json_to_recordset($2::json) as r(endpoint_id text, id text, lease text)
   cross join lateral (select from webhook_queue where ${IS_HELD} for update) q`;

/** Citus allows only immutable functions in DO UPDATE, and the sum of a timestamptz and an interval is not immutable. */
function laterThan(time: string): string {
  const seconds = `least(${FIRST_PROBE_SECONDS} * 2 ^ least(next - ${BROKEN_AFTER}, 10), ${LONGEST_PROBE_SECONDS})`;
  return `((${time} at time zone 'UTC') + make_interval(secs => ${seconds})) at time zone 'UTC'`;
}

/** A delivery may be sent again any number of times, so only the last 20 attempts are kept. */
const ALL_ATTEMPTS = `jsonb_path_query_array(q.attempts || r.attempts, '$[last - 19 to last]')`;

/** Simultaneous failures count as one. `again`: a delivery was asked for during its failed attempt, and starts its schedule anew. */
export const RECORD = `
  with c as materialized (
    select now() as now, now() + interval '${FIRST_PROBE_SECONDS} seconds' as first_probe_at
  ), results as materialized (
    select r.endpoint_id, r.id, now() + make_interval(secs => r.wait) as next_at, r.attempts,
           case when q.is_due_again and r.outcome in ('retry', 'failed') then 'again' else r.outcome end as outcome
      from json_to_recordset($2::json) as r(endpoint_id text, id text, lease text, due_at timestamptz, outcome text,
                                            wait float8, attempts jsonb)
     cross join lateral (
       select due_at > r.due_at as is_due_again from webhook_queue where ${IS_HELD} limit 1) q
  ), ended as (
    delete from webhook_queue q using results r
     where ${isAmong(`results where outcome in ('delivered', 'failed', 'abandoned')`)}
       and q.endpoint_id = r.endpoint_id and q.id = r.id
    returning q.*, r.outcome, ${ALL_ATTEMPTS} as all_attempts
  ), logged as (
    insert into webhook_deliveries (app_id, endpoint_id, id, event_id, event_type, position, sequenced_at, body, status, attempts,
                                    created_at, ended_at)
    select app_id, endpoint_id, id, event_id, event_type, position, sequenced_at, body,
           case outcome when 'delivered' then 'delivered' else 'failed' end, all_attempts, created_at, c.now
      from ended, c
  ), repeated as (
    update webhook_queue q
       set tries = case when r.outcome = 'again' then q.tries else q.tries + jsonb_array_length(r.attempts) end,
           due_at = case when r.outcome = 'again' then q.due_at else r.next_at end,
           claims = 0, attempts = ${ALL_ATTEMPTS}, lease = null, leased_until = null
      from results r
     where ${isAmong(`results where outcome in ('retry', 'again', 'postpone')`)}
       and q.endpoint_id = r.endpoint_id and q.id = r.id
    returning q.endpoint_id, r.outcome
  ), successors as materialized (
    select n.endpoint_id, n.id
      from ended e
     cross join lateral (
       select endpoint_id, id from webhook_queue
        where app_id = $1 and endpoint_id = e.endpoint_id and order_key = e.order_key and position > e.position
        order by position limit 1) n
  ), released as (
    update webhook_queue q set due_at = now() where ${isAmong('successors')} returning 1
  ), healthy as materialized (
    select distinct endpoint_id from ended where outcome = 'delivered'
  ), recovered as (
    delete from webhook_health h using healthy g where h.app_id = $1 and h.endpoint_id = g.endpoint_id returning 1
  ), failing as (
    insert into webhook_health as h (app_id, endpoint_id, failing_since, failures, probe_at)
    select $1, endpoint_id, max(c.now), least(count(*), ${BROKEN_AFTER}),
           case when bool_or(outcome = 'again') then max(c.now) when count(*) >= ${BROKEN_AFTER} then max(c.first_probe_at) end
      from (select endpoint_id, outcome from repeated where outcome in ('retry', 'again')
             union all select endpoint_id, outcome from ended where outcome = 'failed') f, c
     where endpoint_id not in (select endpoint_id from healthy)
     group by endpoint_id
     order by endpoint_id
    on conflict (app_id, endpoint_id) do update
       set (failures, probe_at) = (
         select next, case when excluded.probe_at = excluded.failing_since then excluded.probe_at
                           when next >= ${BROKEN_AFTER} then ${laterThan('excluded.failing_since')} end
           from (select case when h.failures >= ${BROKEN_AFTER} then h.failures + 1
                             else least(h.failures + excluded.failures, ${BROKEN_AFTER}) end as next) as next)
    returning app_id, endpoint_id, failing_since
  )
  select exists (select 1 from released) or exists (select 1 from recovered)
           or exists (select 1 from results where outcome = 'again') as "hasReleased",
         array(select endpoint_id from failing where failing_since < now() - ${LOST_AFTER}) as lost`;

export const REMOVE_ORPHANS = `
  with removed as (
    delete from webhook_queue where app_id = $1 and (endpoint_id, id) in (
      select endpoint_id, id from webhook_queue q
       where app_id = $1 and (greatest(created_at, due_at) < now() - make_interval(days => $2)
          or not exists (select 1 from webhook_endpoints e where e.app_id = $1 and e.id = q.endpoint_id)
          or not exists (select 1 from live_apps l where l.app_id = $1))
       limit $3)
    returning 1
  )
  select count(*)::int as removed from removed`;

export const REMOVE_HEALTH = `
  delete from webhook_health h
   where not exists (select 1 from webhook_endpoints e where e.app_id = h.app_id and e.id = h.endpoint_id)`;
