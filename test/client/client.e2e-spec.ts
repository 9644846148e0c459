import { readFileSync } from 'node:fs';
import { inspect } from 'node:util';
import {
  ApiError,
  type Client,
  createClient,
  type ErrorType,
  type ErrorTypeOf,
  type Hooks,
  type Id,
  ok,
  type RetryOptions,
} from '../../openapi/client/src/index.js';
import { OPERATIONS } from '../../openapi/client/src/operations.js';
import { newId } from '../../src/kernel/ids.js';
import { startApp, type TestApp } from '../support/app.js';
import { eventually } from '../support/eventually.js';
import { type GivenApp, unique } from '../support/given.js';
import { Observer } from '../support/observer.js';
import { type Fault, FaultyNetwork } from './faulty-network.js';

let service: TestApp;
let network: FaultyNetwork;
let shop: GivenApp;
let client: Client;
beforeAll(async () => {
  network = await FaultyNetwork.start();
  service = await startApp({ env: { BASE_URL: network.url, TRUST_PROXY: '1' } });
  network.target = service.url;
  shop = await service.given.app();
  client = clientOf(shop);
});
beforeEach(() => network.reset());
afterAll(async () => {
  await service?.stop();
  await network?.stop();
});

const clientOf = (app: GivenApp, retries?: RetryOptions) =>
  createClient({
    baseUrl: network.url,
    secretKey: app.secretKey,
    managementKey: service.managementKey,
    ...(retries && { retries }),
  });
const createUser = (email: string, of = client) => of.POST('/v1/auth/users/create', { body: { email } });
const createdUser = () => ok(createUser(`${unique()}@example.com`));
const keysSent = () => network.seen.map(({ headers }) => headers['idempotency-key']);

describe('a POST whose connection is cut', () => {
  it.each<[string, Fault, boolean]>([
    ['before the service sees it', 'request_lost', false],
    ['after the service has answered', 'answer_lost', true],
    ['in the middle of the response', 'answer_cut', true],
  ])('%s is repeated with the same key and body and has one effect', async (_, fault, isReplayed) => {
    network.faults = [fault];
    const email = `${unique()}@example.com`;
    const user = await ok(createUser(email));
    expect(network.seen).toHaveLength(2);
    const [first, second] = network.seen;
    expect(second!.headers['idempotency-key']).toBe(first!.headers['idempotency-key']);
    expect(second!.body).toBe(first!.body);
    expect(second!.replayed).toBe(isReplayed);
    network.reset();
    const found = await ok(
      client.POST('/v1/auth/users/search', {
        body: { limit: 10 },
      }),
    );
    expect(found.users.filter(({ emails }) => emails.some((held) => held.email === email))).toMatchObject([
      { user_id: user.user_id },
    ]);
  });

  it('is sent four times at most, and the last failure is thrown', async () => {
    network.always = 'request_lost';
    await expect(createUser('never@example.com')).rejects.toMatchObject({ name: 'NetworkError' });
    expect(network.seen).toHaveLength(4);
    expect(new Set(keysSent()).size).toBe(1);
  });

  it('is sent once if retries are switched off', async () => {
    network.always = 'request_lost';
    await expect(createUser('never@example.com', clientOf(shop, { attempts: 1 }))).rejects.toMatchObject({
      name: 'NetworkError',
    });
    expect(network.seen).toHaveLength(1);
  });
});

describe('a call of a resource', () => {
  it('sends ids in the path, then the fields, and returns the data', async () => {
    const email = `${unique()}@example.com`;
    const { user_id, email_id } = await client.users.create({ email });
    expect((await client.users.get(user_id)).emails).toMatchObject([{ email }]);
    await client.users.update(user_id, { first_name: 'Ann' });
    const { users } = await client.users.search({ limit: 10 });
    expect(users.map((each) => each.user_id)).toContain(user_id);
    expect((await client.management.apps.users.list(shop.id, { limit: 2 })).users.length).toBeGreaterThan(0);
    await client.users.emails.delete(email_id!).catch(() => undefined);
    const paths = network.seen.map(({ path }) => path);
    expect(paths).toContain(`/v1/auth/users/emails/${email_id}/delete`);
  });

  it('throws the error of the service', async () => {
    const call = client.users.get(newId('user'));
    await expect(call).rejects.toMatchObject({ name: 'ApiError', status: 404, errorType: 'user_not_found' });
  });

  it('refuses an id that is missing, instead of calling another path', async () => {
    const missing = undefined as unknown as string;
    await expect(client.users.get(missing)).rejects.toThrow('user_id');
    for (const id of ['', '.', '..', '%2E.']) await expect(client.users.get(id)).rejects.toThrow('user_id');
    expect(network.seen).toEqual([]);
  });

  it('takes an idempotency key and a signal', async () => {
    const email = `${unique()}@example.com`;
    const key = unique();
    const [first, second] = [
      await client.users.create({ email }, { idempotencyKey: key }),
      await client.users.create({ email }, { idempotencyKey: key }),
    ];
    expect(second).toEqual(first);
    const milliseconds = { timeoutSeconds: 60.0005 };
    await expect(client.users.search({ limit: 10 }, milliseconds)).resolves.toMatchObject({ users: expect.any(Array) });
    const signal = AbortSignal.abort();
    await expect(client.users.create({ email }, { signal })).rejects.toMatchObject({ name: 'AbortError' });
  });

  it('exists for every operation, also where a call is a resource too', () => {
    for (const name of Object.keys(OPERATIONS)) {
      const call = name.split('.').reduce<unknown>((node, part) => (node as Record<string, unknown>)[part], client);
      expect([name, typeof call]).toEqual([name, 'function']);
    }
    expect(typeof client.wallets.import.begin).toBe('function');
  });

  it('is typed by the document', () => {
    const wrong = [
      // @ts-expect-error -- a field of another type
      () => client.users.create({ email: 1 }),
      // @ts-expect-error -- the id is missing
      () => client.users.get(),
      // @ts-expect-error -- no such call
      () => client.users.creat,
      // @ts-expect-error -- the body is required
      () => client.wallets.signMessage('wallet_1'),
      // @ts-expect-error -- the id of an object of another kind
      (user: Id<'user'>) => client.wallets.get(user),
      // @ts-expect-error -- an error of another type than that for which it is narrowed
      (thrown: unknown) => ApiError.is(thrown, 'duplicate_email') && thrown.errorType === 'invalid_otp',
      // @ts-expect-error -- no error type
      (thrown: unknown) => ApiError.is(thrown, 'duplicate_emial'),
    ];
    const right = [
      (user: Id<'user'>) => client.wallets.create({ user_id: user, wallet_type: 'ethereum' }),
      (stored: string) => client.wallets.get(stored),
      (stored: string) => client.GET('/v1/auth/users/{user_id}', { params: { path: { user_id: stored } } }),
      async (stored: string): Promise<string> => (await client.wallets.get(stored)).user_id,
      (thrown: unknown) => ApiError.is(thrown, 'approval_required') && thrown.problem.approval_id,
    ];
    expect([wrong.length, right.length]).toEqual([7, 5]);
    expect(readFileSync('openapi/client/dist/openapi.d.ts', 'utf8')).toContain('wallet_id: Id<"wallet">;');
  });
});

describe('the idempotency key', () => {
  it('is new for each POST, and the one of the caller if there is one', async () => {
    await createdUser();
    await createdUser();
    const email = `${unique()}@example.com`;
    const again = () =>
      ok(
        client.POST('/v1/auth/users/create', {
          params: { header: { 'Idempotency-Key': 'order-17' } },
          body: { email },
        }),
      );
    expect(await again()).toEqual(await again());
    const [first, second, ...own] = keysSent();
    expect(first).toMatch(/^[0-9a-f]{32}$/);
    expect(second).not.toBe(first);
    expect(own).toEqual(['order-17', 'order-17']);
  });

  it('is not sent with a GET', async () => {
    await ok(client.GET('/v1/wallets/list'));
    expect(keysSent()).toEqual([undefined]);
  });
});

describe('a call without an idempotency key', () => {
  it('is repeated after a cut connection if it is a GET', async () => {
    const own = await service.given.app();
    network.faults = ['answer_cut', 'request_lost'];
    expect(await ok(clientOf(own).GET('/v1/wallets/list'))).toEqual({ wallets: [], has_more: false });
    expect(network.seen).toHaveLength(3);
  });

  it('is not repeated after a cut connection if it changes fields: another caller may have changed them since', async () => {
    const { id } = await service.given.app();
    network.faults = ['answer_lost'];
    const update = client.PATCH('/management/v1/apps/{app_id}', {
      params: { path: { app_id: id } },
      body: { name: 'Changed' },
    });
    await expect(update).rejects.toMatchObject({ name: 'NetworkError' });
    network.faults = ['answer_lost'];
    const withKey = client.management.apps.update(id, { name: 'Again' }, { idempotencyKey: unique() });
    await expect(withKey).rejects.toMatchObject({ name: 'NetworkError' });
    expect(network.seen).toHaveLength(2);
  });
});

describe('a refused call', () => {
  it('is repeated after 429 and Retry-After until the service accepts it', async () => {
    const slow = await service.given.app({ limits: { secret_key_calls_per_second: 3 } });
    const patient = clientOf(slow, { attempts: 100 });
    const lists = await Promise.all(Array.from({ length: 20 }, () => ok(patient.GET('/v1/wallets/list'))));
    expect(lists).toHaveLength(20);
    expect(network.seen.filter(({ status }) => status === 429).length).toBeGreaterThan(0);
    expect(network.seen.filter(({ status }) => status === 200)).toHaveLength(20);
  });

  it('is repeated after 503 and Retry-After, also if it is a PATCH', async () => {
    const { id } = await service.given.app();
    network.faults = [{ status: 503, headers: { 'retry-after': '0' } }];
    const { name } = await ok(
      client.PATCH('/management/v1/apps/{app_id}', { params: { path: { app_id: id } }, body: { name: 'Changed' } }),
    );
    expect([name, network.seen.length]).toEqual(['Changed', 2]);
  });

  it.each<[string, Fault]>([
    ['503 without Retry-After', { status: 503 }],
    ['a pause that does not fit into the total time', { status: 429, headers: { 'retry-after': '3600' } }],
    ['500', { status: 500, headers: { 'retry-after': '0' } }],
  ])('is returned at once after %s', async (_, fault) => {
    network.faults = [fault];
    const { response } = await client.GET('/v1/wallets/list');
    expect(response.status).toBe((fault as { status: number }).status);
    expect(network.seen).toHaveLength(1);
  });

  it('is repeated within the time of the call, which replaces that of the client', async () => {
    network.faults = [{ status: 503, headers: { 'retry-after': '1' } }];
    const hurried = clientOf(shop, { totalSeconds: 0.5 });
    expect(await hurried.wallets.list({}, { timeoutSeconds: 60 })).toMatchObject({ wallets: expect.any(Array) });
    network.faults = [{ status: 503, headers: { 'retry-after': '60' } }];
    await expect(client.wallets.list({}, { timeoutSeconds: 30 })).rejects.toMatchObject({ status: 503 });
    expect(network.seen).toHaveLength(3);
  });

  it('waits no longer when its signal aborts', async () => {
    network.always = { status: 503, headers: { 'retry-after': '30' } };
    const stop = new AbortController();
    const call = client.GET('/v1/wallets/list', { signal: stop.signal });
    await eventually(() => expect(network.seen).toHaveLength(1));
    stop.abort();
    await expect(call).rejects.toMatchObject({ name: 'AbortError' });
    expect(network.seen).toHaveLength(1);
  });

  it('ends after the total time if nothing answers', async () => {
    network.always = 'silent';
    await expect(clientOf(shop, { totalSeconds: 0.3 }).GET('/v1/wallets/list')).rejects.toMatchObject({
      name: 'TimeoutError',
    });
    // None if the machine was too busy to send it within the time.
    expect(network.seen.length).toBeLessThanOrEqual(1);
  });
});

describe('hooks', () => {
  const hookedBy = (hooks: Hooks) => createClient({ baseUrl: network.url, secretKey: shop.secretKey, hooks });

  it('see every attempt with its end, and may add headers', async () => {
    network.faults = ['answer_lost'];
    const seen: string[] = [];
    const times: number[] = [];
    const hooked = hookedBy({
      onRequest: ({ request, attempt }) => {
        request.headers.set('x-trace', `trace-${attempt}`);
        seen.push(`${request.method} ${attempt}`);
      },
      onResponse: async ({ response, error, attempt, durationMs }) => {
        times.push(durationMs);
        seen.push(`${attempt} ${response ? (await response.text()).slice(0, 1) : (error as Error).name}`);
      },
    });
    expect(await hooked.users.create({ email: `${unique()}@example.com` })).toMatchObject({ app_id: shop.id });
    expect(seen).toEqual(['POST 1', '1 TypeError', 'POST 2', '2 {']);
    expect(times).toHaveLength(2);
    expect(Math.min(...times)).toBeGreaterThan(0);
    expect(network.seen.map(({ headers }) => headers['x-trace'])).toEqual(['trace-1', 'trace-2']);
  });

  it('may read the body of the request, which is sent all the same', async () => {
    network.faults = ['answer_lost'];
    const read: string[] = [];
    const hooked = hookedBy({
      onRequest: async ({ request }) => {
        request.headers.set('x-trace', 'trace');
        read.push(await request.text());
      },
    });
    const email = `${unique()}@example.com`;
    expect(await hooked.users.create({ email })).toMatchObject({ app_id: shop.id });
    expect(network.seen.map(({ headers, body }) => [headers['x-trace'], JSON.parse(body)])).toEqual([
      ['trace', { email }],
      ['trace', { email }],
    ]);
    expect(read).toEqual(network.seen.map(({ body }) => body));
  });

  it('change no idempotency key, and add none', async () => {
    const hooked = hookedBy({
      onRequest: ({ request, attempt }) => request.headers.set('Idempotency-Key', `attempt-${attempt}`),
    });
    network.faults = ['answer_lost'];
    await hooked.users.create({ email: `${unique()}@example.com` });
    const key = unique();
    network.faults = ['answer_lost'];
    await hooked.users.create({ email: `${unique()}@example.com` }, { idempotencyKey: key });
    await ok(hooked.GET('/v1/wallets/list'));
    const [made, ...others] = keysSent();
    expect(made).toMatch(/^[0-9a-f]{32}$/);
    expect(others).toEqual([made, key, key, undefined]);
    expect(network.seen.map(({ replayed }) => replayed)).toEqual([false, true, false, true, false]);
  });

  it('that throw before a request is sent end the call with their error', async () => {
    const refuse = () => {
      throw new TypeError('no calls today');
    };
    const hooked = hookedBy({ onRequest: refuse });
    await expect(hooked.users.create({ email: 'a@example.com' })).rejects.toThrow('no calls today');
    expect(network.seen).toEqual([]);
  });

  it('that never end before a request is sent end with the signal of the call', async () => {
    const stop = new AbortController();
    const hooked = hookedBy({
      onRequest: () => {
        stop.abort();
        return new Promise<void>(() => undefined);
      },
    });
    const call = hooked.users.create({ email: 'a@example.com' }, { signal: stop.signal });
    await expect(call).rejects.toMatchObject({ name: 'AbortError' });
    expect(network.seen).toEqual([]);
  });

  it('that throw after a response, or never end, leave the call its response', async () => {
    const throwing = hookedBy({
      onResponse: () => {
        throw new TypeError('no traces today');
      },
    });
    const created = await throwing.users.create({ email: `${unique()}@example.com` });
    expect(created).toMatchObject({ app_id: shop.id });
    const stop = new AbortController();
    const hanging = hookedBy({
      onResponse: () => {
        stop.abort();
        return new Promise<void>(() => undefined);
      },
    });
    const { user_id } = await hanging.users.get(created.user_id, undefined, { signal: stop.signal });
    expect(user_id).toBe(created.user_id);
    expect(network.seen).toHaveLength(2);
  });
});

describe('an error', () => {
  it('has the error types of its call in the types', async () => {
    const sent = await createdUser();
    const { data, error } = await client.POST('/v1/auth/otps/verify', {
      body: { method_id: sent.email_id, otp: '000000' },
    });
    expect(data).toBeUndefined();
    const types: ErrorTypeOf<'post', '/v1/auth/otps/verify'>[] = ['invalid_otp', 'otp_attempts_exceeded'];
    expect(types).toContain(error!.error_type);
    // @ts-expect-error the document does not list this type for this call
    const wrong: ErrorTypeOf<'post', '/v1/auth/otps/verify'> = 'wallet_read_only';
    // @ts-expect-error no call has a type of this spelling
    const misspelt: ErrorType = 'invalid_opt';
    expect([wrong, misspelt]).not.toContain(error!.error_type);
  });

  it('is thrown by ok(), with its type, fields and request id', async () => {
    const thrown: unknown = await ok(client.POST('/v1/auth/users/create', { body: { email: 'no address' } })).catch(
      (error: unknown) => error,
    );
    expect(ApiError.is(thrown, 'user_not_found', 'invalid_request')).toBe(true);
    expect(ApiError.is(thrown, 'user_not_found')).toBe(false);
    expect(thrown).toMatchObject({ status: 400, errorType: 'invalid_request', requestId: expect.any(String) });
    expect((thrown as ApiError).response.status).toBe(400);
    expect(inspect(thrown, { depth: null }).split('\n').length).toBeLessThan(40);
    // As code between the call and the page may wrap it. A wrapper may also return another value than the one that is stored.
    const wrapped = new Proxy(thrown as ApiError, {
      get: (error, name, proxy) => ({ is: Reflect.get(error, name, proxy) }),
    });
    expect(wrapped.response).toEqual({ is: (thrown as ApiError).response });
    const missingField: unknown = await ok(client.POST('/v1/wallets/create', { body: {} as never })).catch(
      (error: unknown) => error,
    );
    expect((missingField as ApiError).fields).toContainEqual({
      field: 'wallet_type',
      rule: 'required',
      message: 'is required',
    });
  });

  it('of a proxy in front of the service has a status and no type', async () => {
    network.faults = [{ status: 502, headers: { 'content-type': 'text/html' }, body: '<h1>Bad gateway</h1>' }];
    await expect(ok(client.GET('/v1/wallets/list'))).rejects.toMatchObject({ status: 502, errorType: null });
    network.faults = [{ status: 404, headers: { 'content-length': '0' } }];
    await expect(ok(client.GET('/v1/wallets/list'))).rejects.toMatchObject({ status: 404, errorType: null });
  });
});

describe('keys', () => {
  it('go to the calls that take them, and to no other call', async () => {
    const publicOnly = createClient({ baseUrl: network.url, publicToken: shop.publicToken });
    await client.GET('/v1/wallets/list');
    await client.GET('/management/v1/apps');
    await client.GET('/livez');
    await client.GET('/v1/auth/jwks/{app_id}', { params: { path: { app_id: shop.id } } });
    await publicOnly.GET('/v1/auth/oauth/{provider}/begin', { params: { path: { provider: 'acme' } } });
    // Without a management key, only a cookie authenticates.
    await createClient({ baseUrl: network.url }).GET('/management/v1/apps');
    expect(network.seen.map(({ headers: { authorization } }) => authorization)).toEqual([
      `Bearer ${shop.secretKey}`,
      `Bearer ${service.managementKey}`,
      undefined,
      undefined,
      undefined,
      undefined,
    ]);
    expect(network.seen[4]!.path).toBe(`/v1/auth/oauth/acme/begin?public_token=${shop.publicToken}`);
  });

  it('do not follow a redirect to another address', async () => {
    network.faults = [{ status: 307, headers: { location: `${network.url}/elsewhere` } }];
    await expect(ok(createUser('ann@example.com'))).rejects.toMatchObject({ status: 307 });
    expect(network.seen).toHaveLength(1);
  });
});

describe('the session of a browser', () => {
  it('authenticates a client without keys, until it ends or the page is another one', async () => {
    let cookie = '';
    let origin = network.url;
    const inBrowser = (managementKey?: string): Client =>
      createClient({
        baseUrl: network.url,
        ...(managementKey && { managementKey }),
        fetch: async (request, init) => {
          request.headers.set('origin', origin);
          if (cookie) request.headers.set('cookie', cookie);
          const response = await fetch(request, init);
          cookie = response.headers.get('set-cookie')?.split(';')[0] ?? cookie;
          return response;
        },
      });
    expect(await ok(inBrowser(service.managementKey).POST('/management/v1/session'))).toMatchObject({ role: 'owner' });
    const browser = inBrowser();
    expect(await ok(browser.GET('/management/v1/session'))).toMatchObject({ role: 'owner' });
    const params = { path: { app_id: shop.id } };
    expect(await ok(browser.GET('/management/v1/apps/{app_id}', { params }))).toMatchObject({ id: shop.id });
    origin = 'https://elsewhere.example';
    expect((await browser.GET('/management/v1/session')).response.status).toBe(401);
    origin = network.url;
    const ended = cookie;
    await ok(browser.DELETE('/management/v1/session'));
    cookie = ended;
    expect((await browser.GET('/management/v1/session')).response.status).toBe(401);
  });
});

describe('a list', () => {
  async function all<T>(list: AsyncIterable<T>): Promise<T[]> {
    const items: T[] = [];
    for await (const item of list) items.push(item);
    return items;
  }

  it('is read to its end with starting_after', async () => {
    const { id } = await service.given.app();
    const path = { app_id: id };
    for (let i = 0; i < 3; i++) {
      await ok(
        client.POST('/management/v1/apps/{app_id}/keys', {
          params: { path },
          body: { kind: 'secret', name: `key ${i}` },
        }),
      );
    }
    network.reset();
    const keys = await all(client.list('/management/v1/apps/{app_id}/keys', { params: { path, query: { limit: 2 } } }));
    // Two keys came with the app.
    expect(keys.slice(0, 3).map(({ name }) => name)).toEqual(['key 2', 'key 1', 'key 0']);
    expect(new Set(keys.map((key) => key.id)).size).toBe(5);
    expect(network.seen).toHaveLength(3);
  });

  it('fetches no page that the caller does not reach', async () => {
    const { id } = await service.given.app();
    const pages = client.list('/management/v1/apps/{app_id}/keys', {
      params: { path: { app_id: id }, query: { limit: 1 } },
    });
    await pages.next();
    expect(network.seen).toHaveLength(1);
  });

  it('of a search is read with starting_after in the body', async () => {
    const own = await service.given.app();
    for (let i = 0; i < 12; i++) await service.given.user(own);
    const users = await all(clientOf(own).list('/v1/auth/users/search', { body: { limit: 10 } }));
    expect(new Set(users.map((user) => user.user_id)).size).toBe(12);
    expect(network.seen.map(({ method, status }) => [method, status])).toEqual([
      ['POST', 200],
      ['POST', 200],
    ]);
  });

  it('of events is read with after, in the order of positions', async () => {
    const own = await service.given.app();
    for (let i = 0; i < 3; i++) await service.given.user(own);
    const positions = await eventually(async () => {
      const events = await all(clientOf(own).list('/v1/events', { params: { query: { limit: 2 } } }));
      expect(events.length).toBeGreaterThanOrEqual(3);
      return events.map((event) => event.position);
    });
    expect(positions).toEqual(positions.map((_, index) => index + 1));
  });

  it.each([20, 23])('of transfers is read with offset, %d of them', async (count) => {
    const own = await service.given.app();
    const observer = await Observer.of(service);
    await observer.rows(
      `insert into transfers (app_id, id, user_id, status, source, source_address, dest, chain, network, currency, symbol,
         decimals, amount, fee_cap, notes, expires_at)
       select $1, $2 || lpad(to_hex(i), 10, '0'), $3, 'expired', $4, '0x1', '0x2',
         'ethereum', 'ethereum:1', 'ethereum', 'ETH', 18, i, 1, '', now()
         from generate_series(1, ${count}) i`,
      [own.id, newId('transfer').slice(0, -10), newId('user'), newId('wallet')],
    );
    await observer.close();
    const transfers = await all(clientOf(own).list('/v1/transfers/list', { params: { query: { limit: 10 } } }));
    expect(new Set(transfers.map((transfer) => transfer.id)).size).toBe(count);
    expect(network.seen).toHaveLength(3);
  });

  it('that fails throws the error', async () => {
    const pages = createClient({ baseUrl: network.url, secretKey: 'sk_test_wrong' }).list('/v1/wallets/list');
    await expect(pages.next()).rejects.toMatchObject({ errorType: 'unauthorized_credentials' });
  });
});
