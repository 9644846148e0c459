import { createRemoteJWKSet, decodeJwt, decodeProtectedHeader, generateKeyPair, jwtVerify, SignJWT } from 'jose';
import * as oauth from 'oauth4webapi';
import * as openid from 'openid-client';
import { freePort } from '../../../src/dev/free-port.js';
import { Clock } from '../../../src/kernel/clock.js';
import { type AppId, newId } from '../../../src/kernel/ids.js';
import type { TokenBuckets } from '../../../src/edge/limits/token-buckets.js';
import { MOST_REFRESHES, Providers } from '../../../src/modules/authorization/infrastructure/providers.js';
import { SessionFacade } from '../../../src/modules/session/index.js';
import { Database } from '../../../src/postgres/database.js';
import { startApp, type TestApp } from '../../support/app.js';
import { eventually } from '../../support/eventually.js';
import { Observer } from '../../support/observer.js';
import { signRows } from '../../support/row-macs.js';
import { atOnce, passcode, signIn } from '../../support/sign-in.js';
import { answer, Browser, CALLBACK, CODE, type Request, requestOf, Server } from './servers.js';

const ORDERS = 'https://orders.example';

let service: TestApp;
let replica: TestApp;
let observer: Observer;
let server: Server;
let client: { id: string; secret: string };
let userId: string;
let email: string;
let session: { id: string; token: string };

/** Both replicas have one address, as behind a proxy; the test calls the first one there. */
beforeAll(async () => {
  const port = await freePort();
  const env = { ROLE: 'api', BASE_URL: `http://127.0.0.1:${port}`, SESSION_CLAIM: 'session' };
  service = await startApp({ env: { ...env, PORT: `${port}` } });
  replica = await startApp({ env, databaseUrl: service.databaseUrl });
  observer = await Observer.of(service);
});
afterAll(async () => {
  await observer?.close();
  await replica?.stop();
  await service?.stop();
});
const SCOPES = ['openid', 'email', 'profile', 'wallets', 'offline_access', 'orders:read'];
beforeEach(async () => {
  server = await Server.of(service);
  await server.resource(ORDERS);
  client = await server.client({ ...CODE, scopes: SCOPES, resources: [ORDERS] });
  const user = await service.given.user(server.app, { first_name: 'Ada', last_name: 'Lovelace' });
  userId = user.user_id;
  email = user.emails[0]!.email;
  session = await newSession();
});

async function newSession(user = userId, factor = passcode()) {
  const { session_token, session: fields } = await signIn(
    service,
    server.app,
    { user_id: user },
    { minutes: 60 },
    { factor },
  );
  return { id: fields!.id, token: session_token! };
}

/** The browser begins, the login page accepts, and the browser comes back with a code. */
async function login(
  params: Record<string, string> = {},
  body: object | (() => Promise<object>) = {},
  { browser = new Browser(server), id = client.id } = {},
): Promise<{ code: string; request: Request; url: URL; browser: Browser }> {
  const request = requestOf(server, id, params);
  const { url: page } = await browser.visit(request.url);
  const given = typeof body === 'function' ? await body() : body;
  const { body: accepted, text } = await answer(server, page, 'accept', { session_token: session.token, ...given });
  if (!accepted.redirect_url) throw new Error(text);
  const { url } = await browser.visit(accepted.redirect_url);
  return { code: url.searchParams.get('code')!, request, url, browser };
}

const redeem = ({ code, request }: { code: string; request: Request }, at = server, further = {}) =>
  at.post('/token', client, {
    grant_type: 'authorization_code',
    code,
    redirect_uri: CALLBACK,
    code_verifier: request.verifier,
    ...further,
  });
const refresh = (refresh_token: string, further = {}) =>
  server.post('/token', client, { grant_type: 'refresh_token', refresh_token, ...further });
const userinfo = async (token: string, at = server) => {
  const response = await fetch(`${at.issuer}/userinfo`, { headers: { authorization: `Bearer ${token}` } });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
};
const tokens = async (params: Record<string, string> = {}, body: object = {}) =>
  (await redeem(await login(params, body))).body;
const code = (url: URL) => url.searchParams.get('code');
const errorIn = (url: URL) => url.searchParams.get('error');

describe('a login at another program', () => {
  it('passes two clients that are not ours', async () => {
    const browser = new Browser(server);
    const config = await openid.discovery(new URL(server.issuer), client.id, client.secret, undefined, {
      execute: [openid.allowInsecureRequests],
    });
    const verifier = openid.randomPKCECodeVerifier();
    const nonce = openid.randomNonce();
    const url = openid.buildAuthorizationUrl(config, {
      redirect_uri: CALLBACK,
      scope: 'openid email profile',
      code_challenge: await openid.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
      state: 'the state',
      nonce,
    });
    const { url: page } = await browser.visit(url.href);
    expect(`${page.origin}${page.pathname}`).toBe('https://acme.example/login');
    const accepted = (await answer(server, page, 'accept', { session_token: session.token })).body;
    const { url: back } = await browser.visit(accepted.redirect_url);
    const response = await openid.authorizationCodeGrant(config, back, {
      pkceCodeVerifier: verifier,
      expectedState: 'the state',
      expectedNonce: nonce,
      idTokenExpected: true,
    });
    expect(response.claims()).toMatchObject({
      sub: userId,
      sid: session.id,
      acr: 'aal1',
      amr: ['otp'],
      name: 'Ada Lovelace',
      email,
    });
    expect(await openid.fetchUserInfo(config, response.access_token, userId)).toMatchObject({ sub: userId, email });
    const refreshed = await openid.refreshTokenGrant(config, response.refresh_token!);
    expect(refreshed.claims()?.sub).toBe(userId);

    const as = await oauth.processDiscoveryResponse(
      new URL(server.issuer),
      await oauth.discoveryRequest(new URL(server.issuer), { [oauth.allowInsecureRequests]: true }),
    );
    const asked = { client_id: client.id };
    const { url: second, request } = await login({ response_mode: 'query' });
    const parameters = oauth.validateAuthResponse(as, asked, second, 'the state');
    const answered = await oauth.authorizationCodeGrantRequest(
      as,
      asked,
      oauth.ClientSecretBasic(client.secret),
      parameters,
      CALLBACK,
      request.verifier,
      { [oauth.allowInsecureRequests]: true },
    );
    expect((await oauth.processAuthorizationCodeResponse(as, asked, answered)).id_token).toBeDefined();
  });

  it('shows the login page what is asked for, once', async () => {
    const { url: page } = await new Browser(server).visit(
      requestOf(server, client.id, {
        scope: 'openid orders:read admin',
        resource: `${ORDERS}/`,
        login_hint: 'ada',
        max_age: '60',
      }).url,
    );
    const path = `/v1/oauth2/interactions/${page.searchParams.get('interaction')}`;
    const shown = await service.ok('GET', path, { key: server.app.secretKey });
    expect(shown).toMatchObject({
      client: { id: client.id, name: 'Import' },
      scopes: ['openid', 'orders:read'],
      resources: [ORDERS],
      login_hint: 'ada',
      max_age: 60,
    });
    expect(
      (await answer(server, page, 'accept', { session_token: session.token, granted_scopes: ['admin'] })).status,
    ).toBe(400);
    expect((await answer(server, page, 'accept', { session_token: 'x'.repeat(48) })).body.error_type).toBe(
      'invalid_session',
    );
    const answers = await atOnce(4, () => answer(server, page, 'accept', { session_token: session.token }));
    const statuses = answers.map((each) => (each.status === 'fulfilled' ? each.value.status : 0));
    expect(statuses.map(String).toSorted()).toEqual(['200', '404', '404', '404']);
    expect((await service.call('GET', path, { key: server.app.secretKey })).body.error_type).toBe(
      'interaction_not_found',
    );
    const { grants } = await service.ok('GET', '/v1/oauth2/grants', {
      key: server.app.secretKey,
      query: { user_id: userId },
    });
    expect(grants).toHaveLength(1);
  });

  it('is refused by the login page', async () => {
    const browser = new Browser(server);
    const { url: page } = await browser.visit(requestOf(server, client.id).url);
    const { redirect_url } = (await answer(server, page, 'reject', { error: 'access_denied' })).body;
    const { url } = await browser.visit(redirect_url);
    expect([url.origin, url.searchParams.get('error'), url.searchParams.get('iss')]).toEqual([
      'https://shop.example',
      'access_denied',
      server.issuer,
    ]);
  });

  it('gives only the scopes to which the user consents, and a token of one resource', async () => {
    const { access_token, scope, id_token } = await tokens(
      { scope: 'openid email orders:read orders:write', resource: ORDERS },
      { granted_scopes: ['openid', 'orders:read'] },
    );
    expect([scope, decodeJwt(access_token).aud, decodeJwt(access_token)['scope']]).toEqual([
      'orders:read',
      ORDERS,
      'orders:read',
    ]);
    expect(decodeJwt(id_token)).not.toHaveProperty('email');
    expect((await userinfo(access_token)).status).toBe(403);
  });

  it('asks for the consent to a further resource, though no scope of it is asked for', async () => {
    const further = 'https://invoices.example';
    await server.resource(further, ['invoices:read']);
    await server.manage('PATCH', `/oauth_clients/${client.id}`, { resources: [ORDERS, further] });
    const { browser } = await login({ scope: 'openid orders:read', resource: ORDERS }, { remember: true });
    const again = { scope: 'openid', resource: ORDERS };
    expect(code((await browser.visit(requestOf(server, client.id, again).url)).url)).not.toBeNull();
    const params = { scope: 'openid', resource: further };
    expect((await browser.visit(requestOf(server, client.id, params).url)).url.hostname).toBe('acme.example');
    const { access_token } = (await redeem(await login(params, { remember: true }, { browser }))).body;
    expect(decodeJwt(access_token).aud).toBe(further);
  });

  it('asks for what fits: without a resource a scope of one counts no more than an unknown one', async () => {
    for (const [scope, shown] of [
      ['orders:read admin', ['openid']],
      ['email orders:read', ['email']],
    ] as const) {
      const { url: page } = await new Browser(server).visit(requestOf(server, client.id, { scope }).url);
      const path = `/v1/oauth2/interactions/${page.searchParams.get('interaction')}`;
      expect(await service.ok('GET', path, { key: server.app.secretKey })).toMatchObject({ scopes: shown });
    }
  });

  it('asks for openid where the client has no scope of the resource', async () => {
    const { id } = await server.client({ ...CODE, scopes: ['email'], resources: [ORDERS] });
    const request = requestOf(server, id, { scope: 'admin', resource: ORDERS });
    const { url: page } = await new Browser(server).visit(request.url);
    const path = `/v1/oauth2/interactions/${page.searchParams.get('interaction')}`;
    expect(await service.ok('GET', path, { key: server.app.secretKey })).toMatchObject({ scopes: ['openid'] });
  });

  it('asks for the scopes of the resource that is named, however many others the client has', async () => {
    const reports = 'https://reports.example';
    await server.resource(reports, ['reports:read']);
    const scopes = ['email', 'offline_access', 'orders:read', 'reports:read'];
    const { id } = await server.client({ ...CODE, scopes, resources: [ORDERS, reports] });
    const unrefreshed = { ...CODE, grant_types: ['authorization_code'], scopes, resources: [ORDERS, reports] };
    const once = await server.client(unrefreshed);
    const silent = await server.client({ ...CODE, scopes: ['email', 'orders:read'], resources: [ORDERS, reports] });
    for (const [asking, scope, shown] of [
      [id, '', ['reports:read']],
      [id, 'orders:read', ['reports:read']],
      [id, 'email orders:read', ['email']],
      [id, 'reports:read offline_access', ['offline_access', 'reports:read']],
      [id, 'orders:read offline_access', ['offline_access']],
      [id, 'offline_access', ['offline_access']],
      [once.id, 'orders:read offline_access', ['openid']],
      [silent.id, 'orders:read', ['openid']],
    ] as const) {
      const request = requestOf(server, asking, { scope, resource: reports });
      const { url: page } = await new Browser(server).visit(request.url);
      const path = `/v1/oauth2/interactions/${page.searchParams.get('interaction')}`;
      const asked = await service.ok('GET', path, { key: server.app.secretKey });
      expect(asked).toMatchObject({ scopes: shown, resources: [reports] });
    }
  });

  it('moves the browser by 303 alone, shows pages in no frame, and sends no referrer', async () => {
    const browser = new Browser(server);
    const { url: page } = await browser.visit(requestOf(server, client.id).url);
    const { redirect_url } = (await answer(server, page, 'accept', { session_token: session.token })).body;
    await browser.visit(redirect_url);
    await browser.visit(`${server.issuer}/logout`);
    await browser.visit(`${server.issuer}/auth?client_id=unknown`);
    expect(browser.responses.map(({ status }) => status)).toEqual([303, 303, 200, 400]);
    for (const { headers } of browser.responses) {
      expect(headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
      expect([headers.get('x-frame-options'), headers.get('referrer-policy')]).toEqual(['DENY', 'no-referrer']);
    }
  });

  it('takes a JWT of the session, whose user a program on the device asks each time', async () => {
    const redirect_uri = 'http://localhost:49152/cb';
    const redirect_uris = ['http://localhost/cb'];
    const { id } = await server.client({ ...CODE, type: 'public', redirect_uris, scopes: SCOPES });
    const { session_jwt } = await service.ok('POST', '/v1/auth/sessions/verify', {
      key: server.app.secretKey,
      body: { session_token: session.token },
    });
    const accepted = { session_token: '', session_jwt, remember: true };
    const { url, browser } = await login({ redirect_uri }, accepted, { id });
    expect(code(url)).not.toBeNull();
    const again = await browser.visit(requestOf(server, id, { redirect_uri }).url);
    expect(again.url.hostname).toBe('acme.example');
  });

  it('has no row before the client and its redirect URL are known, nor by a sign-out without a login', async () => {
    const rows = async () =>
      (await observer.rows('select from authorization_artifacts where app_id = $1', [server.app.id])).length;
    const browser = new Browser(server);
    for (const request of [
      requestOf(server, 'client_unknown'),
      requestOf(server, client.id, { redirect_uri: 'https://evil.example/' }),
      requestOf(server, client.id, { redirect_uri: `${CALLBACK}/` }),
    ]) {
      const { status, url } = await browser.visit(request.url);
      expect([status, url.pathname]).toEqual([400, `/oauth2/${server.app.id}/auth`]);
    }
    const { url } = await browser.visit(`${server.issuer}/logout`);
    expect([url.pathname.endsWith('/logout/success'), await rows()]).toEqual([true, 0]);
  });

  it.each([
    ['response_mode', { response_mode: 'fragment' }, 'invalid_request'],
    ['response_mode for pages', { response_mode: 'web_message' }, 'unsupported_response_mode'],
    ['challenge', { code_challenge: '', code_challenge_method: '' }, 'invalid_request'],
    ['method of the challenge', { code_challenge_method: 'plain' }, 'invalid_request'],
    ['response type', { response_type: 'token' }, 'invalid_request'],
    ['login', { prompt: 'none' }, 'login_required'],
    ['resource', { resource: 'https://unknown.example' }, 'invalid_target'],
    ['size', { state: 'x'.repeat(4_096) }, 'invalid_request'],
  ])('is refused without the right %s', async (_, params: Record<string, string>, error) => {
    const { url, text } = await new Browser(server).visit(requestOf(server, client.id, params).url);
    expect(url.searchParams.get('error') ?? new URLSearchParams(url.hash.slice(1)).get('error') ?? text).toContain(
      error,
    );
  });
});

describe("a thief's browser", () => {
  it('is not completed by a victim who was lured to the login page', async () => {
    const [thief, victim] = [new Browser(server), new Browser(server)];
    const { url: page } = await thief.visit(requestOf(server, client.id).url);
    // The victim signs in at the page to which the thief has sent them.
    const { redirect_url } = (await answer(server, page, 'accept', { session_token: session.token })).body;
    const returned = new URL(redirect_url);
    const guesses = ['', '?secret=', '?secret=wrong', `?secret=${'x'.repeat(48)}`, '?secret=a&secret=b'];
    for (const query of guesses) {
      const { status, url } = await thief.visit(`${returned.origin}${returned.pathname}${query}`);
      expect([query, status, code(url)]).toEqual([query, 400, null]);
    }
    const { status, url } = await victim.visit(redirect_url);
    expect([status, code(url)]).toEqual([400, null]);
    // Nothing of it has spent the answer: who has both the cookie and the secret goes on.
    expect(code((await thief.visit(redirect_url)).url)).not.toBeNull();
    expect(code((await thief.visit(redirect_url)).url)).toBeNull();
  });

  it.each(['accept', 'reject'] as const)(
    'is not completed with the secret of a request that they %s themselves',
    async (action) => {
      const [thief, other] = [new Browser(server), new Browser(server)];
      const { url: page } = await thief.visit(requestOf(server, client.id).url);
      const { redirect_url } = (await answer(server, page, 'accept', { session_token: session.token })).body;
      const { url: ownPage } = await other.visit(requestOf(server, client.id).url);
      const own = await newSession((await service.given.user(server.app)).user_id);
      const body = action === 'accept' ? { session_token: own.token } : { error: 'access_denied' };
      const { redirect_url: ownReturn } = (await answer(server, ownPage, action, body)).body;
      const [begun, ownPath] = [new URL(redirect_url).pathname, new URL(ownReturn).pathname];
      thief.misplace(begun, ownPath);
      const { status, url } = await thief.visit(ownReturn);
      expect([status, code(url)]).toEqual([400, null]);
      // Neither answer is spent.
      thief.misplace(ownPath, begun);
      expect(code((await thief.visit(redirect_url)).url)).not.toBeNull();
      expect((await other.visit(ownReturn)).url.hostname).toBe('shop.example');
    },
  );

  it('gets one code, however often it returns at a time', async () => {
    const browser = new Browser(server);
    const { url: page } = await browser.visit(requestOf(server, client.id).url);
    const { redirect_url } = (await answer(server, page, 'accept', { session_token: session.token })).body;
    const visits = await atOnce(20, () => browser.visit(redirect_url));
    expect(visits.filter((each) => each.status === 'fulfilled' && code(each.value.url) !== null)).toHaveLength(1);
  });

  it.each(['accept', 'reject'] as const)(
    'is not sent to an address that was removed before the page could %s',
    async (action) => {
      const browser = new Browser(server);
      const { url: page } = await browser.visit(requestOf(server, client.id).url);
      await server.manage('PATCH', `/oauth_clients/${client.id}`, { redirect_uris: ['https://shop.example/other'] });
      const body = action === 'accept' ? { session_token: session.token } : { error: 'access_denied' };
      const { url, status } = await browser.visit((await answer(server, page, action, body)).body.redirect_url);
      expect([url.href.startsWith(server.issuer), status]).toEqual([true, 400]);
    },
  );

  it('has cookies of its own for each app, and none for the whole host', async () => {
    const { browser } = await login({}, { remember: true });
    for (const path of browser.paths) expect(path.startsWith(`/oauth2/${server.app.id}`)).toBe(true);
  });

  it('keeps the login of a person only if the page says so, and until the session ends', async () => {
    const { browser } = await login();
    expect((await browser.visit(requestOf(server, client.id).url)).url.hostname).toBe('acme.example');
    await login({}, { remember: true }, { browser });
    expect(code((await browser.visit(requestOf(server, client.id).url)).url)).not.toBeNull();
    expect(code((await browser.visit(requestOf(server, client.id, { prompt: 'none' }).url)).url)).not.toBeNull();
    expect((await browser.visit(requestOf(server, client.id, { acr_values: 'aal2' }).url)).url.hostname).toBe(
      'acme.example',
    );
    await service.ok('DELETE', '/v1/auth/sessions/delete', {
      key: server.app.secretKey,
      body: { session_token: session.token },
    });
    await eventually(async () =>
      expect((await browser.visit(requestOf(server, client.id).url)).url.hostname).toBe('acme.example'),
    );
  });

  it('signs another person in, and ends nothing of the first', async () => {
    const first = await login({ scope: 'openid offline_access' }, { remember: true });
    const firstTokens = (await redeem(first)).body;
    const other = (await service.given.user(server.app)).user_id;
    // The sign-in must be newer than the request.
    const signedIn = async () => ({ session_token: (await newSession(other)).token, remember: true });
    const second = await login({ prompt: 'login' }, signedIn, first);
    expect(decodeJwt((await redeem(second)).body.id_token).sub).toBe(other);
    expect((await refresh(firstTokens.refresh_token)).status).toBe(200);
  });
});

describe('the sign-in that a request asks for', () => {
  const accept = async (params: Record<string, string>, token: () => Promise<string>) => {
    const { url: page } = await new Browser(server).visit(requestOf(server, client.id, params).url);
    return (await answer(server, page, 'accept', { session_token: await token() })).body;
  };
  const older = async () => {
    await observer.rows('select pg_sleep(1.1)');
    return session.token;
  };

  it.each<Record<string, string>>([{ prompt: 'login' }, { max_age: '0' }])('is a new one for %j', async (params) => {
    await older();
    expect(await accept(params, async () => session.token)).toMatchObject({ error_type: 'step_up_required' });
    expect(await accept(params, async () => (await newSession()).token)).toHaveProperty('redirect_url');
  });

  it('is a stronger one, for which two mailboxes do not suffice', async () => {
    const params = { acr_values: 'aal2' };
    const more = (factor = passcode()) =>
      signIn(service, server.app, { user_id: userId }, { token: session.token }, { factor });
    await more();
    expect(await accept(params, async () => session.token)).toMatchObject({ error_type: 'step_up_required' });
    const totp = { type: 'totp', deliveryChannel: 'totp_authenticator', method: { type: 'totp', totpId: 'totp_1' } };
    await more(totp);
    expect(await accept(params, async () => session.token)).toHaveProperty('redirect_url');
    const { id_token } = await tokens(params);
    expect(decodeJwt(id_token)).toMatchObject({ acr: 'aal2', amr: ['otp', 'mfa'] });
  });
});

describe('a pushed request', () => {
  const push = async (params: Record<string, string> = {}, who: typeof client | null = client) => {
    const { url, verifier } = requestOf(server, client.id, params);
    const answered = await server.post('/par', who, Object.fromEntries(new URL(url).searchParams));
    return { ...answered, verifier };
  };
  const begin = (request_uri: string, id = client.id, browser = new Browser(server)) => {
    const query = new URLSearchParams({ client_id: id, request_uri });
    return browser.visit(`${server.issuer}/auth?${query}`);
  };

  it('is authorized by its address, with the same rules as any other', async () => {
    const { status, body, verifier } = await push({
      scope: 'openid offline_access orders:read admin',
      resource: `${ORDERS}/`,
    });
    expect([status, body.expires_in]).toEqual([201, 60]);
    const browser = new Browser(server);
    const { url: page } = await begin(body.request_uri, client.id, browser);
    const path = `/v1/oauth2/interactions/${page.searchParams.get('interaction')}`;
    expect(await service.ok('GET', path, { key: server.app.secretKey })).toMatchObject({
      scopes: ['openid', 'offline_access', 'orders:read'],
      resources: [ORDERS],
    });
    const { redirect_url } = (await answer(server, page, 'accept', { session_token: session.token })).body;
    const { url } = await browser.visit(redirect_url);
    expect(url.searchParams.get('state')).toBe('the state');
    const given = { code: code(url)!, request: { url: '', verifier } };
    const redeemed = await redeem(given);
    expect([redeemed.status, decodeJwt(redeemed.body.access_token).aud]).toEqual([200, ORDERS]);
    expect((await refresh(redeemed.body.refresh_token)).status).toBe(200);
  });

  it('asks for offline_access alone where it names nothing else', async () => {
    const { body } = await push({ scope: 'offline_access', resource: ORDERS });
    const { url: page } = await begin(body.request_uri);
    const path = `/v1/oauth2/interactions/${page.searchParams.get('interaction')}`;
    const asked = await service.ok('GET', path, { key: server.app.secretKey });
    expect(asked).toMatchObject({ scopes: ['offline_access'], resources: [ORDERS] });
  });

  it('gives one code, and only to its client', async () => {
    const { body } = await push({}, client);
    const other = await server.client({ ...CODE, scopes: SCOPES });
    expect(errorIn((await begin(body.request_uri, other.id)).url)).toBe('invalid_request_object');
    const browsers = [new Browser(server), new Browser(server)];
    const returns: string[] = [];
    for (const browser of browsers) {
      const { url: page } = await begin(body.request_uri, client.id, browser);
      returns.push((await answer(server, page, 'accept', { session_token: session.token })).body.redirect_url);
    }
    // They come back after its 60 seconds.
    await observer.rows(
      `update authorization_artifacts set expires_at = now() + interval '1799 seconds' where app_id = $1 and kind = 'PushedAuthorizationRequest'`,
      [server.app.id],
    );
    const codes = await Promise.all(browsers.map(async (browser, i) => code((await browser.visit(returns[i]!)).url)));
    expect(codes.filter((each) => each !== null)).toHaveLength(1);
    expect(errorIn((await begin(body.request_uri)).url)).toBe('invalid_request_uri');
  });

  it('ends after its time, by the clock of the database', async () => {
    const { body } = await push();
    await observer.rows(
      `update authorization_artifacts set expires_at = now() + interval '1799 seconds' where app_id = $1 and kind = 'PushedAuthorizationRequest'`,
      [server.app.id],
    );
    expect(errorIn((await begin(body.request_uri)).url)).toBe('invalid_request_uri');
  });

  it('is refused without the client, and for what is refused elsewhere', async () => {
    expect((await push({}, null)).status).toBe(401);
    expect((await push({}, { ...client, secret: 'wrong' })).status).toBe(401);
    for (const [params, error] of [
      [{ redirect_uri: 'https://evil.example/' }, 'invalid_request'],
      [{ code_challenge: '', code_challenge_method: '' }, 'invalid_request'],
      [{ resource: 'https://unknown.example' }, 'invalid_target'],
      [{ state: 'x'.repeat(4_096) }, 'invalid_request'],
    ] as const) {
      const { status, body } = await push(params as Record<string, string>);
      expect([params, status, body.error]).toEqual([params, 400, error]);
    }
  });
});

describe('a code', () => {
  it('is redeemed once, by 1,000 redemptions at a time on two replicas', async () => {
    const given = await login();
    const answers = await atOnce(1_000, (index) => redeem(given, index % 2 === 0 ? server : server.at(replica)));
    const statuses = answers.map((each) => (each.status === 'fulfilled' ? each.value.status : 0));
    expect(statuses.filter((status) => status === 200)).toHaveLength(1);
    expect(new Set(statuses)).toEqual(new Set([200, 400]));
  });

  it('needs its client, its redirect URL and its verifier', async () => {
    const given = await login();
    const other = await server.client({ ...CODE, scopes: SCOPES });
    const form = { grant_type: 'authorization_code', code: given.code, redirect_uri: CALLBACK };
    for (const [who, further] of [
      [other, { code_verifier: given.request.verifier }],
      [client, {}],
      [client, { code_verifier: 'x'.repeat(43) }],
      [client, { code_verifier: given.request.verifier, redirect_uri: 'https://shop.example/' }],
    ] as const) {
      const { status, body } = await server.post('/token', who, { ...form, ...further });
      expect([status, body.error]).toEqual([400, 'invalid_grant']);
    }
    expect((await redeem(given)).status).toBe(200);
  });

  it('of a program that sends no challenge is redeemed without a verifier', async () => {
    const grafana = await server.client({ ...CODE, scopes: SCOPES, pkce: 'optional' });
    const params = { code_challenge: '', code_challenge_method: '' };
    const form = { grant_type: 'authorization_code', redirect_uri: CALLBACK };
    const first = await login(params, {}, { id: grafana.id });
    expect(
      (await server.post('/token', grafana, { ...form, code: first.code, code_verifier: 'x'.repeat(43) })).status,
    ).toBe(400);
    expect((await server.post('/token', grafana, { ...form, code: first.code })).status).toBe(200);
    const second = await login({}, {}, { id: grafana.id });
    expect((await server.post('/token', grafana, { ...form, code: second.code })).status).toBe(400);
  });

  it('of a public client comes back to any port of a loopback address, whose origin may call', async () => {
    const uri = 'http://127.0.0.1/cb';
    const cli = await server.client({
      ...CODE,
      type: 'public',
      scopes: SCOPES,
      redirect_uris: [uri, 'https://app.example/cb'],
    });
    expect(cli.secret).toBe('');
    const redirect_uri = 'http://127.0.0.1:49152/cb';
    const { code: given, request } = await login({ redirect_uri }, {}, { id: cli.id });
    const form = {
      grant_type: 'authorization_code',
      code: given,
      redirect_uri,
      code_verifier: request.verifier,
      client_id: cli.id,
    };
    expect((await server.post('/token', null, form, { origin: 'https://evil.example' })).status).toBe(400);
    const { status, headers } = await server.post('/token', null, form, { origin: 'https://app.example' });
    expect([status, headers.get('access-control-allow-origin')]).toEqual([200, 'https://app.example']);
  });
});

describe('a fault while tokens are stored', () => {
  const failing = async (work: () => Promise<void>) => {
    await observer.rows(`
      create function fail_artifact() returns trigger language plpgsql as $$ begin raise exception 'no room' using errcode = '53100'; end $$;
      create trigger fail_artifact before insert on authorization_artifacts for each row when (new.kind = 'RefreshToken')
        execute function fail_artifact()`);
    try {
      await work();
    } finally {
      await observer.rows('drop function fail_artifact cascade');
    }
  };

  it('uses up neither the code nor the refresh token', async () => {
    const given = await login({ scope: 'openid offline_access' });
    await failing(async () => expect((await redeem(given)).status).toBeGreaterThanOrEqual(500));
    const { status, body } = await redeem(given);
    expect(status).toBe(200);
    await failing(async () => expect((await refresh(body.refresh_token)).status).toBeGreaterThanOrEqual(500));
    const rows = `select from authorization_artifacts where app_id = $1 and kind = 'RefreshToken' and consumed_at is not null`;
    expect(await observer.rows(rows, [server.app.id])).toEqual([]);
    expect((await refresh(body.refresh_token)).status).toBe(200);
  });
});

describe('requests that wait for a sign-in', () => {
  it('are bounded in number: the oldest one makes room, so that a stranger cannot end the sign-in of all', async () => {
    await observer.rows(
      `insert into authorization_artifacts (app_id, kind, id_hash, payload, expires_at)
       select $1, 'Interaction', decode(md5(i::text), 'hex'), '', now() + make_interval(secs => case i when 1 then 30 else 60 end) from generate_series(1, 10000) as i`,
      [server.app.id],
    );
    expect((await new Browser(server).visit(requestOf(server, client.id).url)).url.hostname).toBe('acme.example');
    const rows = await observer.rows<{ count: number; hasOldest: boolean }>(
      `select count(*)::int, bool_or(id_hash = decode(md5('1'), 'hex')) as "hasOldest" from authorization_artifacts
        where app_id = $1 and kind = 'Interaction'`,
      [server.app.id],
    );
    expect(rows[0]!.hasOldest).toBe(false);
    expect(rows[0]!.count).toBeLessThanOrEqual(10_000);
    expect(await service.metrics()).toMatch(/^authorization_sign_ins_ended_early_total [1-9]/m);
    await observer.rows('delete from authorization_artifacts where app_id = $1', [server.app.id]);
  });

  it('are those that the page has not answered', async () => {
    await observer.rows(
      `insert into authorization_artifacts (app_id, kind, id_hash, payload, consumed_at, expires_at)
       select $1, 'Interaction', decode(md5(i::text), 'hex'), '', case when i > 1 then now() end, now() + interval '20 minutes'
         from generate_series(1, 10000) as i`,
      [server.app.id],
    );
    expect((await new Browser(server).visit(requestOf(server, client.id).url)).url.hostname).toBe('acme.example');
    const sql = `select from authorization_artifacts where app_id = $1 and id_hash = decode(md5('1'), 'hex')`;
    expect(await observer.rows(sql, [server.app.id])).toHaveLength(1);
    await observer.rows('delete from authorization_artifacts where app_id = $1', [server.app.id]);
  });
});

describe('a refresh token', () => {
  it('rotates, gives new tokens for 30 seconds more, and ends its grant after that', async () => {
    const { refresh_token: first } = await tokens();
    const { refresh_token: second } = (await refresh(first)).body;
    const { refresh_token: third, status } = { ...(await refresh(first)).body, status: 200 };
    expect([status, new Set([first, second, third]).size]).toEqual([200, 3]);
    const past = `update authorization_artifacts set consumed_at = now() - interval '31 seconds' where app_id = $1 and consumed_at is not null and kind = 'RefreshToken'`;
    await observer.rows(past, [server.app.id]);
    expect((await refresh(first)).body.error).toBe('invalid_grant');
    expect((await refresh(second)).body.error).toBe('invalid_grant');
    expect(await observer.rows('select from authorization_grants where app_id = $1', [server.app.id])).toEqual([]);
  });

  it('ends with its session, and with offline_access only with the grant', async () => {
    const [bound, offline] = [await tokens(), await tokens({ scope: 'openid offline_access' })];
    await service.ok('DELETE', '/v1/auth/sessions/delete', {
      key: server.app.secretKey,
      body: { session_token: session.token },
    });
    await eventually(async () => expect((await userinfo(bound.access_token, server.at(replica))).status).toBe(401));
    expect((await refresh(bound.refresh_token)).body.error).toBe('invalid_grant');
    const { body } = await refresh(offline.refresh_token);
    expect((await userinfo(body.access_token)).status).toBe(200);
    const path = `/management/v1/apps/${server.app.id}/users/${userId}/sessions`;
    await service.ok('DELETE', path, { key: service.managementKey });
    expect((await refresh(body.refresh_token)).body.error).toBe('invalid_grant');
    expect(await observer.events(server.app.id)).toContain('grant.revoked');
  });

  it('stays when an access token is revoked, and ends its grant when it is revoked itself', async () => {
    const { access_token, refresh_token } = await tokens();
    expect((await server.post('/revoke', client, { token: access_token })).status).toBe(200);
    expect((await userinfo(access_token)).status).toBe(401);
    const { body } = await refresh(refresh_token);
    expect((await server.post('/revoke', client, { token: body.refresh_token })).status).toBe(200);
    expect([(await userinfo(body.access_token)).status, (await refresh(body.refresh_token)).status]).toEqual([
      401, 400,
    ]);
    expect(await observer.events(server.app.id)).toContain('grant.revoked');
  });

  it('is refused, and not spent, once its grant has given too many in 10 minutes', async () => {
    const [{ refresh_token }, other] = [await tokens(), await tokens()];
    const grants = `select id from authorization_grants where app_id = $1 order by id limit 1`;
    const [{ id }] = (await observer.rows<{ id: string }>(grants, [server.app.id])) as [{ id: string }];
    const { refreshes } = service.nest.get(Providers) as unknown as { refreshes: TokenBuckets };
    refreshes.charge(id, MOST_REFRESHES, MOST_REFRESHES + 60);
    const { status, headers } = await refresh(refresh_token);
    expect([status, headers.get('retry-after')]).toEqual([429, expect.stringMatching(/^[1-6]\d$/)]);
    expect((await refresh(other.refresh_token)).status).toBe(200);
    const consumed =
      'select from authorization_artifacts where app_id = $1 and grant_id = $2 and consumed_at is not null';
    const rows = await observer.rows(`${consumed} and kind = 'RefreshToken'`, [server.app.id, id]);
    refreshes.charge(id, MOST_REFRESHES, -MOST_REFRESHES);
    expect([rows, (await refresh(refresh_token)).status]).toEqual([[], 200]);
  });

  it('lives by no session that SQL has prolonged', async () => {
    const { refresh_token } = await tokens();
    const prolonged = `update sessions set expires_at = now() + interval '1 year' where app_id = $1 and id = $2`;
    await observer.rows(prolonged, [server.app.id, session.id]);
    expect((await refresh(refresh_token)).status).toBe(500);
  });

  it('loses the scopes that its client loses', async () => {
    const { refresh_token } = await tokens({ scope: 'openid email' });
    await server.manage('PATCH', `/oauth_clients/${client.id}`, { scopes: ['openid'] });
    const { body } = await refresh(refresh_token);
    expect([body.scope, decodeJwt(body.id_token)['email']]).toEqual(['openid', undefined]);
  });
});

describe('the tokens of a user', () => {
  const users = (path: string) =>
    service.ok('POST', `/management/v1/apps/${server.app.id}/users/${userId}${path}`, { key: service.managementKey });

  it.each([
    [
      'a revoked grant',
      async () => {
        const { grants } = await service.ok('GET', '/v1/oauth2/grants', {
          key: server.app.secretKey,
          query: { user_id: userId },
        });
        for (const { id } of grants)
          await service.ok('DELETE', `/v1/oauth2/grants/${id}`, { key: server.app.secretKey });
      },
    ],
    [
      'a deactivated user',
      async () => {
        await users('/deactivate');
        await users('/reactivate');
      },
    ],
    ['a deleted client', async () => void (await server.manage('DELETE', `/oauth_clients/${client.id}`))],
  ])('end with %s, on the other replica too', async (_, end) => {
    const watcher = await server.client({ ...CODE, scopes: SCOPES, resources: [ORDERS] });
    const jwt = (await tokens({ scope: 'openid orders:read', resource: ORDERS })).access_token;
    const opaque = (await tokens({ scope: 'openid offline_access' })).access_token;
    const elsewhere = server.at(replica);
    expect([await elsewhere.isActive(watcher, jwt), (await userinfo(opaque, elsewhere)).status]).toEqual([true, 200]);
    await end();
    expect([await elsewhere.isActive(watcher, jwt), (await userinfo(opaque, elsewhere)).status]).toEqual([false, 401]);
  });

  it('are not made by a session that ended while the page accepted', async () => {
    const { url: page } = await new Browser(server).visit(
      requestOf(server, client.id, { scope: 'openid offline_access' }).url,
    );
    await observer.rows('begin');
    await observer.rows('select from users where app_id = $1 and id = $2 for update', [server.app.id, userId]);
    await observer.rows('update sessions set revoked_at = now(), mac = null where app_id = $1 and id = $2', [
      server.app.id,
      session.id,
    ]);
    let isOver = false;
    const accepted = answer(server, page, 'accept', { session_token: session.token }).finally(() => (isOver = true));
    await observer.untilWaiting('users', () => (isOver ? 0 : 1), 2);
    await observer.rows('commit');
    expect((await accepted).body.error_type).toBe('invalid_session');
    expect(await observer.rows('select from authorization_grants where app_id = $1', [server.app.id])).toEqual([]);
  });

  it('count at userinfo for their client', async () => {
    const { access_token } = await tokens();
    const { headers } = await fetch(`${server.issuer}/userinfo`, {
      headers: { authorization: `Bearer ${access_token}` },
    });
    expect(headers.get('ratelimit-policy')).toBe('"client";q=5000;w=1');
  });

  it('live by the clock of the database', async () => {
    const given = await login();
    const later = Date.now() + 120_000;
    const clocks = [
      jest.spyOn(Date, 'now').mockImplementation(() => later),
      jest.spyOn(service.nest.get(Clock), 'now').mockImplementation(() => new Date(later)),
    ];
    const { status } = await redeem(given).finally(() => clocks.forEach((clock) => clock.mockRestore()));
    expect(status).toBe(200);
  });

  it('stay valid when the signing keys are rotated', async () => {
    const { id_token } = await tokens();
    const watcher = await server.client({ ...CODE, scopes: SCOPES, resources: [ORDERS] });
    const jwt = (await tokens({ scope: 'orders:read', resource: ORDERS })).access_token;
    await observer.rows(`update signing_keys set created_at = now() - interval '1 day' where app_id = $1`, [
      server.app.id,
    ]);
    expect(await service.nest.get(SessionFacade).rotateSigningKeys(server.app.id as AppId)).toBe(true);
    const later = (await tokens({ scope: 'orders:read', resource: ORDERS })).access_token;
    expect(decodeProtectedHeader(later).kid).not.toBe(decodeProtectedHeader(jwt).kid);
    const keys = createRemoteJWKSet(new URL(`${server.issuer}/jwks`));
    for (const token of [id_token, jwt, later]) await jwtVerify(token, keys, { issuer: server.issuer });
    for (const at of [server, server.at(replica)])
      for (const token of [jwt, later]) expect(await at.isActive(watcher, token)).toBe(true);
  });

  it('show userinfo what their scopes permit', async () => {
    const { access_token } = await tokens({ scope: 'openid' });
    expect((await userinfo(access_token)).body).toEqual({ sub: userId });
    await server.resource('https://profile.example', ['openid', 'email']);
    await server.manage('PATCH', `/oauth_clients/${client.id}`, { resources: [ORDERS, 'https://profile.example'] });
    const { access_token: jwt } = await tokens({ scope: 'openid email profile', resource: 'https://profile.example' });
    expect((await userinfo(jwt)).body).toEqual({ sub: userId, email, email_verified: false });
  });
});

describe('a sign-out', () => {
  it('with the id_token ends its session without a page', async () => {
    const { id_token, refresh_token } = await tokens();
    await server.manage('PATCH', `/oauth_clients/${client.id}`, {
      post_logout_redirect_uris: ['https://shop.example/bye'],
    });
    const url = new URL(`${server.issuer}/logout`);
    for (const [name, value] of Object.entries({
      id_token_hint: id_token,
      post_logout_redirect_uri: 'https://shop.example/bye',
      state: 's',
    }))
      url.searchParams.set(name, value as string);
    expect((await new Browser(server).visit(url.href)).url.href).toBe('https://shop.example/bye?state=s');
    expect((await refresh(refresh_token)).status).toBe(400);
    const verified = await service.call('POST', '/v1/auth/sessions/verify', {
      key: server.app.secretKey,
      body: { session_token: session.token },
    });
    expect(verified.body.error_type).toBe('invalid_session');
  });

  it('without it asks in the browser, and is refused with a forged one or for an address that is not registered', async () => {
    const { browser } = await login({}, { remember: true });
    const elsewhere = new URLSearchParams({ client_id: client.id, post_logout_redirect_uri: 'https://evil.example/' });
    expect((await browser.visit(`${server.issuer}/logout?${elsewhere}`)).status).toBe(400);
    const { text } = await browser.visit(`${server.issuer}/logout`);
    const xsrf = /name="xsrf" value="([^"]+)"/.exec(text)![1]!;
    expect((await new Browser(server).visit(`${server.issuer}/logout?id_token_hint=a.b.c`)).status).toBe(400);
    expect((await new Browser(server).visit(`${server.issuer}/logout/confirm`, { xsrf, logout: 'yes' })).status).toBe(
      400,
    );
    const { url } = await browser.visit(`${server.issuer}/logout/confirm`, { xsrf, logout: 'yes' });
    expect(url.pathname.endsWith('/logout/success')).toBe(true);
    const verified = await service.call('POST', '/v1/auth/sessions/verify', {
      key: server.app.secretKey,
      body: { session_token: session.token },
    });
    expect(verified.body.error_type).toBe('invalid_session');
  });
});

describe('a sign-out with an older id_token', () => {
  it('whose key is published no more asks in the browser, and ends nothing without it', async () => {
    const bye = 'https://shop.example/bye';
    await server.manage('PATCH', `/oauth_clients/${client.id}`, { post_logout_redirect_uris: [bye] });
    const given = await login({}, { remember: true });
    const { id_token, refresh_token } = (await redeem(given)).body;
    const { privateKey } = await generateKeyPair('RS256');
    const header = { ...decodeProtectedHeader(id_token), alg: 'RS256', kid: newId('signingKey') };
    const id_token_hint = await new SignJWT(decodeJwt(id_token)).setProtectedHeader(header).sign(privateKey);
    const query = new URLSearchParams({ id_token_hint, post_logout_redirect_uri: bye, state: 's' });
    const logout = (browser: Browser) => browser.visit(`${server.issuer}/logout?${query}`);
    expect((await logout(new Browser(server))).url.href).toBe(`${bye}?state=s`);
    const { text, status } = await logout(given.browser);
    const refreshed = await refresh(refresh_token);
    expect([status, refreshed.status]).toEqual([200, 200]);
    const xsrf = /name="xsrf" value="([^"]+)"/.exec(text)![1]!;
    const { url } = await given.browser.visit(`${server.issuer}/logout/confirm`, { xsrf, logout: 'yes' });
    expect(url.href).toBe(`${bye}?state=s`);
    expect((await refresh(refreshed.body.refresh_token)).status).toBe(400);
  });
});

describe('the grants of a user', () => {
  const listed = async () =>
    (await service.ok('GET', '/v1/oauth2/grants', { key: server.app.secretKey, query: { user_id: userId } })).grants;

  it('are listed as long as their session lives, also one that was extended', async () => {
    await tokens();
    const body = { session_token: session.token, session_expires_in: 600 };
    const extended = await service.ok('POST', '/v1/auth/sessions/verify', { key: server.app.secretKey, body });
    await observer.rows(
      `update authorization_grants set session_ends_at = now() - interval '1 hour' where app_id = $1`,
      [server.app.id],
    );
    await signRows(service, 'authorization_grants');
    expect(await listed()).toMatchObject([{ expires_at: extended.session.expires_at }]);
    await service.ok('DELETE', '/v1/auth/sessions/delete', { key: server.app.secretKey, body });
    await eventually(async () => expect(await listed()).toEqual([]));
  });

  it('end with their session once the client has lost offline_access', async () => {
    const { refresh_token } = await tokens({ scope: 'openid offline_access' });
    const other = await tokens({ scope: 'openid offline_access' }, { session_token: (await newSession()).token });
    const body = { session_token: session.token };
    await service.ok('DELETE', '/v1/auth/sessions/delete', { key: server.app.secretKey, body });
    const second = (await refresh(refresh_token)).body.refresh_token;
    await server.manage('PATCH', `/oauth_clients/${client.id}`, { scopes: ['openid'] });
    expect([(await refresh(second)).status, (await refresh(other.refresh_token)).status]).toEqual([400, 200]);
    expect(await listed()).toHaveLength(1);
  });

  it('are not left behind by an accept while the server is switched off', async () => {
    const { url: page } = await new Browser(server).visit(requestOf(server, client.id).url);
    await observer.rows('begin');
    const interactions = `select from authorization_artifacts where app_id = $1 and kind = 'Interaction' for update`;
    await observer.rows(interactions, [server.app.id]);
    const accepted = answer(server, page, 'accept', { session_token: session.token });
    await observer.untilWaiting('authorization_artifacts', () => 1);
    const off = server.manage('PATCH', '', { authorization_server: null });
    await observer.untilWaiting('authorization_artifacts', () => 2);
    await observer.rows('commit');
    await Promise.all([accepted, off]);
    expect(await observer.rows('select from authorization_grants where app_id = $1', [server.app.id])).toEqual([]);
  });
});

describe('form_post', () => {
  it('sends the code by a page whose script the policy permits', async () => {
    const browser = new Browser(server);
    const { url: page } = await browser.visit(requestOf(server, client.id, { response_mode: 'form_post' }).url);
    const { redirect_url } = (await answer(server, page, 'accept', { session_token: session.token })).body;
    const { text, status } = await browser.visit(redirect_url);
    expect([status, text.includes(`action="${CALLBACK}"`), text.includes('name="code"')]).toEqual([200, true, true]);
  });
});

describe('what is stored', () => {
  it('of a login is kept for a month, and for a year if the browser keeps it', async () => {
    const days = `select round(extract(epoch from expires_at - now()) / 86400)::int as days from authorization_artifacts where app_id = $1 and kind = 'Session'`;
    await login();
    expect(await observer.rows(days, [server.app.id])).toEqual([{ days: 30 }]);
    await login({}, { remember: true });
    const rows = await observer.rows<{ days: number }>(`${days} order by 1`, [server.app.id]);
    expect(rows).toEqual([{ days: 30 }, { days: 365 }]);
  });

  it('is sealed to its row, and remembered of no user who is deleted', async () => {
    const { refresh_token } = await tokens({ scope: 'openid offline_access' });
    const database = service.nest.get(Database);
    await database.write(
      `update authorization_artifacts set grant_id = 'grant_00000000000000000000000000' where app_id = $1 and kind = 'RefreshToken'`,
      [server.app.id],
    );
    expect((await refresh(refresh_token)).status).toBe(500);
    await service.ok('DELETE', `/v1/auth/users/${userId}/delete`, { key: server.app.secretKey });
    expect(await observer.rows('select from authorization_grants where app_id = $1', [server.app.id])).toEqual([]);
  });
});
