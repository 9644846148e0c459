import { gzipSync } from 'node:zlib';
import { type Answer, MANAGEMENT_KEY, startApp, type TestApp } from '../../support/app.js';
import { forgetSettings } from '../../support/background.js';
import { eventually } from '../../support/eventually.js';
import { type GivenApp, unique } from '../../support/given.js';
import { answersWith, type HostileProvider, startHostileProvider } from '../../support/hostile-provider.js';
import { Observer } from '../../support/observer.js';
import { newId } from '../../../src/kernel/ids.js';
import { OperatorsIdentityProvider } from '../../../src/modules/oauth/domain/identity-provider.js';
import { Database } from '../../../src/postgres/database.js';
import { type OpenIdProvider, type Person, startIdentityProvider } from '../../support/identity-provider.js';
import { highestRole } from '../../../src/modules/oauth/application/operator-sign-in.js';
import { signRows } from '../../support/row-macs.js';

const BASE_URL = 'https://auth.example.com';
const CALLBACK = `${BASE_URL}/operators/sign_in/callback`;
const CLIENT = { client_id: 'console', client_secret: 'canary-client-secret' };

let provider: OpenIdProvider;
let app: TestApp;
/** The same service with management keys only. */
let closed: TestApp;
beforeAll(async () => {
  provider = await startIdentityProvider();
  await provider.register({ ...CLIENT, redirect_uris: [CALLBACK] });
  app = await startApp({
    env: {
      BASE_URL,
      CONSOLE_OIDC_ISSUER: provider.issuer,
      CONSOLE_OIDC_CLIENT_ID: CLIENT.client_id,
      CONSOLE_OIDC_CLIENT_SECRET: CLIENT.client_secret,
      CONSOLE_OIDC_ROLES:
        'groups=platform:owner, groups=help desk:support,groups=urn:corp:audit:auditor,email=boss@corp.example:owner',
    },
  });
  closed = await startApp({ env: { BASE_URL }, databaseUrl: app.databaseUrl });
});
afterAll(async () => {
  await closed?.stop();
  await app?.stop();
  await provider?.stop();
});

const ann = (changes: Partial<Person> = {}): Person => ({
  sub: unique(),
  email: `${unique()}@corp.example`,
  email_verified: true,
  groups: ['staff', 'help desk'],
  ...changes,
});

const begin = (query: Record<string, string> = {}) => app.call('GET', '/operators/sign_in/begin', { query });
const cookiesOf = ({ headers }: Answer): string[] => headers.getSetCookie();
const pairOf = (cookie: string): string => cookie.split(';')[0]!;
const follow = (url: string, cookie: string) => app.call('GET', url.slice(BASE_URL.length), { headers: { cookie } });

async function signIn(person: Person, query?: Record<string, string>): Promise<Answer> {
  const begun = await begin(query);
  expect(begun.status).toBe(302);
  const { url } = await provider.signIn(begun.headers.get('location')!, person);
  return follow(url, pairOf(cookiesOf(begun)[0]!));
}

const sessionCookie = (answer: Answer): string =>
  pairOf(cookiesOf(answer).find((cookie) => cookie.startsWith('__Host-management_session='))!);
const ownPage = (cookie: string) => ({ cookie, origin: BASE_URL, host: 'auth.example.com' });
const refusalIn = (answer: Answer): string | null => {
  expect(answer.status).toBe(302);
  expect(cookiesOf(answer).filter((cookie) => cookie.startsWith('__Host-management_session='))).toEqual([]);
  const url = new URL(answer.headers.get('location')!);
  expect(url.origin + url.pathname).toBe(`${BASE_URL}/console`);
  return url.searchParams.get('sign_in_error');
};

/** `fetch` sends no other Host, by which the service recognises its own pages. */
async function asOperator(service: TestApp, method: string, path: string, cookie: string) {
  const { request } = await import('node:http');
  return new Promise<{ status: number; body: Record<string, unknown> }>((resolve, reject) => {
    request(new URL(path, service.url), { method, headers: ownPage(cookie) }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (part: string) => (text += part));
      response.on('end', () =>
        resolve({ status: response.statusCode!, body: JSON.parse(text) as Record<string, unknown> }),
      );
    })
      .on('error', reject)
      .end();
  });
}

describe('an operator who signs in at the OpenID provider', () => {
  it('gets a session with the highest role of the claims, and returns to the page', async () => {
    const person = ann({ groups: ['urn:corp:audit', 'help desk'] });
    const answer = await signIn(person, { return_to: '/console/apps/app_1/users?x=1' });
    expect(answer.headers.get('location')).toBe(`${BASE_URL}/console/apps/app_1/users?x=1`);
    const [set] = cookiesOf(answer).filter((cookie) => cookie.startsWith('__Host-management_session='));
    expect(set).toMatch(/; Max-Age=28800; Path=\/; HttpOnly; SameSite=Strict; Secure$/);
    const { status, body } = await asOperator(app, 'GET', '/management/v1/session', sessionCookie(answer));
    expect(status).toBe(200);
    expect(body).toMatchObject({ key_id: '', operator: person.email, role: 'support' });
    expect(body['expires_at']).toBeGreaterThan(Date.now() / 1_000 + 8 * 3_600 - 60);
  });

  it('is named in the audit log, by the verified address or else by the subject', async () => {
    const person = ann({ email_verified: false, groups: ['platform'] });
    const cookie = sessionCookie(await signIn(person));
    const { status } = await asOperator(app, 'DELETE', '/management/v1/session', cookie);
    expect(status).toBe(200);
    const { body } = await app.call('GET', '/management/v1/audit_log', {
      key: MANAGEMENT_KEY,
      query: { actor: `oidc:sub:${person.sub}` },
    });
    expect(body.entries[0].actor_name).toBe(`sub:${person.sub}`);
    expect(body.entries.map(({ action }: { action: string }) => action)).toEqual([
      'management_session.deleted',
      'management_session.created',
    ]);
    expect((await asOperator(app, 'GET', '/management/v1/session', cookie)).status).toBe(401);
  });

  it('may not do more than the role', async () => {
    const cookie = sessionCookie(await signIn(ann()));
    const { status, body } = await asOperator(app, 'DELETE', '/management/v1/apps/app_0', cookie);
    expect([status, body['error_type']]).toEqual([403, 'missing_role']);
  });

  it('gets no session without a role', async () => {
    expect(refusalIn(await signIn(ann({ groups: ['staff', 'platform:owner'] })))).toBe('operator_has_no_role');
    expect(refusalIn(await signIn(ann({ groups: undefined })))).toBe('operator_has_no_role');
  });

  it('gets no session when the provider declines, or when another browser comes back', async () => {
    const begun = await begin();
    const cookie = pairOf(cookiesOf(begun)[0]!);
    const denied = await provider.deny(begun.headers.get('location')!);
    expect(refusalIn(await follow(denied.url, cookie))).toBe('access_denied');
    const { url } = await provider.signIn((await begin()).headers.get('location')!, ann());
    expect(refusalIn(await follow(url, ''))).toBe('invalid_oauth_state');
    expect(refusalIn(await follow(url, cookie))).toBe('invalid_oauth_state');
  });

  it('gets no session by a cookie that was changed', async () => {
    const begun = await begin();
    const { url } = await provider.signIn(begun.headers.get('location')!, ann());
    const [name, value] = pairOf(cookiesOf(begun)[0]!).split('=') as [string, string];
    const [text, mac] = value.split('.') as [string, string];
    const kept = JSON.parse(Buffer.from(text, 'base64url').toString()) as Record<string, unknown>;
    const forged = Buffer.from(JSON.stringify({ ...kept, returnTo: '//evil.example' })).toString('base64url');
    for (const wrong of [`${forged}.${mac}`, text, `${text}.`, `.${mac}`, ''])
      expect(refusalIn(await follow(url, `${name}=${wrong}`))).toBe('invalid_oauth_state');
    expect((await follow(url, `${name}=${value}`)).headers.get('location')).toBe(`${BASE_URL}/console`);
    expect(refusalIn(await follow(url, `${name}=${value}`))).toBe('oauth_state_expired');
  });

  it.each(['a b', 'a%20b', 'a;b', 'a=b', 'a,b', 'a"b', 'é', 'a/b', 'a\tb', '__proto__', 'x'.repeat(1_000)])(
    'is refused where the state is %j, with and without a cookie of the browser',
    async (state) => {
      const begun = pairOf(cookiesOf(await begin())[0]!);
      const named = `__Host-oauth_${state.slice(0, 16)}=x`;
      for (const cookie of [named, '__Host-oauth_=x', 'é', '=', begun]) {
        const answer = await app.call('GET', '/operators/sign_in/callback', {
          query: { state, code: 'c' },
          headers: { cookie },
        });
        expect([cookie, refusalIn(answer)]).toEqual([cookie, 'invalid_oauth_state']);
      }
    },
  );

  it('returns only to the console', async () => {
    const outside = [
      'https://evil.example',
      '//evil.example',
      '/consoles',
      '/console/..//evil.example',
      '/console/%2e%2e/docs',
      '/docs',
    ];
    for (const wrong of [...outside, `/console?${'x'.repeat(600)}`])
      expect([wrong, (await signIn(ann(), { return_to: wrong })).headers.get('location')]).toEqual([
        wrong,
        `${BASE_URL}/console`,
      ]);
  });

  it('begins only where the operator asked for it', async () => {
    const from = (site: string) => app.call('GET', '/operators/sign_in/begin', { headers: { 'sec-fetch-site': site } });
    for (const site of ['cross-site', 'same-site']) {
      const answer = await from(site);
      expect([answer.headers.get('location'), cookiesOf(answer)]).toEqual([`${BASE_URL}/console`, []]);
    }
    for (const site of ['same-origin', 'none']) expect(cookiesOf(await from(site))).toHaveLength(1);
  });

  it('gets no role by an address that the provider has not verified', async () => {
    const boss = { email: 'boss@corp.example', groups: [] };
    expect(refusalIn(await signIn(ann({ ...boss, email_verified: false })))).toBe('operator_has_no_role');
    expect(refusalIn(await signIn(ann({ ...boss, email_verified: undefined })))).toBe('operator_has_no_role');
    const cookie = sessionCookie(await signIn(ann(boss)));
    expect((await asOperator(app, 'GET', '/management/v1/session', cookie)).body).toMatchObject({ role: 'owner' });
  });

  it('leaves an entry in the audit log when a role is missing', async () => {
    const begun = await begin();
    const { url } = await provider.signIn(begun.headers.get('location')!, ann({ groups: [] }));
    const headers = { cookie: pairOf(cookiesOf(begun)[0]!), 'x-request-id': unique() };
    await app.call('GET', url.slice(BASE_URL.length), { headers });
    await eventually(async () => {
      const query = { action: 'call.refused', limit: '1000' };
      const { body } = await app.call('GET', '/management/v1/audit_log', { key: MANAGEMENT_KEY, query });
      expect(body.entries).toContainEqual(
        expect.objectContaining({ request_id: headers['x-request-id'], error_type: 'operator_has_no_role' }),
      );
    });
  });

  it('is signed out by the command of the operator', async () => {
    const person = ann({ groups: ['platform'] });
    const cookies = [sessionCookie(await signIn(person)), sessionCookie(await signIn(person))];
    const other = sessionCookie(await signIn(ann()));
    const { ManagementSessions } = await import('../../../src/modules/apps/index.js');
    const sessions = app.nest.get(ManagementSessions, { strict: false });
    const ended = await sessions.endAllOf({ actor: 'cli', requestId: null, ip: null }, person.email!.toUpperCase());
    expect(ended).toBe(2);
    for (const cookie of cookies)
      expect((await asOperator(app, 'GET', '/management/v1/session', cookie)).status).toBe(401);
    expect((await asOperator(app, 'GET', '/management/v1/session', other)).status).toBe(200);
  });
});

describe('the sign-in of an operator', () => {
  const env = (issuer: string) => ({
    BASE_URL,
    CONSOLE_OIDC_ISSUER: issuer,
    CONSOLE_OIDC_CLIENT_ID: CLIENT.client_id,
    CONSOLE_OIDC_CLIENT_SECRET: CLIENT.client_secret,
    CONSOLE_OIDC_ROLES: 'sub=ann:owner',
  });
  let lenient: HostileProvider;
  let replicas: readonly TestApp[];
  let shop: GivenApp;
  beforeAll(async () => {
    lenient = await startHostileProvider();
    // Apps may name no private address here; the issuer of the operators may be at one.
    const settings = { ...env(lenient.issuer), ALLOW_PRIVATE_NETWORKS: 'false', CONSOLE_OIDC_PRIVATE_ISSUER: 'true' };
    const first = await startApp({ env: settings });
    replicas = [first, await startApp({ env: settings, databaseUrl: first.databaseUrl })];
    shop = await first.given.app();
  });
  afterAll(async () => {
    for (const replica of replicas ?? []) await replica.stop();
    await lenient?.stop();
  });
  beforeEach(() => lenient.behave());

  /** A sign-in that the browser may complete with the headers, as often as it wants: the provider accepts the code again. */
  const begun = async () => {
    const answer = await replicas[0]!.call('GET', '/operators/sign_in/begin');
    const path = lenient.authorize(answer.headers.get('location')!).slice(BASE_URL.length);
    const cookie = pairOf(cookiesOf(answer)[0]!);
    return (of: TestApp, { method = 'GET', ...headers }: Record<string, string> = {}) =>
      of.call(method, path, { headers: { cookie, ...headers } });
  };

  it('is completed once on all replicas', async () => {
    const [first, second] = replicas as [TestApp, TestApp];
    const complete = await begun();
    expect(sessionCookie(await complete(first))).toMatch(/.+/);
    for (const replica of replicas) expect(refusalIn(await complete(replica))).toBe('oauth_state_expired');
    const together = await begun();
    const observer = await Observer.of(first);
    try {
      const answers = await observer.together('operator_sign_ins', [() => together(first), () => together(second)]);
      const locations = answers.map(({ headers }) => headers.get('location')!).toSorted();
      expect(locations).toEqual([`${BASE_URL}/console`, `${BASE_URL}/console?sign_in_error=oauth_state_expired`]);
    } finally {
      await observer.close();
    }
  });

  it('is not spent by HEAD or a prefetch', async () => {
    const [service] = replicas as [TestApp];
    const complete = await begun();
    const ahead: Record<string, string>[] = [
      { method: 'HEAD' },
      { 'sec-purpose': 'prefetch' },
      { purpose: 'prefetch' },
    ];
    for (const headers of ahead) {
      const answer = await complete(service, headers);
      expect([answer.status, answer.text, cookiesOf(answer)]).toEqual([503, '', []]);
    }
    expect(sessionCookie(await complete(service))).toMatch(/.+/);
  });

  it('accepts compressed responses, denied userinfo and an auth_time as text', async () => {
    const paths = ['/.well-known/openid-configuration', '/token', '/jwks'];
    lenient.behave({
      claims: { auth_time: '1700000000' },
      encoded: { coding: 'gzip', encode: gzipSync, paths },
      routes: { '/userinfo': answersWith(401, {}) },
    });
    const proofOf = async () => {
      const cookie = sessionCookie(await (await begun())(replicas[1]!));
      return (await asOperator(replicas[1]!, 'GET', '/management/v1/session', cookie)).body['proved_at'];
    };
    expect(await proofOf()).toBe(1_700_000_000);
    lenient.behave({ userinfo: { auth_time: '1700000001' } });
    expect(await proofOf()).toBe(1_700_000_001);
  });

  it('opens no private address to the connections of apps, and shares no cache with them', async () => {
    const [service] = replicas as [TestApp];
    expect(sessionCookie(await (await begun())(service))).toMatch(/.+/);
    const refused = await service.call('POST', `/management/v1/apps/${shop.id}/oauth_connections`, {
      key: MANAGEMENT_KEY,
      body: { provider: 'inner', issuer: lenient.issuer, client_id: 'c', client_secret: 's' },
    });
    expect([refused.status, refused.body.error_type]).toEqual([400, 'url_not_allowed']);
    // As if it had been stored before the setting was changed.
    const { body } = await service.call('POST', `/management/v1/apps/${shop.id}/oauth_connections`, {
      key: MANAGEMENT_KEY,
      body: { provider: 'google', client_id: 'c', client_secret: 's' },
    });
    await service.nest
      .get(Database)
      .write('update oauth_connections set issuer = $1, client_secret = null where app_id = $2 and id = $3', [
        lenient.issuer,
        shop.id,
        body.id,
      ]);
    await signRows(service, 'oauth_connections');
    for (const kind of ['login', 'registration'] as const)
      await service.given.redirectUrl(shop, kind, `https://shop.example/${kind}`);
    lenient.behave();
    const answer = await service.call('GET', '/v1/auth/oauth/google/begin', {
      query: { public_token: shop.publicToken },
    });
    expect([answer.status, answer.body.error_type]).toEqual([400, 'provider_error']);
    expect(lenient.seen).toEqual([]);
  });

  it('reaches a private issuer only where the setting names it', async () => {
    const settings = { ...env(lenient.issuer), ALLOW_PRIVATE_NETWORKS: 'false' };
    const service = await startApp({ env: settings, databaseUrl: replicas[0]!.databaseUrl });
    try {
      const answer = await service.call('GET', '/operators/sign_in/begin');
      expect(refusalIn(answer)).toBe('provider_error');
      expect(lenient.seen).toEqual([]);
    } finally {
      await service.stop();
    }
  });

  it('uses plain http only where the URL of the private issuer does', async () => {
    const settings = {
      ...env('https://127.0.0.1:9'),
      ALLOW_PRIVATE_NETWORKS: 'false',
      CONSOLE_OIDC_PRIVATE_ISSUER: 'true',
    };
    const service = await startApp({ env: settings, databaseUrl: replicas[0]!.databaseUrl });
    try {
      const connection = {
        id: newId('oauthConnection'),
        appId: newId('app'),
        provider: 'openid',
        clientId: 'c',
        clientSecret: 's',
        issuer: lenient.issuer,
        teamId: null,
        keyId: null,
        privateKey: null,
        sendsPkce: true,
      };
      const sent = service.nest.get(OperatorsIdentityProvider).begin(connection, { state: 'a', nonce: 'b' });
      await expect(sent).rejects.toMatchObject({ reason: expect.stringContaining('must begin with https://') });
      expect(lenient.seen).toEqual([]);
    } finally {
      await service.stop();
    }
  });
});

describe('a service without that provider', () => {
  it('says so, and refuses sessions that were begun there', async () => {
    const cookie = sessionCookie(await signIn(ann({ groups: ['platform'] })));
    expect((await asOperator(app, 'GET', '/management/v1/session', cookie)).status).toBe(200);
    forgetSettings(closed);
    expect((await asOperator(closed, 'GET', '/management/v1/session', cookie)).status).toBe(401);
    const { body } = await closed.call('GET', '/operators/sign_in');
    expect(body).toEqual({ issuer: '' });
    const begun = await closed.call('GET', '/operators/sign_in/begin');
    expect(new URL(begun.headers.get('location')!).searchParams.get('sign_in_error')).toBe(
      'operator_sign_in_not_configured',
    );
    // A start with other settings ends them for good.
    await (await startApp({ env: { BASE_URL }, databaseUrl: app.databaseUrl })).stop();
    forgetSettings(app);
    expect((await asOperator(app, 'GET', '/management/v1/session', cookie)).status).toBe(401);
  });
});

it('a rule names a claim, or the path to one', () => {
  const rules = [
    { claim: 'realm_access.roles', value: 'wallet-admin', role: 'owner' },
    { claim: 'https://corp.example/role', value: 'reader', role: 'auditor' },
  ] as const;
  expect(highestRole({ realm_access: { roles: ['wallet-admin'] } }, rules)).toBe('owner');
  expect(highestRole({ 'https://corp.example/role': 'reader' }, rules)).toBe('auditor');
  for (const claims of [
    {},
    { realm_access: null },
    { realm_access: { roles: { 'wallet-admin': true } } },
    { realm_access: 'roles' },
  ])
    expect(highestRole(claims, rules)).toBeUndefined();
});

describe('the proof of an operator', () => {
  const post = async (cookie: string, path: string) => (await asOperator(app, 'POST', path, cookie)).body['error_type'];

  it('is asked for anew by proof=true, and then counts for a call that needs it', async () => {
    const shop = await app.given.app();
    const thaw = `/management/v1/apps/${shop.id}/thaw`;
    const owner = () => ann({ groups: ['platform'] });
    const session = async (cookie: string) => (await asOperator(app, 'GET', '/management/v1/session', cookie)).body;
    const without = sessionCookie(await signIn(owner()));
    expect((await session(without))['proved_at']).toBe(0);
    expect(await post(without, thaw)).toBe('step_up_required');
    const begun = await begin({ proof: 'true' });
    expect(new URL(begun.headers.get('location')!).searchParams.get('max_age')).toBe('300');
    const proved = sessionCookie(await signIn(owner(), { proof: 'true' }));
    expect((await session(proved))['proved_at']).toBeGreaterThan(Date.now() / 1_000 - 60);
    expect(await post(proved, thaw)).toBeUndefined();
  });

  it('must be of the kind and the age that the settings require', async () => {
    const start = (settings: Record<string, string>) =>
      startApp({
        env: {
          BASE_URL,
          CONSOLE_OIDC_ISSUER: provider.issuer,
          CONSOLE_OIDC_CLIENT_ID: CLIENT.client_id,
          CONSOLE_OIDC_CLIENT_SECRET: CLIENT.client_secret,
          CONSOLE_OIDC_ROLES: 'groups=platform:owner',
          ...settings,
        },
      });
    const strict = await start({ CONSOLE_OIDC_MAX_AGE: '60', CONSOLE_OIDC_ACR: 'urn:corp:mfa urn:corp:key' });
    try {
      const begun = await strict.call('GET', '/operators/sign_in/begin');
      const { searchParams } = new URL(begun.headers.get('location')!);
      expect([searchParams.get('max_age'), searchParams.get('acr_values')]).toEqual([
        '60',
        'urn:corp:mfa urn:corp:key',
      ]);
      const { url } = await provider.signIn(begun.headers.get('location')!, ann({ groups: ['platform'] }));
      const headers = { cookie: pairOf(cookiesOf(begun)[0]!) };
      // The provider states no acr.
      const refused = await strict.call('GET', url.slice(BASE_URL.length), { headers });
      expect(refusalIn(refused)).toBe('operator_proof_too_weak');
    } finally {
      await strict.stop();
    }
  });
});
