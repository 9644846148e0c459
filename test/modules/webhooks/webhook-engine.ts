import type { INestApplicationContext } from '@nestjs/common';
import type { AppId } from '../../../src/kernel/ids.js';
import { Transactions } from '../../../src/kernel/transactions.js';
import { DeliveryWorker } from '../../../src/modules/webhooks/delivery-worker.js';
import {
  type ClaimedDelivery,
  DeliveryQueue,
  type EndpointUse,
} from '../../../src/modules/webhooks/domain/delivery-queue.js';
import { EventSequence } from '../../../src/modules/events/domain/event-sequence.js';
import type { WebhookEndpoint } from '../../../src/modules/webhooks/domain/webhook-endpoint.js';
import { Database } from '../../../src/postgres/database.js';
import { EventStore } from '../../../src/postgres/event-store.js';
import { untilAvailable } from '../../support/eventually.js';

export interface DeliveryRow {
  readonly id: string;
  readonly status: 'pending' | 'delivered' | 'failed';
  readonly event_id: string;
  readonly event_type: string;
  readonly position: number;
  readonly tries: number | null;
  readonly attempts: readonly { status_code: number | null; error: string | null; response: string | null }[];
  /** Seconds until the next attempt; null after the end. */
  readonly wait: number | null;
}

const ROWS = `
  select id, 'pending' as status, event_id, event_type, position::int as position, tries, attempts,
         extract(epoch from due_at - now())::float8 as wait
    from webhook_queue where app_id = $1 and endpoint_id = $2
   union all
  select id, status, event_id, event_type, position::int, null, attempts, null
    from webhook_deliveries where app_id = $1 and endpoint_id = $2
   order by position, id`;

/** Carries out the steps of the delivery worker one by one, in a service whose own worker does not run. */
export class WebhookEngine {
  readonly queue: DeliveryQueue;
  private readonly worker: DeliveryWorker;
  readonly database: Database;

  constructor(private readonly nest: INestApplicationContext) {
    this.queue = nest.get(DeliveryQueue);
    this.worker = nest.get(DeliveryWorker);
    this.database = nest.get(Database);
  }

  /** Stores events of an app, one after the other, and gives them their positions. */
  async happen(appId: string, ...names: readonly { type: string; data: Record<string, unknown> }[]): Promise<void> {
    const [transactions, store] = [this.nest.get(Transactions), this.nest.get(EventStore)];
    for (const { type, data } of names)
      await transactions.run(async () => store.add({ appId: appId as AppId, type, data }));
    await this.sequence();
  }

  async sequence(): Promise<void> {
    const sequence = this.nest.get(EventSequence);
    for (let after = '', hasMore = true; hasMore;)
      ({ after, hasMore } = await untilAvailable(() => sequence.advance(after)));
  }

  /** The claimed deliveries of these endpoints; what other tests left is left to them. */
  async claim(inUse: readonly EndpointUse[] = [], limit = 512): Promise<readonly ClaimedDelivery[]> {
    const claimed = [];
    const uses = [...inUse, ...(await this.proven(inUse))];
    for (let after = '', isFirst = true; isFirst || after !== ''; isFirst = false) {
      const claim = await this.queue.claim(limit, uses, after);
      claimed.push(...claim.deliveries);
      after = claim.after;
    }
    return claimed;
  }

  /** All other endpoints, as a process knows those that had a success lately. */
  private proven(inUse: readonly EndpointUse[]): Promise<EndpointUse[]> {
    return this.database.write<EndpointUse>(
      `select app_id as "appId", id as "endpointId", null as host, 0 as used, true as "isProven" from webhook_endpoints
        where id <> all ($1)`,
      [inUse.map(({ endpointId }) => endpointId)],
    );
  }

  async attempt(deliveries: readonly ClaimedDelivery[]) {
    return Promise.all(deliveries.map((delivery) => this.worker.attempt(delivery)));
  }

  /** Claims, attempts and records what is due now. Returns how many attempts were made. */
  async deliver(): Promise<number> {
    const results = await this.attempt(await this.claim());
    await this.queue.record(results);
    return results.length;
  }

  /** The same. Returns the one delivery of the endpoint at the moment of the record, so that `wait` is the whole pause. */
  async deliverOne(endpoint: WebhookEndpoint): Promise<DeliveryRow> {
    const results = await this.attempt(await this.claim());
    return this.nest.get(Transactions).run(async () => {
      await this.queue.record(results);
      return this.row(endpoint);
    });
  }

  /** Makes a pause before the next probe of the endpoint so long that it does not end before the test's next line. */
  async lengthenPause({ appId, id }: WebhookEndpoint): Promise<void> {
    await this.database.write(
      `update webhook_health set probe_at = ((probe_at at time zone 'UTC') + interval '1 hour') at time zone 'UTC' where app_id = $1 and endpoint_id = $2`,
      [appId, id],
    );
  }

  /** Makes pending deliveries of the endpoint due now, with the leases of their attempts over. */
  async letTimePass({ appId, id }: WebhookEndpoint): Promise<void> {
    await this.database.write(
      `update webhook_queue set due_at = now() - interval '1 s', leased_until = null where app_id = $1 and endpoint_id = $2`,
      [appId, id],
    );
    await this.database.write(
      `update webhook_health set probe_at = now() - interval '1 s' where app_id = $1 and endpoint_id = $2 and probe_at is not null`,
      [appId, id],
    );
  }

  rows({ appId, id }: WebhookEndpoint): Promise<DeliveryRow[]> {
    return this.database.write<DeliveryRow>(ROWS, [appId, id]);
  }

  async row(endpoint: WebhookEndpoint): Promise<DeliveryRow> {
    const [row, ...more] = await this.rows(endpoint);
    if (!row || more.length > 0) throw new Error(`The endpoint has ${row ? more.length + 1 : 0} deliveries.`);
    return row;
  }
}
