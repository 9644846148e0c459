import { type ChildProcess, spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type AppId, newId } from '../../../src/kernel/ids.js';
import { RequestDeliveries } from '../../../src/modules/webhooks/application/request-deliveries.js';
import { WebhookEndpointRepository } from '../../../src/modules/webhooks/domain/webhook-endpoint.repository.js';
import { OutboundReceivers } from '../../../src/modules/webhooks/infrastructure/outbound-receivers.js';
import { DeliveryWorker } from '../../../src/modules/webhooks/delivery-worker.js';
import { HostNames } from '../../../src/services/outbound/host-names.js';
import { Outbound } from '../../../src/services/outbound/outbound.js';
import { startApp, type TestApp } from '../../support/app.js';
import { eventually } from '../../support/eventually.js';
import { startNameServer } from '../../support/name-server.js';
import { WebhookEngine } from './webhook-engine.js';
import { startReceiver, type Receiver } from './webhook-receiver.js';
import { storeEndpoint } from './webhook-rows.js';
import { Receivers } from '../../../src/modules/webhooks/domain/receivers.js';

class ImpatientSender extends OutboundReceivers {
  protected override readonly settings = { timeoutMs: 50 };
}

let service: TestApp | undefined;
let engine: WebhookEngine;
let receiver: Receiver;

beforeEach(async () => {
  receiver = await startReceiver();
});
afterEach(async () => {
  await receiver.stop();
  await service?.stop();
  service = undefined;
});

describe('the delivery worker', () => {
  it('delivers the events of an endpoint at once while every attempt at 19 other ones hangs, and counts attempts', async () => {
    service = await startApp();
    engine = new WebhookEngine(service.nest);
    const app = await service.given.app();
    await engine.sequence();
    // The silent ones hang until the end of the test, however slow the machine is.
    Object.assign(service.nest.get(Receivers, { strict: false }), { settings: { timeoutMs: 600_000 } });
    const silent = await startReceiver();
    silent.answerWith(() => {});
    for (let i = 0; i < 19; i++)
      await storeEndpoint(service.nest, app.id, { url: silent.url, eventTypes: ['app.updated'] });
    const { endpoint } = await storeEndpoint(service.nest, app.id, {
      url: receiver.url,
      eventTypes: ['session.revoked'],
    });
    const updated = { type: 'app.updated', data: { app_id: app.id } };
    await engine.happen(app.id, ...Array.from({ length: 10 }, () => updated));
    await eventually(() => expect(silent.requests).toHaveLength(19));
    const revoked = () => ({ type: 'session.revoked', data: { session_id: newId('session'), user_id: newId('user') } });
    await engine.happen(app.id, ...Array.from({ length: 100 }, revoked));
    await eventually(() => expect(receiver.requests).toHaveLength(100));
    await eventually(async () =>
      expect((await engine.rows(endpoint)).map(({ status }) => status)).toEqual(Array(100).fill('delivered')),
    );
    expect(new Set(receiver.requests.map(({ id }) => id)).size).toBe(100);
    expect(silent.requests).toHaveLength(19);
    const body = await service.metrics();
    expect(body).toContain('webhook_attempts_total{outcome="delivered"} 100');
    expect(body).toMatch(/webhook_oldest_due_seconds\{endpoints="healthy"\} \d/);
    expect(body).toMatch(/^events_unsequenced 0$/m);
    await silent.stop();
  });

  it('that is killed after its request repeats it in another process, with the same id and bytes', async () => {
    service = await startApp({ env: { ROLE: 'api' } });
    engine = new WebhookEngine(service.nest);
    const app = await service.given.app();
    await engine.sequence();
    const { endpoint } = await storeEndpoint(service.nest, app.id as AppId, { url: receiver.url });
    await engine.happen(app.id, { type: 'app.updated', data: { app_id: app.id } });
    const killed = new Promise<void>((resolve) => {
      receiver.answerWith((response) => {
        child.once('exit', () => resolve());
        child.kill('SIGKILL');
        response.end();
      });
    });
    const tsx = pathToFileURL(createRequire(__filename).resolve('tsx')).href;
    const script = join(__dirname, 'deliver-webhooks.ts');
    const child: ChildProcess = spawn(process.execPath, ['--import', tsx, script, service.databaseUrl], {
      stdio: 'inherit',
    });
    await killed;
    expect(await engine.row(endpoint)).toMatchObject({ status: 'pending', attempts: [] });
    receiver.answerWith((response) => response.end());
    await engine.letTimePass(endpoint);
    await engine.deliver();
    const [first, second] = receiver.requests;
    expect([second!.id, second!.body]).toEqual([first!.id, first!.body]);
    expect(await engine.row(endpoint)).toMatchObject({ status: 'delivered' });
  });

  it('delivers what a client asks to recover', async () => {
    service = await startApp();
    engine = new WebhookEngine(service.nest);
    const app = await service.given.app();
    const appId = app.id as AppId;
    await engine.happen(appId, { type: 'app.updated', data: { app_id: appId } });
    const { endpoint } = await storeEndpoint(service.nest, appId, { url: receiver.url, eventTypes: ['app.updated'] });
    const until = new Date(Date.now() + 60_000);
    await service.nest.get(RequestDeliveries).recover(appId, endpoint.id, new Date(Date.now() - 60_000), until);
    await eventually(async () => expect(await engine.row(endpoint)).toMatchObject({ status: 'delivered' }));
    expect(receiver.requests.map(({ body }) => (JSON.parse(body) as { type: string }).type)).toEqual(['app.updated']);
  });

  it('disables an endpoint that has only failed for five days, and publishes it', async () => {
    service = await startApp();
    engine = new WebhookEngine(service.nest);
    const app = await service.given.app();
    const appId = app.id as AppId;
    await engine.sequence();
    const isReport = (body: string): boolean => body.includes('webhook_endpoint.disabled');
    receiver.answerWith((response, { body }) => response.writeHead(isReport(body) ? 200 : 500).end());
    const details = { url: receiver.url, eventTypes: ['app.updated'] };
    const { endpoint } = await storeEndpoint(service.nest, appId, details);
    await storeEndpoint(service.nest, appId, { url: receiver.url, eventTypes: ['webhook_endpoint.disabled'] });
    const stored = () => service!.nest.get(WebhookEndpointRepository).get(appId, endpoint.id);
    await engine.happen(appId, { type: 'app.updated', data: { app_id: appId } });
    // More often on a machine that is paused for some seconds.
    await eventually(async () => expect((await engine.row(endpoint)).tries).toBeGreaterThanOrEqual(1));
    expect(await stored()).toMatchObject({ disabledAt: null });
    await engine.database.write(
      `update webhook_health set failing_since = now() - interval '5 days 1 minute' where endpoint_id = $1`,
      [endpoint.id],
    );
    await engine.letTimePass(endpoint);
    const reports = () => receiver.requests.filter(({ body }) => isReport(body));
    await eventually(() => expect(reports()).toHaveLength(1));
    expect(JSON.parse(reports()[0]!.body)).toMatchObject({
      type: 'webhook_endpoint.disabled',
      data: { webhook_endpoint_id: endpoint.id, reason: 'failing' },
    });
    expect(await stored()).toMatchObject({ disabledReason: 'failing' });
    // Its delivery waits until it is enabled.
    const row = await engine.row(endpoint);
    expect(row.status).toBe('pending');
    expect(row.tries).toBeGreaterThanOrEqual(2);
  });

  it('lets both APIs show since when an endpoint only fails, until it has a success', async () => {
    service = await startApp();
    engine = new WebhookEngine(service.nest);
    const app = await service.given.app();
    await engine.sequence();
    receiver.answerWith((response) => response.writeHead(404).end());
    const { endpoint } = await storeEndpoint(service.nest, app.id as AppId, {
      url: receiver.url,
      eventTypes: ['app.updated'],
    });
    const failingSince = async (): Promise<number> => {
      const get = async (path: string, key: string) => (await service!.call('GET', path, { key })).body;
      const managed = `/management/v1/apps/${app.id}/webhook_endpoints`;
      const [one, [listed], [ofApp]] = [
        await get(`${managed}/${endpoint.id}`, service!.managementKey),
        (await get(managed, service!.managementKey)).webhook_endpoints,
        (await get('/v1/webhook_endpoints', app.secretKey)).webhook_endpoints,
      ];
      expect([listed.failing_since, ofApp.failing_since]).toEqual([one.failing_since, one.failing_since]);
      return one.failing_since as number;
    };
    expect(await failingSince()).toBe(0);
    const began = Math.floor(Date.now() / 1_000);
    await engine.happen(app.id, { type: 'app.updated', data: { app_id: app.id } });
    await eventually(async () => expect((await engine.row(endpoint)).tries).toBeGreaterThanOrEqual(1));
    expect(await failingSince()).toBeGreaterThanOrEqual(began - 1);
    receiver.answerWith((response) => response.writeHead(200).end());
    await eventually(async () => {
      await engine.letTimePass(endpoint);
      expect(await failingSince()).toBe(0);
    });
  });

  it('stores the other results of a batch of which the database refuses one', async () => {
    service = await startApp({ env: { ROLE: 'api' } });
    engine = new WebhookEngine(service.nest);
    const app = await service.given.app();
    await engine.sequence();
    const { endpoint } = await storeEndpoint(service.nest, app.id, { url: receiver.url });
    const updated = { type: 'app.updated', data: { app_id: app.id } };
    await engine.happen(app.id, updated, updated, updated);
    const results = await engine.attempt(await engine.claim());
    const refused = results[1]!.delivery.id;
    await engine.database.write(
      `alter table webhook_deliveries add constraint test_refuses check (id <> '${refused}')`,
    );
    const worker = service.nest.get(DeliveryWorker);
    const recorded = await Promise.allSettled(results.map((result) => worker.record(result)));
    expect(recorded.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    const rows = await engine.rows(endpoint);
    expect(rows.map(({ id, status }) => [id, status])).toEqual(
      rows.map(({ id }) => [id, id === refused ? 'pending' : 'delivered']),
    );
    // A later batch is stored as ever.
    await engine.happen(app.id, updated);
    const [later] = await engine.attempt(await engine.claim());
    await worker.record(later!);
    expect((await engine.rows(endpoint)).filter(({ status }) => status === 'delivered')).toHaveLength(3);
  });

  it('stops without losing a delivery', async () => {
    service = await startApp();
    engine = new WebhookEngine(service.nest);
    const app = await service.given.app();
    await engine.sequence();
    const { endpoint } = await storeEndpoint(service.nest, app.id, { url: receiver.url });
    await engine.happen(
      app.id,
      ...Array.from({ length: 50 }, () => ({ type: 'app.updated', data: { app_id: app.id } })),
    );
    const replica = await startApp({ databaseUrl: service.databaseUrl });
    await replica.stop();
    await eventually(async () =>
      expect((await engine.rows(endpoint)).map(({ status }) => status)).toEqual(Array(50).fill('delivered')),
    );
  });
});

describe('a receiver whose name resolves to a private address', () => {
  it('is refused when the connection is opened, although its address was public before', async () => {
    const names = await startNameServer({ 'hooks.test': ['127.0.0.1'] });
    try {
      const outbound = new Outbound({ allowPrivateNetworks: false }, new HostNames({ dnsServers: [names.address] }));
      const sender = new OutboundReceivers(outbound);
      await eventually(async () =>
        expect(await sender.post(newId('app'), `https://hooks.test:${receiver.port}/`, {}, '{}')).toBe('not_allowed'),
      );
      expect(receiver.requests).toEqual([]);
    } finally {
      await names.stop();
    }
  });
});

describe('a receiver that does not respond in time', () => {
  it('is reported as a timeout, also when only the end of its response is missing', async () => {
    const outbound = new Outbound({ allowPrivateNetworks: true });
    const sender = new ImpatientSender(outbound);
    receiver.answerWith((response) => void response.writeHead(200).write('begin'));
    expect(await sender.post(newId('app'), receiver.url, {}, '{}')).toBe('timeout');
    receiver.answerWith(() => {});
    expect(await sender.post(newId('app'), receiver.url, {}, '{}')).toBe('timeout');
  });
});
