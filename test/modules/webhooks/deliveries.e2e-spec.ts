import { type AppId, newId } from '../../../src/kernel/ids.js';
import { RequestDeliveries } from '../../../src/modules/webhooks/application/request-deliveries.js';
import type { EndpointUse } from '../../../src/modules/webhooks/domain/delivery-queue.js';
import type { EndpointDetails, WebhookEndpoint } from '../../../src/modules/webhooks/domain/webhook-endpoint.js';
import { WebhookEndpointRepository } from '../../../src/modules/webhooks/domain/webhook-endpoint.repository.js';
import { Transactions } from '../../../src/kernel/transactions.js';
import { CLAIM, QUEUE_SETTINGS, RECORD } from '../../../src/modules/webhooks/infrastructure/delivery-statements.js';
import { startApp, type TestApp } from '../../support/app.js';
import { eventually } from '../../support/eventually.js';
import { planOf, rowsRead } from '../../support/plans.js';
import { WebhookEngine } from './webhook-engine.js';
import { startReceiver, type Receiver, verified } from './webhook-receiver.js';
import { storeEndpoint } from './webhook-rows.js';

let service: TestApp;
let engine: WebhookEngine;
let receiver: Receiver;
let appId: AppId;

beforeAll(async () => {
  // The service has no worker: the tests carry out its steps.
  service = await startApp({ env: { ROLE: 'api' } });
  engine = new WebhookEngine(service.nest);
});
afterAll(() => service?.stop());
beforeEach(async () => {
  receiver = await startReceiver();
  appId = (await service.given.app()).id as AppId;
  await engine.sequence();
});
afterEach(async () => {
  await receiver.stop();
  await engine.database.write('delete from webhook_endpoints');
  await engine.database.write('delete from webhook_queue');
});

const updated = () => ({ type: 'app.updated', data: { app_id: appId } });
const revoked = (userId: string) => ({
  type: 'session.revoked',
  data: { session_id: newId('session'), user_id: userId },
});
const given = async (details: Partial<EndpointDetails> = {}) =>
  storeEndpoint(service.nest, appId, { url: receiver.url, ...details });
const inUse = (endpointId: WebhookEndpoint['id'], used: number, app = appId): EndpointUse => ({
  appId: app,
  endpointId,
  host: null,
  used,
  isProven: true,
});
const stored = (endpoint: WebhookEndpoint) =>
  service.nest.get(WebhookEndpointRepository).get(endpoint.appId, endpoint.id);
const answer = (status: number, headers: Record<string, string> = {}, body = '') =>
  receiver.answerWith((response) => response.writeHead(status, headers).end(body));

describe('a delivery', () => {
  it('sends the stored event, which a client verifies with the current and with the previous secret', async () => {
    const { endpoint, secrets } = await given();
    await engine.happen(appId, updated());
    expect(await engine.deliver()).toBe(1);
    const [received] = receiver.requests;
    const [row] = await engine.database.write<{ id: string; body: string }>(
      `select id, body from event_log where app_id = $1 and type = 'app.updated'`,
      [appId],
    );
    expect(received!.body).toBe(row!.body);
    expect(received!.id).toBe(row!.id);
    expect(received!.headers).toMatchObject({ 'content-type': 'application/json' });
    expect(received!.headers['webhook-signature']).toMatch(/^v1,\S{44} v1,\S{44}$/);
    for (const secret of secrets) expect(verified(received!, secret)).toEqual(JSON.parse(row!.body));
    expect(() => verified(received!, 'whsec_' + Buffer.alloc(32).toString('base64'))).toThrow();
    expect(await engine.row(endpoint)).toMatchObject({ status: 'delivered', attempts: [{ status_code: 200 }] });
  });

  it('is signed by the current secret only once the previous one has ended', async () => {
    const { endpoint, secrets } = await given();
    await engine.database.write(`update webhook_endpoints set previous_secret_ends_at = now() where id = $1`, [
      endpoint.id,
    ]);
    await engine.happen(appId, updated());
    await engine.deliver();
    expect(receiver.requests[0]!.headers['webhook-signature']).toMatch(/^v1,\S{44}$/);
    verified(receiver.requests[0]!, secrets[0]);
    expect(() => verified(receiver.requests[0]!, secrets[1])).toThrow();
  });

  it('sends the same bytes on every attempt, also when events are written differently meanwhile', async () => {
    const { endpoint, secrets } = await given();
    answer(500);
    await engine.happen(appId, updated());
    await engine.deliver();
    const serialise = JSON.stringify;
    const changed = jest
      .spyOn(JSON, 'stringify')
      .mockImplementation((value: unknown) => serialise(value, null as never, 1));
    await engine.letTimePass(endpoint);
    answer(200);
    await engine.deliver().finally(() => changed.mockRestore());
    const [first, second] = receiver.requests;
    expect(second!.body).toBe(first!.body);
    expect(second!.id).toBe(first!.id);
    verified(second!, secrets[0]);
    expect(await engine.row(endpoint)).toMatchObject({
      status: 'delivered',
      attempts: [{ status_code: 500 }, { status_code: 200 }],
    });
  });

  it('is made for events of subscribed types only, and for every endpoint of the app only', async () => {
    const { endpoint: some } = await given({ eventTypes: ['session.revoked'] });
    const { endpoint: all } = await given();
    const other = await service.given.app();
    const { endpoint: foreign } = await storeEndpoint(service.nest, other.id, { url: receiver.url });
    await engine.happen(appId, updated(), revoked(newId('user')), updated());
    const typesOf = async (endpoint: WebhookEndpoint) =>
      (await engine.rows(endpoint)).map(({ event_type }) => event_type);
    expect(await typesOf(some)).toEqual(['session.revoked']);
    expect(await typesOf(all)).toEqual(['app.updated', 'session.revoked', 'app.updated']);
    expect(await typesOf(foreign)).not.toContain('session.revoked');
  });

  it('ends without an attempt when its endpoint or its app is deleted', async () => {
    const { endpoint } = await given();
    await engine.happen(appId, updated());
    await engine.database.write('delete from webhook_endpoints where id = $1', [endpoint.id]);
    expect(await engine.deliver()).toBe(0);
    await engine.queue.removeExpired(30);
    expect(await engine.rows(endpoint)).toEqual([]);

    const { endpoint: second } = await given();
    await engine.happen(appId, updated());
    await service.call('DELETE', `/management/v1/apps/${appId}`, { key: service.managementKey });
    expect(await engine.deliver()).toBe(0);
    await engine.queue.removeExpired(30);
    expect(await engine.rows(second)).toEqual([]);
    expect(receiver.requests).toEqual([]);
  });

  it('reuses the connections to its receiver, and sends again at once when the receiver has closed one', async () => {
    const { endpoint } = await given();
    const portOfNext = async () => {
      await engine.happen(appId, updated());
      await engine.deliver();
      return receiver.requests.at(-1)!.port;
    };
    // Repeated, because a kept connection ends when the machine pauses for 5 s.
    const kept = await eventually(async () => {
      const port = await portOfNext();
      expect(await portOfNext()).toBe(port);
      return port;
    });
    receiver.answerWith((response, { port }) => {
      // A kept connection that ends before the response.
      if (port === kept) response.destroy();
      else response.end();
    });
    await portOfNext();
    expect(new Set((await engine.rows(endpoint)).map(({ status }) => status))).toEqual(new Set(['delivered']));
  });
});

describe('an attempt that fails', () => {
  it.each([
    [301, { location: '/elsewhere' }],
    [400, {}],
    [404, {}],
    [500, {}],
  ])('with status %i is repeated after about 5 s, without following a redirect', async (status, headers) => {
    const { endpoint } = await given();
    answer(status, headers as Record<string, string>, 'sorry');
    await engine.happen(appId, updated());
    const row = await engine.deliverOne(endpoint);
    expect(row).toMatchObject({
      status: 'pending',
      attempts: [{ status_code: status, error: null, response: 'sorry' }],
    });
    expect(row.wait).toBeGreaterThanOrEqual(4);
    expect(row.wait).toBeLessThanOrEqual(6);
    expect(receiver.requests).toHaveLength(1);
  });

  it('is repeated after 5 s, 5 min, 30 min, 2 h, 5 h, 10 h, 14 h, 20 h and 24 h ± 20 %, then the delivery has failed', async () => {
    const { endpoint } = await given();
    answer(500);
    await engine.happen(appId, updated());
    const waits: number[] = [];
    for (let i = 0; i < 10; i++) {
      await engine.letTimePass(endpoint);
      const { wait } = await engine.deliverOne(endpoint);
      if (wait !== null) waits.push(wait);
    }
    const steps = [5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400];
    expect(waits.map((wait, i) => wait / steps[i]! >= 0.8 && wait / steps[i]! <= 1.2)).toEqual(steps.map(() => true));
    const row = await engine.row(endpoint);
    expect(row.status).toBe('failed');
    expect(row.attempts).toHaveLength(10);
    await engine.letTimePass(endpoint);
    expect(await engine.deliver()).toBe(0);
  });

  it.each([
    ['seconds', 429, () => '500'],
    ['seconds, with any error', 500, () => '500'],
    ['a date', 503, () => new Date(Date.now() + 500_000).toUTCString()],
  ])('is repeated when the receiver asks for it in %s', async (_form, status, retryAfter) => {
    const { endpoint } = await given();
    receiver.answerWith((response) => response.writeHead(status, { 'retry-after': retryAfter() }).end());
    await engine.happen(appId, updated());
    // The second attempt, after which the pause is otherwise 5 min.
    await engine.database.write('update webhook_queue set tries = 1 where endpoint_id = $1', [endpoint.id]);
    const { wait } = await engine.deliverOne(endpoint);
    expect(wait).toBeGreaterThan(400);
    expect(wait).toBeLessThanOrEqual(500);
  });

  it('is repeated after twice the step at most, also if the receiver asks for a longer pause', async () => {
    const { endpoint } = await given();
    answer(503, { 'retry-after': '86400' });
    await engine.happen(appId, updated());
    await engine.deliver();
    expect((await engine.row(endpoint)).wait).toBeLessThanOrEqual(10);
  });

  it('with 410 disables the endpoint, and the app learns it', async () => {
    const { endpoint } = await given();
    const { endpoint: second } = await given({ eventTypes: ['webhook_endpoint.disabled'] });
    receiver.answerWith((response) => response.writeHead(410).end());
    await engine.happen(appId, updated());
    await engine.deliver();
    expect(await stored(endpoint)).toMatchObject({ disabledReason: 'gone', disabledAt: expect.any(Date) as Date });
    await engine.sequence();
    expect(await engine.rows(second)).toMatchObject([{ event_type: 'webhook_endpoint.disabled' }]);
    answer(200);
    await engine.deliver();
    expect(JSON.parse(receiver.requests.at(-1)!.body)).toMatchObject({
      data: { webhook_endpoint_id: endpoint.id, reason: 'gone' },
    });
  });

  it('with 410 from a URL that the endpoint no longer has leaves it enabled', async () => {
    const { endpoint } = await given();
    await engine.happen(appId, updated());
    receiver.answerWith((response) => {
      const moved = `update webhook_endpoints set url = 'https://moved.example/' where app_id = $1 and id = $2`;
      void engine.database.write(moved, [appId, endpoint.id]).then(() => response.writeHead(410).end());
    });
    await engine.deliver();
    expect(await stored(endpoint)).toMatchObject({ disabledAt: null });
    expect(await engine.row(endpoint)).toMatchObject({ status: 'pending', tries: 1 });
  });

  it('is kept with the 19 before it, however often the delivery is sent again', async () => {
    const { endpoint } = await given();
    await engine.happen(appId, updated());
    const attempts = JSON.stringify(Array.from({ length: 200 }, (_, n) => ({ status_code: 200 + n })));
    await engine.database.write('update webhook_queue set attempts = $2 where endpoint_id = $1', [
      endpoint.id,
      attempts,
    ]);
    for (const status of [500, 200]) {
      answer(status);
      await engine.deliver();
      const kept = (await engine.row(endpoint)).attempts;
      expect([kept.length, kept.at(-1)!.status_code]).toEqual([20, status]);
      await engine.letTimePass(endpoint);
    }
  });

  it('keeps one kilobyte of the response, as text that the database can store', async () => {
    const { endpoint } = await given();
    answer(500, {}, `a\u0000b${'ä'.repeat(40_000)}`);
    await engine.happen(appId, updated());
    await engine.deliver();
    const [attempt] = (await engine.row(endpoint)).attempts;
    expect(attempt!.response).toMatch(/^ab(ä)+$/);
    expect(Buffer.byteLength(attempt!.response!)).toBeLessThanOrEqual(1_024);
  });

  it('is recorded when nothing listens', async () => {
    const { endpoint } = await given({ url: 'http://127.0.0.1:1/' });
    await engine.happen(appId, updated());
    await engine.deliver();
    expect((await engine.row(endpoint)).attempts).toMatchObject([{ status_code: null, error: 'unreachable' }]);
  });
});

describe('an endpoint that fails', () => {
  it('gets one delivery at a time after five failures, and its backlog once one succeeds', async () => {
    const { endpoint } = await given();
    answer(500);
    await engine.happen(appId, ...Array.from({ length: 5 }, updated));
    expect(await engine.deliver()).toBe(5);
    await engine.lengthenPause(endpoint);
    await engine.happen(appId, ...Array.from({ length: 10 }, updated));
    // The pause before the probe.
    expect(await engine.deliver()).toBe(0);
    await engine.letTimePass(endpoint);
    const probe = await engine.claim();
    expect(probe).toHaveLength(1);
    // Also of another process, no second probe begins.
    expect(await engine.claim()).toEqual([]);
    await engine.queue.record(await engine.attempt(probe));
    await engine.lengthenPause(endpoint);
    expect(await engine.deliver()).toBe(0);
    await engine.letTimePass(endpoint);
    answer(200);
    expect(await engine.deliver()).toBe(1);
    expect(await engine.deliver()).toBe(14);
    expect((await engine.rows(endpoint)).map(({ status }) => status)).toEqual(Array(15).fill('delivered'));
  });

  it('is disabled when it has only failed for five days, but not when it has succeeded meanwhile', async () => {
    const { endpoint } = await given();
    const failFor = (days: number) =>
      engine.database.write(
        `update webhook_health set failing_since = now() - make_interval(days => $1) where endpoint_id = $2`,
        [days, endpoint.id],
      );
    const recordLost = async () => {
      await engine.letTimePass(endpoint);
      return (await engine.queue.record(await engine.attempt(await engine.claim()))).lost;
    };
    answer(500);
    await engine.happen(appId, updated(), updated());
    expect(await recordLost()).toEqual([]);
    await failFor(4);
    expect(await recordLost()).toEqual([]);
    await failFor(6);
    expect(await recordLost()).toEqual([{ appId, endpointId: endpoint.id }]);
    await failFor(6);
    answer(200);
    expect(await recordLost()).toEqual([]);
    answer(500);
    await engine.happen(appId, updated());
    expect(await recordLost()).toEqual([]);
  });
});

describe('a claim', () => {
  it('takes at most 64 deliveries of an endpoint, and those of other endpoints although it hangs', async () => {
    const { endpoint: hanging } = await given({ url: 'http://slow.example/', eventTypes: ['app.updated'] });
    const { endpoint: prompt } = await given({ eventTypes: ['session.revoked'] });
    await engine.happen(appId, ...Array.from({ length: 70 }, updated), revoked(newId('user')));
    const first = await engine.claim();
    const ofHanging = first.filter(({ endpointId }) => endpointId === hanging.id);
    // Half of what the two endpoints share, and its own slot.
    expect(ofHanging).toHaveLength(55);
    expect((await engine.claim([inUse(hanging.id, 55)])).length).toBeLessThanOrEqual(64 - 55);
    expect(first.filter(({ endpointId }) => endpointId === prompt.id)).toHaveLength(1);
    await engine.happen(appId, revoked(newId('user')));
    const second = await engine.claim([inUse(hanging.id, 64)]);
    expect(second.map(({ endpointId }) => endpointId)).toEqual([prompt.id]);
  });

  it('takes at most 128 deliveries of an app, so that other apps have worker slots', async () => {
    for (let i = 0; i < 3; i++) await given({ url: `http://shop-${i}.example/` });
    await engine.happen(appId, ...Array.from({ length: 70 }, updated));
    const claimed = await engine.claim();
    expect(claimed.length).toBeLessThanOrEqual(128);
    expect(claimed.length).toBeGreaterThan(100);
    const uses = [...new Set(claimed.map(({ endpointId }) => endpointId))].map((endpointId) =>
      inUse(endpointId, claimed.filter((each) => each.endpointId === endpointId).length),
    );
    expect((await engine.claim(uses)).length).toBeLessThanOrEqual(128 - claimed.length);
  });

  it('takes at most 64 deliveries to one host of an app, however many endpoints name it', async () => {
    const urls = [
      'http://one.example/a',
      'http://one.example:8080/b',
      'https://one.example/c?d',
      'http://two.example/',
    ];
    const ids: string[] = [];
    for (const url of urls) ids.push((await given({ url })).endpoint.id);
    await engine.happen(appId, ...Array.from({ length: 30 }, updated));
    const claimed = await engine.claim();
    const hosts = claimed.map(({ host }) => host);
    const toOne = hosts.filter((host) => host === 'one.example').length;
    expect(toOne).toBeLessThanOrEqual(64);
    expect(toOne).toBeGreaterThan(60);
    expect(claimed.filter(({ endpointId }) => endpointId === ids[3])).toHaveLength(28);
    // Those of one endpoint that are under way count for the other endpoints.
    const uses = [...new Set(claimed.map(({ endpointId }) => endpointId))].map((endpointId) => {
      const own = claimed.filter((each) => each.endpointId === endpointId);
      return { ...inUse(endpointId, own.length), host: own[0]!.host };
    });
    const next = await engine.claim(uses);
    expect(next.filter(({ host }) => host === 'one.example').length).toBeLessThanOrEqual(64 - toOne);
  });

  it('takes one delivery of an endpoint without a recent success, and leaves the slots to other endpoints', async () => {
    const { endpoint: proven } = await given();
    for (let i = 0; i < 19; i++) await given({ url: `http://dead-${i}.example/` });
    await engine.happen(appId, ...Array.from({ length: 70 }, updated));
    const { deliveries } = await engine.queue.claim(512, [inUse(proven.id, 0)], '');
    // An even share of the 512 slots.
    expect(deliveries.filter(({ endpointId }) => endpointId === proven.id)).toHaveLength(25);
    expect(deliveries).toHaveLength(25 + 19);
  });

  it('gives each endpoint of an app a slot of its own, although other endpoints hang with all that they share', async () => {
    const hanging = [];
    for (let i = 0; i < 4; i++) hanging.push((await given({ url: `http://slow-${i}.example/` })).endpoint);
    const { endpoint: prompt } = await given();
    await engine.happen(appId, ...Array.from({ length: 40 }, updated));
    const claimed = (await engine.claim()).filter(({ endpointId }) => endpointId !== prompt.id);
    const uses = hanging.map(({ id }) => inUse(id, claimed.filter((each) => each.endpointId === id).length + 6));
    expect((await engine.claim(uses)).filter(({ endpointId }) => endpointId === prompt.id).length).toBeGreaterThan(0);
  });

  it('gives the last free worker slots of an app to its endpoints that use the fewest', async () => {
    const slow = [await given(), await given()].map(({ endpoint }) => endpoint);
    const { endpoint: prompt } = await given();
    // Two receivers that answer slowly hold all slots but one.
    const uses = slow.map(({ id }, i) => inUse(id, 64 - i));
    for (let i = 0; i < 8; i++) {
      await engine.happen(appId, updated());
      const claimed = await engine.claim(uses);
      expect(claimed.map(({ endpointId }) => endpointId)).toEqual([prompt.id]);
    }
  });

  it('of few free worker slots prefers the app that uses the fewest, wherever it stands in the order', async () => {
    const other = (await service.given.app()).id as AppId;
    const [{ endpoint: one }, { endpoint: two }] = [await given(), await storeEndpoint(service.nest, other)];
    await engine.happen(appId, ...Array.from({ length: 5 }, updated));
    await engine.happen(other, ...Array.from({ length: 5 }, () => ({ type: 'app.updated', data: { app_id: other } })));
    for (const [busy, idle] of [
      [one, two],
      [two, one],
    ] as const) {
      const { deliveries } = await engine.queue.claim(1, [inUse(busy.id, 60, busy.appId)], '');
      expect(deliveries.map(({ endpointId }) => endpointId)).toEqual([idle.id]);
    }
  });

  it('reads only the rows that it takes, and so does the statement that stores results, also with a large backlog', async () => {
    const { endpoint } = await given();
    await engine.happen(appId, updated());
    await engine.database.write(
      `insert into webhook_queue (app_id, endpoint_id, id, event_id, event_type, position, sequenced_at)
       select app_id, endpoint_id, 'whd_' || n, event_id, event_type, n, sequenced_at
         from webhook_queue cross join generate_series(2, 3000) n where endpoint_id = $1`,
      [endpoint.id],
    );
    const proven = { app_id: appId, endpoint_id: endpoint.id, used: 0, is_proven: true };
    const rowsReadBy = (text: string, values: unknown[]) =>
      service.nest.get(Transactions).run(async () => {
        await engine.database.write(QUEUE_SETTINGS, [appId]);
        return rowsRead(await planOf(service, { text, values }));
      });
    expect(await rowsReadBy(CLAIM, [appId, 512, JSON.stringify([proven]), 'lease'])).toBeLessThan(500);
    const claimed = await engine.database.write<Record<string, unknown>>(
      `select app_id, endpoint_id, id, lease from webhook_queue where lease = 'lease'`,
    );
    expect(claimed).toHaveLength(64);
    const results = claimed.map((row) => ({ ...row, outcome: 'delivered', wait: 0, attempts: [] }));
    expect(await rowsReadBy(RECORD, [appId, JSON.stringify(results)])).toBeLessThan(200);
    expect((await engine.rows(endpoint)).filter(({ status }) => status === 'delivered')).toHaveLength(64);
  });

  it('gives no delivery to two claimants at once', async () => {
    const { endpoint } = await given();
    await engine.happen(appId, ...Array.from({ length: 200 }, updated));
    const claims = await Promise.all(Array.from({ length: 4 }, () => engine.claim()));
    const ids = claims.flat().map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.length).toBeGreaterThanOrEqual(64);
    expect(await engine.rows(endpoint)).toHaveLength(200);
  });

  it('that is renewed keeps its delivery, and one that was lost records nothing over a later attempt', async () => {
    const { endpoint } = await given();
    await engine.happen(appId, updated());
    const [paused] = [await engine.claim()];
    await engine.queue.extend(paused);
    expect(await engine.claim()).toEqual([]);
    // The process was paused for longer than its lease.
    await engine.letTimePass(endpoint);
    const later = await engine.claim();
    expect(later.map(({ id }) => id)).toEqual(paused.map(({ id }) => id));
    answer(500);
    await engine.queue.record(await engine.attempt(paused));
    await engine.queue.extend(paused);
    expect(await engine.row(endpoint)).toMatchObject({ status: 'pending', attempts: [] });
    answer(200);
    await engine.queue.record(await engine.attempt(later));
    expect(await engine.row(endpoint)).toMatchObject({ status: 'delivered', attempts: [{ status_code: 200 }] });
  });

  it('whose result was lost with its process is repeated with the same id', async () => {
    const { endpoint } = await given();
    await engine.happen(appId, updated());
    await engine.attempt(await engine.claim());
    await engine.letTimePass(endpoint);
    await engine.deliver();
    const [first, second] = receiver.requests;
    expect(second!.id).toBe(first!.id);
    expect(second!.body).toBe(first!.body);
    expect(await engine.row(endpoint)).toMatchObject({ status: 'delivered' });
  });

  it('of a delivery that never came to an end in twenty claims ends it', async () => {
    const { endpoint } = await given();
    await engine.happen(appId, updated());
    for (let i = 0; i < 20; i++) {
      expect(await engine.claim()).toHaveLength(1);
      await engine.letTimePass(endpoint);
    }
    await engine.deliver();
    expect(receiver.requests).toEqual([]);
    expect(await engine.row(endpoint)).toMatchObject({
      status: 'failed',
      attempts: [{ error: 'never_came_to_an_end' }],
    });
  });
});

describe('an ordered endpoint', () => {
  it('lets the next event of a user wait for one that is repeated, and go once that has failed', async () => {
    const { endpoint } = await given({ isOrdered: true });
    const ann = newId('user');
    answer(500);
    await engine.happen(appId, revoked(ann), revoked(ann));
    for (let i = 0; i < 9; i++) {
      await engine.letTimePass(endpoint);
      // The second one is parked in the same claim, not attempted.
      expect(await engine.deliver()).toBe(1);
    }
    expect(new Set(receiver.requests.map(({ id }) => id)).size).toBe(1);
    await engine.letTimePass(endpoint);
    await engine.deliver();
    expect((await engine.rows(endpoint)).map(({ status }) => status)).toEqual(['failed', 'pending']);
    answer(200);
    await engine.database.write('delete from webhook_health');
    await engine.deliver();
    expect((await engine.rows(endpoint)).map(({ status }) => status)).toEqual(['failed', 'delivered']);
  });
});

describe('a secret that does not open', () => {
  it('postpones the delivery without an attempt', async () => {
    const { endpoint } = await given();
    const { endpoint: other } = await given({ eventTypes: ['key.revoked'] });
    await engine.database.write('update webhook_endpoints set sealed_secret = $1 where id = $2', [
      other.sealedSecret,
      endpoint.id,
    ]);
    await engine.happen(appId, updated());
    await engine.deliver();
    const row = await engine.row(endpoint);
    expect(row).toMatchObject({ status: 'pending', tries: 0, attempts: [] });
    expect(row.wait).toBeGreaterThan(30);
    expect(receiver.requests).toEqual([]);
    const { body } = await service.call('GET', '/metrics');
    expect(body).toMatch(/seal_failures_total\{kind="webhook-endpoint"\} [1-9]/);
  });
});

describe('a test event', () => {
  it('goes to the endpoint of any types, with position 0, and is not in the feed', async () => {
    const { endpoint, secrets } = await given({ eventTypes: ['key.revoked'] });
    const { event } = await service.nest.get(RequestDeliveries).test(appId, endpoint.id);
    await engine.deliver();
    expect(verified(receiver.requests[0]!, secrets[0])).toEqual({ ...event, position: 0, type: 'webhook.test' });
    const [logged] = await engine.database.write(`select from event_log where id = $1`, [event.id]);
    expect(logged).toBeUndefined();
  });
});
