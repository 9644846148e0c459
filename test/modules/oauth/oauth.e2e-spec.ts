import { createHash, generateKeyPairSync } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { jwtVerify } from 'jose';
import pg from 'pg';
import { type AppId, newId } from '../../../src/kernel/ids.js';
import { SignInWithProvider } from '../../../src/modules/identity/index.js';
import { PostgresRetention } from '../../../src/postgres/retention.js';
import { Outbound, type OutboundRequest } from '../../../src/services/outbound/outbound.js';
import { type Answer, startApp, type TestApp } from '../../support/app.js';
import { eventually } from '../../support/eventually.js';
import { type GivenApp, unique } from '../../support/given.js';
import { Observer, openConnections } from '../../support/observer.js';
import { BEGIN } from '../../../src/postgres/statement.js';
import { passcode, signIn } from '../../support/sign-in.js';
import { textsOf } from '../../support/statements.js';
import {
  answersWith,
  type Behaviour,
  fails,
  hangs,
  type HostileProvider,
  redirectsTo,
  startHostileProvider,
  unsigned,
} from '../../support/hostile-provider.js';
import { type OpenIdProvider, type Person, startIdentityProvider } from '../../support/identity-provider.js';
import { signRows } from '../../support/row-macs.js';

const BASE_URL = 'https://auth.example.com';
const LOGIN_URL = 'https://shop.example/login?from=a%20b&x=1';
const REGISTRATION_URL = 'https://shop.example/welcome';

let app: TestApp;
let real: OpenIdProvider;
let hostile: HostileProvider;
let database: pg.Client;
let observer: Observer;
/** An app with default redirect URLs, a connection `acme` to the real provider and one `hostile`. */
let shop: GivenApp;
let acme: { id: string; callback_url: string };
let other: GivenApp;

beforeAll(async () => {
  app = await startApp({ env: { BASE_URL, DATABASE_POOL_SIZE: '40' } });
  await openConnections(app, 35);
  real = await startIdentityProvider();
  hostile = await startHostileProvider();
  database = new pg.Client({ connectionString: app.databaseUrl });
  await database.connect();
  observer = await Observer.of(app);
  shop = await appWithUrls({ allowed_origins: ['https://shop.example'] });
  acme = await connect(shop, 'acme');
  await app.given.connection(shop, { provider: 'hostile', issuer: hostile.issuer, client_id: 'h', client_secret: 's' });
  other = await appWithUrls({ name: 'Other' });
});
beforeEach(() => hostile.behave());
afterAll(async () => {
  await database?.end();
  await observer?.close();
  await app?.stop();
  await real?.stop();
  await hostile?.stop();
});

async function appWithUrls(settings: Record<string, unknown> = {}): Promise<GivenApp> {
  const created = await app.given.app(settings);
  await app.given.redirectUrl(created, 'login', LOGIN_URL);
  await app.given.redirectUrl(created, 'registration', REGISTRATION_URL);
  return created;
}

/** A connection to the real provider, registered there. */
async function connect(of: GivenApp, provider: string, fields: Record<string, unknown> = {}) {
  const client = { client_id: unique(), client_secret: 'canary-client-secret' };
  const connection = await app.given.connection(of, { provider, issuer: real.issuer, ...client, ...fields });
  await real.register({ ...client, redirect_uris: [connection.callback_url] });
  return connection;
}

const newPerson = (claims: Partial<Person> = {}): Person => ({
  sub: unique(),
  email: `${unique()}@example.com`,
  email_verified: true,
  given_name: 'Ann',
  family_name: 'Smith',
  ...claims,
});

const begin = (query: Record<string, string> = {}, { provider = 'acme', of = shop, headers = {} } = {}) =>
  app.call('GET', `/v1/auth/oauth/${provider}/begin`, { query: { public_token: of.publicToken, ...query }, headers });

/** Follows a redirect to the callback at the public address of the service. */
function follow(url: string, { cookie = '', form }: { cookie?: string; form?: URLSearchParams } = {}): Promise<Answer> {
  expect(url.startsWith(`${BASE_URL}/`)).toBe(true);
  const headers = { cookie, ...(form && { 'content-type': 'application/x-www-form-urlencoded' }) };
  return app.call(form ? 'POST' : 'GET', url.slice(BASE_URL.length), { headers, body: form?.toString() });
}

const locationOf = ({ status, headers }: Answer): URL => {
  expect(status).toBe(302);
  return new URL(headers.get('location')!);
};
const tokenOf = (answer: Answer): string => locationOf(answer).searchParams.get('token')!;

/** A whole login at the real provider, up to the token on the app's own URL. */
async function login(
  person: Person,
  query: Record<string, string> = {},
  options: { provider?: string; of?: GivenApp } = {},
) {
  const { body } = await begin(query, options);
  return follow((await real.signIn(body.redirect_url, person)).url);
}

async function hostileLogin(changes: Partial<Behaviour>): Promise<Answer> {
  hostile.behave(changes);
  const { body } = await begin({}, { provider: 'hostile' });
  return follow(hostile.authorize(body.redirect_url));
}

const verify = (body: Record<string, unknown>, key = shop.secretKey, headers: Record<string, string> = {}) =>
  app.call('POST', '/v1/auth/oauth/verify', { key, body, headers });
const getUser = async (userId: string, key = shop.secretKey) =>
  (await app.call('GET', `/v1/auth/users/${userId}`, { key })).body;
const rows = async (sql: string, parameters: unknown[] = []) => (await database.query(sql, parameters)).rows;

/** Expects this error at the app's login URL, which keeps its own query. */
function expectSentBack(answer: Answer, error: string): void {
  const location = locationOf(answer);
  expect(location.href.startsWith(`${LOGIN_URL}&error=${error}&error_description=`)).toBe(true);
  expect(location.searchParams.has('token')).toBe(false);
  expect(location.searchParams.get('error_description')).not.toMatch(/ at \/|\.[tj]s\b/);
}

function expectPage(answer: Answer): void {
  expect(answer.status).toBe(400);
  expect(answer.headers.get('content-type')).toContain('text/html');
  expect(answer.text).toContain('The login could not be completed');
  // For the person who reports it: a browser shows no headers.
  expect(answer.text).toContain(`<code>${answer.headers.get('x-request-id')}</code>`);
  expect(answer.text).not.toMatch(/ at \/|\.ts|\.js/);
}

describe('begin', () => {
  it('begin returns the login page of the provider, with a callback, a state and the scopes', async () => {
    const { status, body, headers } = await begin();
    expect(status).toBe(200);
    const url = new URL(body.redirect_url);
    expect(url.origin + url.pathname).toBe(`${real.issuer}/auth`);
    expect(Object.fromEntries(url.searchParams)).toMatchObject({
      response_type: 'code',
      redirect_uri: acme.callback_url,
      scope: 'openid email profile',
      state: expect.stringMatching(/^[A-Za-z0-9_-]{43,}$/),
      nonce: expect.stringMatching(/.{20,}/),
      code_challenge_method: 'S256',
    });
    expect(acme.callback_url).toBe(`${BASE_URL}/v1/auth/oauth/callback/${acme.id}`);
    expect(headers.get('set-cookie')).toBeNull();
  });

  it('begin with redirect=true redirects the browser and binds the login to it by a cookie', async () => {
    const answer = await begin({ redirect: 'true' });
    expect(locationOf(answer).href.startsWith(`${real.issuer}/auth?`)).toBe(true);
    expect(answer.headers.get('set-cookie')).toMatch(
      /^__Host-oauth_\w{16}=\w{40,}; Max-Age=600; Path=\/; Expires=[^;]+; HttpOnly; Secure; SameSite=Lax$/,
    );
    expect((await begin({ redirect: 'false' })).status).toBe(200);
  });

  it('begin ignores a `code` or `error` in its query', async () => {
    for (const query of [{ code: 'x' }, { error: 'access_denied' }, { code: 'x', state: 'y', error: 'server_error' }]) {
      const { status, body } = await begin(query as Record<string, string>);
      expect(status).toBe(200);
      expect(new URL(body.redirect_url).origin).toBe(real.issuer);
    }
  });

  it.each([
    ['an unknown provider', 'unknown', 'oauth_provider_not_found'],
    ['a property name of Object.prototype', 'constructor', 'oauth_provider_not_found'],
    ['a known provider without a connection', 'google', 'oauth_connection_not_found'],
  ])('begin answers 404 for %s', async (_, provider, error_type) => {
    const { status, body } = await begin({}, { provider });
    expect([status, body.error_type]).toEqual([404, error_type]);
  });

  it('begin answers 404 for a connection of another app', async () => {
    expect((await begin({}, { of: other })).body.error_type).toBe('oauth_provider_not_found');
  });

  it('begin requires redirect URLs of both kinds', async () => {
    const bare = await app.given.app();
    await connect(bare, 'acme');
    expect((await begin({}, { of: bare })).body.error_type).toBe('no_default_redirect_url');
    await app.given.redirectUrl(bare, 'login', LOGIN_URL);
    expect((await begin({}, { of: bare })).body.error_type).toBe('no_default_redirect_url');
    await app.given.redirectUrl(bare, 'registration', REGISTRATION_URL, false);
    expect((await begin({}, { of: bare })).body.error_type).toBe('no_default_redirect_url');
    expect((await begin({ registration_redirect_url: REGISTRATION_URL }, { of: bare })).status).toBe(200);
  });

  /** @see CVE-2025-27143 */
  it.each([
    'https://evil.example/',
    'https://shop.example/',
    'https://shop.example/login',
    'https://shop.example/login?from=a%20b&x=1&y=2',
    'https://shop.example/login?from=a%20b&x=1#token',
    'https://shop.example/login/../evil?from=a%20b&x=1',
    'https://shop.example@evil.example/login?from=a%20b&x=1',
    'https://shop.example.evil.example/login?from=a%20b&x=1',
    'https://evil.example/https://shop.example/login?from=a%20b&x=1',
    'http://shop.example/login?from=a%20b&x=1',
    'https://shop.example:444/login?from=a%20b&x=1',
    'https:\\\\evil.example/login?from=a%20b&x=1',
    '//shop.example/login?from=a%20b&x=1',
    '/login?from=a%20b&x=1',
    'javascript:alert(1)',
    'data:text/html,x',
    REGISTRATION_URL,
    ' ',
    '',
  ])('begin refuses the login redirect URL %j', async (login_redirect_url) => {
    const { status, body } = await begin({ login_redirect_url });
    expect([status, body.error_type]).toEqual([400, 'invalid_redirect_url']);
  });

  it('begin accepts another spelling of a registered URL', async () => {
    const { body } = await begin({ login_redirect_url: 'HTTPS://SHOP.example:443/x/../login?from=a%20b&x=1' });
    expectSentBack(await follow((await real.deny(body.redirect_url)).url), 'access_denied');
  });

  it('begin accepts only a public token, and ignores an Authorization header', async () => {
    const path = '/v1/auth/oauth/acme/begin';
    expect((await app.call('GET', path)).body.error_type).toBe('unauthorized_credentials');
    expect((await app.call('GET', path, { key: shop.secretKey })).body.error_type).toBe('unauthorized_credentials');
    expect((await app.call('GET', path, { query: { public_token: shop.secretKey } })).body.error_type).toBe(
      'wrong_key_kind',
    );
    expect((await begin({}, { headers: { authorization: `Bearer ${shop.secretKey}` } })).status).toBe(200);
  });

  it.each(['', 'short', 'x'.repeat(44), `${'x'.repeat(42)}=`])(
    'begin refuses the code challenge %j',
    async (code_challenge) => {
      const { status, body } = await begin({ code_challenge });
      expect([status, body.error_type, body.errors?.[0].field]).toEqual([400, 'invalid_request', 'code_challenge']);
    },
  );

  describe('while the provider is unavailable', () => {
    it('begin reports an unavailable provider to a backend with 503, and to a browser at the login URL', async () => {
      const of = await appWithUrls();
      await app.given.connection(of, {
        provider: 'gone',
        issuer: 'http://127.0.0.1:1',
        client_id: 'c',
        client_secret: 's',
      });
      const { status, body, headers } = await begin({}, { of, provider: 'gone' });
      expect([status, body.error_type, headers.get('retry-after')]).toEqual([503, 'provider_unavailable', '30']);
      const browser = await begin({ redirect: 'true' }, { of, provider: 'gone' });
      expectSentBack(browser, 'provider_unavailable');
      expect(browser.headers.get('set-cookie')).toBeNull();
    });
  });

  describe('called by a page', () => {
    const allowed = (answer: Answer) => answer.headers.get('access-control-allow-origin');

    it('begin allows only the allowed origins of the app to read its answers and errors', async () => {
      const from = (origin: string, provider = 'acme') => begin({}, { provider, headers: { origin } });
      expect(allowed(await from('https://shop.example'))).toBe('https://shop.example');
      expect(allowed(await from('https://shop.example', 'unknown'))).toBe('https://shop.example');
      for (const origin of [
        'https://evil.example',
        'null',
        'https://shop.example.evil.example',
        'http://shop.example',
      ]) {
        expect(allowed(await from(origin))).toBeNull();
      }
      expect((await begin()).headers.get('vary')).toContain('Origin');
    });

    it('begin answers the preflight request of a page that sends an Authorization header', async () => {
      const ask = (origin: string) =>
        app.call('OPTIONS', '/v1/auth/oauth/acme/begin', {
          query: { public_token: shop.publicToken },
          headers: {
            origin,
            'access-control-request-method': 'GET',
            'access-control-request-headers': 'authorization',
          },
        });
      const answer = await ask('https://shop.example');
      expect([answer.status, allowed(answer)]).toEqual([204, 'https://shop.example']);
      expect(answer.headers.get('access-control-allow-headers')).toContain('Authorization');
      expect(allowed(await ask('https://evil.example'))).toBeNull();
    });
  });
});

describe('a connection that sends no PKCE', () => {
  const code_challenge = createHash('sha256')
    .update('a-verifier.of_43-characters~or-more-as-it-is')
    .digest('base64url');
  const linkedin = { provider: 'linkedin', client_id: 'l', client_secret: 's' };

  it('begins a login with redirect=true or a code challenge only', async () => {
    const of = await appWithUrls();
    const settings = { provider: 'strict', issuer: hostile.issuer, client_id: 'h', client_secret: 's', pkce: false };
    await app.given.connection(of, linkedin);
    await app.given.connection(of, settings);
    for (const provider of ['linkedin', 'strict']) {
      const { status, body } = await begin({}, { of, provider });
      expect([status, body.error_type, body.errors?.[0].field]).toEqual([400, 'invalid_request', 'code_challenge']);
      const challenged = await begin({ code_challenge }, { of, provider });
      const redirected = await begin({ redirect: 'true' }, { of, provider });
      for (const url of [new URL(challenged.body.redirect_url), locationOf(redirected)])
        expect([...url.searchParams.keys()].filter((name) => name.startsWith('code_'))).toEqual([]);
    }
    const begun = await begin({ redirect: 'true' }, { of, provider: 'strict' });
    const cookie = begun.headers.get('set-cookie')!.split(';')[0]!;
    expect(tokenOf(await follow(hostile.authorize(locationOf(begun).href), { cookie }))).toMatch(/.+/);
    expect(hostile.seen.filter(({ form }) => form.has('code_verifier'))).toEqual([]);
    expect((await begin({}, { of: shop })).status).toBe(200);
  });

  it('is one of linkedin that a previous release stored', async () => {
    const of = await appWithUrls();
    const { id } = await app.given.connection(of, linkedin);
    await database.query('update oauth_connections set pkce = default, userinfo = default where id = $1', [id]);
    await signRows(app, 'oauth_connections');
    expect((await begin({}, { of, provider: 'linkedin' })).status).toBe(400);
    const url = locationOf(await begin({ redirect: 'true' }, { of, provider: 'linkedin' }));
    expect(url.searchParams.has('code_challenge')).toBe(false);
  });
});

describe('callback', () => {
  it('the callback sends a new user to the registration URL and an existing user to the login URL, and keeps its query', async () => {
    const ann = newPerson();
    const first = await login(ann);
    expect(locationOf(first).href).toMatch(/^https:\/\/shop\.example\/welcome\?token=\w{40,}$/);
    expect(first.headers.get('cache-control')).toBe('no-store');
    expect(first.headers.get('referrer-policy')).toBe('no-referrer');
    expect(locationOf(await login(ann)).href).toMatch(/^https:\/\/shop\.example\/login\?from=a%20b&x=1&token=\w{40,}$/);
  });

  it('the callback sends the browser to the URLs that the login began with', async () => {
    await app.given.redirectUrl(shop, 'registration', 'https://shop.example/hello', false);
    const answer = await login(newPerson(), { registration_redirect_url: 'https://shop.example/hello' });
    expect(locationOf(answer).pathname).toBe('/hello');
  });

  it('the callback sends the browser back with access_denied when the user declined', async () => {
    const { body } = await begin();
    expectSentBack(await follow((await real.deny(body.redirect_url)).url), 'access_denied');
  });

  it('the callback answers a page when no app is known to send the browser back to', async () => {
    const state = new URL((await begin()).body.redirect_url).searchParams.get('state')!;
    const back = await connect(other, 'acme');
    for (const [path, query] of [
      [acme.id, { state: 'x'.repeat(48), code: 'c' }],
      [acme.id, { code: 'c' }],
      [acme.id, {}],
      [acme.id, { error: 'access_denied' }],
      [acme.id, { state: 'x'.repeat(1025), code: 'c' }],
      [newId('oauthConnection'), { state, code: 'c' }],
      [back.id, { state, code: 'c' }],
      ['nonsense', { state, code: 'c' }],
      ['<script>', { state: '<script>alert(1)</script>', code: 'c' }],
    ] as [string, Record<string, string>][]) {
      const answer = await app.call('GET', `/v1/auth/oauth/callback/${encodeURIComponent(path)}`, { query });
      expectPage(answer);
      expect(answer.text).not.toContain('<script>');
    }
    for (const odd of ['a b', 'a;b', 'a=b', 'é', `${state.slice(0, 16)} b`])
      for (const cookie of [`oauth_${odd.slice(0, 16)}=x`, 'oauth_=x', '=', 'é'])
        expectPage(
          await app.call('GET', `/v1/auth/oauth/callback/${acme.id}`, {
            query: { state: odd, code: 'c' },
            headers: { cookie },
          }),
        );
    // None of this spent the state.
    const [row] = await rows('select consumed_at from oauth_states order by created_at desc limit 1');
    expect(row.consumed_at).toBeNull();
  });

  it('the callback accepts a state once', async () => {
    const { body } = await begin();
    const { url } = await real.signIn(body.redirect_url, newPerson());
    expect(tokenOf(await follow(url))).toMatch(/.+/);
    expectSentBack(await follow(url), 'oauth_state_expired');
  });

  it('the callback accepts a state for 10 minutes', async () => {
    const { body } = await begin();
    const { url } = await real.signIn(body.redirect_url, newPerson());
    await database.query(`update oauth_states set expires_at = now() where expires_at > now() + interval '9 minutes'`);
    expectSentBack(await follow(url), 'oauth_state_expired');
  });

  it('a wrong answer spends the state too, so an attacker cannot try again', async () => {
    const { body } = await begin();
    const url = new URL((await real.signIn(body.redirect_url, newPerson())).url);
    const good = url.href;
    url.searchParams.set('code', 'guessed');
    expectSentBack(await follow(url.href), 'provider_error');
    expectSentBack(await follow(good), 'oauth_state_expired');
  });

  it('exactly one of 24 concurrent callbacks with the same state completes the login', async () => {
    const { body } = await begin();
    const { url } = await real.signIn(body.redirect_url, newPerson());
    const answers = await observer.together(
      'oauth_states',
      Array.from({ length: 24 }, () => () => follow(url)),
    );
    const locations = answers.map(locationOf);
    expect(locations.filter(({ searchParams }) => searchParams.has('token'))).toHaveLength(1);
    expect(locations.filter(({ searchParams }) => searchParams.get('error') === 'oauth_state_expired')).toHaveLength(
      23,
    );
  });

  /** @see GHSA-x445-f3h2-j279 */
  it('the callback completes a login only in the browser that began it', async () => {
    const start = async () => {
      const answer = await begin({ redirect: 'true' });
      const { url } = await real.signIn(locationOf(answer).href, newPerson());
      return { url, cookie: answer.headers.get('set-cookie')!.split(';')[0]! };
    };
    const attacker = await start();
    const victim = await start();
    // The last one has the right name with the value of another login.
    const forged = `${attacker.cookie.split('=')[0]}=${victim.cookie.split('=')[1]}`;
    for (const cookie of ['', victim.cookie, forged])
      expectSentBack(await follow(attacker.url, { cookie }), 'oauth_browser_mismatch');
    // None of them has spent the login, and a wrong cookie may not be guessed beside the right one.
    expect(tokenOf(await follow(attacker.url, { cookie: attacker.cookie }))).toMatch(/.+/);
    expectSentBack(await follow(attacker.url, { cookie: attacker.cookie }), 'oauth_state_expired');
    expectSentBack(await follow(attacker.url), 'oauth_state_expired');

    const completed = await follow(victim.url, { cookie: `other=1; ${victim.cookie}; more=2` });
    expect(tokenOf(completed)).toMatch(/.+/);
    expect(completed.headers.get('set-cookie')).toMatch(/^__Host-oauth_\w{16}=; .*Expires=Thu, 01 Jan 1970/);
  });

  it.each<[string, string, Record<string, string>]>([
    ['HEAD', 'HEAD', {}],
    ['a prefetch', 'GET', { 'sec-purpose': 'prefetch' }],
    ['a prerender', 'GET', { 'sec-purpose': 'prefetch;prerender' }],
    ['a prefetch of an older browser', 'GET', { purpose: 'prefetch' }],
    ['a prefetch of Firefox', 'GET', { 'x-moz': 'prefetch' }],
    ['a preview', 'GET', { 'x-purpose': 'preview' }],
  ])('the callback does not spend a login for %s', async (_, method, headers) => {
    for (const query of [{}, { redirect: 'true' }] as Record<string, string>[]) {
      const begun = await begin(query);
      const cookie = begun.headers.get('set-cookie')?.split(';')[0] ?? '';
      const { url } = await real.signIn(begun.body?.redirect_url ?? locationOf(begun).href, newPerson());
      const answer = await app.call(method, url.slice(BASE_URL.length), { headers: { ...headers, cookie } });
      expect([answer.status, answer.text, answer.headers.get('cache-control')]).toEqual([503, '', 'no-store']);
      expect([answer.headers.get('location'), answer.headers.get('set-cookie')]).toEqual([null, null]);
      expect(tokenOf(await follow(url, { cookie }))).toMatch(/.+/);
    }
  });

  it.each<[string, Partial<Behaviour>, string]>([
    ['sends an unsigned id_token', { idToken: unsigned }, 'provider_error'],
    ['sends an id_token with another nonce', { claims: { nonce: 'x' } }, 'provider_error'],
    ['redirects its token endpoint', { routes: { '/token': redirectsTo('http://127.0.0.1:1') } }, 'provider_error'],
    ['answers an error', { callback: { error: 'server_error', code: undefined } }, 'provider_error'],
    [
      'answers an error that is a script',
      { callback: { error: '<script>', error_description: '<b>', code: undefined } },
      'provider_error',
    ],
    ['hangs', { routes: { '/token': hangs } }, 'provider_unavailable'],
    ['fails', { routes: { '/token': fails } }, 'provider_unavailable'],
    ['names another issuer', { callback: { iss: 'https://accounts.google.com' } }, 'provider_error'],
  ])('the callback sends the browser back with a typed error when the provider %s', async (_, changes, error) => {
    expectSentBack(await hostileLogin(changes), error);
  });

  it('the callback ignores parameters that it does not take, also when they are no UTF-8 or given twice', async () => {
    hostile.behave({ callback: { error: 'server_error', code: undefined } });
    const { body } = await begin({}, { provider: 'hostile' });
    const unread = 'error_description=refus%E9&x=1&x=2';
    expectSentBack(await follow(`${hostile.authorize(body.redirect_url)}&${unread}`), 'provider_error');
  });

  it('30 logins that wait for their provider occupy no database connection', async () => {
    // Without the time limit of the bounded client the logins wait until the test ends them.
    const outbound = app.nest.get(Outbound, { strict: false });
    const send = outbound.send.bind(outbound);
    const unlimited = (to: string, request?: OutboundRequest) => send(to, { ...request, timeoutMs: 600_000 });
    const limit = jest.spyOn(outbound, 'send').mockImplementation(unlimited);
    const waiting: ServerResponse[] = [];
    const routes = { '/token': (_: unknown, response: ServerResponse) => void waiting.push(response) };
    const logins = Promise.all(Array.from({ length: 30 }, () => hostileLogin({ routes })));
    await eventually(() => expect(waiting.length).toBe(30));
    const idle = `select from pg_stat_activity where datname = current_database() and state like 'idle in transaction%'`;
    await eventually(async () => expect(await rows(idle)).toEqual([]));
    expect(tokenOf(await login(newPerson()))).toMatch(/.+/);
    for (const response of waiting) response.writeHead(500).end();
    for (const answer of await logins) expectSentBack(answer, 'provider_unavailable');
    limit.mockRestore();
  });

  it('the callback accepts the form post of apple, and binds the login to the browser across sites', async () => {
    const team = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const private_key = team.privateKey.export({ type: 'pkcs8', format: 'pem' }) as string;
    const of = await appWithUrls();
    const apple = {
      provider: 'apple',
      issuer: hostile.issuer,
      client_id: 'com.shop',
      team_id: 'TEAM',
      key_id: 'KEY',
      private_key,
    };
    await app.given.connection(of, apple);
    const email = `${unique()}@privaterelay.appleid.com`;
    hostile.behave({ claims: { sub: 'apple-1', email, email_verified: 'true' }, userinfo: { sub: 'apple-1' } });

    const begun = await begin({ redirect: 'true' }, { of, provider: 'apple' });
    const page = locationOf(begun);
    expect(page.searchParams.get('response_mode')).toBe('form_post');
    expect(page.searchParams.get('scope')).toBe('openid email name');
    expect(begun.headers.get('set-cookie')).toContain('Secure; SameSite=None');

    const back = new URL(hostile.authorize(page.href));
    const form = new URLSearchParams(back.search);
    form.set('user', JSON.stringify({ name: { firstName: 'Ann', lastName: 'Smith' }, email: 'victim@example.com' }));
    const answer = await follow(back.origin + back.pathname, {
      form,
      cookie: begun.headers.get('set-cookie')!.split(';')[0]!,
    });
    const verified = await verify({ token: tokenOf(answer) }, of.secretKey);
    expect(verified.body).toMatchObject({ provider: 'apple', provider_subject: 'apple-1' });
    expect(await getUser(verified.body.user_id, of.secretKey)).toMatchObject({
      first_name: 'Ann',
      last_name: 'Smith',
      emails: [{ email, verified: true }],
    });
    const basic = hostile.seen.find(({ path }) => path === '/token')!.headers.authorization!.replace('Basic ', '');
    const [clientId, secret] = Buffer.from(basic, 'base64').toString().split(':');
    expect(clientId).toBe('com.shop');
    await jwtVerify(secret!, team.publicKey, { issuer: 'TEAM', subject: 'com.shop', audience: hostile.issuer });
  });
});

describe('the user who signs in', () => {
  const signedIn = async (answer: Answer, key = shop.secretKey): Promise<string> =>
    (await verify({ token: tokenOf(answer) }, key)).body.user_id;

  it('a new user gets the names and the verified email from the provider', async () => {
    const ann = newPerson({ middle_name: 'B.' });
    expect(await getUser(await signedIn(await login(ann)))).toMatchObject({
      first_name: 'Ann',
      middle_name: 'B.',
      last_name: 'Smith',
      active: true,
      emails: [{ email: ann.email, verified: true }],
    });
  });

  it('a subject signs in as the same user after its names and email changed', async () => {
    const ann = newPerson();
    const first = await signedIn(await login(ann));
    expect(await signedIn(await login({ ...ann, email: `${unique()}@example.com`, given_name: 'Anna' }))).toBe(first);
  });

  it('a verified email leads to the user who verified it at another provider', async () => {
    const of = await appWithUrls();
    await connect(of, 'one');
    await connect(of, 'two', { email_domains: ['example.com'] });
    const ann = newPerson();
    const first = await signedIn(await login(ann, {}, { of, provider: 'one' }), of.secretKey);
    const second = await login({ ...ann, sub: unique() }, {}, { of, provider: 'two' });
    expect(locationOf(second).pathname).toBe('/login');
    expect(await signedIn(second, of.secretKey)).toBe(first);
  });

  it('an email that the provider does not call verified leads to a new user', async () => {
    const victim = await signedIn(await login(newPerson({ email: 'victim-1@example.com' })));
    const attacker = await signedIn(await login(newPerson({ email: 'victim-1@example.com', email_verified: false })));
    expect(attacker).not.toBe(victim);
    expect((await getUser(attacker)).emails).toEqual([]);
  });

  /** nOAuth: a tenant can set any address, so it leads to no existing account. */
  it('an email from a connection without trusts_email leads to a new user', async () => {
    const of = await appWithUrls();
    await connect(of, 'trusted');
    await connect(of, 'microsoft');
    await connect(of, 'untrusted', { trusts_email: false });
    const ann = newPerson();
    const victim = await signedIn(await login(ann, {}, { of, provider: 'trusted' }), of.secretKey);
    for (const provider of ['microsoft', 'untrusted']) {
      const attacker = await signedIn(await login({ ...ann, sub: unique() }, {}, { of, provider }), of.secretKey);
      expect(attacker).not.toBe(victim);
      expect((await getUser(attacker, of.secretKey)).emails).toEqual([]);
    }
  });

  /** @see CVE-2026-53516 */
  it('a verified email leads to the user whom the app created with it, and verify says what the app had written', async () => {
    const person = newPerson();
    const { user_id, created_at } = await app.given.user(shop, { email: person.email!, first_name: 'Grace' });
    const token = tokenOf(await login(person));
    const stranger = await app.given.user(shop);
    const refused = await verify({ token, expected_user_id: stranger.user_id });
    expect([refused.status, refused.body.error_type]).toEqual([409, 'address_of_other_account']);
    expect((await verify({ token, expected_user_id: user_id })).body).toMatchObject({
      user_id,
      user_created: false,
      account_prepared: { at: created_at, fields: ['first_name'] },
    });
    expect(await getUser(user_id)).toMatchObject({ first_name: 'Grace', last_name: '', emails: [{ verified: true }] });
    const again = (await verify({ token: tokenOf(await login(person)) })).body;
    expect(again).toMatchObject({ user_id, user_created: false, account_prepared: null });
    const unknown = (await verify({ token: tokenOf(await login(newPerson())) })).body;
    expect(unknown).toMatchObject({ user_created: true, account_prepared: null });
  });

  it('a verified email leads to the empty account that was registered with it unverified', async () => {
    const email = `${unique()}@example.com`;
    const planted = await app.given.user(shop, { email });
    const answer = await login(newPerson({ email }));
    expect(locationOf(answer).pathname).toBe('/login');
    expect(await signedIn(answer)).toBe(planted.user_id);
    expect((await getUser(planted.user_id)).emails).toMatchObject([{ email, verified: true }]);
  });

  describe('with an email that another user of the app holds verified', () => {
    let of: GivenApp;
    beforeAll(async () => {
      of = await appWithUrls();
      await connect(of, 'home');
    });
    const held = async (domain: string) => {
      const email = `${unique()}@${domain}`;
      const answer = await login(newPerson({ email }), {}, { of, provider: 'home' });
      return { email, userId: await signedIn(answer, of.secretKey) };
    };

    it.each<[string, string[], string]>([
      ['of any domain', [], 'example.com'],
      ['of a domain that is not listed', ['other.example'], 'example.com'],
      ['of a domain below a listed one', ['example.com'], 'mail.example.com'],
      ['of a domain above a listed one', ['mail.example.com'], 'example.com'],
      ['of a domain that ends like a listed one', ['ample.com'], 'example.com'],
    ])('an issuer of the operator does not open an account by an address %s', async (_, email_domains, domain) => {
      const { email, userId } = await held(domain);
      const provider = `foreign-${unique()}`;
      await connect(of, provider, { email_domains });
      expectSentBack(await login(newPerson({ email }), {}, { of, provider }), 'account_exists');
      expect((await getUser(userId, of.secretKey)).idp_providers).toHaveLength(1);
    });

    it.each<[string, string]>([
      ['example.com', 'example.com'],
      ['EXAMPLE.com', 'example.com'],
      ['b\u00fccher.example', 'B\u00dcCHER.example'],
      ['xn--bcher-kva.example', 'b\u00fccher.example'],
    ])('an issuer for which %s is listed opens the account of an address at %s', async (listed, domain) => {
      const { email, userId } = await held(domain);
      const provider = `company-${unique()}`;
      await connect(of, provider, { email_domains: ['other.example', listed] });
      const answer = await login(newPerson({ email }), {}, { of, provider });
      expect(await signedIn(answer, of.secretKey)).toBe(userId);
      const added = (await observer.events(of.id, userId)).filter((type) => type === 'factor.added');
      expect(added).toHaveLength(1);
    });

    it('an address of a domain that is not listed is no proof, with and without a user who holds it', async () => {
      const provider = `company-${unique()}`;
      await connect(of, provider, { email_domains: ['other.example'] });
      const unheld = await signedIn(await login(newPerson(), {}, { of, provider }), of.secretKey);
      expect((await getUser(unheld, of.secretKey)).emails).toEqual([]);
      const email = `${unique()}@example.com`;
      const planted = await app.given.user(of, { email });
      const second = await signedIn(await login(newPerson({ email }), {}, { of, provider }), of.secretKey);
      expect(second).not.toBe(planted.user_id);
    });

    it.each<[string, string[], boolean]>([
      ['every domain', [], true],
      ['its domain', ['example.com'], true],
      ['other domains', ['other.example'], false],
    ])(
      'a provider known by name that is trusted with %s opens the account or makes a new one',
      async (_, domains, opens) => {
        const { email, userId } = await held('example.com');
        const user = await app.nest.get(SignInWithProvider, { strict: false }).execute(of.id as AppId, {
          connectionId: newId('oauthConnection'),
          provider: 'github',
          subject: unique(),
          email: { address: email, proven: true, domains, isIssuerEntered: false },
        });
        expect([user.userId === userId, user.userCreated]).toEqual([opens, !opens]);
      },
    );

    describe('that began with a code challenge', () => {
      const signedInByEmail = async (ofApp: typeof of, user_id: string) => {
        const factor = passcode((await getUser(user_id, ofApp.secretKey)).email_id);
        return signIn(app, ofApp, { user_id }, undefined, { factor });
      };
      const code_verifier = 'the-verifier-that-the-page-of-the-app-has-kept';
      const code_challenge = createHash('sha256').update(code_verifier).digest('base64url');

      it('an account that exists gains the identity only in a live session of its user and with the verifier', async () => {
        const { email, userId } = await held('example.com');
        const stranger = await login(newPerson(), {}, { of, provider: 'home' });
        const theirs = (await verify({ token: tokenOf(stranger), session_expires_in: 60 }, of.secretKey)).body;
        const home = await login(newPerson({ email }), {}, { of, provider: 'home' });
        expectSentBack(home, 'account_exists');
        const provider = `foreign-${unique()}`;
        await connect(of, provider);
        const person = newPerson({ email });
        const back = locationOf(await login(person, { code_challenge }, { of, provider }));
        expect(back.searchParams.get('error')).toBe('account_exists');
        const token = back.searchParams.get('token')!;
        const { session_token } = await signedInByEmail(of, userId);
        for (const [fields, refusal] of [
          [{ session_token }, [400, 'invalid_oauth_token']],
          [{ session_token, code_verifier: 'x'.repeat(43) }, [400, 'invalid_oauth_token']],
          [{ code_verifier }, [409, 'account_exists']],
          [{ code_verifier, session_expires_in: 60 }, [409, 'account_exists']],
          [{ code_verifier, session_token: theirs.session_token }, [401, 'invalid_session']],
        ] as const) {
          const { status, body } = await verify({ token, ...fields }, of.secretKey);
          expect([status, body.error_type]).toEqual(refusal);
        }
        expect((await getUser(userId, of.secretKey)).idp_providers).toHaveLength(1);
        const linked = await verify({ token, code_verifier, session_token }, of.secretKey);
        expect(linked.body).toMatchObject({ user_id: userId, provider_subject: person.sub, browser_bound: true });
        expect(linked.body.session.factors).toHaveLength(2);
        expect((await observer.events(of.id, userId)).filter((type) => type === 'factor.added')).toHaveLength(1);
        expect((await verify({ token, code_verifier, session_token }, of.secretKey)).status).toBe(400);
        expect(await signedIn(await login(person, {}, { of, provider }), of.secretKey)).toBe(userId);
      });

      it('two logins of one subject that exists already add the identity once', async () => {
        const { email, userId } = await held('example.com');
        const provider = `foreign-${unique()}`;
        await connect(of, provider);
        const person = newPerson({ email });
        const { session_token } = await signedInByEmail(of, userId);
        const tokens: string[] = [];
        for (let i = 0; i < 2; i++) tokens.push(tokenOf(await login(person, { code_challenge }, { of, provider })));
        const answers = await Promise.all(
          tokens.map((token) => verify({ token, code_verifier, session_token }, of.secretKey)),
        );
        expect(answers.map(({ status, body }) => [status, body.user_id])).toEqual([
          [200, userId],
          [200, userId],
        ]);
        expect((await getUser(userId, of.secretKey)).idp_providers).toHaveLength(2);
      });
    });
  });

  describe('whose userinfo the provider denies', () => {
    const denied = { '/userinfo': answersWith(403, { error: 'insufficient_scope' }) };
    const of = (sub: string, claims: object = {}): Partial<Behaviour> => ({
      claims: { sub, ...claims },
      userinfo: { sub, email: `${unique()}@example.com` },
      routes: denied,
    });
    const usersOf = async () =>
      Number((await rows('select count(*) from users where app_id = $1', [shop.id]))[0].count);
    const changeUserinfo = async (userinfo: string) => {
      const [{ id }] = await rows(`select id from oauth_connections where app_id = $1 and provider = 'hostile'`, [
        shop.id,
      ]);
      const path = `/management/v1/apps/${shop.id}/oauth_connections/${id}`;
      expect((await app.call('PATCH', path, { key: app.managementKey, body: { userinfo } })).body.userinfo).toBe(
        userinfo,
      );
    };
    const userOf = async (answer: Answer) => (await verify({ token: tokenOf(answer) })).body.user_id;

    it('signs in again by the id_token, and a new one only if that has the email', async () => {
      const sub = unique();
      const known = await userOf(await hostileLogin({ ...of(sub), routes: {} }));
      expect(await userOf(await hostileLogin(of(sub)))).toBe(known);
      const email = `${unique()}@example.com`;
      const user = await getUser(await userOf(await hostileLogin(of(unique(), { email, email_verified: true }))));
      expect(user.emails).toEqual([expect.objectContaining({ email, verified: true })]);
      const before = await usersOf();
      for (const claims of [{}, { email: '' }, { email: null }])
        expectSentBack(await hostileLogin(of(unique(), claims)), 'provider_error');
      expect(await usersOf()).toBe(before);
    });

    it('is a user without email where the connection lets the id_token suffice', async () => {
      await changeUserinfo('optional');
      try {
        const user = await getUser(await userOf(await hostileLogin(of(unique()))));
        expect(user.emails).toEqual([]);
      } finally {
        await changeUserinfo('required');
      }
    });
  });

  it('20 concurrent logins of a new subject create one user', async () => {
    const ann = newPerson();
    const urls = await Promise.all(
      Array.from({ length: 20 }, async () => (await real.signIn((await begin()).body.redirect_url, ann)).url),
    );
    const answers = await observer.together(
      'provider_identities',
      urls.map((url) => () => follow(url)),
    );
    expect(answers.map((answer) => locationOf(answer).searchParams.get('error'))).toEqual(Array(20).fill(null));
    expect(answers.map(locationOf).filter(({ pathname }) => pathname === '/welcome')).toHaveLength(1);
    const users = await Promise.all(answers.map((answer) => signedIn(answer)));
    expect(new Set(users).size).toBe(1);
  });
});

describe('verify', () => {
  it('verify returns the login, and no session unless requested', async () => {
    const ann = newPerson();
    const { status, body } = await verify({ token: tokenOf(await login(ann)) });
    expect(status).toBe(200);
    expect(body).toEqual({
      provider_subject: ann.sub,
      provider: 'acme',
      user_id: expect.stringMatching(/^user_/),
      user_created: true,
      account_prepared: null,
      idp_session: {
        idp: { access_token: expect.stringMatching(/.{20,}/), refresh_token: expect.stringMatching(/.{20,}/) },
        access_token: body.idp_session.idp.access_token,
        refresh_token: body.idp_session.idp.refresh_token,
      },
      browser_bound: false,
      session: null,
      session_token: '',
      session_jwt: '',
    });
  });

  it('verify returns a requested session, whose factor is the identity at the provider', async () => {
    const ann = newPerson();
    const { body } = await verify({
      token: tokenOf(await login(ann)),
      session_expires_in: 60,
      device_fingerprint: { ip: '192.0.2.1', user_agent: 'Browser' },
    });
    expect(body.session).toMatchObject({
      id: expect.stringMatching(/^sess_/),
      user_id: body.user_id,
      device_fingerprint: { ip: '192.0.2.1', user_agent: 'Browser' },
      factors: [
        {
          type: 'oauth',
          delivery_channel: 'acme_oauth',
          method: { method_type: 'oauth', idp_user_id: expect.stringMatching(/^idpuser_/), provider_subject: ann.sub },
        },
      ],
    });
    expect(body.session_token).toBe(body.session.session_token);
    const { session_token } = body;
    const known = await app.call('POST', '/v1/auth/sessions/verify', { key: shop.secretKey, body: { session_token } });
    expect(known.body.session.user_id).toBe(body.user_id);
  });

  it('verify adds the factor to the session of the request', async () => {
    const ann = newPerson();
    const { session_token, session } = (await verify({ token: tokenOf(await login(ann)), session_expires_in: 60 }))
      .body;
    const again = await verify({ token: tokenOf(await login(ann)), session_token });
    expect(again.body.session.id).toBe(session.id);
    expect(again.body.session.factors).toHaveLength(1);
    expect(again.body.session.factors[0].method.last_verified_at).toBeGreaterThanOrEqual(
      session.factors[0].method.last_verified_at,
    );
  });

  it('verify accepts a token once', async () => {
    const token = tokenOf(await login(newPerson()));
    expect((await verify({ token })).status).toBe(200);
    const { status, body } = await verify({ token });
    expect([status, body.error_type]).toEqual([400, 'invalid_oauth_token']);
  });

  /** @see CVE-2026-1035 GHSA-7w99-5wm4-3g79 */
  it('exactly one of 24 concurrent verify calls with the same token succeeds, with one session', async () => {
    const token = tokenOf(await login(newPerson()));
    const answers = await observer.together(
      'login_tickets',
      Array.from({ length: 24 }, () => () => verify({ token, session_expires_in: 60 })),
    );
    const [succeeded, ...refused] = answers.toSorted((a, b) => a.status - b.status);
    expect(succeeded!.status).toBe(200);
    expect(refused.map(({ body }) => body.error_type)).toEqual(Array(23).fill('invalid_oauth_token'));
    const listed = await app.call('GET', '/v1/auth/sessions/list', {
      key: shop.secretKey,
      query: { user_id: succeeded!.body.user_id },
    });
    expect(listed.body.sessions).toHaveLength(1);
  });

  it('verify accepts a token for 10 minutes by the clock of the database', async () => {
    const token = tokenOf(await login(newPerson()));
    await database.query('update login_tickets set expires_at = now()');
    expect((await verify({ token })).body.error_type).toBe('invalid_oauth_token');
  });

  it('verify answers a token of another app like an unknown token, and the token stays valid', async () => {
    const token = tokenOf(await login(newPerson()));
    const [foreign, unknown] = [
      await verify({ token }, other.secretKey),
      await verify({ token: 'x'.repeat(48) }, other.secretKey),
    ];
    const { request_id: _, instance: __, ...same } = unknown.body;
    expect(foreign).toMatchObject({ status: 400, body: same });
    expect((await verify({ token })).status).toBe(200);
  });

  /** @see CVE-2026-114607 */
  it('verify refuses tokens of other purposes', async () => {
    const { session_token } = (await verify({ token: tokenOf(await login(newPerson())), session_expires_in: 60 })).body;
    const state = new URL((await begin()).body.redirect_url).searchParams.get('state')!;
    for (const token of [session_token, state, shop.secretKey]) {
      expect((await verify({ token })).body.error_type).toBe('invalid_oauth_token');
    }
    const token = tokenOf(await login(newPerson()));
    const asSession = await app.call('POST', '/v1/auth/sessions/verify', {
      key: shop.secretKey,
      body: { session_token: token },
    });
    expect(asSession.status).toBe(401);
    expect((await verify({ token })).status).toBe(200);
  });

  it('verify refuses a wrong session before it spends the token', async () => {
    const ann = newPerson();
    const bobs = (await verify({ token: tokenOf(await login(newPerson())), session_expires_in: 60 })).body;
    const token = tokenOf(await login(ann));
    for (const wrong of [
      { session_token: 'x'.repeat(48) },
      { session_jwt: 'a.b.c' },
      { session_token: bobs.session_token },
      { session_jwt: bobs.session_jwt },
      { session_token: bobs.session_token, session_expires_in: 60 },
    ]) {
      const { status, body } = await verify({ token, ...wrong });
      expect([status, body.error_type]).toEqual([401, 'invalid_session']);
    }
    for (const wrong of [
      { session_expires_in: 4 },
      { session_expires_in: '60m' },
      { session_token: 7 },
      { code_verifier: 'short' },
    ]) {
      expect((await verify({ token, ...wrong })).body.error_type).toBe('invalid_request');
    }
    expect((await verify({ token })).status).toBe(200);
  });

  describe('after a login with a code challenge', () => {
    const code_verifier = 'a-verifier.of_43-characters~or-more-as-it-is';
    const code_challenge = createHash('sha256').update(code_verifier).digest('base64url');

    it('verify requires the code verifier, and a wrong verifier spends nothing', async () => {
      const token = tokenOf(await login(newPerson(), { code_challenge }));
      for (const wrong of [{}, { code_verifier: 'x'.repeat(43) }, { code_verifier: code_challenge }]) {
        expect((await verify({ token, ...wrong })).body.error_type).toBe('invalid_oauth_token');
      }
      expect((await verify({ token, code_verifier })).status).toBe(200);
    });

    /** RFC 9700, section 4.8.2: an attacker may have removed the challenge from begin. */
    it('verify refuses a code verifier for a login that began without a challenge', async () => {
      const token = tokenOf(await login(newPerson()));
      expect((await verify({ token, code_verifier })).body.error_type).toBe('invalid_oauth_token');
    });
  });

  describe('for the question whether the browser at the callback began the login', () => {
    const code_verifier = 'a-verifier.of_43-characters~or-more-as-it-is';
    const code_challenge = createHash('sha256').update(code_verifier).digest('base64url');
    const verifiedAfter = async (query: Record<string, string>, proof: Record<string, string>, of = shop) => {
      const begun = await begin(query, { of });
      const cookie = begun.headers.get('set-cookie')?.split(';')[0];
      const page = begun.status === 302 ? locationOf(begun).href : begun.body.redirect_url;
      const answer = await follow((await real.signIn(page, newPerson())).url, { cookie });
      return verify({ token: tokenOf(answer), ...proof }, of.secretKey);
    };

    /** Login CSRF: the attacker begins, and the browser of the victim opens the URL of the callback. */
    it.each<[string, Record<string, string>, Record<string, string>, boolean]>([
      ['false without cookie and challenge, as when an attacker began it', {}, {}, false],
      ['true with the cookie of redirect=true', { redirect: 'true' }, {}, true],
      ['true with the verifier', { code_challenge }, { code_verifier }, true],
      ['true with both', { redirect: 'true', code_challenge }, { code_verifier }, true],
    ])('verify answers %s', async (_, query, proof, isBound) => {
      expect((await verifiedAfter(query, proof)).body.browser_bound).toBe(isBound);
    });

    it('an app whose setting oauth_begin is bound begins no login that is bound to no browser', async () => {
      const of = await appWithUrls({ oauth_begin: 'bound' });
      await connect(of, 'acme');
      const { status, body } = await begin({}, { of });
      expect([status, body.error_type, body.errors?.[0].field]).toEqual([400, 'invalid_request', 'code_challenge']);
      expect((await verifiedAfter({ redirect: 'true' }, {}, of)).body.browser_bound).toBe(true);
      expect((await verifiedAfter({ code_challenge }, { code_verifier }, of)).body.browser_bound).toBe(true);
      const changed = await app.call('PATCH', `/management/v1/apps/${of.id}`, {
        key: app.managementKey,
        body: { oauth_begin: null },
      });
      expect(changed.body.oauth_begin).toBe('any');
      expect((await begin({}, { of })).status).toBe(200);
    });
  });

  it('verify refuses a deactivated user and spends nothing', async () => {
    const ann = newPerson();
    const { user_id } = (await verify({ token: tokenOf(await login(ann)) })).body;
    const token = tokenOf(await login(ann));
    const manage = (action: string) =>
      app.call('POST', `/management/v1/apps/${shop.id}/users/${user_id}/${action}`, {
        key: app.managementKey,
        body: {},
      });
    expect((await manage('deactivate')).status).toBe(200);
    for (const body of [{ token }, { token, session_expires_in: 60 }]) {
      const refused = await verify(body);
      expect([refused.status, refused.body.error_type]).toEqual([403, 'user_inactive']);
    }
    expectSentBack(await login(ann), 'user_inactive');
    await manage('reactivate');
    expect((await verify({ token })).status).toBe(200);
  });

  it('verify refuses the token of a deleted user', async () => {
    const ann = newPerson();
    const { user_id } = (await verify({ token: tokenOf(await login(ann)) })).body;
    const token = tokenOf(await login(ann));
    const deleted = await app.call('DELETE', `/v1/auth/users/${user_id}/delete`, { key: shop.secretKey });
    expect(deleted.status).toBe(200);
    expect((await verify({ token })).body.error_type).toBe('invalid_oauth_token');
    // The same subject may sign in again, as a new user.
    expect(locationOf(await login(ann)).pathname).toBe('/welcome');
  });

  it.each([{}, { token: '' }, { token: 7 }, { token: null }, { token: ['x'] }, { token: 'x'.repeat(8193) }])(
    'verify refuses the body %j',
    async (body) => {
      const answer = await verify(body);
      expect([answer.status, answer.body.error_type]).toEqual([400, 'invalid_request']);
    },
  );

  it('verify accepts only secret keys', async () => {
    expect((await verify({ token: 'x' }, shop.publicToken)).body.error_type).toBe('wrong_key_kind');
    expect((await app.call('POST', '/v1/auth/oauth/verify', { body: { token: 'x' } })).status).toBe(401);
  });

  it("verify erases the provider's tokens, and only the same idempotency key repeats the answer", async () => {
    const body = { token: tokenOf(await login(newPerson())), session_expires_in: 60 };
    const headers = { 'idempotency-key': unique() };
    const first = await verify(body, shop.secretKey, headers);
    expect(first.status).toBe(200);
    expect((await verify(body, shop.secretKey, headers)).body).toEqual(first.body);
    const again = await verify(body, shop.secretKey, { 'idempotency-key': unique() });
    expect([again.status, again.body.error_type]).toEqual([400, 'invalid_oauth_token']);
  });

  it('verify spends nothing when the database connection is lost halfway', async () => {
    const token = tokenOf(await login(newPerson()));
    const gate = new pg.Client({ connectionString: app.databaseUrl });
    await gate.connect();
    await gate.query('begin; lock table users in exclusive mode');
    // The ticket is spent in a transaction that waits for the user's lock to issue the session.
    const answer = verify({ token, session_expires_in: 60 });
    const cut = `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
    while ((await rows(cut)).length === 0);
    expect((await answer).status).toBe(503);
    await gate.query('commit');
    await gate.end();
    expect((await verify({ token, session_expires_in: 60 })).status).toBe(200);
  });

  it('verify sends eight statements for a new session, the events last', async () => {
    const token = tokenOf(await login(newPerson()));
    await verify({ token: 'x', session_expires_in: 60 });
    const sent = await textsOf(() => verify({ token, session_expires_in: 60 }));
    expect(sent).toEqual([
      BEGIN.text,
      expect.stringMatching(/update login_tickets/),
      expect.stringMatching(/make_room_for_login/),
      expect.stringMatching(/insert into sessions/),
      expect.stringMatching(/from users/),
      expect.stringMatching(/^update sessions set mac/),
      expect.stringMatching(/^insert into unsequenced_events/),
      'commit',
    ]);
  });
});

describe('what is stored', () => {
  it('a dump of the database contains no usable token, state, verifier or cookie', async () => {
    hostile.behave();
    const begun = await begin({ redirect: 'true' }, { provider: 'hostile' });
    const cookie = begun.headers.get('set-cookie')!.split(';')[0]!;
    const page = locationOf(begun);
    const token = tokenOf(await follow(hostile.authorize(page.href), { cookie }));
    const codeVerifier = hostile.seen.find(({ path }) => path === '/token')!.form.get('code_verifier')!;

    const tables = await rows(`select table_name from information_schema.tables where table_schema = 'public'`);
    let dump = '';
    for (const { table_name } of tables) {
      for (const row of await rows(`select * from ${table_name}`)) {
        for (const value of Object.values(row))
          dump += Buffer.isBuffer(value) ? value.toString('latin1') : JSON.stringify(value);
      }
    }
    expect(dump).toContain(page.searchParams.get('nonce'));
    for (const secret of [
      token,
      page.searchParams.get('state')!,
      codeVerifier,
      cookie.split('=')[1]!,
      'at-secret',
      'rt-secret',
      'canary-client-secret',
    ]) {
      expect(dump).not.toContain(secret);
    }
  });

  it('the tokens of the provider are erased once the token is spent', async () => {
    const token = tokenOf(await login(newPerson()));
    const kept = async () =>
      (await rows('select sealed_tokens, consumed_at from login_tickets order by created_at desc limit 1'))[0];
    expect((await kept()).sealed_tokens).not.toBeNull();
    await verify({ token });
    expect(await kept()).toEqual({ sealed_tokens: null, consumed_at: expect.any(Date) });
  });

  it('ended states and tickets are deleted', async () => {
    const ended = app.nest.get(PostgresRetention, { strict: false });
    const count = async () =>
      (
        await rows(
          'select (select count(*) from oauth_states)::int states, (select count(*) from login_tickets)::int tickets',
        )
      )[0];
    const token = tokenOf(await login(newPerson()));
    await database.query(`update oauth_states set expires_at = now() - interval '61 minutes'`);
    await database.query(
      `update login_tickets set expires_at = now() - interval '1 second' where consumed_at is not null`,
    );
    await ended.removeAll();
    expect((await count()).states).toBe(0);
    expect((await verify({ token })).status).toBe(200);
    await database.query(`update login_tickets set expires_at = now() - interval '1 second'`);
    await ended.removeAll();
    expect((await count()).tickets).toBe(0);
  });
});

it('every error that an app may receive has a page', async () => {
  for (const type of [
    'access_denied',
    'account_exists',
    'oauth_browser_mismatch',
    'oauth_state_expired',
    'provider_error',
    'provider_unavailable',
    'invalid_oauth_state',
  ]) {
    expect((await app.call('GET', `/errors/${type}`)).status).toBe(200);
  }
});

it('a client that the token endpoint refuses gets provider_error after both authentication methods', async () => {
  expectSentBack(
    await hostileLogin({ routes: { '/token': answersWith(401, { error: 'invalid_client' }) } }),
    'provider_error',
  );
  expect(hostile.seen.filter(({ path }) => path === '/token')).toHaveLength(2);
});

describe('a connection whose issuer was changed in the table', () => {
  it.each(['issuer', 'provider'])('a changed %s sends the client secret to no host', async (column) => {
    const stolen = await appWithUrls();
    const connection = await app.given.connection(stolen, {
      provider: 'acme',
      issuer: real.issuer,
      client_id: 'c',
      client_secret: 'canary-client-secret',
    });
    hostile.behave();
    await database.query(`update oauth_connections set issuer = $2, provider = $3 where id = $1`, [
      connection.id,
      column === 'issuer' ? hostile.issuer : real.issuer,
      column === 'provider' ? 'hostile' : 'acme',
    ]);
    await signRows(app, 'oauth_connections');
    const provider = column === 'provider' ? 'hostile' : 'acme';
    const begun = await begin({}, { provider, of: stolen });
    expect([begun.status, begun.body.error_type]).toEqual([503, 'sealed_value_unavailable']);
    expect(hostile.seen).toEqual([]);
    expect((await app.call('GET', '/metrics')).text).toMatch(/^seal_failures_total\{kind="oauth-connection"\} [1-9]/m);
  });

  it('an issuer that is changed during a login sends the client secret to no host', async () => {
    const stolen = await appWithUrls();
    const connection = await connect(stolen, 'acme');
    const { body } = await begin({}, { of: stolen });
    const { url } = await real.signIn(body.redirect_url, newPerson());
    hostile.behave();
    await database.query(`update oauth_connections set issuer = $2 where id = $1`, [connection.id, hostile.issuer]);
    await signRows(app, 'oauth_connections');
    expect((await follow(url)).status).toBe(503);
    expect(hostile.seen).toEqual([]);
  });
});

it('the callback sends the browser back with provider_error when the keys of the provider cannot be used', async () => {
  const odd = await startHostileProvider();
  try {
    await app.given.connection(shop, { provider: 'odd', issuer: odd.issuer, client_id: 'o', client_secret: 's' });
    const short = generateKeyPairSync('rsa', { modulusLength: 1024 }).publicKey.export({ format: 'jwk' });
    odd.behave({ routes: { '/jwks': answersWith(200, { keys: [{ ...short, kid: 'one' }] }) } });
    const { body } = await begin({}, { provider: 'odd' });
    const back = locationOf(await follow(odd.authorize(body.redirect_url)));
    expect(back.origin + back.pathname).toBe('https://shop.example/login');
    expect(back.searchParams.get('error')).toBe('provider_error');
  } finally {
    await odd.stop();
  }
});

describe('a redirect URL that is deleted while a login is under way', () => {
  const [deletedUrl, newUrl] = ['https://deleted.example/in', 'https://new.example/in'];
  /** An app whose login begins with these URLs, which are deleted before it returns. */
  async function returning(kind: 'login' | 'registration', hasDefault: boolean, person: Person) {
    const owner = await app.given.app();
    const other = kind === 'login' ? 'registration' : 'login';
    await app.given.redirectUrl(owner, other, 'https://other.example/in');
    const { id } = await app.given.redirectUrl(owner, kind, deletedUrl);
    await connect(owner, 'acme');
    if (kind === 'login') await login(person, {}, { of: owner });
    const { body } = await begin({ [`${kind}_redirect_url`]: deletedUrl }, { of: owner });
    const { url } = await real.signIn(body.redirect_url, person);
    if (hasDefault) await app.given.redirectUrl(owner, kind, newUrl);
    const gone = await app.call('DELETE', `/management/v1/apps/${owner.id}/redirect_urls/${id}`, {
      key: app.managementKey,
    });
    expect(gone.status).toBe(200);
    return { answer: await follow(url), owner };
  }

  it.each(['login', 'registration'] as const)(
    'a %s URL deleted during the login is replaced by the default of its kind',
    async (kind) => {
      const back = locationOf((await returning(kind, true, newPerson())).answer);
      expect(back.origin + back.pathname).toBe(newUrl);
      expect(back.searchParams.get('token')).toMatch(/.+/);
    },
  );

  it.each(['login', 'registration'] as const)(
    'a %s URL deleted during the login leads to the error page without a default, and creates no user',
    async (kind) => {
      const person = newPerson();
      const { answer, owner } = await returning(kind, false, person);
      expect([answer.status, answer.headers.get('location')]).toEqual([400, null]);
      expect(answer.text).toContain('<h1>The login could not be completed</h1>');
      const users = await rows('select from users where app_id = $1', [owner.id]);
      expect(users).toHaveLength(kind === 'login' ? 1 : 0);
    },
  );
});

it('the callback refuses the state of another connection of the app, and the state stays valid', async () => {
  const person = newPerson();
  const second = await connect(shop, 'second');
  const { body } = await begin();
  const url = (await real.signIn(body.redirect_url, person)).url;
  const elsewhere = await follow(url.replace(acme.id, second.id));
  expect([elsewhere.status, elsewhere.headers.get('location')]).toEqual([400, null]);
  expect(tokenOf(await follow(url))).toMatch(/.+/);
});

it.each(['an unknown state', 'no state'])('the callback with %s costs one statement at most', async (state) => {
  const query = state === 'no state' ? '' : '?state=invented';
  const refused = async (connection: string) => {
    expect((await follow(`${BASE_URL}/v1/auth/oauth/callback/${connection}${query}`)).status).toBe(400);
  };
  await refused(acme.id);
  for (const connection of [acme.id, `oauthconn_${'0'.repeat(26)}`])
    expect((await textsOf(() => refused(connection))).length).toBeLessThanOrEqual(1);
});
