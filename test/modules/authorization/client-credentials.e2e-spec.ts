import { createRemoteJWKSet, decodeJwt, decodeProtectedHeader, jwtVerify, SignJWT } from 'jose';
import { request as httpRequest } from 'node:http';
import * as oauth from 'oauth4webapi';
import * as openid from 'openid-client';
import { SessionFacade } from '../../../src/modules/session/index.js';
import type { AppId } from '../../../src/kernel/ids.js';
import { Database } from '../../../src/postgres/database.js';
import { TOKEN_EXCHANGE } from '../../../src/modules/authorization/domain/oauth-client.js';
import { startApp, type TestApp } from '../../support/app.js';
import { eventually } from '../../support/eventually.js';
import { CODE, requestOf, Server } from './servers.js';

const ORDERS = 'https://orders.example';

let service: TestApp;
let replica: TestApp;
let server: Server;
let client: { id: string; secret: string };
beforeAll(async () => {
  service = await startApp({ env: { ROLE: 'api', BASE_URL: 'https://id.example/base', PUBLIC_RATE: '1000' } });
  replica = await startApp({
    env: { ROLE: 'api', BASE_URL: 'https://id.example/base', PUBLIC_RATE: '1000' },
    databaseUrl: service.databaseUrl,
  });
});
afterAll(async () => {
  await replica?.stop();
  await service?.stop();
});
beforeEach(async () => {
  server = await Server.of(service);
  await server.resource(ORDERS);
  client = await server.client({ scopes: ['orders:read'], resources: [ORDERS], default_resource: ORDERS });
});

/** What the configured address says, although the test calls another one. */
const issuer = () => `https://id.example/base/oauth2/${server.app.id}`;
const toService: typeof fetch = (input, init) => {
  const url = new URL(input instanceof Request ? input.url : input);
  return fetch(`${service.url}${url.pathname.replace('/base', '')}${url.search}`, init);
};

describe('discovery', () => {
  it('has the configured address at both paths, no member that is null, and the scopes of the resources', async () => {
    const documents = await Promise.all(
      [
        `/oauth2/${server.app.id}/.well-known/openid-configuration`,
        `/.well-known/oauth-authorization-server/oauth2/${server.app.id}`,
      ].map(async (path) =>
        (await fetch(`${service.url}${path}`, { headers: { 'x-forwarded-host': 'evil.example' } })).json(),
      ),
    );
    const [document] = documents as Record<string, unknown>[];
    expect(documents[1]).toEqual(document);
    expect(document).toMatchObject({
      issuer: issuer(),
      token_endpoint: `${issuer()}/token`,
      jwks_uri: `${issuer()}/jwks`,
      introspection_endpoint: `${issuer()}/introspect`,
      revocation_endpoint: `${issuer()}/revoke`,
      grant_types_supported: ['authorization_code', 'refresh_token', 'client_credentials', TOKEN_EXCHANGE],
      scopes_supported: [
        'openid',
        'profile',
        'email',
        'phone',
        'wallets',
        'offline_access',
        'orders:read',
        'orders:write',
      ],
      response_modes_supported: ['query', 'form_post'],
      token_endpoint_auth_methods_supported: expect.arrayContaining(['none']),
      authorization_response_iss_parameter_supported: true,
    });
    expect(Object.values(document!)).not.toContain(null);
    expect(JSON.stringify(documents)).not.toContain('evil.example');
  });

  it('does not exist for an app that is no authorization server, or for an unknown one', async () => {
    const { id } = await service.given.app();
    for (const app of [id, id.replace(/.$/, id.endsWith('0') ? '1' : '0')]) {
      const response = await fetch(`${service.url}/oauth2/${app}/.well-known/openid-configuration`);
      expect([response.status, response.headers.get('content-type')]).toEqual([404, 'application/problem+json']);
    }
  });

  it('answers no other path, and none with a 500', async () => {
    for (const path of ['', '/', '//[', '/token/x', '/auth/x/y', '/..%2f', '/jwks/', '/me', '/reg']) {
      const { status } = await fetch(`${server.issuer}${path}`);
      expect([path, status]).toEqual([path, 404]);
    }
    expect((await fetch(`${server.issuer}/token`)).status).toBe(404);
    const { status, headers } = await server.post('/jwks', null, {});
    // Only the documents themselves may be cached.
    expect([status, headers.get('cache-control')]).toEqual([404, 'no-store']);
    const { headers: found } = await fetch(`${server.issuer}/jwks`);
    expect(found.get('cache-control')).toBe('public, max-age=300');
  });
});

describe('a request by a form of another site', () => {
  it('begins a login where browsers come by https', async () => {
    const { id } = await server.client({ ...CODE, scopes: ['openid'] });
    const body = new URL(requestOf(server, id).url).searchParams;
    const response = await fetch(`${server.issuer}/auth`, { method: 'POST', body, redirect: 'manual' });
    expect(response.status).toBe(303);
    expect(new URL(response.headers.get('location')!).searchParams.get('interaction')).not.toBeNull();
    const cookies = response.headers.getSetCookie();
    expect(cookies.length).toBeGreaterThan(0);
    for (const cookie of cookies) expect(cookie).toMatch(new RegExp(`path=/base/oauth2/${server.app.id}.*; secure`));
  });
});

describe('client credentials', () => {
  it('give a JWT of RFC 9068, as two clients that are not ours read it', async () => {
    const metadata = await oauth.processDiscoveryResponse(
      new URL(issuer()),
      await oauth.discoveryRequest(new URL(issuer()), { [oauth.customFetch]: toService }),
    );
    const as = await oauth.processClientCredentialsResponse(
      metadata,
      { client_id: client.id },
      await oauth.clientCredentialsGrantRequest(
        metadata,
        { client_id: client.id },
        oauth.ClientSecretPost(client.secret),
        { resource: `${ORDERS}/` },
        { [oauth.customFetch]: toService },
      ),
    );
    const config = await openid.discovery(new URL(issuer()), client.id, client.secret, undefined, {
      [openid.customFetch]: toService as openid.CustomFetch,
    });
    const token = await openid.clientCredentialsGrant(config, { scope: 'orders:read orders:write unknown' });
    const keys = createRemoteJWKSet(new URL(`${server.issuer}/jwks`));
    for (const { access_token, expires_in, scope } of [as, token]) {
      const { payload } = await jwtVerify(access_token, keys, { issuer: issuer(), audience: ORDERS, typ: 'at+jwt' });
      expect([expires_in, scope]).toEqual([300, 'orders:read']);
      expect(payload).toMatchObject({ client_id: client.id, sub: client.id, scope: 'orders:read' });
      expect(payload.exp! - payload.iat!).toBe(300);
    }
    const introspected = await openid.tokenIntrospection(config, token.access_token);
    expect(introspected).toMatchObject({ active: true, client_id: client.id, aud: ORDERS, scope: 'orders:read' });
    await openid.tokenRevocation(config, token.access_token);
    expect((await openid.tokenIntrospection(config, token.access_token)).active).toBe(false);
  });

  it('live as long as the resource says', async () => {
    const audience = 'https://long.example/api';
    await server.resource(audience, ['read'], { token_seconds: 900 });
    const caller = await server.client({ scopes: ['read'], resources: [audience] });
    const { body } = await server.token(caller, { resource: audience });
    const { exp, iat, aud } = decodeJwt(body.access_token);
    expect([exp! - iat!, aud, body.scope]).toEqual([900, audience, 'read']);
  });

  it.each([
    ['an unknown resource', { resource: 'https://unknown.example' }],
    ['a resource that the client does not have', { resource: 'https://other.example' }],
    ['a resource that is no URL', { resource: '//[' }],
    ['our own API', { resource: 'https://id.example/base' }],
  ])('are refused for %s', async (_, form) => {
    await server.resource('https://other.example', ['orders:read']);
    const { status, body } = await server.token(client, form);
    expect([status, body.error]).toEqual([400, 'invalid_target']);
  });

  it('need a resource, or a default one', async () => {
    const { status, body } = await server.token(await server.client({ resources: [ORDERS] }));
    expect([status, body.error]).toEqual([400, 'invalid_target']);
  });

  it('are refused to a wrong secret, a secret of another client, and an unknown client', async () => {
    const other = await server.client();
    const foreign = await (await Server.of(service)).client();
    for (const wrong of [{ ...client, secret: 'x'.repeat(48) }, { ...client, secret: other.secret }, foreign]) {
      const { status, body } = await server.token(wrong);
      expect([status, body.error]).toEqual([401, 'invalid_client']);
    }
    const { status, body } = await server.post('/token', null, {
      grant_type: 'client_credentials',
      client_id: client.id,
    });
    expect([status, body.error]).toEqual([401, 'invalid_client']);
  });

  it('are sent with a body that is too long, in another form, or in none', async () => {
    const { status } = await server.token(client, { scope: 'x'.repeat(60_000) });
    const json = await server.post('/token', client, {}, { 'content-type': 'application/json' });
    expect([status, json.status, (await server.post('/token', client, {})).status]).toEqual([400, 400, 400]);
  });
});

describe('a token', () => {
  it('ends with its client, at the other replica too', async () => {
    const watcher = await server.client({ resources: [ORDERS] });
    const { access_token } = (await server.token(client)).body;
    const elsewhere = server.at(replica);
    expect(await elsewhere.isActive(watcher, access_token)).toBe(true);
    await server.manage('DELETE', `/oauth_clients/${client.id}`);
    await eventually(async () => expect(await elsewhere.isActive(watcher, access_token)).toBe(false));
    expect((await elsewhere.token(client)).status).toBe(401);
  });

  it('ends with the server, and stays ended when that is switched on again', async () => {
    const { access_token } = (await server.token(client)).body;
    const path = `/management/v1/apps/${server.app.id}`;
    const patch = (authorization_server: object | null) =>
      service.ok('PATCH', path, { key: service.managementKey, body: { authorization_server } });
    await patch(null);
    await eventually(async () => expect((await server.token(client)).status).toBe(404));
    const { iat } = decodeJwt(access_token);
    await eventually(async () => expect(Date.now() / 1_000).toBeGreaterThan(iat! + 1));
    await patch({ login_url: 'https://acme.example/login' });
    await eventually(async () => expect((await server.at(replica).token(client)).status).toBe(200));
    expect(await server.isActive(client, access_token)).toBe(false);
  });

  it('is shown only to its client and to clients of its resource', async () => {
    const { access_token } = (await server.token(client)).body;
    const of = async (resources: string[]) => server.isActive(await server.client({ resources }), access_token);
    await server.resource('https://other.example');
    expect(await of([`${ORDERS}/`])).toBe(true);
    expect(await of(['https://other.example'])).toBe(false);
    expect(await of([])).toBe(false);
  });

  it('is revoked by its own client only', async () => {
    const other = await server.client({ resources: [ORDERS] });
    const { access_token: token } = (await server.token(client)).body;
    expect((await server.post('/revoke', other, { token })).status).toBe(400);
    expect(await server.isActive(client, token)).toBe(true);
    expect((await server.post('/revoke', client, { token })).status).toBe(200);
    expect(await server.at(replica).isActive(client, token)).toBe(false);
  });

  it('is not a JWT of another kind or app, or with another signature', async () => {
    const { access_token } = (await server.token(client)).body;
    const { current } = await service.nest.get(SessionFacade, { strict: false }).tokenKeys(server.app.id as AppId);
    const claims = decodeJwt(access_token);
    const signed = (typ: string, changes: object) =>
      new SignJWT({ ...claims, ...changes })
        .setProtectedHeader({ alg: 'RS256', kid: current.kid, typ })
        .sign(current.privateKey);
    expect(decodeProtectedHeader(access_token).typ).toBe('at+jwt');
    expect(await server.isActive(client, await signed('at+jwt', {}))).toBe(true);
    const forged = access_token.replace(/.{8}$/, 'AAAAAAAA');
    for (const token of [
      await signed('JWT', {}),
      await signed('at+jwt', { iss: 'https://id.example/base' }),
      await signed('at+jwt', { exp: Math.floor(Date.now() / 1_000) }),
      forged,
      'a.b.c',
      'opaque',
    ])
      expect([token, await server.isActive(client, token)]).toEqual([token, false]);
  });

  it('has no row, and its revocation is removed when it would have ended', async () => {
    const database = service.nest.get(Database);
    const { access_token: token } = (await server.token(client)).body;
    const rows = () =>
      database.list('select expires_at from authorization_revoked_tokens where app_id = $1', [server.app.id]);
    expect(await rows()).toEqual([]);
    await server.post('/revoke', client, { token });
    expect(await rows()).toEqual([{ expires_at: new Date(decodeJwt(token).exp! * 1_000) }]);
  });
});

describe('the secret of a client', () => {
  it('is replaced at once, or accepted for some minutes more', async () => {
    const rotate = (overlap_minutes: number) =>
      server.manage('POST', `/oauth_clients/${client.id}/rotate_secret`, { overlap_minutes });
    const statuses = async (...secrets: string[]) =>
      Promise.all(secrets.map(async (secret) => (await server.token({ ...client, secret })).status));
    const { client_secret: second } = await rotate(10);
    expect(await statuses(client.secret, second)).toEqual([200, 200]);
    const { client_secret: third } = await rotate(10);
    expect(await statuses(client.secret, second, third)).toEqual([401, 200, 200]);
    const { client_secret: fourth } = await rotate(0);
    expect(await statuses(second, third, fourth)).toEqual([401, 401, 200]);
  });

  it('is the one that the service stored', async () => {
    await service.nest
      .get(Database)
      .write(`update authorization_clients set settings = jsonb_set(settings, '{scopes}', '["admin"]') where id = $1`, [
        client.id,
      ]);
    expect((await server.token(client)).status).toBe(500);
  });
});

describe('calls', () => {
  it('count for the network until the client has authenticated, and for the client then', async () => {
    const { headers } = await server.token(client);
    expect(headers.get('ratelimit-policy')).toBe('"client";q=5000;w=1');
    const { headers: failed } = await server.token({ ...client, secret: 'wrong' });
    expect(failed.get('ratelimit-policy')).toBe('"default";q=3000;w=3');
  });

  it('have a request id, and ignore an Idempotency-Key', async () => {
    const send = () =>
      server.post(
        '/token',
        client,
        { grant_type: 'client_credentials' },
        { 'x-request-id': 'r1', 'idempotency-key': 'k' },
      );
    const [one, two] = [await send(), await send()];
    expect([one.headers.get('x-request-id'), one.headers.get('cache-control')]).toEqual(['r1', 'no-store']);
    expect(two.body.access_token).not.toBe(one.body.access_token);
  });

  it('may wait for 100 Continue', async () => {
    const body = `grant_type=client_credentials&client_id=${client.id}&client_secret=${client.secret}`;
    const status = await new Promise((resolve, reject) => {
      const call = httpRequest(`${server.issuer}/token`, {
        method: 'POST',
        headers: {
          'content-type': 'application/x-www-form-urlencoded',
          'content-length': body.length,
          expect: '100-continue',
        },
      });
      call.on('continue', () => call.end(body));
      call.on('response', ({ statusCode }) => resolve(statusCode)).on('error', reject);
      call.flushHeaders();
    });
    expect(status).toBe(200);
  });
});

describe('the settings', () => {
  it.each([
    ['default_resource', { resources: [ORDERS], default_resource: 'https://other.example' }],
    ['resources[0]', { resources: ['https://unknown.example'] }],
    ['grant_types[0]', { grant_types: ['password'] }],
    ['scopes[0]', { scopes: ['a b'] }],
  ])('of a client are refused with a wrong %s', async (field, settings) => {
    const body = { name: 'Import', type: 'confidential', grant_types: ['client_credentials'], ...settings };
    const path = `/management/v1/apps/${server.app.id}/oauth_clients`;
    const answer = await service.call('POST', path, { key: service.managementKey, body });
    expect([answer.status, answer.body.errors[0].field.replace(/grant_types$/, 'grant_types[0]')]).toEqual([
      400,
      field,
    ]);
  });

  it('of resources have each audience once, and not that of the service', async () => {
    const path = `/management/v1/apps/${server.app.id}/resources`;
    for (const audience of [`${ORDERS}/`, 'https://id.example/base', 'https://id.example/base/']) {
      const body = { audience, name: 'Orders', scopes: [] };
      const answer = await service.call('POST', path, { key: service.managementKey, body });
      expect([answer.status, answer.body.error_type]).toEqual([409, 'duplicate_audience']);
    }
  });

  it('of the server need a page that browsers may be sent to, and hosts of metadata documents without a scheme', async () => {
    for (const server_ of [
      { login_url: 'http://acme.example' },
      { login_url: 'https://a:b@acme.example' },
      { login_url: 'https://acme.example', client_metadata_hosts: ['https://example.com'] },
    ]) {
      const body = { authorization_server: server_ };
      const path = `/management/v1/apps/${server.app.id}`;
      expect((await service.call('PATCH', path, { key: service.managementKey, body })).status).toBe(400);
    }
  });

  it('of a client are changed after a resource of it was deleted', async () => {
    const { id } = await server.resource('https://gone.example');
    await server.manage('PATCH', `/oauth_clients/${client.id}`, { resources: [ORDERS, 'https://gone.example'] });
    await server.manage('DELETE', `/resources/${id}`);
    const changed = await server.manage('PATCH', `/oauth_clients/${client.id}`, { name: 'Export' });
    expect(changed).toMatchObject({ name: 'Export', token_endpoint_auth_method: 'client_secret_basic' });
    expect((await server.token(client)).status).toBe(200);
    expect((await server.token(client, { resource: 'https://gone.example' })).body.error).toBe('invalid_target');
  });

  it('of a client are changed for the next token', async () => {
    await server.manage('PATCH', `/oauth_clients/${client.id}`, { scopes: ['orders:write'], default_resource: null });
    const { body } = await server.token(client, { resource: ORDERS });
    expect(body.scope).toBe('orders:write');
    expect((await server.token(client)).body.error).toBe('invalid_target');
  });
});
