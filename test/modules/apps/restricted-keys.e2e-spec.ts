import { Wallet } from 'ethers';
import { KEY_SCOPES } from '../../../src/kernel/key-restriction.js';
import { newId } from '../../../src/kernel/ids.js';
import { Database } from '../../../src/postgres/database.js';
import { type Answer, type Call, MANAGEMENT_KEY, startApp, type TestApp } from '../../support/app.js';
import { readDocument } from '../../support/document.js';
import { eventually } from '../../support/eventually.js';
import { type GivenApp, unique } from '../../support/given.js';
import { signIn } from '../../support/sign-in.js';
import { PolicyApp } from '../policy/policies.js';

let service: TestApp;
let replica: TestApp;
let app: GivenApp;
beforeAll(async () => {
  service = await startApp({ env: { TRUST_PROXY: 'loopback' } });
  replica = await startApp({ databaseUrl: service.databaseUrl });
});
afterAll(async () => {
  await replica.stop();
  await service.stop();
});
beforeEach(async () => {
  app = await service.given.app();
});

interface MadeKey {
  readonly id: string;
  readonly key: string;
}
interface MadeUser {
  readonly id: string;
  readonly email: string;
  readonly walletIds: readonly string[];
}

const create = (body: object): Promise<Answer> =>
  service.call('POST', `/management/v1/apps/${app.id}/keys`, { key: MANAGEMENT_KEY, body });
async function restricted(fields: object = {}): Promise<MadeKey> {
  const { body, text } = await create({ kind: 'restricted', scopes: KEY_SCOPES, ...fields });
  if (!body.key) throw new Error(text);
  return body;
}
const revoke = (id: string) =>
  service.call('DELETE', `/management/v1/apps/${app.id}/keys/${id}`, { key: MANAGEMENT_KEY });
const get = (path: string, key: string, call: Call = {}) => service.call('GET', path, { key, ...call });
const post = (path: string, key: string, body: object, headers: Record<string, string> = {}) =>
  service.call('POST', path, { key, body, headers });
const outcome = ({ status, body }: Answer): readonly [number, string] => [status, body.error_type];

/** A user with an ethereum and a solana wallet. */
async function user(): Promise<MadeUser> {
  const { user_id: id, email } = await service.given.user(app);
  await post('/v1/wallets/create', app.secretKey, { user_id: id, wallet_type: 'solana' });
  const { wallets } = (await get(`/v1/wallets/list?user_id=${id}`, app.secretKey)).body;
  return { id, email, walletIds: wallets.map((wallet: { id: string }) => wallet.id) };
}
const idsIn = (list: readonly { readonly id: string }[]) => list.map(({ id }) => id);

describe('a restricted key', () => {
  it('is shown once, and listed with its scopes and limits', async () => {
    const { id: user_id, walletIds } = await user();
    const fields = {
      scopes: ['users:read', 'wallets:read'],
      user_id,
      wallet_ids: walletIds,
      ip_ranges: ['192.0.2.0/24', '2001:db8::/32'],
      rate: 7,
    };
    const { status, body } = await create({ kind: 'restricted', name: 'Agent', ...fields });
    expect(status).toBe(200);
    expect(body).toEqual({
      id: expect.stringMatching(/^key_/),
      kind: 'restricted',
      name: 'Agent',
      key: expect.stringMatching(/^rk_test_[0-9A-Za-z]{48}$/),
      created_at: expect.any(Number),
      expires_at: 0,
      last_used_at: 0,
      ...fields,
    });
    const list = await get(`/management/v1/apps/${app.id}/keys?kind=restricted`, MANAGEMENT_KEY);
    expect(list.text).not.toContain(body.key);
    const { key: _, ...shown } = body;
    expect(list.body.keys).toEqual([shown]);
    const secret = await create({ kind: 'secret', scopes: null, user_id: null, rate: null });
    expect(Object.keys(secret.body)).not.toContain('scopes');
  });

  it('of a live app begins with rk_live_', async () => {
    app = await service.given.app({ mode: 'live' });
    expect((await restricted()).key).toMatch(/^rk_live_/);
  });

  it.each<[object, string]>([
    [{ kind: 'restricted' }, 'scopes'],
    [{ kind: 'restricted', scopes: [] }, 'scopes'],
    [{ kind: 'restricted', scopes: ['users:read', 'users:all'] }, 'scopes[1]'],
    [{ kind: 'restricted', scopes: 'users:read' }, 'scopes'],
    [{ kind: 'restricted', scopes: ['users:read'], wallet_ids: [] }, 'wallet_ids'],
    [{ kind: 'restricted', scopes: ['users:read'], wallet_ids: [newId('user')] }, 'wallet_ids[0]'],
    [{ kind: 'restricted', scopes: ['users:read'], wallet_ids: [newId('wallet')] }, 'wallet_ids[0]'],
    [{ kind: 'restricted', scopes: ['users:read'], user_id: newId('wallet') }, 'user_id'],
    [{ kind: 'restricted', scopes: ['users:read'], user_id: newId('user') }, 'user_id'],
    [{ kind: 'restricted', scopes: ['users:read'], ip_ranges: [] }, 'ip_ranges'],
    [{ kind: 'restricted', scopes: ['users:read'], ip_ranges: ['10.0.0.0/8', '10.0.0.0/33'] }, 'ip_ranges[1]'],
    [{ kind: 'restricted', scopes: ['users:read'], ip_ranges: ['10.0.0.1/8'] }, 'ip_ranges[0]'],
    [{ kind: 'restricted', scopes: ['users:read'], ip_ranges: ['::ffff:10.0.0.0/104'] }, 'ip_ranges[0]'],
    [{ kind: 'restricted', scopes: ['users:read'], ip_ranges: ['localhost/8'] }, 'ip_ranges[0]'],
    [{ kind: 'restricted', scopes: ['users:read'], rate: 0 }, 'rate'],
    [{ kind: 'restricted', scopes: ['users:read'], expires_at: 1 }, 'expires_at'],
    [{ kind: 'secret', scopes: ['users:read'] }, 'scopes'],
    [{ kind: 'public', user_id: newId('user') }, 'user_id'],
    [{ kind: 'secret', wallet_ids: [newId('wallet')] }, 'wallet_ids'],
    [{ kind: 'secret', ip_ranges: ['10.0.0.0/8'] }, 'ip_ranges'],
    [{ kind: 'public', rate: 5 }, 'rate'],
  ])('is refused with %j, naming %s', async (body, field) => {
    const answer = await create(body);
    expect([answer.status, answer.body.errors?.[0].field]).toEqual([400, field]);
  });

  it('is not bound to a user of another app, or to a wallet of another user', async () => {
    const [ann, bob] = [await user(), await user()];
    const scopes = ['users:read'];
    const mixed = await create({ kind: 'restricted', scopes, user_id: ann.id, wallet_ids: [bob.walletIds[0]] });
    expect([mixed.status, mixed.body.errors[0].field]).toEqual([400, 'wallet_ids[0]']);
    app = await service.given.app();
    const foreign = await create({ kind: 'restricted', scopes, user_id: ann.id });
    expect([foreign.status, foreign.body.errors[0].field]).toEqual([400, 'user_id']);
  });

  it('is refused once it is revoked, on every replica within a second', async () => {
    const { id, key } = await restricted();
    const use = (at: TestApp) => at.call('GET', '/v1/wallets/list', { key });
    expect([(await use(service)).status, (await use(replica)).status]).toEqual([200, 200]);
    const calls = Array.from({ length: 20 }, () => use(service));
    await revoke(id);
    const racing = await Promise.all(calls);
    for (const { status } of racing) expect([200, 401]).toContain(status);
    expect(outcome(await use(service))).toEqual([401, 'unauthorized_credentials']);
    await eventually(async () => expect((await use(replica)).status).toBe(401));
    expect(outcome(await service.call('GET', '/management/v1/apps', { key }))[0]).toBe(401);
  });

  it('is refused once it has expired', async () => {
    const { id, key } = await restricted({ expires_at: Math.floor(Date.now() / 1_000) + 600 });
    expect((await get('/v1/wallets/list', key)).status).toBe(200);
    await service.nest
      .get(Database)
      .write(`update api_keys set expires_at = now() where app_id = $1 and id = $2`, [app.id, id]);
    await eventually(async () => expect((await get('/v1/wallets/list', key)).status).toBe(401));
  });

  it('is no key of another kind, nor is another key a restricted one', async () => {
    const { key } = await restricted();
    expect(outcome(await get('/management/v1/apps', key))).toEqual([403, 'wrong_key_kind']);
    const begin = `/v1/auth/oauth/google/begin?public_token=${key}`;
    expect(outcome(await service.call('GET', begin))).toEqual([403, 'wrong_key_kind']);
    for (const forged of [
      key.replace('rk_', 'sk_'),
      app.secretKey.replace('sk_', 'rk_'),
      key.replace('_test_', '_live_'),
    ])
      expect(outcome(await get('/v1/wallets/list', forged))).toEqual([401, 'unauthorized_credentials']);
  });
});

interface Operation {
  readonly security?: readonly Readonly<Record<string, readonly string[]>>[];
}
const { paths } = readDocument<{ paths: Record<string, Record<string, Operation>> }>();
const operations = Object.entries(paths).flatMap(([path, item]) =>
  Object.entries(item)
    .filter(([, { security }]) => security?.some((each) => 'secret_key' in each))
    .map(([method, { security }]) => ({
      name: `${method.toUpperCase()} ${path}`,
      method: method.toUpperCase(),
      path: path.replaceAll(/\{\w+\}/g, 'x'),
      scopes: security!.flatMap((each) => each['restricted_key'] ?? []),
      alternatives: security!.filter((each) => 'restricted_key' in each),
    })),
);

/**
 * Keys and secrets leave the service by the first group, the second one is about identity providers, and by the third one the
 * login page of the app signs users in at other programs.
 */
const CLOSED =
  /^\S+ (\/v1\/wallets\/import(\/begin)?|\/v1\/wallets\/\{wallet_id\}\/export|\/v1\/auth\/oauth_connections\/.*|\/v1\/oauth2\/.*)$/;

describe('the scopes', () => {
  it('stand at every operation of the document that takes a secret key, but for those that are closed', () => {
    expect(operations.length).toBeGreaterThan(60);
    expect(operations.filter(({ name, scopes }) => (scopes.length === 0) !== CLOSED.test(name))).toEqual([]);
    for (const { scopes } of operations) expect(KEY_SCOPES).toEqual(expect.arrayContaining(scopes));
  });

  it('are each needed for their operations, and include no other one', async () => {
    const keys = new Map<string, string>();
    for (const scope of KEY_SCOPES)
      keys.set(scope, (await restricted({ scopes: KEY_SCOPES.filter((each) => each !== scope) })).key);
    const { key: all } = await restricted();
    for (const { name, method, path, scopes, alternatives } of operations) {
      if (scopes.length === 0) {
        const closed = await service.call(method, path, { key: all });
        expect([name, ...outcome(closed)]).toEqual([name, 403, 'wrong_key_kind']);
        continue;
      }
      expect((await service.call(method, path, { key: all })).body.error_type).not.toBe('missing_scope');
      if (alternatives.length > 1) continue;
      const lacking = await service.call(method, path, { key: keys.get(scopes[0]!)! });
      expect([name, ...outcome(lacking)]).toEqual([name, 403, 'missing_scope']);
      expect(lacking.body.detail).toContain(scopes[0]);
    }
  });

  it('are needed for a key in the query too', async () => {
    const jwks = (key: string) => service.call('GET', '/v1/auth/jwks/default', { query: { api_key: key } });
    const [reader, writer] = [
      await restricted({ scopes: ['sessions:read'] }),
      await restricted({ scopes: ['users:write'] }),
    ];
    expect((await jwks(reader.key)).status).toBe(200);
    expect(outcome(await jwks(writer.key))).toEqual([403, 'missing_scope']);
    const elsewhere = await service.call('GET', '/v1/wallets/list', { query: { api_key: reader.key } });
    expect(elsewhere.status).toBe(401);
  });
});

describe('the networks of a key', () => {
  const from = (address: string, key: string) =>
    get('/v1/wallets/list', key, { headers: { 'x-forwarded-for': address } });

  it.each([
    ['192.0.2.7', 200],
    ['::ffff:192.0.2.7', 200],
    ['::ffff:c000:0207', 200],
    ['192.0.3.7', 403],
    ['192.0.2.7:51544', 200],
    ['"[2001:db8:1::1]:443"', 200],
    ['192.0.3.7:51544', 403],
    ['192.0.2.7, unknown', 403],
    ['192.0.2.7, _hidden', 403],
    ['::ffff:192.0.3.7', 403],
    ['2001:db8:1::1', 200],
    ['2001:db9::1', 403],
    ['::c000:207', 403],
  ])('decide about a call from %s: %i', async (address, status) => {
    const { key } = await restricted({ ip_ranges: ['192.0.2.0/24', '2001:db8::/32'] });
    const answer = await from(address, key);
    expect(answer.status).toBe(status);
    if (status === 403) expect(answer.body.error_type).toBe('ip_not_allowed');
  });

  it('do not include IPv4 in ::/0', async () => {
    const { key } = await restricted({ ip_ranges: ['::/0'] });
    expect((await from('192.0.2.7', key)).status).toBe(403);
    expect((await from('2001:db8::1', key)).status).toBe(200);
  });

  it('are checked before scopes, and a refusal is audited with the key', async () => {
    const { id, key } = await restricted({ scopes: ['users:write'], ip_ranges: ['192.0.2.0/24'] });
    expect((await from('198.51.100.1', key)).body.error_type).toBe('ip_not_allowed');
    await eventually(async () => {
      const { entries } = (await get(`/management/v1/apps/${app.id}/audit_log?outcome=refused`, MANAGEMENT_KEY)).body;
      expect(entries).toContainEqual(
        expect.objectContaining({ actor: id, error_type: 'ip_not_allowed', ip: '198.51.100.1' }),
      );
    });
  });
});

describe('the rate of a key', () => {
  it('is counted for each key beside that of the app', async () => {
    const [slow, free] = [await restricted({ rate: 3 }), await restricted()];
    const first = await get('/v1/wallets/list', slow.key);
    expect(first.headers.get('ratelimit-policy')).toMatch(/^"key";q=3;w=1, "default";q=\d+;w=1$/);
    const burst = await Promise.all(Array.from({ length: 40 }, () => get('/v1/wallets/list', slow.key)));
    const refused = burst.filter(({ status }) => status === 429);
    expect(refused.length).toBeGreaterThan(20);
    expect(refused[0]!.headers.get('retry-after')).toBe('1');
    const others = await Promise.all(Array.from({ length: 20 }, () => get('/v1/wallets/list', free.key)));
    expect(others.filter(({ status }) => status !== 200)).toEqual([]);
    expect((await get('/v1/wallets/list', app.secretKey)).headers.get('ratelimit-policy')).not.toContain('key');
  });
});

describe('an Idempotency-Key', () => {
  it('belongs to one restricted key, and to all secret keys together', async () => {
    const [one, two] = [await restricted(), await restricted()];
    const secret = (await create({ kind: 'secret' })).body.key;
    const made = async (key: string) => {
      const body = { phone_number: '+4915112345678' };
      const answer = await post('/v1/auth/otps/sms/login_or_create', key, body, { 'idempotency-key': 'same' });
      expect(answer.status).toBe(200);
      return answer.headers.get('idempotent-replayed');
    };
    expect([await made(one.key), await made(two.key), await made(app.secretKey)]).toEqual([null, null, null]);
    expect([await made(one.key), await made(two.key), await made(secret)]).toEqual(['true', 'true', 'true']);
  });

  it('does not give the response of one key to a key that lacks the scope', async () => {
    const [writer, reader] = [await restricted(), await restricted({ scopes: ['users:read'] })];
    const body = { email: `${unique()}@example.com` };
    await post('/v1/auth/users/create', writer.key, body, { 'idempotency-key': 'a' });
    const stolen = await post('/v1/auth/users/create', reader.key, body, { 'idempotency-key': 'a' });
    expect(outcome(stolen)).toEqual([403, 'missing_scope']);
  });
});

describe('the actor of an event', () => {
  it('is the restricted key that made the call, also of events that a statement inserts', async () => {
    const { id, key } = await restricted();
    const created = await post('/v1/auth/users/create', key, { email: `${unique()}@example.com` });
    const { user_id } = created.body;
    await signIn(service, app, { user_id });
    await service.call('PUT', `/v1/auth/users/${user_id}/update`, { key: app.secretKey, body: { first_name: 'Ann' } });
    await service.call('DELETE', `/v1/auth/users/${user_id}/delete`, { key });
    const read = async () => (await get(`/v1/events?user_id=${user_id}`, app.secretKey)).body.events;
    await eventually(async () => expect((await read()).at(-1)).toMatchObject({ type: 'user.deleted' }));
    const actors = (await read()).map(({ type, data }: { type: string; data: { actor?: string } }) => [
      type,
      data.actor,
    ]);
    expect(actors).toEqual(
      expect.arrayContaining([
        ['user.created', id],
        ['wallet.created', id],
        ['session.created', undefined],
        ['user.updated', undefined],
        ['session.revoked', id],
        ['user.deleted', id],
      ]),
    );
  });
});

describe('the actor of a refused login', () => {
  it('is the restricted key that tried', async () => {
    const { id, key } = await restricted();
    const { user_id, email } = await service.given.user(app);
    const { email_id } = (await post('/v1/auth/otps/email/send', key, { email })).body;
    const tried = await post('/v1/auth/otps/verify', key, { method_id: email_id, otp: '000000' });
    expect(outcome(tried)).toEqual([400, 'invalid_otp']);
    await eventually(async () => {
      const { events } = (await get('/v1/events?types=login.failed', app.secretKey)).body;
      expect(events).toMatchObject([{ data: { user_id, actor: id, class: 'invalid_otp' } }]);
    });
  });
});

describe('a key with sessions:read', () => {
  it('verifies a session, and extends it only with sessions:write too', async () => {
    const { id } = await user();
    const { session_token } = await signIn(service, app, { user_id: id });
    const { key: reader } = await restricted({ scopes: ['sessions:read'] });
    const { key: writer } = await restricted({ scopes: ['sessions:read', 'sessions:write'] });
    const verify = (by: string, fields: object = {}) =>
      post('/v1/auth/sessions/verify', by, { session_token, ...fields });
    const { expires_at } = (await verify(reader)).body.session;
    const extended = await verify(reader, { session_expires_in: 525_600 });
    expect(outcome(extended)).toEqual([403, 'missing_scope']);
    expect(extended.body.error_message).toContain('sessions:write');
    expect((await verify(reader)).body.session.expires_at).toBe(expires_at);
    expect((await verify(writer, { session_expires_in: 600 })).body.session.expires_at).not.toBe(expires_at);
  });
});

describe('a key that is bound to a user', () => {
  let ann: MadeUser;
  let bob: MadeUser;
  let key: string;
  beforeEach(async () => {
    [ann, bob] = [await user(), await user()];
    ({ key } = await restricted({ user_id: ann.id }));
  });

  it('sees the user and the wallets of the user only', async () => {
    const seen = await get(`/v1/auth/users/${ann.id}`, key);
    expect([seen.status, idsIn(seen.body.wallets)]).toEqual([200, expect.arrayContaining([...ann.walletIds])]);
    expect(outcome(await get(`/v1/auth/users/${bob.id}`, key))).toEqual([404, 'user_not_found']);
    expect(idsIn((await get('/v1/wallets/list', key)).body.wallets)).toEqual(ann.walletIds);
    expect((await get(`/v1/wallets/list?user_id=${bob.id}`, key)).body.wallets).toEqual([]);
    expect(outcome(await get(`/v1/wallets/${bob.walletIds[0]}`, key))).toEqual([404, 'wallet_not_found']);
    expect((await get('/v1/transfers/list', key)).body).toMatchObject({ transfers: [], count: 0 });
  });

  it.each(['AND', 'OR'])('finds no other user by a search with %s', async (operator) => {
    const fields = [ann, bob].map(({ id }) => ({ field: 'user_id', operator: 'eq', value: id }));
    const search = async (filters: object) => (await post('/v1/auth/users/search', key, { filters })).body;
    const found = await search({ operator, fields: operator === 'AND' ? fields.slice(0, 1) : fields });
    expect([found.users.map((each: { user_id: string }) => each.user_id), found.total_count]).toEqual([[ann.id], 1]);
    expect((await search({ operator, fields: fields.slice(1) })).total_count).toBe(0);
  });

  it('signs with the wallets of the user only', async () => {
    const sign = (id: string) => post(`/v1/wallets/${id}/sign_message`, key, { message: 'hello' });
    expect((await sign(ann.walletIds[0]!)).status).toBe(200);
    expect(outcome(await sign(bob.walletIds[0]!))).toEqual([404, 'wallet_not_found']);
  });

  it('verifies, extends and ends sessions of the user only', async () => {
    const [own, foreign] = [
      await signIn(service, app, { user_id: ann.id }),
      await signIn(service, app, { user_id: bob.id }),
    ];
    const verify = (body: object) => post('/v1/auth/sessions/verify', key, body);
    const end = (body: object) => service.call('DELETE', '/v1/auth/sessions/delete', { key, body });
    for (const { session_token, session_jwt, session } of [foreign]) {
      expect(outcome(await verify({ session_token }))).toEqual([401, 'invalid_session']);
      expect(outcome(await verify({ session_jwt, session_expires_in: 600 }))).toEqual([401, 'invalid_session']);
      expect(outcome(await end({ session_token }))).toEqual([401, 'invalid_session']);
      expect(outcome(await end({ session_jwt }))).toEqual([401, 'invalid_session']);
      expect(outcome(await end({ session_id: session!.id }))).toEqual([404, 'session_not_found']);
    }
    expect((await verify({ session_token: own.session_token })).status).toBe(200);
    expect((await end({ session_token: own.session_token })).status).toBe(200);
    const still = await post('/v1/auth/sessions/verify', app.secretKey, { session_token: foreign.session_token });
    expect(still.body.session.expires_at).toBe(foreign.session!.expires_at);
  });

  it('sends passcodes and links to the addresses of the user only, and creates no user', async () => {
    const fresh = `${unique()}@example.com`;
    await service.given.redirectUrl(app, 'login', 'https://app.example.com/login');
    await service.given.redirectUrl(app, 'registration', 'https://app.example.com/registration');
    for (const path of ['otps/email/send', 'otps/email/login_or_create', 'magic_links/email/login_or_create']) {
      expect((await post(`/v1/auth/${path}`, key, { email: ann.email })).status).toBe(200);
      for (const email of [bob.email, fresh])
        expect([path, ...outcome(await post(`/v1/auth/${path}`, key, { email }))]).toEqual([
          path,
          403,
          'outside_binding',
        ]);
    }
    expect(outcome(await post('/v1/auth/users/create', key, { email: fresh }))).toEqual([403, 'outside_binding']);
    const search = { filters: { fields: [{ field: 'email', operator: 'eq', value: fresh }] } };
    expect((await post('/v1/auth/users/search', app.secretKey, search)).body.total_count).toBe(0);
  });

  it('attaches no address, whether or not another user holds it', async () => {
    const update = (fields: object) => service.call('PUT', `/v1/auth/users/${ann.id}/update`, { key, body: fields });
    for (const email of [bob.email, `${unique()}@example.com`])
      expect([email, ...outcome(await update({ emails: [{ email }] }))]).toEqual([email, 403, 'outside_binding']);
    expect(outcome(await update({ phone_numbers: [{ phone_number: '+4915112345699' }], first_name: 'Eve' }))).toEqual([
      403,
      'outside_binding',
    ]);
    const renamed = await update({ emails: [{ email: ann.email }], first_name: 'Ann' });
    expect([renamed.status, renamed.body.user.first_name]).toEqual([200, 'Ann']);
    expect(renamed.body.user.emails).toHaveLength(1);
  });

  it('learns from a wallet registration of no address whether it has an account', async () => {
    const holder = Wallet.createRandom();
    const begin = (by: string, user_id: string) =>
      post('/v1/auth/wallets/registrations/begin', by, {
        wallet_type: 'ethereum',
        public_address: holder.address,
        user_id,
      });
    const { body } = await begin(app.secretKey, bob.id);
    const signature = await holder.signMessage(body.challenge);
    const proof = { wallet_type: 'ethereum', public_address: holder.address, signature };
    expect((await post('/v1/auth/wallets/verify', app.secretKey, proof)).status).toBe(200);
    expect(outcome(await begin(app.secretKey, ann.id))).toEqual([409, 'duplicate_wallet']);
    expect((await begin(key, ann.id)).status).toBe(200);
  });

  it('does not use up the sends to another address', async () => {
    for (let i = 0; i < 12; i++) await post('/v1/auth/otps/email/send', key, { email: bob.email });
    expect((await post('/v1/auth/otps/email/send', app.secretKey, { email: bob.email })).status).toBe(200);
  });

  it('signs in no other user with a link, which stays unspent', async () => {
    const embed = async (of: MadeUser) =>
      (await post('/v1/auth/magic_links/create', app.secretKey, { user_id: of.id })).body.token as string;
    const verify = (token: string, by: string) =>
      post('/v1/auth/magic_links/verify', by, { token, session_expires_in: 60 });
    const token = await embed(bob);
    expect(outcome(await verify(token, key))).toEqual([403, 'outside_binding']);
    expect((await verify(token, app.secretKey)).status).toBe(200);
    expect((await verify(await embed(ann), key)).body.user_id).toBe(ann.id);
  });

  it('counts no wrong try against another user', async () => {
    const { email_id } = (await post('/v1/auth/otps/email/send', app.secretKey, { email: bob.email })).body;
    for (let i = 0; i < 6; i++) {
      const tried = await post('/v1/auth/otps/verify', key, { method_id: email_id, otp: '000000' });
      expect(outcome(tried)).toEqual([400, 'invalid_otp']);
    }
  });

  it('begins a wallet login for its user only', async () => {
    const begin = (fields: object) =>
      post('/v1/auth/wallets/registrations/begin', key, {
        wallet_type: 'ethereum',
        public_address: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
        ...fields,
      });
    expect(outcome(await begin({}))).toEqual([403, 'outside_binding']);
    expect(outcome(await begin({ user_id: bob.id }))).toEqual([404, 'user_not_found']);
    expect((await begin({ user_id: ann.id })).status).toBe(200);
  });

  it('reads the events of the user only', async () => {
    await untilEvents(ann);
    await untilEvents(bob);
    const feed = await get('/v1/events', key);
    expect(feed.body.events.length).toBeGreaterThan(1);
    expect(new Set(feed.body.events.map(({ data }: { data: { user_id: string } }) => data.user_id))).toEqual(
      new Set([ann.id]),
    );
    expect((await get(`/v1/events?user_id=${bob.id}`, key)).body.events).toEqual([]);
    const [foreign] = (await get(`/v1/events?user_id=${bob.id}`, app.secretKey)).body.events;
    expect(outcome(await get(`/v1/events/${foreign.id}`, key))).toEqual([404, 'event_not_found']);
    expect((await get(`/v1/events/${feed.body.events[0].id}`, key)).status).toBe(200);
  });

  it('makes no webhook endpoint, which would receive the events of all users', async () => {
    const endpoint = { url: 'https://partner.example.com/hooks' };
    expect(outcome(await post('/v1/webhook_endpoints', key, endpoint))).toEqual([403, 'outside_binding']);
    const { key: unbound } = await restricted();
    expect((await post('/v1/webhook_endpoints', unbound, endpoint)).status).toBe(200);
  });

  it('finds nothing once the user is deleted', async () => {
    await untilEvents(ann);
    await service.call('DELETE', `/v1/auth/users/${ann.id}/delete`, { key });
    expect(outcome(await get(`/v1/auth/users/${ann.id}`, key))).toEqual([404, 'user_not_found']);
    expect((await get('/v1/wallets/list', key)).body.wallets).toEqual([]);
    expect((await get('/v1/events', key)).body.events).toEqual([]);
    expect((await post('/v1/auth/users/search', key, {})).body.total_count).toBe(0);
    expect(outcome(await post('/v1/auth/otps/email/send', key, { email: ann.email }))).toEqual([
      403,
      'outside_binding',
    ]);
  });
});

describe('a key that is bound to wallets', () => {
  let ann: MadeUser;
  let open: string;
  let closed: string;
  beforeEach(async () => {
    ann = await user();
    [open, closed] = ann.walletIds as [string, string];
  });

  it('sees these wallets and no user', async () => {
    const { key } = await restricted({ wallet_ids: [open] });
    expect(idsIn((await get('/v1/wallets/list', key)).body.wallets)).toEqual([open]);
    expect((await post(`/v1/wallets/${open}/sign_message`, key, { message: 'hello' })).status).toBe(200);
    expect(outcome(await post(`/v1/wallets/${closed}/sign_message`, key, { message: 'x' }))[0]).toBe(404);
    expect(outcome(await get(`/v1/auth/users/${ann.id}`, key))).toEqual([404, 'user_not_found']);
    expect((await post('/v1/auth/users/search', key, {})).body.total_count).toBe(0);
    expect(outcome(await get('/v1/events', key))).toEqual([403, 'outside_binding']);
    const send = await post('/v1/auth/otps/email/send', key, { email: ann.email });
    expect(outcome(send)).toEqual([403, 'outside_binding']);
  });

  it('sees the approvals of their uses alone', async () => {
    const policies = await PolicyApp.of(service);
    app = policies.app;
    const [asked, another] = [await policies.asked(), await policies.asked()];
    const { wallet_id } = await policies.approval(asked.approval);
    const { key } = await restricted({ scopes: ['policies:read'], wallet_ids: [wallet_id] });
    expect((await get(`/v1/approvals/${asked.approval}`, key)).body).toMatchObject({ state: 'waiting', wallet_id });
    expect(outcome(await get(`/v1/approvals/${another.approval}`, key))).toEqual([404, 'approval_not_found']);
  });

  it('and to their user sees the user without the other wallets, and their events', async () => {
    const { key } = await restricted({ user_id: ann.id, wallet_ids: [open] });
    await untilEvents(ann);
    const seen = await get(`/v1/auth/users/${ann.id}`, key);
    expect(idsIn(seen.body.wallets)).toEqual([open]);
    const updated = await service.call('PUT', `/v1/auth/users/${ann.id}/update`, { key, body: { first_name: 'Ann' } });
    expect(idsIn(updated.body.user.wallets)).toEqual([open]);
    const found = await post('/v1/auth/users/search', key, {});
    expect(idsIn(found.body.users[0].wallets)).toEqual([open]);
    const feed = await get('/v1/events', key);
    expect(feed.text).toContain(open);
    expect(feed.text).toContain('user.created');
    expect(feed.text).not.toContain(closed);
    const create = await post('/v1/wallets/create', key, { user_id: ann.id, wallet_type: 'solana' });
    expect(outcome(create)).toEqual([403, 'outside_binding']);
    const deletion = await service.call('DELETE', `/v1/auth/users/${ann.id}/delete`, { key });
    expect(outcome(deletion)).toEqual([403, 'outside_binding']);
  });

  it('of several users lists the wallets of all', async () => {
    const bob = await user();
    const { key } = await restricted({ wallet_ids: [open, bob.walletIds[0]] });
    expect(idsIn((await get('/v1/wallets/list', key)).body.wallets)).toEqual([bob.walletIds[0], open]);
    expect((await get('/v1/transfers/list', key)).body.count).toBe(0);
  });

  it('is not helped by the id of another key’s binding', async () => {
    const [one, two] = [await restricted({ wallet_ids: [open] }), await restricted({ wallet_ids: [closed] })];
    expect((await get(`/v1/wallets/${closed}`, one.key)).status).toBe(404);
    expect((await get(`/v1/wallets/${open}`, two.key)).status).toBe(404);
    expect((await get(`/v1/transfers/list?source=${closed}`, one.key)).body.count).toBe(0);
  });
});

async function untilEvents({ id }: MadeUser): Promise<void> {
  await eventually(async () => {
    const { events } = (await get(`/v1/events?user_id=${id}`, app.secretKey)).body;
    expect(events.length).toBeGreaterThan(2);
  });
}
