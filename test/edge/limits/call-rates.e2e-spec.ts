import { startApp, type TestApp } from '../../support/app.js';

const wrongKey = { key: `sk_test_${'a'.repeat(48)}` };
const path = '/v1/auth/sessions/list';

async function statuses(calls: number, call: () => Promise<{ status: number }>): Promise<Record<number, number>> {
  const seen: Record<number, number> = {};
  for (const { status } of await Promise.all(Array.from({ length: calls }, call)))
    seen[status] = (seen[status] ?? 0) + 1;
  return seen;
}

// The clock of the rates moves only between tests: on a busy machine the calls of a test take long enough to earn further ones.
beforeAll(() => {
  const timers = [
    'setTimeout',
    'clearTimeout',
    'setInterval',
    'clearInterval',
    'setImmediate',
    'clearImmediate',
  ] as const;
  jest.useFakeTimers({ doNotFake: [...timers, 'nextTick', 'queueMicrotask', 'hrtime', 'Date'] });
});
beforeEach(() => {
  jest.advanceTimersByTime(3_000);
});
afterAll(() => {
  jest.useRealTimers();
});

describe('calls without a valid secret key', () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startApp({ env: { PUBLIC_RATE: '2' } });
  });
  afterAll(() => app.stop());

  it('are limited per client network, with what is left in every answer, while good keys are not held up', async () => {
    // Management calls with a good key are not limited, so this costs nothing.
    const { id, secretKey } = await app.given.app();
    const first = await app.call('GET', path, wrongKey);
    expect(first.status).toBe(401);
    expect(first.headers.get('ratelimit-policy')).toBe('"default";q=6;w=3');
    expect(first.headers.get('ratelimit')).toBe('"default";r=5;t=1');
    expect(await statuses(20, () => app.call('GET', path, wrongKey))).toEqual({ 401: 5, 429: 15 });

    // A client cannot name another network for itself.
    const forged = { ...wrongKey, headers: { 'x-forwarded-for': '192.0.2.99' } };
    const refused = await app.call('GET', path, forged);
    expect([refused.status, refused.body.error_type]).toEqual([429, 'too_many_requests']);
    expect(refused.headers.get('retry-after')).toBe('1');
    expect(refused.headers.get('ratelimit')).toBe('"default";r=0;t=3');

    // Two calls more for each second.
    jest.advanceTimersByTime(1_000);
    expect(await statuses(20, () => app.call('GET', path, wrongKey))).toEqual({ 401: 2, 429: 18 });

    const query = { user_id: `user_${'0'.repeat(26)}` };
    expect(await statuses(20, () => app.call('GET', path, { key: secretKey, query }))).not.toHaveProperty('429');
    expect((await app.call('GET', `/management/v1/apps/${id}`, { key: app.managementKey })).status).toBe(200);
  });

  it.each<[string, string, object]>([
    ['that lead nowhere', '/nowhere', {}],
    ['whose body cannot be read', '/v1/auth/users/create', { body: '{' }],
    ['with a header that holds no key', '/v1/auth/users/create', { headers: { authorization: 'Basic eDp5' } }],
    ['of management with such a header', '/management/v1/apps', { headers: { authorization: 'Bearer a b' } }],
  ])('are limited also %s', async (_, to, call) => {
    const seen = await statuses(60, () => app.call('POST', to, call));
    expect(seen[429]).toBe(54);
    expect((await app.call('POST', to, call)).headers.get('ratelimit-policy')).toBe('"default";q=6;w=3');
  });

  it('are never limited for health, metrics, key sets, documents and the return from a provider', async () => {
    const { id } = await app.given.app();
    const unknownLogin = `/v1/auth/oauth/callback/oauthconn_${'0'.repeat(26)}?state=x`;
    const health = ['/livez', '/readyz', '/version', '/metrics'];
    const documents = [`/v1/auth/jwks/${id}`, '/openapi.json', '/docs/start.js', '/errors', unknownLogin];
    for (const free of [...health, ...documents]) {
      const seen = await statuses(80, () => fetch(new URL(free, app.url), { redirect: 'manual' }));
      expect([free, seen[429]]).toEqual([free, undefined]);
    }
  });
});

describe('calls with a secret key', () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startApp();
  });
  afterAll(() => app.stop());

  it('are limited per app, by a setting of the app', async () => {
    const [small, other] = [await app.given.app(), await app.given.app()];
    const limits = { secret_key_calls_per_second: 5 };
    const changed = await app.call('PATCH', `/management/v1/apps/${small.id}`, {
      key: app.managementKey,
      body: { limits },
    });
    expect(changed.status).toBe(200);
    const query = { user_id: `user_${'0'.repeat(26)}` };
    const list = (key: string) => app.call('GET', path, { key, query });
    const seen = await statuses(100, () => list(small.secretKey));
    expect(seen[429]).toBe(95);
    expect((await list(small.secretKey)).headers.get('ratelimit-policy')).toBe('"default";q=5;w=1');
    const unlimited = await list(other.secretKey);
    expect(unlimited.status).not.toBe(429);
    expect(unlimited.headers.get('ratelimit-policy')).toBe('"default";q=5000;w=1');
  });
});

describe('calls through a trusted proxy', () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startApp({ env: { PUBLIC_RATE: '1', TRUST_PROXY: '1' } });
  });
  afterAll(() => app.stop());

  it('count for the client that the proxy names', async () => {
    const from = (address: string) => () =>
      app.call('GET', path, { ...wrongKey, headers: { 'x-forwarded-for': address } });
    expect(await statuses(60, from('forged, 192.0.2.1'))).toEqual({ 401: 3, 429: 57 });
    expect((await from('forged, 192.0.2.2')()).status).toBe(401);
    expect((await from('2001:db8:1:2::1')()).status).toBe(401);
    const both = await Promise.all(['2001:db8:1:2::2', '2001:db8:1:2::3'].map((each) => statuses(40, from(each))));
    const admitted = both.reduce((sum, seen) => sum + (seen[401] ?? 0), 0);
    // The rest of one network's three calls.
    expect(admitted).toBe(2);
  });

  it('count for the client also where the proxy writes its port, and for the proxy where it knows no address', async () => {
    const from = (address: string) => () =>
      app.call('GET', path, { ...wrongKey, headers: { 'x-forwarded-for': address } });
    expect(await statuses(10, from('192.0.2.1:51544'))).toEqual({ 401: 3, 429: 7 });
    expect((await from('"192.0.2.1:51545"')()).status).toBe(429);
    expect((await from('192.0.2.2:51544')()).status).toBe(401);
    expect(await statuses(10, from('192.0.2.3, unknown'))).toEqual({ 401: 3, 429: 7 });
    expect((await from('192.0.2.4, _hidden')()).status).toBe(429);
  });

  it('count also for the IPv6 site of the client, which has eight times the calls of a network', async () => {
    const from = (address: string) => app.call('GET', path, { ...wrongKey, headers: { 'x-forwarded-for': address } });
    const networks = Array.from({ length: 30 }, (_, i) => `2001:db8:7:${i.toString(16)}::1`);
    const first = await from(networks[0]!);
    expect(first.headers.get('ratelimit-policy')).toBe('"default";q=3;w=3, "site";q=24;w=3');
    let next = 0;
    expect(await statuses(29, () => from(networks[++next]!))).toEqual({ 401: 23, 429: 6 });
    expect((await from('2001:db8:8::1')).status).toBe(401);
  });
});
