import { Database } from '../../../src/postgres/database.js';
import { newId, type AppId, type WebhookEndpointId } from '../../../src/kernel/ids.js';
import { Clock } from '../../../src/kernel/clock.js';
import { ManageEndpoints } from '../../../src/modules/webhooks/application/manage-endpoints.js';
import { EndpointSecrets } from '../../../src/modules/webhooks/application/endpoint-secrets.js';
import { WebhookEndpoint } from '../../../src/modules/webhooks/domain/webhook-endpoint.js';
import { type Answer, startApp, type TestApp } from '../../support/app.js';
import type { GivenApp } from '../../support/given.js';
import { Observer } from '../../support/observer.js';
import { patiently } from '../../support/eventually.js';

/** Refuses private addresses, as in production. Its replica permits them. */
let app: TestApp;
let replica: TestApp;
let observer: Observer;
let shop: GivenApp;
let other: GivenApp;
beforeAll(async () => {
  // Without workers the deliveries stay as the tests put them.
  app = await startApp({ env: { ALLOW_PRIVATE_NETWORKS: 'false', ROLE: 'api' } });
  replica = await startApp({ databaseUrl: app.databaseUrl, env: { ROLE: 'api' } });
  observer = await Observer.of(app);
});
afterAll(async () => {
  await observer?.close();
  await replica?.stop();
  await app?.stop();
});
beforeEach(async () => {
  [shop, other] = [await app.given.app(), await app.given.app()];
});

/** A public address that needs no name server. */
const URL = 'https://203.0.112.7/hooks';
type Fields = Readonly<Record<string, unknown>>;

const call = (method: string, path: string, body?: unknown, key = shop.secretKey, at = app) =>
  at.call(method, `/v1/webhook_endpoints${path}`, { key, body });
const manage = (method: string, path: string, body?: unknown, appId = shop.id) =>
  app.call(method, `/management/v1/apps/${appId}/webhook_endpoints${path}`, { key: app.managementKey, body });
const create = (fields: Fields = {}) => call('POST', '', { url: URL, ...fields });
const refusal = ({ status, body }: Answer) => [status, body.error_type];
const fieldsOf = ({ status, body }: Answer) => [
  status,
  (body.errors as { field: string }[])?.map(({ field }) => field),
];

async function created(fields: Fields = {}): Promise<{ id: string; secret: string }> {
  const { body, text } = await create(fields);
  if (!body.id) throw new Error(text);
  return body;
}

async function stored(id: string): Promise<WebhookEndpoint> {
  return app.nest
    .get(Database)
    .manager.findOneOrFail(WebhookEndpoint, { where: { appId: shop.id as AppId, id: id as WebhookEndpointId } });
}

describe('an endpoint', () => {
  it('is created, read, changed and deleted with either key, and its secret is shown once', async () => {
    const { status, body } = await create({ event_types: ['user.created', 'user.created'], ordered: true });
    expect(status).toBe(200);
    expect(body).toEqual({
      id: expect.stringMatching(/^whk_/),
      app_id: shop.id,
      url: URL,
      event_types: ['user.created'],
      description: '',
      ordered: true,
      disabled_at: 0,
      disabled_reason: '',
      failing_since: 0,
      previous_secret_ends_at: 0,
      key_id: '',
      created_at: expect.any(Number),
      updated_at: expect.any(Number),
      secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/),
    });
    const { secret, ...shown } = body;
    expect((await call('GET', `/${body.id}`)).body).toEqual(shown);
    expect((await manage('GET', `/${body.id}`)).body).toEqual(shown);
    expect((await manage('GET', '')).body).toEqual({ webhook_endpoints: [shown], has_more: false });
    expect((await call('GET', '')).text).not.toContain(secret);
    const changed = await manage('PATCH', `/${body.id}`, { description: 'Shop', event_types: null, ordered: false });
    expect(changed.body).toMatchObject({ description: 'Shop', event_types: [], ordered: false, url: URL });
    expect((await call('DELETE', `/${body.id}`)).body).toMatchObject({ id: body.id });
    for (const method of ['GET', 'PATCH', 'DELETE'])
      expect(refusal(await manage(method, `/${body.id}`, method === 'PATCH' ? {} : undefined))).toEqual([
        404,
        'webhook_endpoint_not_found',
      ]);
  });

  it('keeps what is null in a change with the secret key, and clears it with a management key', async () => {
    const fields = { description: 'Shop', event_types: ['user.created'] };
    const { id } = await created(fields);
    const nulls = { description: null, event_types: null, url: null, ordered: null, disabled: null };
    expect((await call('PATCH', `/${id}`, nulls)).body).toMatchObject(fields);
    expect((await manage('PATCH', `/${id}`, nulls)).body).toMatchObject({ description: '', event_types: [], url: URL });
  });

  it('receives all types for an empty list, for none and for *', async () => {
    for (const event_types of [[], undefined, null, ['*'], ['user.created', '*']])
      expect((await create({ event_types })).body.event_types).toEqual([]);
  });

  it('refuses unknown types, too many of them and other values, naming the field', async () => {
    const many = Array.from({ length: 1_000 }, () => 'user.created');
    const named = async (answer: Promise<Answer>) => {
      const [status, fields] = fieldsOf(await answer);
      return [status, (fields as string[]).join()];
    };
    const wrong = [['user.exploded'], ['user.created', '__proto__'], [''], many, ['a\0b'], [1], 'x', [[]]];
    for (const event_types of wrong)
      expect(await named(create({ event_types }))).toEqual([400, expect.stringMatching(/^event_types/)]);
    const { id } = await created();
    expect(await named(call('PATCH', `/${id}`, { event_types: ['user.created', 'user.exploded'] }))).toEqual([
      400,
      'event_types[1]',
    ]);
  });

  it.each([
    'http://203.0.112.7/',
    'ftp://203.0.112.7/',
    'https://user@203.0.112.7/',
    'https://user:word@203.0.112.7/',
    'https://@203.0.112.7/',
    'https://:@203.0.112.7/',
    'https://203.0.112.7/#here',
    'https://203.0.112.7/#',
    'https://203.0.112.7:0/',
    'https://203.0.112.7:65536/',
    'https://',
    'https:///',
    'https://:443/',
    'nonsense',
    '',
    ' https://203.0.112.7/',
    'https://203.0.112.7/a b',
    'https://203.0.112.7\\@127.0.0.1/',
    'https://127.0.0.1/',
    'https://127.0.0.1./',
    'https://127.1/',
    'https://2130706433/',
    'https://0x7f000001/',
    'https://0177.0.0.1/',
    'https://0/',
    'https://10.0.0.1/',
    'https://169.254.169.254/latest/meta-data/',
    'https://168.63.129.16/',
    'https://[::1]/',
    'https://[::]/',
    'https://[::ffff:127.0.0.1]/',
    'https://[::ffff:7f00:1]/',
    'https://[64:ff9b::7f00:1]/',
    'https://[fd00::1]/',
    'https://[fe80::1]/',
    'https://localhost/',
    'https://shop.localhost/',
    'https://１２７.０.０.１/',
    'https://①②⑦.0.0.1/',
    'https://xn--/',
    'https://203.0.112.7/\0',
    null,
    1,
    ['https://203.0.112.7/'],
    {},
  ])('refuses the URL %j, naming the field', async (url) => {
    expect(fieldsOf(await create({ url }))).toEqual([400, ['url']]);
  });

  it('refuses a URL that is longer than 2,048 characters, as it is or in percent-encoding', async () => {
    const tooLong = `https://203.0.112.7/${'x'.repeat(2_049 - 'https://203.0.112.7/'.length)}`;
    for (const url of [tooLong, `https://203.0.112.7/${'ü'.repeat(1_000)}`])
      expect(fieldsOf(await create({ url }))).toEqual([400, ['url']]);
  });

  it('refuses the same URLs in a change, and stays as it was', async () => {
    const { id } = await created();
    for (const url of [
      'https://127.0.0.1/',
      'https://u:p@203.0.112.7/',
      'https://203.0.112.7/#x',
      'http://203.0.112.7/',
    ])
      expect(fieldsOf(await manage('PATCH', `/${id}`, { url, description: 'x' }))).toEqual([400, ['url']]);
    expect((await call('GET', `/${id}`)).body).toMatchObject({ url: URL, description: '' });
  });

  it('accepts a URL of 2,048 characters, a name that does not resolve, and keeps the canonical form', async () => {
    const longest = `https://203.0.112.7/${'x'.repeat(2_048 - 'https://203.0.112.7/'.length)}`;
    expect((await create({ url: longest })).body.url).toBe(longest);
    const unicode = await create({ url: 'https://Bücher.invalid.:443/ü?q=ü' });
    expect(unicode.body.url).toBe('https://xn--bcher-kva.invalid./%C3%BC?q=%C3%BC');
    expect((await call('PATCH', `/${unicode.body.id}`, { url: unicode.body.url })).status).toBe(200);
  });

  it('may be on a private network where the operator permits them', async () => {
    expect((await call('POST', '', { url: 'http://127.0.0.1:9/' }, shop.secretKey, replica)).status).toBe(200);
  });
});

describe('the limit of 20 endpoints', () => {
  it('holds under simultaneous calls at two replicas, and a deleted endpoint makes room', async () => {
    const answers = await Promise.all(
      Array.from({ length: 30 }, (_, n) =>
        patiently(() => call('POST', '', { url: URL }, shop.secretKey, n % 2 ? app : replica)),
      ),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(20);
    for (const refused of answers.filter(({ status }) => status !== 200))
      expect(refusal(refused)).toEqual([409, 'too_many_webhook_endpoints']);
    const { body } = await call('GET', '');
    expect(body).toMatchObject({ has_more: false });
    expect(body.webhook_endpoints).toHaveLength(20);
    await call('DELETE', `/${body.webhook_endpoints[3].id}`);
    const more = await Promise.all([1, 2, 3].map(() => patiently(create)));
    expect(more.filter(({ status }) => status === 200)).toHaveLength(1);
    // Decided before the host of the URL is looked up.
    expect(refusal(await create({ url: 'https://127.0.0.1/' }))).toEqual([409, 'too_many_webhook_endpoints']);
    // The limit is that of an app.
    expect((await call('POST', '', { url: URL }, other.secretKey)).status).toBe(200);
  });

  it('does not count endpoints that were refused', async () => {
    for (let n = 0; n < 3; n++) await create({ url: 'https://127.0.0.1/' });
    expect((await call('GET', '')).body.webhook_endpoints).toEqual([]);
  });
});

describe('rotating a secret', () => {
  const keysOf = async (id: string) =>
    app.nest
      .get(EndpointSecrets)
      .keys(await stored(id))
      .map((key) => `whsec_${key.toString('base64')}`);

  it('keeps the previous secret for the overlap, and of several only the last', async () => {
    const { id, secret } = await created();
    const second = await call('POST', `/${id}/rotate_secret`, {});
    expect(second.body.previous_secret_ends_at - second.body.updated_at).toBe(86_400);
    expect(await keysOf(id)).toEqual([second.body.secret, secret]);
    const third = await manage('POST', `/${id}/rotate_secret`, { overlap_minutes: '10080' });
    expect(third.body.previous_secret_ends_at - third.body.updated_at).toBe(10_080 * 60);
    expect(await keysOf(id)).toEqual([third.body.secret, second.body.secret]);
    const last = await call('POST', `/${id}/rotate_secret`, { overlap_minutes: 0 });
    expect(last.body.previous_secret_ends_at).toBe(0);
    expect(await keysOf(id)).toEqual([last.body.secret]);
  });

  it('keeps it by the time of the database, also in a process whose clock is two minutes behind', async () => {
    const { id, secret } = await created();
    const late = jest.spyOn(app.nest.get(Clock), 'now').mockImplementation(() => new Date(Date.now() - 120_000));
    try {
      const { body } = await call('POST', `/${id}/rotate_secret`, { overlap_minutes: 1 });
      expect(await keysOf(id)).toEqual([body.secret, secret]);
      const [row] = await observer.rows<{ seconds: number }>(
        `select extract(epoch from previous_secret_ends_at - updated_at)::float8 as seconds from webhook_endpoints
          where id = $1 and previous_secret_ends_at > now()`,
        [id],
      );
      expect(row).toEqual({ seconds: 60 });
      const since = Math.floor(Date.now() / 1000) - 60;
      expect((await call('POST', `/${id}/recover`, { since })).status).toBe(200);
    } finally {
      late.mockRestore();
    }
  });

  it('leaves one secret of each simultaneous call, and two at most', async () => {
    const { id } = await created();
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, n) =>
        patiently(() => call('POST', `/${id}/rotate_secret`, {}, shop.secretKey, n % 2 ? app : replica)),
      ),
    );
    const secrets = answers.map(({ body }) => body.secret as string);
    expect(new Set(secrets).size).toBe(8);
    const keys = await keysOf(id);
    expect(keys).toHaveLength(2);
    for (const key of keys) expect(secrets).toContain(key);
  });

  it('replaces a secret whose seal does not open, without an overlap', async () => {
    const { id } = await created();
    await observer.rows(`update webhook_endpoints set sealed_secret = '\\x00' where id = $1`, [id]);
    expect((await call('POST', `/${id}/rotate_secret`, {})).status).toBe(503);
    const { body } = await call('POST', `/${id}/rotate_secret`, { overlap_minutes: 0 });
    expect(await keysOf(id)).toEqual([body.secret]);
  });

  it('refuses other overlaps', async () => {
    const { id } = await created();
    for (const overlap_minutes of [-1, 10_081, 1.5, '1h', true, []])
      expect(fieldsOf(await call('POST', `/${id}/rotate_secret`, { overlap_minutes }))).toEqual([
        400,
        ['overlap_minutes'],
      ]);
  });
});

describe('disabling an endpoint', () => {
  it('for its failures happens only while it still fails, and another URL has not failed', async () => {
    const { id } = await created();
    const fails = (days: number) =>
      observer.rows(
        `insert into webhook_health (app_id, endpoint_id, failing_since, failures)
         values ($1, $2, now() - make_interval(days => $3), 9)
         on conflict (app_id, endpoint_id) do update set failing_since = excluded.failing_since`,
        [shop.id, id, days],
      );
    const isDisabled = async (): Promise<boolean> => {
      await app.nest.get(ManageEndpoints).disable(shop.id as AppId, id as WebhookEndpointId, 'failing');
      return (await stored(id)).disabledAt !== null;
    };
    await fails(4);
    expect(await isDisabled()).toBe(false);
    await fails(6);
    expect((await call('PATCH', `/${id}`, { url: 'https://shop.example/other' })).status).toBe(200);
    expect(await isDisabled()).toBe(false);
    await fails(6);
    expect((await call('PATCH', `/${id}`, { description: 'the same URL' })).status).toBe(200);
    expect(await isDisabled()).toBe(true);
  });

  it('is one event, and enabling forgets its failures', async () => {
    const { id } = await created();
    await observer.rows(
      `insert into webhook_health (app_id, endpoint_id, failing_since, failures) values ($1, $2, now(), 3)`,
      [shop.id, id],
    );
    for (let n = 0; n < 2; n++) {
      const { body } = await manage('PATCH', `/${id}`, { disabled: true, description: `${n}` });
      expect(body).toMatchObject({ disabled_reason: 'by_app', description: `${n}` });
      expect(body.disabled_at).toBeGreaterThan(0);
    }
    const events = await observer.rows(
      `select data from stored_events where app_id = $1 and type = 'webhook_endpoint.disabled'`,
      [shop.id],
    );
    expect(events).toEqual([{ data: { webhook_endpoint_id: id, reason: 'by_app' } }]);
    for (const path of ['/test', '/recover'])
      expect(refusal(await call('POST', `/${id}${path}`, { since: 1 }))).toEqual(
        path === '/test' ? [409, 'webhook_endpoint_disabled'] : [400, 'invalid_request'],
      );
    const enabled = await call('PATCH', `/${id}`, { disabled: false });
    expect(enabled.body).toMatchObject({ disabled_at: 0, disabled_reason: '' });
    expect(await observer.rows('select from webhook_health where endpoint_id = $1', [id])).toEqual([]);
  });
});

describe('deliveries', () => {
  const attempt = { at: 1_763_600_000, status_code: 500, error: null, duration_ms: 12, response: 'no' };

  /** Deliveries in the order of their ids: pending, failed, delivered, and so on. */
  async function deliveries(endpointId: string, count: number): Promise<string[]> {
    const ids = Array.from({ length: count }, () => newId('webhookDelivery'));
    for (const [n, id] of ids.entries()) {
      const row = [shop.id, endpointId, id, newId('event'), 'user.created', n, JSON.stringify([attempt])];
      if (n % 3 === 0)
        await observer.rows(
          `insert into webhook_queue (app_id, endpoint_id, id, event_id, event_type, position, attempts) values ($1, $2, $3, $4, $5, $6, $7)`,
          row,
        );
      else
        await observer.rows(
          `insert into webhook_deliveries (app_id, endpoint_id, id, event_id, event_type, position, attempts, status, created_at, ended_at)
           values ($1, $2, $3, $4, $5, $6, $7, $8, now(), now())`,
          [...row, n % 3 === 1 ? 'failed' : 'delivered'],
        );
    }
    return ids;
  }
  const list = (id: string, query: Record<string, string>) =>
    app.call('GET', `/v1/webhook_endpoints/${id}/deliveries`, { key: shop.secretKey, query });

  it('are listed page by page, the newest first, those of each status by themselves', async () => {
    const { id } = await created();
    await deliveries((await created()).id, 2);
    const ids = (await deliveries(id, 12)).toReversed();
    for (const [status, expected] of [
      ['', ids],
      ['pending', ids.filter((_, n) => (11 - n) % 3 === 0)],
      ['failed', ids.filter((_, n) => (11 - n) % 3 === 1)],
      ['delivered', ids.filter((_, n) => (11 - n) % 3 === 2)],
    ] as const) {
      const found: string[] = [];
      for (let hasMore = true; hasMore;) {
        const cursor = found.at(-1);
        const { body } = await list(id, {
          limit: '3',
          ...(status !== '' && { status }),
          ...(cursor !== undefined && { starting_after: cursor }),
        });
        found.push(...body.deliveries.map((each: { id: string }) => each.id));
        hasMore = body.has_more;
        expect(body.deliveries.length).toBe(hasMore ? 3 : expected.length % 3 || 3);
      }
      expect(found).toEqual(expected);
    }
  });

  it('show their attempts, and when the next one is', async () => {
    const { id } = await created();
    const [pending, failed] = await deliveries(id, 2);
    const { body } = await manage('GET', `/${id}/deliveries`);
    expect(body.deliveries).toEqual([
      expect.objectContaining({ id: failed, status: 'failed', next_attempt_at: 0, attempts: [attempt] }),
      expect.objectContaining({
        id: pending,
        status: 'pending',
        next_attempt_at: expect.any(Number),
        attempts: [attempt],
      }),
    ]);
    expect(body.deliveries[0]).toMatchObject({ event_id: expect.stringMatching(/^evt_/), event_type: 'user.created' });
  });

  it('refuse cursors, statuses and limits that are not valid', async () => {
    const { id } = await created();
    for (const [name, value] of [
      ['status', 'sent'],
      ['limit', '0'],
      ['limit', '1001'],
      ['limit', 'x'],
      ['starting_after', 'evt_00000000000000000000000000'],
      ['starting_after', 'whd_~'],
    ] as const)
      expect(fieldsOf(await list(id, { [name]: value }))).toEqual([400, [name]]);
  });

  it("take another app's or endpoint's cursor as a place in the order, and show nothing of it", async () => {
    const { id } = await created();
    const strange = (await deliveries((await created()).id, 1))[0]!;
    expect((await list(id, { starting_after: strange })).body).toEqual({ deliveries: [], has_more: false });
  });

  it('are sent again on request, only at their own endpoint', async () => {
    const { id } = await created();
    const elsewhere = await created();
    const [, failed, delivered] = await deliveries(id, 3);
    for (const delivery of [failed, delivered]) {
      expect(refusal(await call('POST', `/${elsewhere.id}/deliveries/${delivery}/resend`))).toEqual([
        404,
        'webhook_delivery_not_found',
      ]);
      expect((await manage('POST', `/${id}/deliveries/${delivery}/resend`)).body).toMatchObject({
        delivery_id: delivery,
      });
    }
    const { body } = await list(id, { status: 'pending' });
    expect(body.deliveries).toHaveLength(3);
  });

  it('of a test event are pending, also for an endpoint of other types only', async () => {
    const { id } = await created({ event_types: ['user.created'] });
    const { body } = await call('POST', `/${id}/test`);
    expect((await list(id, {})).body.deliveries).toMatchObject([
      { id: body.delivery_id, event_id: body.event_id, event_type: 'webhook.test', status: 'pending', attempts: [] },
    ]);
  });
});

describe('testing', () => {
  it('queues one test of an endpoint a second, also of calls at the same time and with both credentials', async () => {
    const [{ id }, another] = [await created(), await created()];
    const began = performance.now();
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, i) => (i % 2 ? call : manage)('POST', `/${id}/test`)),
    );
    // A busy machine may take some seconds, each of which permits one more.
    const more = Math.floor((performance.now() - began) / 1_000);
    const refused = answers.filter(({ status }) => status !== 200);
    expect(refused.length).toBeGreaterThanOrEqual(9 - more);
    expect(refused.map(refusal)).toEqual(Array(refused.length).fill([429, 'too_many_requests']));
    expect(refused[0]!.headers.get('retry-after')).toBe('1');
    expect((await call('GET', `/${id}/deliveries`)).body.deliveries).toHaveLength(10 - refused.length);
    expect((await call('POST', `/${another.id}/test`)).status).toBe(200);
    const database = app.nest.get(Database);
    await database.write(
      `update webhook_endpoints set tested_at = ((tested_at at time zone 'UTC') - interval '1 s') at time zone 'UTC' where id = $1`,
      [id],
    );
    expect((await call('POST', `/${id}/test`)).status).toBe(200);
  });
});

describe('recovering', () => {
  it('refuses ranges that are reversed, too long or no times, naming the field', async () => {
    const { id } = await created();
    const now = Math.floor(Date.now() / 1_000);
    for (const [body, field] of [
      [{}, 'since'],
      [{ since: null }, 'since'],
      [{ since: 'yesterday' }, 'since'],
      [{ since: -1 }, 'since'],
      [{ since: now + 600 }, 'since'],
      [{ since: now - 15 * 86_400 }, 'since'],
      [{ since: now - 14 * 86_400 - 1, until: now }, 'since'],
      [{ since: now - 600, until: now - 700 }, 'since'],
      [{ since: now - 600, until: 'x' }, 'until'],
      [{ since: now - 600, until: 1e18 }, 'until'],
    ] as const)
      expect([body, ...fieldsOf(await call('POST', `/${id}/recover`, body))]).toEqual([body, 400, [field]]);
    const since = Math.floor(Date.now() / 1_000) - 14 * 86_400;
    expect((await call('POST', `/${id}/recover`, { since, until: since + 14 * 86_400 })).status).toBe(200);
    // Without an end the last 14 days are those before the call was sent.
    expect((await call('POST', `/${id}/recover`, { since })).status).toBe(200);
    expect((await call('POST', `/${id}/recover`, { since: String(now - 60), until: null })).status).toBe(200);
  });
});

describe('another app', () => {
  it('finds neither the endpoint nor its deliveries, with any call', async () => {
    const { id } = await created();
    const { body } = await call('POST', `/${id}/test`);
    const now = Math.floor(Date.now() / 1_000);
    for (const [method, path, sent] of [
      ['GET', `/${id}`, undefined],
      ['PATCH', `/${id}`, { description: 'Mallory', disabled: true }],
      ['POST', `/${id}/rotate_secret`, {}],
      ['POST', `/${id}/test`, {}],
      ['POST', `/${id}/recover`, { since: now - 60 }],
      ['GET', `/${id}/deliveries`, undefined],
      ['POST', `/${id}/deliveries/${body.delivery_id}/resend`, {}],
      ['DELETE', `/${id}`, undefined],
    ] as const) {
      const foreign = [
        await call(method, path, sent, other.secretKey),
        await manage(method, path, sent, other.id),
        await call(method, path.replace(id, newId('webhookEndpoint')), sent),
      ];
      for (const answer of foreign)
        expect([method, path, ...refusal(answer)]).toEqual([method, path, 404, 'webhook_endpoint_not_found']);
      expect(refusal(await manage(method, path, sent, newId('app')))).toEqual([404, 'app_not_found']);
    }
    expect((await call('GET', `/${id}`)).body).toMatchObject({ description: '', disabled_at: 0 });
    expect((await call('GET', '', undefined, other.secretKey)).body.webhook_endpoints).toEqual([]);
  });

  it('cannot be reached by a malformed id', async () => {
    for (const id of ['whk_', 'whk_x', newId('user'), "'", `${newId('webhookEndpoint')}0`])
      expect(refusal(await call('GET', `/${id}`))).toEqual([404, 'webhook_endpoint_not_found']);
  });
});

describe('the audit log', () => {
  it('has every change, with the names of its fields and without values', async () => {
    const { id, secret } = await created();
    await manage('PATCH', `/${id}`, { url: 'https://203.0.112.8/', disabled: false, description: 'Canary' });
    await call('POST', `/${id}/rotate_secret`, {});
    const { body } = await call('POST', `/${id}/test`);
    await call('POST', `/${id}/deliveries/${body.delivery_id}/resend`);
    await call('POST', `/${id}/recover`, { since: Math.floor(Date.now() / 1_000) - 60 });
    await call('DELETE', `/${id}`);
    const log = await app.call('GET', `/management/v1/apps/${shop.id}/audit_log`, { key: app.managementKey });
    const actions = log.body.entries
      .map(({ action }: { action: string }) => action)
      .filter((name: string) => /webhook/.test(name));
    expect(actions.toReversed()).toEqual([
      'webhook_endpoint.created',
      'webhook_endpoint.updated',
      'webhook_endpoint.secret_rotated',
      'webhook_endpoint.tested',
      'webhook_delivery.resent',
      'webhook_endpoint.recovered',
      'webhook_endpoint.deleted',
    ]);
    expect(log.text).not.toContain('Canary');
    expect(log.text).not.toContain(secret);
  });
});
