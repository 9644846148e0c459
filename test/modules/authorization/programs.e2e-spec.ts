import { decodeJwt } from 'jose';
import { freePort } from '../../../src/dev/free-port.js';
import { startApp, type TestApp } from '../../support/app.js';
import { signIn } from '../../support/sign-in.js';
import { answer, Browser, CALLBACK, CODE, consented, type Request, requestOf, Server } from './servers.js';

const TOOLS = 'https://tools.example/mcp';

let service: TestApp;
let server: Server;
let session: string;
let email: string;

beforeAll(async () => {
  const port = `${await freePort()}`;
  service = await startApp({ env: { ROLE: 'api', PORT: port, BASE_URL: `http://127.0.0.1:${port}` } });
});
afterAll(async () => {
  await service?.stop();
});
beforeEach(async () => {
  server = await Server.of(service);
  const user = await service.given.user(server.app, { first_name: 'Ada' });
  email = user.emails[0]!.email;
  session = (await signIn(service, server.app, { user_id: user.user_id })).session_token!;
});

const metadata = async (address = `${server.issuer}/.well-known/openid-configuration`) =>
  (await (await fetch(address)).json()) as Record<string, string[] & string>;

const userinfo = async (token: string) =>
  (await fetch(`${server.issuer}/userinfo`, { headers: { authorization: `Bearer ${token}` } })).json();

/** The browser from the request to the program. A form that a page posts is returned as the page. */
async function back({ url }: Pick<Request, 'url'>) {
  const browser = new Browser(server);
  const { url: page } = await browser.visit(url);
  const { redirect_url } = (await answer(server, page, 'accept', { session_token: session })).body;
  return browser.visit(redirect_url);
}

describe('a program as it is', () => {
  it('sends no challenge, and reads the email at userinfo or in the id_token', async () => {
    const client = await server.client({ ...CODE, pkce: 'optional', scopes: ['openid', 'email', 'profile'] });
    const scope = 'openid email profile';
    const request = requestOf(server, client.id, { scope, code_challenge: '', code_challenge_method: '' });
    const code = (await back(request)).url.searchParams.get('code')!;
    const form = { grant_type: 'authorization_code', code, redirect_uri: CALLBACK };
    // The secret is in the body, as many programs send it.
    const credentials = { client_id: client.id, client_secret: client.secret };
    const { status, body } = await server.post('/token', null, { ...form, ...credentials });
    expect(status).toBe(200);
    expect(decodeJwt(body.id_token)).toMatchObject({ email, email_verified: false, name: 'Ada' });
    expect(await userinfo(body.access_token)).toMatchObject({ email, email_verified: false, name: 'Ada' });
  });

  it('reads the claims at userinfo alone if it wants a small id_token', async () => {
    const client = await server.client({ ...CODE, claims_in_id_token: false, scopes: ['openid', 'email'] });
    const { id_token, access_token } = await consented(server, client, session, { scope: 'openid email' });
    expect(decodeJwt(id_token)['email']).toBeUndefined();
    expect(await userinfo(access_token)).toMatchObject({ email });
  });

  it('takes the code by form_post', async () => {
    const client = await server.client({ ...CODE, scopes: ['openid'] });
    const request = requestOf(server, client.id, { scope: 'openid', response_mode: 'form_post' });
    const { text } = await back(request);
    const [, code] = /name="code" value="([^"]+)"/.exec(text)!;
    const form = { grant_type: 'authorization_code', code: code!, redirect_uri: CALLBACK };
    const { status } = await server.post('/token', client, { ...form, code_verifier: request.verifier });
    expect([status, /<form method="post" action="([^"]+)"/.exec(text)![1]]).toEqual([200, CALLBACK]);
  });

  it('sends its request by a form, in development too, where browsers take no cookie for other sites', async () => {
    const client = await server.client({ ...CODE, scopes: ['openid'] });
    const request = new URL(requestOf(server, client.id, { scope: 'openid' }).url);
    const browser = new Browser(server);
    const form = Object.fromEntries(request.searchParams);
    const { url: page } = await browser.visit(`${server.issuer}/auth`, form);
    const accepted = await answer(server, page, 'accept', { session_token: session, remember: true });
    await browser.visit(accepted.body.redirect_url);
    // The browser is signed in now.
    const { url } = await browser.visit(`${server.issuer}/auth`, form);
    expect(url.searchParams.get('code')).toBeTruthy();
    const cookies = browser.responses.flatMap(({ headers }) => headers.getSetCookie());
    expect(cookies.join('\n')).toMatch(/^_session=.*samesite=lax/m);
    expect(cookies.join('\n')).not.toContain('samesite=none');
  });

  it('asks for exactly the scopes that are advertised, and keeps its login', async () => {
    await server.resource(TOOLS, ['tools:call']);
    const { scopes_supported: scopes } = await metadata();
    const client = await server.client({ ...CODE, type: 'public', scopes, resources: [TOOLS] });
    const params = { scope: scopes!.join(' '), resource: TOOLS };
    const request = requestOf(server, client.id, params);
    const code = (await back(request)).url.searchParams.get('code')!;
    const form = { client_id: client.id, redirect_uri: CALLBACK, code_verifier: request.verifier, code };
    const { body } = await server.post('/token', null, { ...form, grant_type: 'authorization_code' });
    const refreshed = await server.post('/token', null, {
      grant_type: 'refresh_token',
      client_id: client.id,
      refresh_token: body.refresh_token,
    });
    expect([body.scope, refreshed.status]).toEqual(['tools:call', 200]);
    expect(scopes).toContain('offline_access');
  });

  it.each(['https://tools.example/mcp', 'https://tools.example/mcp/', 'HTTPS://TOOLS.example:443/mcp', ''])(
    'names its resource as %j',
    async (resource) => {
      await server.resource(TOOLS, ['tools:call']);
      const client = await server.client({
        ...CODE,
        scopes: ['openid', 'tools:call'],
        resources: [TOOLS],
        default_resource: TOOLS,
      });
      const first = await consented(server, client, session, { scope: 'tools:call', resource });
      const form = { grant_type: 'refresh_token', refresh_token: first.refresh_token, ...(resource && { resource }) };
      const { body } = await server.post('/token', client, form);
      expect([first, body].map(({ access_token }) => decodeJwt(access_token).aud)).toEqual([TOOLS, TOOLS]);
    },
  );

  it('reads the metadata in a page, with a header of its own', async () => {
    const address = `${service.url}/.well-known/oauth-authorization-server/oauth2/${server.app.id}`;
    const origin = 'https://inspector.example';
    const asked = { 'access-control-request-method': 'GET', 'access-control-request-headers': 'mcp-protocol-version' };
    const { status, headers } = await fetch(address, { method: 'OPTIONS', headers: { origin, ...asked } });
    const allowed = ['access-control-allow-origin', 'access-control-allow-headers'].map((name) => headers.get(name));
    expect([status, allowed]).toEqual([204, [origin, 'mcp-protocol-version']]);
  });

  it('compares the issuer as text, and reads no member that is null', async () => {
    const documents = await Promise.all([
      metadata(),
      metadata(`${service.url}/.well-known/oauth-authorization-server/oauth2/${server.app.id}`),
    ]);
    const client = await server.client({ ...CODE, scopes: ['openid'] });
    const { id_token } = await consented(server, client, session, { scope: 'openid' });
    const { url } = await back(requestOf(server, client.id, { scope: 'openid' }));
    const issuers = [...documents.map(({ issuer }) => issuer), decodeJwt(id_token).iss, url.searchParams.get('iss')];
    expect(new Set(issuers)).toEqual(new Set([server.issuer]));
    expect(documents.flatMap((document) => Object.values(document))).not.toContain(null);
    expect((await fetch(`${server.issuer}//.well-known/openid-configuration`)).status).toBe(404);
  });
});
