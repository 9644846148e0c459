import { generateKeyPairSync } from 'node:crypto';
import { newId, type AppId, type OauthConnectionId } from '../../../src/kernel/ids.js';
import { AppsFacade } from '../../../src/modules/apps/index.js';
import { Database } from '../../../src/postgres/database.js';
import { type Answer, type Call, MANAGEMENT_KEY, startApp, type TestApp } from '../../support/app.js';
import { patiently } from '../../support/eventually.js';
import type { GivenApp } from '../../support/given.js';

const CANARY = 'canary-4f0c1e8a-client-secret';
const P256 = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
const APPLE_KEY = P256.export({ type: 'pkcs8', format: 'pem' }).toString();

let service: TestApp;
let app: GivenApp;
beforeAll(async () => {
  service = await startApp({ env: { BASE_URL: 'https://id.example.test' } });
});
afterAll(() => service.stop());
beforeEach(async () => {
  app = await service.given.app();
});

const facade = () => service.nest.get(AppsFacade);

/** The two doors to the same connections: an operator's and the app's own. */
const doors = {
  management: {
    create: (body: unknown): Promise<Answer> => operator('POST', '', { body }),
    update: (id: string, body: unknown): Promise<Answer> => operator('PATCH', `/${id}`, { body }),
    get: (id: string): Promise<Answer> => operator('GET', `/${id}`),
    list: (query = {}): Promise<Answer> => operator('GET', '', { query }),
    delete: (id: string): Promise<Answer> => operator('DELETE', `/${id}`),
  },
  'old clients': {
    create: (body: unknown): Promise<Answer> => client('POST', '/create', { body }),
    update: (id: string, body: unknown): Promise<Answer> => client('PUT', `/${id}/update`, { body }),
    get: (id: string): Promise<Answer> => client('GET', `/${id}`),
    list: (query = {}): Promise<Answer> => client('GET', '/list', { query }),
    delete: (id: string): Promise<Answer> => client('DELETE', `/${id}/delete`),
  },
};
function operator(method: string, path: string, call: Call = {}): Promise<Answer> {
  return service.call(method, `/management/v1/apps/${app.id}/oauth_connections${path}`, {
    key: MANAGEMENT_KEY,
    ...call,
  });
}
function client(method: string, path: string, call: Call = {}): Promise<Answer> {
  return service.call(method, `/v1/auth/oauth_connections${path}`, { key: app.secretKey, ...call });
}

describe.each(Object.entries(doors))('a connection, by the door of %s', (_, door) => {
  it('is created, read, listed, changed and deleted, and never shows its secret', async () => {
    const created = await door.create({ provider: 'google', client_id: 'cid', client_secret: CANARY });
    expect(created.status).toBe(200);
    expect(created.body).toEqual({
      id: expect.stringMatching(/^oauthconn_/),
      app_id: app.id,
      provider: 'google',
      client_id: 'cid',
      issuer: '',
      team_id: '',
      key_id: '',
      trusts_email: true,
      email_domains: [],
      pkce: true,
      userinfo: 'required',
      callback_url: `https://id.example.test/v1/auth/oauth/callback/${created.body.id}`,
      updated_at: expect.any(Number),
      created_at: expect.any(Number),
    });
    const { id } = created.body;
    const domains = ['B\u00dcCHER.example', 'Example.com', 'example.COM'];
    const changed = await door.update(id, { client_id: 'other', trusts_email: false, email_domains: domains });
    const email_domains = ['xn--bcher-kva.example', 'example.com'];
    expect(changed.body).toMatchObject({ id, client_id: 'other', trusts_email: false, email_domains });
    const read = await door.get(id);
    expect(read.body).toEqual(changed.body);
    const list = await door.list();
    expect(list.body).toEqual({ oauth_connections: [read.body], has_more: false });
    for (const { text } of [created, changed, read, list]) expect(text).not.toContain(CANARY);
    expect((await facade().connectionById(id))?.clientSecret).toBe(CANARY);
    expect((await door.delete(id)).body.id).toBe(id);
    for (const answer of [await door.get(id), await door.delete(id), await door.update(id, { client_id: 'x' })]) {
      expect([answer.status, answer.body.error_type]).toEqual([404, 'oauth_connection_not_found']);
    }
  });

  it('exists once per provider', async () => {
    const body = { provider: 'google', client_id: 'cid', client_secret: 's' };
    const answers = await Promise.all(Array.from({ length: 20 }, () => patiently(() => door.create(body))));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(answers.filter((answer) => answer.body.error_type === 'duplicate_oauth_connection')).toHaveLength(19);
    expect((await door.create({ ...body, provider: 'github' })).status).toBe(200);
  });

  it('of another app is as unknown as one that never was', async () => {
    const { id } = (await door.create({ provider: 'google', client_id: 'cid', client_secret: 's' })).body;
    app = await service.given.app();
    const unknown = newId('oauthConnection');
    for (const [theirs, nobodys] of [
      [await door.get(id), await door.get(unknown)],
      [await door.update(id, { client_id: 'x' }), await door.update(unknown, { client_id: 'x' })],
      [await door.delete(id), await door.delete(unknown)],
      [await door.get('user_1'), await door.get(unknown)],
    ] as const) {
      const same = { instance: '', request_id: '' };
      expect(theirs.status).toBe(404);
      expect({ ...theirs.body, ...same }).toEqual({ ...nobodys.body, ...same });
    }
    expect(await facade().connectionById(id as OauthConnectionId)).toMatchObject({ clientId: 'cid' });
  });

  it('is paged', async () => {
    for (const provider of ['google', 'github', 'discord']) {
      await door.create({ provider, client_id: 'cid', client_secret: 's' });
    }
    const first = (await door.list({ limit: '2' })).body;
    expect([first.oauth_connections.map(({ provider }: { provider: string }) => provider), first.has_more]).toEqual([
      ['discord', 'github'],
      true,
    ]);
    const rest = (await door.list({ limit: '2', starting_after: first.oauth_connections[1].id })).body;
    expect([rest.oauth_connections.map(({ provider }: { provider: string }) => provider), rest.has_more]).toEqual([
      ['google'],
      false,
    ]);
  });
});

describe('what a provider wants', () => {
  const { create, update } = doors.management;

  it.each([
    [{ provider: 'google' }, ['client_secret']],
    [{ provider: 'microsoft' }, ['client_secret']],
    [{ provider: 'github' }, ['client_secret']],
    [{ provider: 'discord' }, ['client_secret']],
    [{ provider: 'apple' }, ['team_id', 'key_id', 'private_key']],
    [{ provider: 'apple', client_secret: 's', team_id: 'T' }, ['key_id', 'private_key']],
    [{ provider: 'corp-sso' }, ['issuer', 'client_secret']],
    [{ provider: 'corp-sso', issuer: 'https://sso.example?x=1', client_secret: 's' }, ['issuer']],
    [{ provider: 'corp-sso', issuer: 'https://sso.example#x', client_secret: 's' }, ['issuer']],
    [{ provider: 'github', issuer: 'https://sso.example', client_secret: 's' }, ['issuer']],
  ])('and did not get is named: %j', async (body, fields) => {
    const answer = await create({ client_id: 'cid', ...body });
    expect([answer.status, answer.body.error_type]).toEqual([400, 'invalid_oauth_connection']);
    expect(answer.body.errors.map(({ field }: { field: string }) => field)).toEqual(fields);
  });

  it.each([
    [{ provider: 'Google' }, 'provider'],
    [{ provider: '../x' }, 'provider'],
    [{ provider: 'x'.repeat(65) }, 'provider'],
    [{ provider: 'google', client_secret: '' }, 'client_secret'],
    [{ provider: 'google', client_secret: null }, 'client_secret'],
    [{ provider: 'corp', issuer: 'not a url', client_secret: 's' }, 'issuer'],
    [{ provider: 'google', client_secret: 's', trusts_email: 'yes' }, 'trusts_email'],
    [{ provider: 'google', client_secret: 's', email_domains: 'example.com' }, 'email_domains'],
    ...['*.example.com', '.example.com', 'example', 'ann@example.com', 'example.com.', '192.0.2.1', 'a b.com', ''].map(
      (domain): [object, string] => [
        { provider: 'google', client_secret: 's', email_domains: ['example.com', domain] },
        'email_domains[1]',
      ],
    ),
  ])('reports the field if %j is not well formed', async (body, field) => {
    const answer = await create({ client_id: 'cid', ...body });
    expect([answer.status, answer.body.errors[0].field]).toEqual([400, field]);
  });

  it.each(['constructor', '__proto__', 'tostring', 'hasownproperty'])(
    'of a provider called %s is what any OpenID provider wants',
    async (provider) => {
      const without = await create({ provider, client_id: 'cid', client_secret: 's' });
      expect(without.body.errors.map(({ field }: { field: string }) => field)).toEqual(['issuer']);
      const issuer = 'https://sso.example';
      expect((await create({ provider, client_id: 'cid', client_secret: 's', issuer })).status).toBe(200);
    },
  );

  it("accepts Apple's signing key and passes it only to the signer", async () => {
    const body = { provider: 'apple', client_id: 'com.example', team_id: 'T', key_id: 'K', private_key: APPLE_KEY };
    const answer = await create(body);
    expect(answer.body).toMatchObject({ team_id: 'T', key_id: 'K', trusts_email: true });
    expect(answer.text).not.toContain('PRIVATE KEY');
    expect((await facade().connection(app.id as AppId, 'apple'))?.privateKey).toBe(APPLE_KEY);
  });

  const keys = {
    'a P-384 key': () =>
      generateKeyPairSync('ec', { namedCurve: 'P-384' }).privateKey.export({ type: 'pkcs8', format: 'pem' }),
    'an RSA key': () =>
      generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ type: 'pkcs8', format: 'pem' }),
    'an Ed25519 key': () => generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }),
    'a SEC1 key': () => P256.export({ type: 'sec1', format: 'pem' }),
    'an encrypted key': () => P256.export({ type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'x' }),
    'a key cut short': () => APPLE_KEY.slice(0, 100),
    'a word': () => CANARY,
  };
  it.each(Object.entries(keys))('is not %s for a signing key, nor is the key repeated', async (_, key) => {
    const privateKey = key().toString();
    const body = { provider: 'apple', client_id: 'c', team_id: 'T', key_id: 'K', private_key: privateKey };
    const answer = await create(body);
    expect([answer.status, answer.body.errors[0].field]).toEqual([400, 'private_key']);
    expect(answer.text).not.toContain(privateKey.slice(0, 60).slice(-20));
  });

  it('lets an email count as proof by default, but for microsoft', async () => {
    const trust = async (provider: string, more = {}) =>
      (await create({ provider, client_id: 'c', client_secret: 's', ...more })).body.trusts_email;
    expect(await trust('google')).toBe(true);
    expect(await trust('github')).toBe(true);
    expect(await trust('discord')).toBe(true);
    expect(await trust('corp', { issuer: 'https://sso.example' })).toBe(true);
    expect(await trust('microsoft')).toBe(false);
    app = await service.given.app();
    expect(await trust('microsoft', { trusts_email: true })).toBe(true);
  });

  it('sends PKCE unless it is switched off, and never to linkedin, which refuses it', async () => {
    const { body } = await operator('POST', '', {
      body: { provider: 'acme', issuer: 'https://id.acme.example', client_id: 'c', client_secret: 's', pkce: false },
    });
    expect([body.pkce, body.userinfo]).toEqual([false, 'required']);
    const changed = await operator('PATCH', `/${body.id}`, { body: { pkce: true, userinfo: 'optional' } });
    expect([changed.body.pkce, changed.body.userinfo]).toEqual([true, 'optional']);
    // The call of a client that does not know the settings.
    expect((await operator('PATCH', `/${body.id}`, { body: { client_id: 'd' } })).body).toMatchObject({
      pkce: true,
      userinfo: 'optional',
    });

    const linkedin = { provider: 'linkedin', client_id: 'c', client_secret: 's' };
    const refused = await operator('POST', '', { body: { ...linkedin, pkce: true } });
    expect([refused.status, refused.body.errors[0].field]).toEqual([400, 'pkce']);
    const { body: created } = await operator('POST', '', { body: linkedin });
    expect(created.pkce).toBe(false);
    const path = `/${created.id}`;
    expect((await operator('PATCH', path, { body: { pkce: true } })).body.errors[0].field).toBe('pkce');
    // A client may write back what it has read.
    expect((await operator('PATCH', path, { body: { pkce: false, client_id: 'd' } })).body.pkce).toBe(false);
    expect((await facade().connectionById(created.id))?.sendsPkce).toBe(false);
  });

  it.each([
    ['pkce', 'yes'],
    ['pkce', 0],
    ['userinfo', 'never'],
    ['userinfo', ''],
  ])('is not changed by %s: %j', async (field, value) => {
    const google = { provider: 'google', client_id: 'c', client_secret: 's' };
    const { body } = await operator('POST', '', { body: google });
    const refused = await operator('PATCH', `/${body.id}`, { body: { [field]: value } });
    expect([refused.status, refused.body.errors?.[0].field]).toEqual([400, field]);
    expect((await operator('POST', '', { body: { ...google, provider: 'github', [field]: value } })).status).toBe(400);
  });

  it('cannot change its issuer: subjects of the previous issuer would become users of the new one', async () => {
    const { id } = (
      await create({ provider: 'moved', client_id: 'c', client_secret: 's', issuer: 'https://sso.example' })
    ).body;
    const answer = await update(id, { issuer: 'https://other.example' });
    expect([answer.status, answer.body.errors[0].field]).toEqual([400, 'issuer']);
    expect((await update(id, { issuer: 'https://sso.example', client_id: 'd' })).status).toBe(200);
  });

  it('is still required after a change: required settings of a provider cannot be removed', async () => {
    const { id } = (
      await create({ provider: 'corp', client_id: 'c', client_secret: 's', issuer: 'https://sso.example' })
    ).body;
    const answer = await update(id, { issuer: null });
    expect([answer.status, answer.body.errors[0].field]).toEqual([400, 'issuer']);
    expect((await facade().connection(app.id as AppId, 'corp'))?.issuer).toBe('https://sso.example');
  });

  it('keeps an issuer exactly as it was given, for tokens spell it so', async () => {
    const issuer = 'https://SSO.example/realm/';
    const { body } = await create({ provider: 'corp', client_id: 'c', client_secret: 's', issuer });
    expect(body.issuer).toBe(issuer);
  });
});

describe('the secrets of a connection', () => {
  it('change when given and stay when not', async () => {
    const { create, update } = doors.management;
    const { id } = (await create({ provider: 'google', client_id: 'c', client_secret: 'one' })).body;
    await update(id, { client_id: 'd' });
    expect(await facade().connectionById(id)).toMatchObject({ clientId: 'd', clientSecret: 'one' });
    await update(id, { client_secret: 'two' });
    expect(await facade().connectionById(id)).toMatchObject({ clientId: 'd', clientSecret: 'two' });
  });

  it('are sealed to their own row: a seal moved to another app does not open', async () => {
    const database = service.nest.get(Database);
    const mine = (await doors.management.create({ provider: 'google', client_id: 'c', client_secret: CANARY })).body;
    const row = await database
      .write<{ seal: Buffer }>(`select client_secret as seal from oauth_connections where app_id = $1 and id = $2`, [
        app.id,
        mine.id,
      ])
      .then((rows) => rows[0] ?? null);
    expect(row?.seal.includes(CANARY)).toBe(false);
    app = await service.given.app();
    const theirs = (await doors.management.create({ provider: 'google', client_id: 'c', client_secret: 's' })).body;
    await database.write(`update oauth_connections set client_secret = $3 where app_id = $1 and id = $2`, [
      app.id,
      theirs.id,
      row?.seal,
    ]);
    await expect(facade().connectionById(theirs.id)).rejects.toMatchObject({ name: 'SealBroken' });
  });

  it('of a deleted app are not found by a callback', async () => {
    const { id } = (await doors.management.create({ provider: 'google', client_id: 'c', client_secret: 's' })).body;
    await service.call('DELETE', `/management/v1/apps/${app.id}`, { key: MANAGEMENT_KEY });
    expect(await facade().connectionById(id)).toBeNull();
  });
});

describe('an issuer inside our own network', () => {
  let strict: TestApp;
  beforeAll(async () => {
    strict = await startApp({ env: { ALLOW_PRIVATE_NETWORKS: 'false' }, databaseUrl: service.databaseUrl });
  });
  afterAll(() => strict.stop());

  it.each([
    'https://127.0.0.1/',
    'https://10.0.0.1',
    'https://[::1]/',
    'https://169.254.169.254/',
    'http://sso.example',
  ])('such as %s is refused where private networks are not allowed', async (issuer) => {
    const path = `/management/v1/apps/${app.id}/oauth_connections`;
    const body = { provider: 'corp', client_id: 'c', client_secret: 's', issuer };
    const answer = await strict.call('POST', path, { key: MANAGEMENT_KEY, body });
    expect([answer.status, answer.body.error_type]).toEqual([400, 'url_not_allowed']);
  });
});

describe.each(Object.entries(doors))('the domain of an OpenID provider, by the door of %s', (_, { create }) => {
  const wish = { client_id: 'c', client_secret: 's' };

  it('stands for the issuer', async () => {
    const { status, body } = await create({ provider: 'okta', domain: 'Acme.okta.com', ...wish });
    expect([status, body.issuer, body.trusts_email]).toEqual([200, 'https://acme.okta.com', true]);
    const same = await create({ provider: 'corp', domain: 'sso.example', issuer: 'https://sso.example/', ...wish });
    expect([same.status, same.body.issuer]).toEqual([200, 'https://sso.example/']);
  });

  it.each(['https://acme.okta.com', 'acme.okta.com/path', 'acme', 'a b.com', '127.0.0.1', '', 'user@acme.okta.com'])(
    'is refused when it is %j',
    async (domain) => {
      const { status, body } = await create({ provider: 'okta', domain, ...wish });
      expect([status, body.errors[0].field]).toEqual([400, 'domain']);
    },
  );

  it('is refused beside another issuer, and where the provider has one issuer', async () => {
    const other = await create({ provider: 'okta', domain: 'acme.okta.com', issuer: 'https://evil.example', ...wish });
    expect([other.status, other.body.errors[0].field]).toEqual([400, 'domain']);
    const needless = await create({ provider: 'twitch', domain: 'id.twitch.tv', ...wish });
    expect([needless.status, needless.body.errors[0].field]).toEqual([400, 'issuer']);
  });

  it('is needed by okta, and not by the other named providers', async () => {
    expect((await create({ provider: 'okta', ...wish })).body.errors[0].field).toBe('issuer');
    const trusted: Record<string, boolean> = {};
    for (const provider of ['slack', 'facebook', 'linkedin', 'gitlab', 'twitch']) {
      const { status, body } = await create({ provider, ...wish });
      expect(status).toBe(200);
      trusted[provider] = body.trusts_email;
    }
    expect(trusted).toEqual({ slack: true, facebook: false, linkedin: true, gitlab: true, twitch: true });
  });
});
