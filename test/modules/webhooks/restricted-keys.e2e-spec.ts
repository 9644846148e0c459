import type { AppId, WebhookEndpointId } from '../../../src/kernel/ids.js';
import { ManageEndpoints } from '../../../src/modules/webhooks/application/manage-endpoints.js';
import type { WebhookEndpoint } from '../../../src/modules/webhooks/domain/webhook-endpoint.js';
import { Database } from '../../../src/postgres/database.js';
import { type Answer, MANAGEMENT_KEY, startApp, type TestApp } from '../../support/app.js';
import type { GivenApp } from '../../support/given.js';
import { WebhookEngine } from './webhook-engine.js';

let service: TestApp;
let engine: WebhookEngine;
let app: GivenApp;
beforeAll(async () => {
  // The deliveries stay where the sequencer puts them, because no worker runs.
  service = await startApp({ env: { ROLE: 'api' } });
  engine = new WebhookEngine(service.nest);
});
afterAll(() => service?.stop());
beforeEach(async () => {
  app = await service.given.app();
});

const URL = 'http://127.0.0.1:9/hooks';
const KEYS = (): string => `/management/v1/apps/${app.id}/keys`;
const HOOKS = '/v1/webhook_endpoints';
const call = (method: string, path: string, key: string, body?: object) => service.call(method, path, { key, body });
const outcome = ({ status, body }: Answer) => [status, body.error_type];
const idsIn = ({ body }: Answer) => body.webhook_endpoints.map(({ id }: { id: string }) => id);

async function keyWith(...scopes: string[]): Promise<{ id: string; key: string }> {
  const { body, text } = await call('POST', KEYS(), MANAGEMENT_KEY, { kind: 'restricted', scopes });
  if (!body.key) throw new Error(text);
  return body;
}

async function endpoint(key: string, fields: object = {}): Promise<{ id: string; event_types: string[] }> {
  const { body, text } = await call('POST', HOOKS, key, { url: URL, ...fields });
  if (!body.id) throw new Error(text);
  return body;
}

/** The types of the events that wait for the endpoint. */
async function queued(id: string): Promise<string[]> {
  await engine.sequence();
  const rows = await engine.rows({ appId: app.id, id } as unknown as WebhookEndpoint);
  return rows.map(({ event_type }) => event_type);
}

it('a restricted key manages the endpoints that it made and finds no other', async () => {
  const { id: keyId, key } = await keyWith('webhooks:write', 'events:read');
  const { key: other } = await keyWith('webhooks:write', 'events:read');
  const [own, backend, foreign] = [await endpoint(key), await endpoint(app.secretKey), await endpoint(other)];
  expect(idsIn(await call('GET', HOOKS, key))).toEqual([own.id]);
  expect(idsIn(await call('GET', HOOKS, app.secretKey))).toEqual([foreign.id, backend.id, own.id]);
  expect((await call('GET', `${HOOKS}/${own.id}`, key)).body.key_id).toBe(keyId);
  expect((await call('GET', `${HOOKS}/${backend.id}`, app.secretKey)).body.key_id).toBe('');
  const { body: test } = await call('POST', `${HOOKS}/${backend.id}/test`, app.secretKey, {});
  for (const { id } of [backend, foreign]) {
    for (const [method, path, body] of [
      ['GET', '', undefined],
      ['PATCH', '', { url: 'http://127.0.0.1:9/stolen' }],
      ['DELETE', '', undefined],
      ['POST', '/rotate_secret', {}],
      ['POST', '/test', {}],
      ['POST', '/recover', { since: Math.floor(Date.now() / 1_000) - 60 }],
      ['GET', '/deliveries', undefined],
      ['POST', `/deliveries/${test.delivery_id}/resend`, {}],
    ] as const)
      expect([method, path, ...outcome(await call(method, `${HOOKS}/${id}${path}`, key, body))]).toEqual([
        method,
        path,
        404,
        'webhook_endpoint_not_found',
      ]);
  }
  expect((await call('GET', `${HOOKS}/${backend.id}`, app.secretKey)).body.url).toBe(URL);
  expect((await call('POST', `${HOOKS}/${own.id}/rotate_secret`, key, {})).status).toBe(200);
  expect((await call('DELETE', `${HOOKS}/${own.id}`, key)).status).toBe(200);
});

it('an endpoint carries no events if the key that made it may not read them', async () => {
  const { key } = await keyWith('webhooks:write');
  const { key: reader } = await keyWith('webhooks:write', 'events:read');
  const [blind, asked, seeing] = [
    await endpoint(key),
    await endpoint(key, { event_types: ['user.created'] }),
    await endpoint(reader),
  ];
  expect([blind.event_types, asked.event_types]).toEqual([['webhook.test'], ['webhook.test']]);
  await service.given.user(app);
  expect(await queued(seeing.id)).toContain('user.created');
  const since = Math.floor(Date.now() / 1_000) - 60;
  for (const { id } of [blind, asked]) {
    for (const by of [key, app.secretKey]) {
      const changed = await call('PATCH', `${HOOKS}/${id}`, by, { event_types: [] });
      expect([changed.status, changed.body.errors?.[0].field]).toEqual([400, 'event_types']);
    }
    expect((await call('PATCH', `${HOOKS}/${id}`, key, { description: 'Mine' })).status).toBe(200);
    expect((await call('POST', `${HOOKS}/${id}/recover`, key, { since })).status).toBe(200);
    expect(await queued(id)).toEqual([]);
    expect((await call('POST', `${HOOKS}/${id}/test`, key, {})).status).toBe(200);
    expect(await queued(id)).toEqual(['webhook.test']);
  }
});

it('the endpoints of a revoked key are disabled and pass to the app', async () => {
  const { id: keyId, key } = await keyWith('webhooks:write', 'events:read');
  const [enabled, disabled] = [await endpoint(key), await endpoint(key)];
  await call('PATCH', `${HOOKS}/${disabled.id}`, key, { disabled: true });
  expect((await call('DELETE', `${KEYS()}/${keyId}`, MANAGEMENT_KEY)).status).toBe(200);
  await service.given.user(app);
  const shown = async (id: string) => (await call('GET', `${HOOKS}/${id}`, app.secretKey)).body;
  expect(await shown(enabled.id)).toMatchObject({ key_id: '', disabled_reason: 'key_ended' });
  expect(await shown(disabled.id)).toMatchObject({ key_id: '', disabled_reason: 'by_app' });
  expect(await queued(enabled.id)).toEqual([]);
  await engine.sequence();
  const { events } = (await call('GET', '/v1/events?types=webhook_endpoint.disabled', app.secretKey)).body;
  expect(events.map(({ data }: { data: object }) => data)).toEqual([
    expect.objectContaining({ webhook_endpoint_id: disabled.id, reason: 'by_app' }),
    expect.objectContaining({ webhook_endpoint_id: enabled.id, reason: 'key_ended' }),
  ]);
  expect((await call('PATCH', `${HOOKS}/${enabled.id}`, app.secretKey, { disabled: false })).status).toBe(200);
  await service.given.user(app);
  expect(await queued(enabled.id)).toContain('user.created');
});

it('the endpoints of an expired key receive nothing, and pass to the app', async () => {
  const { id: keyId, key } = await keyWith('webhooks:write', 'events:read');
  const { id } = await endpoint(key);
  const { id: kept } = await endpoint(app.secretKey);
  await service.given.user(app);
  expect(await queued(id)).toContain('user.created');
  const before = (await queued(id)).length;
  const expire = `update api_keys set expires_at = now() - interval '1 s' where app_id = $1 and id = $2`;
  await service.nest.get(Database).write(expire, [app.id, keyId]);
  await service.given.user(app);
  expect(await queued(kept)).toContain('user.created');
  expect(await queued(id)).toHaveLength(before);
  const claimed = await engine.claim();
  expect(claimed.filter(({ endpointId }) => endpointId === (id as WebhookEndpointId))).toEqual([]);
  await service.nest.get(ManageEndpoints).passOnEnded();
  const { body } = await call('GET', `${HOOKS}/${id}`, app.secretKey);
  expect(body).toMatchObject({ key_id: '', disabled_reason: 'key_ended' });
  expect((await call('GET', `${HOOKS}/${kept}`, app.secretKey)).body).toMatchObject({ disabled_reason: '' });
});

it('an endpoint from before belongs to the app and keeps what it carried', async () => {
  const { key } = await keyWith('webhooks:write', 'events:read');
  const { id } = await endpoint(key);
  await service.nest
    .get(Database)
    .write('update webhook_endpoints set key_id = null where app_id = $1 and id = $2', [app.id as AppId, id]);
  await service.given.user(app);
  expect(await queued(id)).toContain('user.created');
  expect(outcome(await call('GET', `${HOOKS}/${id}`, key))).toEqual([404, 'webhook_endpoint_not_found']);
});
