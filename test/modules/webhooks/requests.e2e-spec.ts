import { Clock } from '../../../src/kernel/clock.js';
import { type AppId, type EventId, newId, type WebhookDeliveryId } from '../../../src/kernel/ids.js';
import type { JobHandler, Jobs, NewJob } from '../../../src/kernel/jobs.js';
import { ManageEndpoints } from '../../../src/modules/webhooks/application/manage-endpoints.js';
import { RequestDeliveries } from '../../../src/modules/webhooks/application/request-deliveries.js';
import type { WebhookEndpoint } from '../../../src/modules/webhooks/domain/webhook-endpoint.js';
import { WebhookEndpointRepository } from '../../../src/modules/webhooks/domain/webhook-endpoint.repository.js';
import { WebhookDeliveries } from '../../../src/modules/webhooks/domain/webhook-deliveries.js';
import { Transactions } from '../../../src/kernel/transactions.js';
import { runIn } from '../../../src/postgres/current-transaction.js';
import { startApp, type TestApp } from '../../support/app.js';
import { Observer } from '../../support/observer.js';
import { WebhookEngine } from './webhook-engine.js';
import { startReceiver, type Receiver } from './webhook-receiver.js';
import { storeEndpoint } from './webhook-rows.js';

let service: TestApp;
let engine: WebhookEngine;
let receiver: Receiver;
let appId: AppId;

beforeAll(async () => {
  service = await startApp({ env: { ROLE: 'api' } });
  engine = new WebhookEngine(service.nest);
  receiver = await startReceiver();
});
afterAll(async () => {
  await receiver?.stop();
  await service?.stop();
});
beforeEach(async () => {
  receiver.requests.length = 0;
  receiver.answerWith((response) => response.end());
  appId = (await service.given.app()).id as AppId;
  await engine.sequence();
});
afterEach(async () => {
  await engine.database.write('delete from webhook_endpoints');
  await engine.database.write('delete from webhook_queue');
});

const updated = () => ({ type: 'app.updated', data: { app_id: appId } });
const given = async (eventTypes: readonly string[] = []) =>
  (await storeEndpoint(service.nest, appId, { url: receiver.url, eventTypes })).endpoint;
const hour = 3_600_000;
const recent = { since: new Date(Date.now() - hour), until: new Date(Date.now() + hour), after: null };
const recover = (endpoint: WebhookEndpoint, range = recent) =>
  service.nest.get(WebhookDeliveries).recover(appId, endpoint.id, range);
const resend = (endpoint: WebhookEndpoint, id: string) =>
  service.nest.get(RequestDeliveries).resend(appId, endpoint.id, id as WebhookDeliveryId);
const statusesOf = async (endpoint: WebhookEndpoint) => (await engine.rows(endpoint)).map(({ status }) => status);
/** Moves the end of the schedule: the deliveries of the endpoint fail with their next attempt. */
const exhaust = (endpoint: WebhookEndpoint) =>
  engine.database.write('update webhook_queue set tries = 9 where endpoint_id = $1', [endpoint.id]);

describe('sending a delivery again', () => {
  it('repeats one that was delivered, with the same id and bytes, and keeps its attempts', async () => {
    const endpoint = await given();
    await engine.happen(appId, updated());
    await engine.deliver();
    const { id } = await engine.row(endpoint);
    await resend(endpoint, id);
    expect(await engine.row(endpoint)).toMatchObject({ id, status: 'pending', tries: 0 });
    await engine.deliver();
    expect(await engine.row(endpoint)).toMatchObject({
      id,
      status: 'delivered',
      attempts: [{ status_code: 200 }, { status_code: 200 }],
    });
    const [first, second] = receiver.requests;
    expect([second!.id, second!.body]).toEqual([first!.id, first!.body]);
  });

  it('begins the schedule of a failed one anew, and makes a pending one due at once', async () => {
    const endpoint = await given();
    receiver.answerWith((response) => response.writeHead(500).end());
    await engine.happen(appId, updated());
    await exhaust(endpoint);
    await engine.deliver();
    const { id, status } = await engine.row(endpoint);
    expect(status).toBe('failed');
    await resend(endpoint, id);
    const row = await engine.deliverOne(endpoint);
    expect(row).toMatchObject({ status: 'pending', tries: 1 });
    expect(row.wait).toBeGreaterThan(0);
    await resend(endpoint, id);
    expect(await engine.deliver()).toBe(1);
  });

  it.each([0, 5, 9])(
    'during attempt %i + 1 makes the delivery due again when that fails, however it would go on',
    async (tries) => {
      const endpoint = await given();
      await engine.happen(appId, updated());
      await engine.database.write('update webhook_queue set tries = $2 where endpoint_id = $1', [endpoint.id, tries]);
      const { id } = await engine.row(endpoint);
      const claimed = await engine.claim();
      await resend(endpoint, id);
      receiver.answerWith((response) => response.writeHead(500).end());
      const { hasReleased } = await engine.queue.record(await engine.attempt(claimed));
      expect(hasReleased).toBe(true);
      const row = await engine.row(endpoint);
      expect(row).toMatchObject({ status: 'pending', tries: 0, attempts: [{ status_code: 500 }] });
      expect(row.wait).toBeLessThanOrEqual(0);
    },
  );

  it.each(['resend', 'recover'] as const)(
    '%s tries an endpoint at once that waits for its next probe',
    async (call) => {
      const endpoint = await given();
      receiver.answerWith((response) => response.writeHead(500).end());
      await engine.happen(appId, ...Array.from({ length: 5 }, updated));
      await engine.deliver();
      await engine.lengthenPause(endpoint);
      // Nor does a delivery become due by itself, which takes 4 s or more.
      await engine.database.write(
        `update webhook_queue set due_at = now() + interval '1 hour' where endpoint_id = $1`,
        [endpoint.id],
      );
      receiver.answerWith((response) => response.end());
      const [row] = await engine.rows(endpoint);
      await (call === 'resend' ? resend(endpoint, row!.id) : recover(endpoint));
      // The probe, and then the other deliveries that are due.
      expect(await engine.deliver()).toBe(1);
      expect(await engine.deliver()).toBe(call === 'resend' ? 0 : 5);
    },
  );

  it('during the attempt of a probe tries the endpoint again at once when that fails', async () => {
    const endpoint = await given();
    receiver.answerWith((response) => response.writeHead(500).end());
    await engine.happen(appId, ...Array.from({ length: 5 }, updated));
    await engine.deliver();
    await engine.letTimePass(endpoint);
    const [probe] = await engine.claim();
    await resend(endpoint, probe!.id);
    await engine.queue.record(await engine.attempt([probe!]));
    receiver.answerWith((response) => response.end());
    expect(await engine.deliver()).toBe(1);
  });

  it('during an attempt that began after the request did makes it due again too', async () => {
    const endpoint = await given();
    await engine.happen(appId, updated());
    const { id } = await engine.row(endpoint);
    // As claimed by another process between the start of this transaction and its statement.
    await service.nest.get(Transactions).run(async () => {
      await engine.database.write(
        `update webhook_queue set due_at = now() + interval '1 ms', lease = 'other', leased_until = now() + interval '30 s' where id = $1`,
        [id],
      );
      const [before] = await engine.database.write<{ due: string }>(
        `select due_at::text as due from webhook_queue where id = $1`,
        [id],
      );
      await service.nest.get(WebhookDeliveries).resend(appId, endpoint.id, id as WebhookDeliveryId);
      const [after] = await engine.database.write<{ later: boolean }>(
        `select due_at > $2::timestamptz as later from webhook_queue where id = $1`,
        [id, before!.due],
      );
      expect(after).toEqual({ later: true });
    });
  });

  it('during an attempt that succeeds sends it no second time', async () => {
    const endpoint = await given();
    await engine.happen(appId, updated());
    const { id } = await engine.row(endpoint);
    const claimed = await engine.claim();
    await resend(endpoint, id);
    await engine.queue.record(await engine.attempt(claimed));
    expect(await engine.row(endpoint)).toMatchObject({ status: 'delivered', attempts: [{ status_code: 200 }] });
  });

  it('repeats a test event, whose body is in no log', async () => {
    const endpoint = await given(['key.revoked']);
    const { deliveryId } = await service.nest.get(RequestDeliveries).test(appId, endpoint.id);
    await engine.deliver();
    await resend(endpoint, deliveryId);
    await engine.deliver();
    const [first, second] = receiver.requests;
    expect(second!.body).toBe(first!.body);
  });

  it('queues it once for simultaneous requests', async () => {
    const endpoint = await given();
    await engine.happen(appId, updated());
    await engine.deliver();
    const { id } = await engine.row(endpoint);
    await Promise.all(Array.from({ length: 8 }, () => resend(endpoint, id)));
    expect(await engine.deliver()).toBe(1);
    expect(await engine.rows(endpoint)).toHaveLength(1);
  });

  it('is refused for an unknown delivery, one of another app and one of a disabled endpoint', async () => {
    const endpoint = await given();
    await engine.happen(appId, updated());
    const { id } = await engine.row(endpoint);
    const other = await service.given.app();
    const { endpoint: foreign } = await storeEndpoint(service.nest, other.id);
    await expect(resend(endpoint, newId('webhookDelivery'))).rejects.toMatchObject({
      code: 'webhook_delivery_not_found',
    });
    await expect(resend(foreign, id)).rejects.toMatchObject({ code: 'webhook_endpoint_not_found' });
    await service.nest.get(ManageEndpoints).disable(appId, endpoint.id, 'by_app');
    await expect(resend(endpoint, id)).rejects.toMatchObject({ code: 'webhook_endpoint_disabled' });
  });
});

describe('recovering the events of a time', () => {
  it('queues those from before the endpoint, and those that failed, but not those that were delivered', async () => {
    await engine.happen(appId, updated(), updated());
    const endpoint = await given(['app.updated']);
    await engine.happen(appId, updated(), updated());
    const [failing] = await engine.rows(endpoint);
    receiver.answerWith((response, { id }) => response.writeHead(id === failing!.event_id ? 500 : 200).end());
    await exhaust(endpoint);
    await engine.deliver();
    expect(await statusesOf(endpoint)).toEqual(['failed', 'delivered']);
    expect(await recover(endpoint)).toBeNull();
    expect(await statusesOf(endpoint)).toEqual(['pending', 'pending', 'pending', 'delivered']);
    receiver.requests.length = 0;
    receiver.answerWith((response) => response.end());
    await engine.deliver();
    expect(receiver.requests).toHaveLength(3);
    expect((await engine.rows(endpoint))[2]!.attempts).toHaveLength(2);
    await recover(endpoint);
    expect(await statusesOf(endpoint)).toEqual(Array(4).fill('delivered'));
  });

  it('queues one again whose last attempt is under way, when that fails', async () => {
    const endpoint = await given(['app.updated']);
    await engine.happen(appId, updated());
    await exhaust(endpoint);
    const claimed = await engine.claim();
    await recover(endpoint);
    receiver.answerWith((response) => response.writeHead(500).end());
    await engine.queue.record(await engine.attempt(claimed));
    const row = await engine.row(endpoint);
    expect(row).toMatchObject({ status: 'pending', tries: 0 });
    expect(row.wait).toBeLessThanOrEqual(0);
  });

  it('queues one again whose last attempt is recorded as failed at the same time', async () => {
    const endpoint = await given(['app.updated']);
    await engine.happen(appId, updated());
    await exhaust(endpoint);
    receiver.answerWith((response) => response.writeHead(500).end());
    const results = await engine.attempt(await engine.claim());
    const observer = await Observer.of(service);
    let recovering: Promise<unknown> = Promise.resolve();
    try {
      await service.nest.get(Transactions).run(async () => {
        await engine.queue.record(results);
        let isOver = false;
        recovering = runIn(undefined, () => recover(endpoint)).finally(() => (isOver = true));
        recovering.catch(() => undefined);
        // On a slow machine it begins after the result was stored, and finds it.
        await observer.untilWaiting('webhook_queue', () => (isOver ? 0 : 1), 2);
      });
      await recovering;
    } finally {
      await observer.close();
    }
    expect(await engine.row(endpoint)).toMatchObject({ status: 'pending', tries: 0, attempts: [{ status_code: 500 }] });
  });

  it('queues only subscribed types of the range, in batches, and nothing twice when it is repeated after a crash', async () => {
    await engine.database.write(
      `insert into unsequenced_events (app_id, id, type, data)
       select $1, 'evt_' || substr($2, 5, 18) || lpad(n::text, 8, '0'), 'app.updated', json_build_object('app_id', $1::text)
         from generate_series(1, 1500) n`,
      [appId, newId('event')],
    );
    await engine.sequence();
    const endpoint = await given(['app.updated']);
    const none = await given(['key.revoked']);
    const after = await recover(endpoint);
    expect(after).not.toBeNull();
    // The first event of the batch is `app.created`.
    expect(await engine.rows(endpoint)).toHaveLength(999);
    // The process is killed here, and the job begins anew.
    const again = await recover(endpoint);
    expect(await recover(endpoint, { ...recent, after: again as never })).toBeNull();
    expect(await engine.rows(endpoint)).toHaveLength(1_500);
    await recover(none);
    expect(await engine.rows(none)).toEqual([]);
    await recover(none, { ...recent, until: new Date(Date.now() - hour / 2) });
    const early = await given(['app.updated']);
    await recover(early, { ...recent, until: new Date(Date.now() - hour / 2) });
    expect(await engine.rows(early)).toEqual([]);
  });

  it('takes a job for each batch, so that the jobs of other apps run in between', async () => {
    await engine.happen(appId, ...Array.from({ length: 3 }, updated));
    const endpoint = await given(['app.updated']);
    const [waiting, handlers] = [[] as NewJob[], new Map<string, JobHandler>()];
    const recovering = new RequestDeliveries(
      service.nest.get(Transactions),
      service.nest.get(WebhookEndpointRepository),
      new (class extends WebhookDeliveries {
        override list = () => Promise.reject(new Error('not used'));
        override addTest = () => Promise.reject(new Error('not used'));
        override resend = () => Promise.reject(new Error('not used'));
        /** A batch of one event. */
        override async recover(...[app, id, { after }]: Parameters<WebhookDeliveries['recover']>) {
          const next = events[events.findIndex((event) => event.id === after) + 1];
          handled.push([app, id, next!.id]);
          return next === events.at(-1) ? null : next!.id;
        }
      })(),
      {
        enqueue: (job: NewJob) => void waiting.push(JSON.parse(JSON.stringify(job)) as NewJob),
        handle: (kind: string, handler: JobHandler) => void handlers.set(kind, handler),
      } as unknown as Jobs,
      service.nest.get(Clock),
    );
    const handled: string[][] = [];
    const events = await engine.database.read<{ id: EventId }>(
      `select id from event_log where app_id = $1 and type = 'app.updated' order by id`,
      [appId],
    );
    recovering.onModuleInit();
    await recovering.recover(appId, endpoint.id, new Date(Date.now() - hour));
    const keys = new Set<string | undefined>();
    for (const job of events) {
      const [next, ...more] = waiting.splice(0);
      expect([next!.appId, more]).toEqual([appId, []]);
      keys.add(next!.uniqueKey);
      await handlers.get(next!.kind)!(next!.payload, 1, false);
      expect(handled.at(-1)).toEqual([appId, endpoint.id, job.id]);
    }
    expect([waiting, keys.size]).toEqual([[], 3]);
  });

  it('that is asked for twice is stored as one job while that waits, also without an end, and covers what happens until it runs', async () => {
    const endpoint = await given(['app.updated']);
    const requestDeliveries = service.nest.get(RequestDeliveries);
    const begin = new Date(Date.now() - hour);
    const jobs = () =>
      engine.database.write<{ id: string }>(
        `select id from jobs where kind = 'webhooks.recover' and app_id = $1 and died_at is null`,
        [appId],
      );
    await requestDeliveries.recover(appId, endpoint.id, begin);
    const [first] = await jobs();
    await Promise.all(Array.from({ length: 4 }, () => requestDeliveries.recover(appId, endpoint.id, begin)));
    expect(await jobs()).toEqual([first]);
    const end = new Date(Date.now() - hour / 2);
    for (let i = 0; i < 2; i++) await requestDeliveries.recover(appId, endpoint.id, begin, end);
    expect(await jobs()).toHaveLength(2);
    const { endpoint: other } = await storeEndpoint(service.nest, appId, { url: receiver.url });
    await requestDeliveries.recover(appId, other.id, begin);
    expect(await jobs()).toHaveLength(3);
    // One that runs may be past the events of a second call.
    await engine.database.write(`update jobs set lease = 'running' where id = $1`, [first!.id]);
    await requestDeliveries.recover(appId, endpoint.id, begin);
    expect(await jobs()).toHaveLength(4);
  });

  it.each([
    ['an end before its begin', new Date(), new Date(Date.now() - 1)],
    ['more than 14 days', new Date(Date.now() - 15 * 24 * hour), new Date()],
    ['the future', new Date(Date.now() + hour), undefined],
  ])('is refused for %s, naming the field', async (_name, since, until) => {
    const endpoint = await given();
    await expect(service.nest.get(RequestDeliveries).recover(appId, endpoint.id, since, until)).rejects.toMatchObject({
      fields: [expect.objectContaining({ field: 'since' })],
    });
  });
});

describe('deliveries past their retention', () => {
  it('stay as long as they are attempted, also those that were asked for again after most of their time', async () => {
    const endpoint = await given();
    await engine.happen(appId, updated());
    await engine.deliver();
    const { id } = await engine.row(endpoint);
    await engine.database.write(`update webhook_deliveries set created_at = now() - interval '20 days' where id = $1`, [
      id,
    ]);
    await resend(endpoint, id);
    await engine.database.write(
      `update webhook_queue set created_at = ((created_at at time zone 'UTC') - interval '20 days') at time zone 'UTC' where id = $1`,
      [id],
    );
    await engine.queue.removeExpired(30);
    expect(await engine.row(endpoint)).toMatchObject({ id, status: 'pending' });
  });

  it('are dropped with their day, and those that still wait are removed', async () => {
    const endpoint = await given();
    await engine.happen(appId, updated(), updated());
    const [first] = await engine.claim([], 1);
    await engine.queue.record(await engine.attempt([first!]));
    await engine.database.write(
      `update webhook_queue set created_at = now() - interval '31 days', due_at = ((created_at at time zone 'UTC') - interval '31 days') at time zone 'UTC'
        where endpoint_id = $1`,
      [endpoint.id],
    );
    await engine.queue.removeExpired(30);
    expect(await statusesOf(endpoint)).toEqual(['delivered']);
    // Two at midnight: of the day of the result, and of the day that has begun.
    const dropped: (string | null)[] = [];
    while (dropped.at(-1) !== null) {
      const [partition] = await engine.database.write<{ name: string | null }>(
        `select drop_webhook_partition(now() + interval '1 day') as name`,
      );
      dropped.push(partition!.name);
    }
    expect(dropped[0]).toMatch(/^webhook_deliveries_\d{8}$/);
    expect(await engine.rows(endpoint)).toEqual([]);
    // The next result creates the partition that is missing.
    await engine.happen(appId, updated());
    await engine.deliver();
    expect(await statusesOf(endpoint)).toEqual(['delivered']);
  });
});
