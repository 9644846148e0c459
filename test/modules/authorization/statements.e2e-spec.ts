import { freePort } from '../../../src/dev/free-port.js';
import type { AppId } from '../../../src/kernel/ids.js';
import { OauthResource, OauthResourceRepository } from '../../../src/modules/authorization/domain/oauth-resource.js';
import { startApp, type TestApp } from '../../support/app.js';
import { eventually } from '../../support/eventually.js';
import { Observer } from '../../support/observer.js';
import { signRows } from '../../support/row-macs.js';
import { textsOf } from '../../support/statements.js';
import { answer, Browser, CALLBACK, CODE, type Request, requestOf, Server, sessionOf } from './servers.js';

// What the adapter of the library is asked for. Times are read and stored by the clock of the database.
const CLIENT = /^select .* from authorization_clients c where/s;
const ARTIFACT = /^select id_hash .* from authorization_artifacts where/s;
const GRANT = /^select .* from authorization_grants g join authorization_clients .* left join live_session_macs/s;
const STORED = /^insert into authorization_artifacts .* do update/s;
const BEGUN = /^with forgotten as \(.*insert into authorization_artifacts/s;
const USED_UP = /^update authorization_artifacts set consumed_at/;
const DESTROYED = /^delete from authorization_artifacts where .* returning kind$/;
// `findAccount` reads what id_token and userinfo say of the user.
const ACCOUNT = /^select .* from users u/s;
// What is beyond: at most one for each request.
const SESSION = /^select .* from sessions where/s;
const OF_TOKEN =
  /^select .* from authorization_clients c\s+left join \(authorization_grants .* authorization_revoked_tokens/s;
const TOGETHER = [/^begin/, /^commit$/];

const ORDERS = 'https://orders.example';
const SCOPES = ['openid', 'email', 'offline_access', 'orders:read'];
const LOGINS = [
  ['of a session', { scope: 'openid email' }],
  ['of a grant with offline_access', { scope: 'openid email offline_access' }],
  ['for a resource', { scope: 'openid orders:read', resource: ORDERS }],
] as const;

let service: TestApp;
let observer: Observer;
let server: Server;
let client: { readonly id: string; readonly secret: string };
let session_token: string;

beforeAll(async () => {
  const port = await freePort();
  service = await startApp({ env: { ROLE: 'api', BASE_URL: `http://127.0.0.1:${port}`, PORT: `${port}` } });
  observer = await Observer.of(service);
  server = await Server.of(service);
  await server.resource(ORDERS);
  const grant_types = [...CODE.grant_types, 'client_credentials'];
  client = await server.client({ ...CODE, grant_types, scopes: SCOPES, resources: [ORDERS] });
  session_token = await sessionOf(service, server.app);
});
afterAll(async () => {
  await observer?.close();
  await service?.stop();
});

const expectStatements = (sent: readonly string[], expected: readonly RegExp[]): void =>
  expect(sent).toEqual(expected.map((text) => expect.stringMatching(text)));

async function tokenBy(form: Readonly<Record<string, string>>) {
  const { status, body } = await server.post('/token', client, form);
  if (status !== 200) throw new Error(JSON.stringify(body));
  return body;
}

/** A login with `remember`, and what each of its requests sends. */
async function login(browser: Browser, params: Readonly<Record<string, string>>) {
  const request: Request = requestOf(server, client.id, params);
  let page!: URL;
  const auth = await textsOf(async () => ({ url: page } = await browser.visit(request.url)));
  const { body } = await answer(server, page, 'accept', { session_token, remember: true });
  let landed!: URL;
  const resume = await textsOf(async () => ({ url: landed } = await browser.visit(body.redirect_url)));
  const form = { grant_type: 'authorization_code', redirect_uri: CALLBACK, code_verifier: request.verifier };
  const code = landed.searchParams.get('code')!;
  let tokens!: { refresh_token: string; access_token: string };
  const redeem = await textsOf(async () => (tokens = await tokenBy({ ...form, code })));
  return { sent: { auth, resume, redeem }, tokens };
}

describe.each(LOGINS)('a login %s', (_, params) => {
  const isOfResource = 'resource' in params;
  /** The tokens for userinfo have a row. */
  const ofTokens = isOfResource ? [STORED] : [STORED, STORED];

  it('sends nothing beyond what the library asks for', async () => {
    await login(new Browser(server), params);
    const { sent } = await login(new Browser(server), params);
    expectStatements(sent.auth, [CLIENT, BEGUN]);
    expectStatements(sent.resume, [ARTIFACT, DESTROYED, CLIENT, ACCOUNT, GRANT, STORED, STORED]);
    expectStatements(sent.redeem, [CLIENT, ARTIFACT, GRANT, ACCOUNT, TOGETHER[0]!, USED_UP, ...ofTokens, TOGETHER[1]!]);
  });

  it('sends one more where the browser was signed in before: whether its session lives', async () => {
    const browser = new Browser(server);
    await login(browser, params);
    const again = requestOf(server, client.id, params);
    const sent = await textsOf(async () => {
      const { url } = await browser.visit(again.url);
      expect(url.searchParams.has('code')).toBe(true);
    });
    expectStatements(sent, [ARTIFACT, SESSION, CLIENT, ACCOUNT, GRANT, STORED, STORED]);
    const { sent: forced } = await login(browser, { ...params, prompt: 'consent' });
    expectStatements(forced.auth, [ARTIFACT, SESSION, CLIENT, ACCOUNT, GRANT, BEGUN, STORED]);
    const further = [ARTIFACT, ARTIFACT, SESSION, DESTROYED, CLIENT, ACCOUNT, GRANT, STORED, DESTROYED, STORED];
    expectStatements(forced.resume, further);
  });

  it('is refreshed by what the library asks for, and once a minute stores that it is in use', async () => {
    let { tokens } = await login(new Browser(server), params);
    const refresh = () =>
      textsOf(
        async () => (tokens = await tokenBy({ grant_type: 'refresh_token', refresh_token: tokens.refresh_token })),
      );
    const expected = [CLIENT, ARTIFACT, GRANT, ACCOUNT, TOGETHER[0]!, USED_UP];
    expectStatements(await refresh(), [...expected, ...ofTokens, TOGETHER[1]!]);
    await observer.rows(`update authorization_grants set used_at = now() - interval '2 minutes' where app_id = $1`, [
      server.app.id,
    ]);
    await signRows(service, 'authorization_grants');
    const use = /^update authorization_grants set used_at/;
    expectStatements(await refresh(), [...expected, use, ...ofTokens, TOGETHER[1]!]);
    expectStatements(await refresh(), [...expected, ...ofTokens, TOGETHER[1]!]);
  });
});

it('gives a token for client credentials by the client alone', async () => {
  const credentials = { grant_type: 'client_credentials', resource: ORDERS };
  await tokenBy(credentials);
  expectStatements(await textsOf(() => tokenBy(credentials)), [CLIENT]);
});

it('introspects a token by one statement beside its client', async () => {
  const { tokens } = await login(new Browser(server), LOGINS[2][1]);
  const sent = await textsOf(async () => expect(await server.isActive(client, tokens.access_token)).toBe(true));
  expectStatements(sent, [CLIENT, OF_TOKEN]);
});

it('asks userinfo for nothing beyond', async () => {
  const { tokens } = await login(new Browser(server), LOGINS[0][1]);
  const sent = await textsOf(async () => {
    const headers = { authorization: `Bearer ${tokens.access_token}` };
    expect((await fetch(`${server.issuer}/userinfo`, { headers })).status).toBe(200);
  });
  expectStatements(sent, [ARTIFACT, CLIENT, ACCOUNT, GRANT]);
});

it('remembers a resource for as long as settings of the app', async () => {
  const audience = 'https://reports.example';
  const { id } = await server.resource(audience, ['reports:read']);
  const reader = await server.client({ scopes: ['reports:read', 'reports:write'], resources: [audience] });
  const scopes = async () => (await server.token(reader, { resource: audience })).body.scope;
  expect(await scopes()).toBe('reports:read');
  await server.manage('PATCH', `/resources/${id}`, { scopes: ['reports:write'] });
  expect(await scopes()).toBe('reports:write');
  await observer.rows('delete from authorization_resources where app_id = $1 and id = $2', [server.app.id, id]);
  await eventually(async () => {
    expect((await server.token(reader, { resource: audience })).body.error).toBe('invalid_target');
  });
});

it('remembers a resource by its whole audience, which may have a blank', async () => {
  const resources = service.nest.get(OauthResourceRepository, { strict: false });
  const appId = server.app.id as AppId;
  const details = { name: 'Orders', scopes: ['orders:read'], tokenSeconds: 300 };
  const audiences = ['urn:a', 'urn:a b'];
  for (const audience of audiences) await resources.insert(OauthResource.create(appId, audience, details, new Date()));
  const found = await Promise.all(audiences.map((audience) => resources.recent(appId, audience)));
  expect(found.map((resource) => resource?.audience)).toEqual(audiences);
});
