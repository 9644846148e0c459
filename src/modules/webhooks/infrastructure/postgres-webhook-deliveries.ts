import { Injectable } from '@nestjs/common';
import {
  type AppId,
  type EventId,
  firstIdAt,
  ID_PREFIXES,
  type WebhookDeliveryId,
  type WebhookEndpointId,
} from '../../../kernel/ids.js';
import { type Page, pageFrom, type PageRequest } from '../../../kernel/paging.js';
import { Database } from '../../../postgres/database.js';
import {
  type DeliveryStatus,
  type RecoveryRange,
  type TestEvent,
  WebhookDeliveries,
  type WebhookDelivery,
} from '../domain/webhook-deliveries.js';

/** Sorts after every id of a delivery, in every collation. */
const AFTER_ALL = `${ID_PREFIXES.webhookDelivery}_${'z'.repeat(26)}` as WebhookDeliveryId;

const OF_ENDPOINT = 'app_id = $1 and endpoint_id = $2 and id < $3';
const SHOWN = `id, event_id as "eventId", event_type as "eventType", attempts, created_at as "createdAt"`;

const pending = `select ${SHOWN}, 'pending' as status, due_at as "nextAttemptAt" from webhook_queue where ${OF_ENDPOINT}`;
const ended = (status: string) =>
  `select ${SHOWN}, status, null::timestamptz as "nextAttemptAt" from webhook_deliveries where ${OF_ENDPOINT} ${status}`;

/** The planner takes a parameter as limit for a tenth of all rows and would sort them; the constant makes it read an index. */
const newestOf = (rows: string) => `select * from (${rows} order by id desc limit 1001) newest limit $4`;

/** A delivery moves between the tables by one statement, so this one sees it in one of them. */
const LIST_ALL = newestOf(`select * from ((${newestOf(pending)}) union all (${newestOf(ended(''))})) as deliveries`);
const LIST = {
  pending: newestOf(pending),
  delivered: newestOf(ended(`and status = 'delivered'`)),
  failed: newestOf(ended(`and status = 'failed'`)),
};

const EVENTS_PER_BATCH = 1_000;
/** An event id has the time of a process just before COMMIT, `created_at` that of the database at the start of the transaction. */
const SKEW_MS = 3_600_000;

/** The time shows RECORD that the delivery became due again. Citus refuses the sum of a timestamptz and an interval here. */
const AFTER_DUE = `((due_at at time zone 'UTC') + interval '1 microsecond') at time zone 'UTC'`;
const CLOCK = '(select now() as now) c';
const DUE_NOW = `case when leased_until > c.now then greatest(c.now, ${AFTER_DUE}) else c.now end`;

/** The row lock makes the later of simultaneous calls see the time that the first one has set. */
const ADD_TEST = `
  with tested as (
    update webhook_endpoints set tested_at = now()
     where app_id = $1 and id = $2 and (tested_at is null or tested_at <= now() - interval '1 second')
    returning id
  )
  insert into webhook_queue (app_id, endpoint_id, id, event_id, event_type, position, body)
  select $1, $2, webhook_delivery_id($3, $2), $3, $4, 0, $5 from tested returning id`;

/** A client that asks for deliveries has mended its receiver, so the endpoint is tried at once. */
const probedIf = (condition: string): string => `
  probed as (
    update webhook_health set probe_at = now()
     where app_id = $1 and endpoint_id = $2 and probe_at > now() and (${condition})
  )`;

const RESEND = `
  with ended as (
    delete from webhook_deliveries where app_id = $1 and endpoint_id = $2 and id = $3 returning *
  ), queued as (
    insert into webhook_queue (app_id, endpoint_id, id, event_id, event_type, position, sequenced_at, body, attempts, created_at)
    select app_id, endpoint_id, id, event_id, event_type, position, sequenced_at, body, attempts, created_at
      from ended order by ended_at desc limit 1
    returning id
  ), hastened as (
    update webhook_queue set due_at = ${DUE_NOW}, tries = 0 from ${CLOCK}
     where app_id = $1 and endpoint_id = $2 and id = $3 returning id
  ), ${probedIf('exists (select from queued) or exists (select from hastened)')}
  select id from queued union all select id from hastened`;

const RECOVER = `
  with asked as materialized (
    select * from json_to_record($3::json) as r(since timestamptz, until timestamptz, after text, before text)
  ), batch as materialized (
    select id, type, position, user_id, sequenced_at, created_at from logged_events
     where app_id = $1 and id > (select after from asked) and id < (select before from asked)
       and sequenced_at >= (select since - interval '1 hour' from asked)
     order by id limit ${EVENTS_PER_BATCH}
  ), wanted as materialized (
    select b.*, webhook_delivery_id(b.id, e.id) as delivery_id, case when e.is_ordered then b.user_id end as order_key
      from batch b cross join asked a join webhook_endpoints e on e.app_id = $1 and e.id = $2
     where b.created_at >= a.since and b.created_at < a.until and (e.event_types = '{}' or b.type = any(e.event_types))
  ), failed as (
    delete from webhook_deliveries d using wanted w
     where d.app_id = $1 and d.endpoint_id = $2 and d.id = w.delivery_id and d.status = 'failed'
       and not exists (select from webhook_deliveries o
                        where o.app_id = $1 and o.endpoint_id = $2 and o.id = w.delivery_id and o.status = 'delivered')
    returning d.id, d.attempts, d.created_at
  ), pending as materialized (
    select q.id
      from wanted w join webhook_queue q on q.app_id = $1 and q.endpoint_id = $2 and q.id = w.delivery_id
  ), hastened as (
    update webhook_queue q set due_at = ${DUE_NOW}, tries = 0 from pending p, ${CLOCK}
     where q.app_id = $1 and q.endpoint_id = $2 and q.id = p.id
    returning 1
  ), queued as (
    insert into webhook_queue (app_id, endpoint_id, id, event_id, event_type, position, sequenced_at, order_key, attempts, created_at)
    select $1, $2, w.delivery_id, w.id, w.type, w.position, w.sequenced_at, w.order_key, coalesce(f.attempts, '[]'),
           coalesce(f.created_at, c.now)
      from ${CLOCK} cross join wanted w left join failed f on f.id = w.delivery_id
     where not exists (select from pending p where p.id = w.delivery_id)
       and not exists (select from webhook_deliveries d
                        where d.app_id = $1 and d.endpoint_id = $2 and d.id = w.delivery_id and d.status = 'delivered')
    on conflict do nothing
  ), ${probedIf('exists (select from wanted)')}
  select case when count(*) = ${EVENTS_PER_BATCH} then max(id) end as after,
         (select count(*) from pending) > (select count(*) from hastened) as "hasMissed"
    from batch`;

@Injectable()
export class PostgresWebhookDeliveries extends WebhookDeliveries {
  constructor(private readonly database: Database) {
    super();
  }

  async list(
    appId: AppId,
    endpointId: WebhookEndpointId,
    { limit, startingAfter = AFTER_ALL }: PageRequest<WebhookDeliveryId>,
    status?: DeliveryStatus,
  ): Promise<Page<WebhookDelivery>> {
    const sql = status === undefined ? LIST_ALL : LIST[status];
    const rows = await this.database.list<WebhookDelivery>(sql, [appId, endpointId, startingAfter, limit + 1]);
    return pageFrom(rows, limit);
  }

  async addTest(
    appId: AppId,
    endpointId: WebhookEndpointId,
    { id, type, body }: TestEvent,
  ): Promise<WebhookDeliveryId | null> {
    const [row] = await this.database.write<{ id: WebhookDeliveryId }>(ADD_TEST, [appId, endpointId, id, type, body]);
    return row?.id ?? null;
  }

  async resend(appId: AppId, endpointId: WebhookEndpointId, id: WebhookDeliveryId): Promise<boolean> {
    for (const _ of ['first', 'after the delivery ended between look-up and update']) {
      const rows = await this.database.write(RESEND, [appId, endpointId, id]);
      if (rows.length > 0) return true;
    }
    return false;
  }

  async recover(
    appId: AppId,
    endpointId: WebhookEndpointId,
    { since, until, after }: RecoveryRange,
  ): Promise<EventId | null> {
    const from = after ?? firstIdAt('event', new Date(since.getTime() - SKEW_MS));
    const before = firstIdAt('event', new Date(until.getTime() + SKEW_MS));
    const range = JSON.stringify({ since, until, after: from, before });
    for (;;) {
      const rows = await this.database.write<{ after: EventId | null; hasMissed: boolean }>(RECOVER, [
        appId,
        endpointId,
        range,
      ]);
      const [{ after: next, hasMissed }] = rows as [(typeof rows)[number]];
      if (!hasMissed) return next;
    }
  }
}
