import { MOST_ENDPOINTS } from '../domain/webhook-endpoint.js';
import { MOST_OF_APP, MOST_OF_ENDPOINT, MOST_OF_HOST } from './delivery-bounds.js';

/** Longer than the time limit of an attempt; a running process renews it. */
const LEASE = `interval '30 seconds'`;
/** A successor is released when its predecessor ends. This bounds the wait if both happen at the same moment. */
const PARKED = `interval '10 seconds'`;
/** Failures without a success, from which on an endpoint gets one delivery at a time. */
const BROKEN_AFTER = 5;
const FIRST_PROBE_SECONDS = 5;
const LONGEST_PROBE_SECONDS = 60;
/** An endpoint without a success for this long is disabled. */
export const LOST_AFTER = `interval '5 days'`;
const ENDPOINTS_PER_CLAIM = 100;

/**
 * As for the sequencer, the table is often empty and its statistics mislead. Without sorts, due rows are read by the index that has their
 * order, however few the planner expects. One plan, because many partitions cost time to plan. Rows are first found by key, then changed by
 * `ctid`: a planner that expects one row in the table would join by reading all of it.
 */
export const QUEUE_SETTINGS = `select set_config('enable_seqscan', 'off', true), set_config('enable_sort', 'off', true),
  set_config('jit', 'off', true), set_config('plan_cache_mode', 'force_generic_plan', true)`;

/** The first condition selects the index of due deliveries. */
const IS_FREE = `tries >= 0 and due_at <= now() and (leased_until is null or leased_until <= now())`;

/** The slots of an app beyond the first one of each endpoint. */
const SHARED_OF_APP = MOST_OF_APP - MOST_ENDPOINTS;

/** The host of a stored URL, which has no credentials. Its port is no part of it: it is one machine. */
const HOST = String.raw`substring(e.url from '^\w+://(\[[^]]*\]|[^:/?#]+)')`;

/**
 * Steps from endpoint to endpoint in the primary key, so a backlog of one endpoint costs the other endpoints nothing, and reads only as
 * many due rows of each as it may have. With fewer free slots than endpoints, those of the apps that use the fewest get them: otherwise
 * four apps whose receivers are slow would keep all slots. The first slot of each endpoint of an app is its own, so endpoints that hang
 * cannot keep another one waiting; only endpoints that had a success lately get more, from the slots that the app's endpoints share.
 * Of the last of these, and of those to one host, the endpoints that use the fewest get them. A claim
 * changes no indexed column. A delivery with a predecessor in the queue is parked: otherwise the next claims would read it again.
 */
export const CLAIM = `
  with recursive busy as materialized (
    select * from json_to_recordset($4::json) as b(app_id text, endpoint_id text, host text, used int, is_proven boolean)
  ), waiting (app_id, endpoint_id, place) as (
    (select app_id, endpoint_id, 1 from webhook_queue
      where tries >= 0 and (app_id, endpoint_id) > ($1, $2) order by app_id, endpoint_id limit 1)
     union all
    select following.app_id, following.endpoint_id, place + 1
      from waiting w
     cross join lateral (
       select app_id, endpoint_id from webhook_queue
        where tries >= 0 and (app_id, endpoint_id) > (w.app_id, w.endpoint_id) order by app_id, endpoint_id limit 1) following
     where place < ${ENDPOINTS_PER_CLAIM}
  ), candidates as materialized (
    select e.app_id, e.id as endpoint_id, e.url, e.sealed_secret,
           case when e.previous_secret_ends_at > now() then e.sealed_previous_secret end as sealed_previous_secret,
           h.failures >= ${BROKEN_AFTER} as is_broken,
           case when b.is_proven and coalesce(h.failures, 0) < ${BROKEN_AFTER} then ${MOST_OF_ENDPOINT} else 1 end
             - coalesce(b.used, 0) as free,
           coalesce(b.used, 0) as used, ${HOST} as host,
           ${MOST_OF_HOST} - coalesce((select sum(used) from busy where app_id = w.app_id and host = ${HOST}), 0) as free_of_host,
           greatest(${SHARED_OF_APP} - coalesce((select sum(used - 1) from busy where app_id = w.app_id and used > 0), 0), 0) as shared,
           ${MOST_OF_APP} - coalesce((select sum(used) from busy where app_id = w.app_id), 0) as free_of_app
      from waiting w
      join webhook_endpoints e on e.app_id = w.app_id and e.id = w.endpoint_id and e.disabled_at is null
      left join webhook_health h on h.app_id = w.app_id and h.endpoint_id = w.endpoint_id
      left join busy b on b.app_id = w.app_id and b.endpoint_id = w.endpoint_id
     where (h.probe_at is null or h.probe_at <= now())
       and exists (select from live_apps l where l.app_id = w.app_id)
       and (select due_at from webhook_queue
             where app_id = w.app_id and endpoint_id = w.endpoint_id and ${IS_FREE}
             order by due_at, position limit 1) is not null
  ), shares as materialized (
    select c.*, case when row_number() over (order by free_of_app desc, free desc, random()) <= $3::int then
                  least(free, greatest($3::int / count(*) over (), 1),
                        (used = 0)::int + shared / greatest(wanting, 1)
                          + (row_number() over (partition by app_id order by free > 1 desc, used, random())
                             <= shared % greatest(wanting, 1))::int,
                        (used = 0)::int + rest_of_host / greatest(wanting_of_host, 1)
                          + (row_number() over (partition by app_id, host order by free > 1 desc, used, random())
                             <= rest_of_host % greatest(wanting_of_host, 1))::int)::int else 0 end as size
      from (
        select c.*, count(*) filter (where free + used > 1) over (partition by app_id) as wanting,
               count(*) filter (where free + used > 1) over (partition by app_id, host) as wanting_of_host,
               greatest(free_of_host - count(*) filter (where used = 0) over (partition by app_id, host), 0) as rest_of_host
          from candidates c) c
     where free > 0 and free_of_app > 0 and free_of_host > 0
  ), picked as materialized (
    select s.app_id, s.endpoint_id, q.tid, s.is_broken,
           case when q.order_key is not null then (
             select due_at from webhook_queue b
              where b.app_id = s.app_id and b.endpoint_id = s.endpoint_id and b.order_key = q.order_key
                and b.position < q.position
              order by b.position limit 1) end as predecessor_due_at
      from shares s
     cross join lateral (
       select ctid as tid, order_key, position from webhook_queue
        where app_id = s.app_id and endpoint_id = s.endpoint_id and ${IS_FREE}
        order by due_at, position limit s.size for update skip locked) q
     limit $3::int
  ), parked as (
    update webhook_queue q set due_at = greatest(p.predecessor_due_at, now() + ${PARKED})
      from picked p
     where q.ctid = p.tid and p.predecessor_due_at is not null
    returning 1
  ), claimed as (
    update webhook_queue q set lease = $5, leased_until = now() + ${LEASE}, claims = claims + 1
      from picked p
     where q.ctid = p.tid and p.predecessor_due_at is null
    returning q.app_id, q.endpoint_id, q.id, q.event_id, q.sequenced_at, q.body, q.tries, q.claims, q.due_at
  ), probing as (
    update webhook_health h set probe_at = now() + ${LEASE}
      from picked p
     where p.is_broken and p.predecessor_due_at is null and h.app_id = p.app_id and h.endpoint_id = p.endpoint_id
  ), last as (
    select app_id, endpoint_id from waiting where place = ${ENDPOINTS_PER_CLAIM}
  )
  select s.app_id as "appId", s.endpoint_id as "endpointId", s.url, s.sealed_secret as "sealedSecret",
         s.sealed_previous_secret as "sealedPreviousSecret",
         s.host,
         s.has_more as "hasMore",
         exists (select from parked) as "hasParked", c.id, c.event_id as "eventId", c.tries, c.claims, c.due_at::text as "dueAt",
         coalesce(c.body, l.body) as body,
         last.app_id as "afterApp", last.endpoint_id as "afterEndpoint"
    from (select) as one
    left join last on true
    left join (
      select s.*, (select due_at from webhook_queue
                    where app_id = s.app_id and endpoint_id = s.endpoint_id and ${IS_FREE}
                    order by due_at, position offset s.size limit 1) is not null as has_more
        from shares s offset 0) s on true
    left join claimed c on c.app_id = s.app_id and c.endpoint_id = s.endpoint_id
    left join lateral (
      select body from event_log
       where app_id = c.app_id and id = c.event_id and sequenced_at = c.sequenced_at limit 1) l on true`;

const IS_HELD = `app_id = r.app_id and endpoint_id = r.endpoint_id and id = r.id and lease = r.lease`;

/** Rows that another transaction has locked are skipped: waiting for them in any order may deadlock. */
export const EXTEND = `
  with held as materialized (
    select q.tid
      from json_to_recordset($1::json) as r(app_id text, endpoint_id text, id text, lease text)
     cross join lateral (select ctid as tid from webhook_queue where ${IS_HELD} for update skip locked) q
  )
  update webhook_queue q set leased_until = now() + ${LEASE} from held h where q.ctid = h.tid`;

/** Before RECORD in its transaction, which then sees the rows as they are and finds them at their place. */
export const HOLD = `
  select from json_to_recordset($1::json) as r(app_id text, endpoint_id text, id text, lease text)
   cross join lateral (select from webhook_queue where ${IS_HELD} for update) q`;

/** The last 20: a delivery may be sent again any number of times. */
const ALL_ATTEMPTS = `jsonb_path_query_array(q.attempts || r.attempts, '$[last - 19 to last]')`;

/**
 * A success forgets the failures of its endpoint. Several failures count as one step towards a longer pause between probes, because
 * they were under way at the same time. A delivery that a client asked for during its attempt became due again: if the attempt failed,
 * the next one follows at once, with the schedule at its beginning (`again`), also if the endpoint gets one delivery at a time.
 */
export const RECORD = `
  with results as materialized (
    select r.app_id, r.endpoint_id, r.id, r.wait, r.attempts, q.tid,
           case when q.is_due_again and r.outcome in ('retry', 'failed') then 'again' else r.outcome end as outcome
      from json_to_recordset($1::json) as r(app_id text, endpoint_id text, id text, lease text, due_at timestamptz, outcome text,
                                            wait float8, attempts jsonb)
     cross join lateral (
       select ctid as tid, due_at > r.due_at as is_due_again from webhook_queue where ${IS_HELD} limit 1) q
  ), ended as (
    delete from webhook_queue q using results r
     where q.ctid = r.tid and r.outcome in ('delivered', 'failed', 'abandoned')
    returning q.*, r.outcome, ${ALL_ATTEMPTS} as all_attempts
  ), logged as (
    insert into webhook_deliveries (app_id, endpoint_id, id, event_id, event_type, position, sequenced_at, body, status, attempts,
                                    created_at, ended_at)
    select app_id, endpoint_id, id, event_id, event_type, position, sequenced_at, body,
           case outcome when 'delivered' then 'delivered' else 'failed' end, all_attempts, created_at, now()
      from ended
  ), repeated as (
    update webhook_queue q
       set tries = case r.outcome when 'again' then q.tries else q.tries + jsonb_array_length(r.attempts) end,
           due_at = case r.outcome when 'again' then q.due_at else now() + make_interval(secs => r.wait) end,
           claims = 0, attempts = ${ALL_ATTEMPTS}, lease = null, leased_until = null
      from results r
     where q.ctid = r.tid and r.outcome in ('retry', 'again', 'postpone')
    returning q.app_id, q.endpoint_id, r.outcome
  ), released as (
    update webhook_queue q set due_at = now()
      from ended e
     cross join lateral (
       select ctid as tid from webhook_queue
        where app_id = e.app_id and endpoint_id = e.endpoint_id and order_key = e.order_key and position > e.position
        order by position limit 1) n
     where q.ctid = n.tid
    returning 1
  ), healthy as materialized (
    select distinct app_id, endpoint_id from ended where outcome = 'delivered'
  ), recovered as (
    delete from webhook_health h using healthy g where h.app_id = g.app_id and h.endpoint_id = g.endpoint_id returning 1
  ), failing as (
    insert into webhook_health as h (app_id, endpoint_id, failing_since, failures, probe_at)
    select app_id, endpoint_id, now(), least(count(*), ${BROKEN_AFTER}),
           case when bool_or(outcome = 'again') then now()
                when count(*) >= ${BROKEN_AFTER} then now() + interval '${FIRST_PROBE_SECONDS} seconds' end
      from (select app_id, endpoint_id, outcome from repeated where outcome in ('retry', 'again')
             union all select app_id, endpoint_id, outcome from ended where outcome = 'failed') f
     where (app_id, endpoint_id) not in (select app_id, endpoint_id from healthy)
     group by app_id, endpoint_id
     order by app_id, endpoint_id
    on conflict (app_id, endpoint_id) do update
       set (failures, probe_at) = (
         select next, case when excluded.probe_at = excluded.failing_since then excluded.probe_at
                           when next >= ${BROKEN_AFTER} then now() + make_interval(secs =>
                  least(${FIRST_PROBE_SECONDS} * 2 ^ least(next - ${BROKEN_AFTER}, 10), ${LONGEST_PROBE_SECONDS})) end
           from (select case when h.failures >= ${BROKEN_AFTER} then h.failures + 1
                             else least(h.failures + excluded.failures, ${BROKEN_AFTER}) end as next) as next)
    returning app_id, endpoint_id, failing_since
  )
  select exists (select from released) or exists (select from recovered)
           or exists (select from results where outcome = 'again') as "hasReleased",
         coalesce((select json_agg(json_build_object('app_id', app_id, 'endpoint_id', endpoint_id))
                     from failing where failing_since < now() - ${LOST_AFTER}), '[]') as lost`;

export const REMOVE_ORPHANS = `
  with removed as (
    delete from webhook_queue where ctid = any (array(
      select ctid from webhook_queue q
       where greatest(created_at, due_at) < now() - make_interval(days => $1)
          or not exists (select from webhook_endpoints e where e.app_id = q.app_id and e.id = q.endpoint_id)
          or not exists (select from live_apps l where l.app_id = q.app_id)
       limit $2))
    returning 1
  ), forgotten as (
    delete from webhook_health h
     where not exists (select from webhook_endpoints e where e.app_id = h.app_id and e.id = h.endpoint_id)
  )
  select count(*)::int as removed from removed`;
