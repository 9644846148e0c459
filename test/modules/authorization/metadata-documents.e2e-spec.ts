import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { decodeJwt } from 'jose';
import { freePort } from '../../../src/dev/free-port.js';
import { Clock } from '../../../src/kernel/clock.js';
import { startApp, type TestApp } from '../../support/app.js';
import { eventually } from '../../support/eventually.js';
import { Observer } from '../../support/observer.js';
import { signIn } from '../../support/sign-in.js';
import { answer, Browser, CALLBACK, requestOf, Server } from './servers.js';

const TOOLS = 'https://tools.example';

let service: TestApp;
let observer: Observer;
let server: Server;
let session: string;
let host: http.Server;
let address: string;
let paths: Record<string, unknown>;
let calls: string[];

beforeAll(async () => {
  const port = `${await freePort()}`;
  const env = { ROLE: 'api', PORT: port, BASE_URL: `http://127.0.0.1:${port}`, PUBLIC_RATE: '1000' };
  service = await startApp({ env });
  observer = await Observer.of(service);
  host = http.createServer((request, response) => {
    calls.push(request.url!);
    const found = paths[request.url!];
    if (typeof found === 'function') {
      (found as (to: http.ServerResponse) => void)(response);
      return;
    }
    response.statusCode = found === undefined ? 404 : 200;
    response.end(typeof found === 'string' ? found : JSON.stringify(found ?? {}));
  });
  host.listen(0, '127.0.0.1');
  await once(host, 'listening');
  address = `127.0.0.1:${(host.address() as AddressInfo).port}`;
});
afterAll(async () => {
  host?.closeAllConnections();
  host?.close();
  await observer?.close();
  await service?.stop();
});
beforeEach(async () => {
  server = await Server.of(service);
  await setHosts([address]);
  await server.resource(TOOLS, ['tools:call']);
  const { user_id } = await service.given.user(server.app);
  session = (await signIn(service, server.app, { user_id })).session_token!;
  calls = [];
  paths = { '/client.json': document('/client.json') };
});

const setHosts = (client_metadata_hosts: string[]) =>
  server.manage('PATCH', '', {
    authorization_server: { login_url: 'https://acme.example/login', client_metadata_hosts },
  });

const urlOf = (path: string) => `http://${address}${path}`;
const document = (path: string, changes: object = {}) => ({
  client_id: urlOf(path),
  client_name: 'Agent',
  logo_uri: 'https://agent.example/logo.png',
  redirect_uris: [CALLBACK],
  grant_types: ['authorization_code', 'refresh_token'],
  token_endpoint_auth_method: 'none',
  ...changes,
});

/** The client at the login page, or null if the request was refused. */
async function asked(clientId: string, params: Record<string, string> = {}) {
  const { url: page, text } = await new Browser(server).visit(requestOf(server, clientId, params).url);
  const interaction = page.searchParams.get('interaction');
  if (interaction === null) return { refused: page.searchParams.get('error') ?? text };
  return service.ok('GET', `/v1/oauth2/interactions/${interaction}`, { key: server.app.secretKey });
}

describe('a client that describes itself', () => {
  it('is shown with its host, and gets tokens that name it by its URL', async () => {
    const url = urlOf('/client.json');
    const metadata = (await (await fetch(`${server.issuer}/.well-known/openid-configuration`)).json()) as object;
    expect(metadata).toMatchObject({ client_id_metadata_document_supported: true });
    expect((await asked(url)).client).toEqual({
      id: url,
      name: 'Agent',
      metadata_host: address,
      logo_uri: 'https://agent.example/logo.png',
    });
    // Without `resource`: the only one of the app.
    const params = { scope: 'openid offline_access tools:call' };
    const browser = new Browser(server);
    const request = requestOf(server, url, params);
    const { url: page } = await browser.visit(request.url);
    const { redirect_url } = (await answer(server, page, 'accept', { session_token: session })).body;
    const { url: back } = await browser.visit(redirect_url);
    const { status, body } = await server.post('/token', null, {
      grant_type: 'authorization_code',
      client_id: url,
      code: back.searchParams.get('code')!,
      redirect_uri: CALLBACK,
      code_verifier: request.verifier,
    });
    expect([status, body.scope]).toEqual([200, 'tools:call']);
    expect(decodeJwt(body.access_token)).toMatchObject({ client_id: url, aud: TOOLS });
    expect(decodeJwt(body.id_token).aud).toBe(url);
    const refresh = (refresh_token: string) =>
      server.post('/token', null, { grant_type: 'refresh_token', client_id: url, refresh_token });
    const refreshed = await refresh(body.refresh_token);
    expect(refreshed.status).toBe(200);
    expect(calls).toEqual(['/client.json']);
    const tools = await server.client({ scopes: ['tools:call'], resources: [TOOLS] });
    expect((await server.post('/introspect', tools, { token: body.access_token })).body).toMatchObject({
      active: true,
      client_id: url,
    });
    const { oauth_clients: listed } = await server.manage('GET', '/oauth_clients');
    const [own] = listed.filter(({ metadata_uri }: { metadata_uri: string }) => metadata_uri === url);
    expect(own).toMatchObject({ type: 'public', token_endpoint_auth_method: 'none', resources: [TOOLS] });
    // It has no other `client_id`.
    expect((await asked(own.id)).refused).toContain('invalid_client');
    // The app ends it with its host.
    await setHosts([]);
    await eventually(async () => expect(await server.isActive(tools, body.access_token)).toBe(false));
    expect((await asked(url)).refused).toContain('invalid_client');
    expect((await refresh(refreshed.body.refresh_token)).status).toBe(401);
  });

  it('is refused for every document that is not about it, or not under the rules of clients', async () => {
    const refused: Record<string, unknown> = {
      '/other.json': document('/client.json'),
      '/slash.json/': document('/slash.json'),
      '/secret.json': document('/secret.json', { client_secret: 'x' }),
      '/basic.json': document('/basic.json', { token_endpoint_auth_method: 'client_secret_basic' }),
      '/http.json': document('/http.json', { redirect_uris: ['http://shop.example/callback'] }),
      '/fragment.json': document('/fragment.json', { redirect_uris: ['https://shop.example/#x'] }),
      '/script.json': document('/script.json', { redirect_uris: ['javascript:alert(1)'] }),
      '/none.json': document('/none.json', { redirect_uris: [] }),
      '/text.json': document('/text.json', { redirect_uris: CALLBACK }),
      '/many.json': document('/many.json', { redirect_uris: Array.from({ length: 51 }, (_, i) => `${CALLBACK}${i}`) }),
      '/service.json': document('/service.json', { grant_types: ['client_credentials'] }),
      '/list.json': '[]',
      '/null.json': 'null',
      '/broken.json': '{"client_id":',
      '/large.json': `${' '.repeat(20_000)}${JSON.stringify(document('/large.json'))}`,
      '/redirect.json': (response: http.ServerResponse) =>
        response.writeHead(302, { location: urlOf('/client.json') }).end(),
      '/hangs.json': () => undefined,
    };
    paths = { ...paths, ...refused };
    for (const path of [...Object.keys(refused), '/unknown.json'])
      expect([path, (await asked(urlOf(path))).refused]).toEqual([path, expect.stringContaining('invalid_client')]);
    calls = [];
    for (const url of [
      urlOf('/client.json').replace('http:', 'https:').replace('127.0.0.1', 'evil.example'),
      `http://${address.replace('127.0.0.1', 'localhost')}/client.json`,
      `http://user@${address}/client.json`,
      `http://${address}@evil.example/client.json`,
      `http://evil.example/${address}/client.json`,
      urlOf('/client.json#x'),
      urlOf('/x/../client.json'),
      urlOf('/'),
      urlOf(`/${'x'.repeat(1_100)}`),
      'http://[',
      'ftp://127.0.0.1/client.json',
    ])
      expect([url, (await asked(url)).refused]).toEqual([url, expect.stringContaining('invalid_client')]);
    expect(calls).toEqual([]);
    const rows = await observer.rows('select from authorization_clients where app_id = $1', [server.app.id]);
    expect(rows).toHaveLength(0);
  });

  it('is read again after a while, keeps what the app decided, and lives on while its host is silent', async () => {
    const url = urlOf('/client.json');
    expect((await asked(url)).client.name).toBe('Agent');
    const { oauth_clients: listed } = await server.manage('GET', '/oauth_clients');
    await server.manage('PATCH', `/oauth_clients/${listed[0].id}`, { scopes: ['openid'] });
    const grow = () => setBack(server.app.id);
    paths['/client.json'] = document('/client.json', { client_name: 'Other' });
    await grow();
    const shown = await asked(url, { scope: 'openid tools:call' });
    expect([shown.client.name, shown.scopes]).toEqual(['Other', ['openid']]);
    paths['/client.json'] = (response: http.ServerResponse) => response.writeHead(503).end();
    await grow();
    expect((await asked(url)).client.name).toBe('Other');
    delete paths['/client.json'];
    expect((await aMinuteLater(() => asked(url))).refused).toContain('invalid_client');
  });

  it('is not asked for while its host was silent lately', async () => {
    const url = urlOf('/client.json');
    paths['/client.json'] = (response: http.ServerResponse) => response.writeHead(503).end();
    for (let i = 0; i < 3; i++) expect((await asked(url)).refused).toContain('invalid_client');
    expect(calls).toEqual(['/client.json']);
    paths['/client.json'] = document('/client.json');
    expect((await aMinuteLater(() => asked(url))).client.name).toBe('Agent');
  });

  it('is refused once the app has deleted it, also after the server was switched off', async () => {
    const url = urlOf('/client.json');
    const { client } = await asked(url);
    expect(client.name).toBe('Agent');
    const { oauth_clients: listed } = await server.manage('GET', '/oauth_clients');
    await server.manage('DELETE', `/oauth_clients/${listed[0].id}`);
    expect((await asked(url)).refused).toContain('invalid_client');
    await server.manage('PATCH', '', { authorization_server: null });
    await setHosts([address]);
    await eventually(async () => expect((await asked(url)).refused).toContain('invalid_client'));
  });

  it.each([
    ['may still come while the app has registered as many as it may', { documentUrl: null }, 'registered'],
    ['takes no place of those that the app registers, of which there may be as many', {}, 'described'],
  ])('%s', async (_, changes, kind) => {
    const url = urlOf('/client.json');
    expect((await asked(url)).client.name).toBe('Agent');
    await observer.rows(
      `insert into authorization_clients
       select (jsonb_populate_record(c, jsonb_build_object('id', 'client_' || lpad(i::text, 26, '0'), 'settings', jsonb_strip_nulls(c.settings || $2)))).*
         from authorization_clients c, generate_series(1, 1000) i where c.app_id = $1`,
      [server.app.id, JSON.stringify(changes)],
    );
    paths['/other.json'] = document('/other.json');
    const { client } = await asked(urlOf('/other.json'));
    const registered = await service.call('POST', `/management/v1/apps/${server.app.id}/oauth_clients`, {
      key: service.managementKey,
      body: { name: 'Import', type: 'confidential', grant_types: ['client_credentials'] },
    });
    expect([client?.name, registered.status]).toEqual(kind === 'registered' ? ['Agent', 409] : [undefined, 200]);
  });

  it('is stored once, by 20 requests at a time', async () => {
    const all = await Promise.all(Array.from({ length: 20 }, () => asked(urlOf('/client.json'))));
    expect(all.map(({ client }) => client?.name)).toEqual(Array.from({ length: 20 }, () => 'Agent'));
    const rows = await observer.rows(`select from stored_events where app_id = $1 and type = 'client.created'`, [
      server.app.id,
    ]);
    expect(rows).toHaveLength(1);
  });

  it('is not taken from a list that names no host', async () => {
    for (const hostName of ['https://a.example', 'a.example/x', 'user@a.example', 'a b', '*.example', '']) {
      const { status, body } = await service.call('PATCH', `/management/v1/apps/${server.app.id}`, {
        key: service.managementKey,
        body: { authorization_server: { login_url: 'https://acme.example', client_metadata_hosts: [hostName] } },
      });
      expect([hostName, status, body.error_type]).toEqual([hostName, 400, 'invalid_request']);
    }
    await setHosts(['A.example:443']);
    const { authorization_server } = await server.manage('GET', '');
    expect(authorization_server.client_metadata_hosts).toEqual(['a.example']);
  });
});

async function aMinuteLater<T>(work: () => Promise<T>): Promise<T> {
  const now = jest.spyOn(service.nest.get(Clock), 'now').mockImplementation(() => new Date(Date.now() + 61_000));
  return work().finally(() => now.mockRestore());
}

/** As if the documents of the app had been read long ago. */
async function setBack(appId: string): Promise<void> {
  await observer.rows(`update authorization_clients set updated_at = now() - interval '10 minutes' where app_id = $1`, [
    appId,
  ]);
}
