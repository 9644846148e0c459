import { decodeJwt, SignJWT, UnsecuredJWT } from 'jose';
import { freePort } from '../../../src/dev/free-port.js';
import type { AppId } from '../../../src/kernel/ids.js';
import { SessionFacade } from '../../../src/modules/session/index.js';
import { ManageEndpoints } from '../../../src/modules/webhooks/application/manage-endpoints.js';
import type { WebhookEndpoint } from '../../../src/modules/webhooks/domain/webhook-endpoint.js';
import { startApp, type TestApp } from '../../support/app.js';
import { eventually } from '../../support/eventually.js';
import { Observer } from '../../support/observer.js';
import { signIn } from '../../support/sign-in.js';
import { WebhookEngine } from '../webhooks/webhook-engine.js';
import { CODE, consented, Server } from './servers.js';

let service: TestApp;
let replica: TestApp;
let observer: Observer;
let server: Server;
let base: string;

/** Both replicas have one address, as behind a proxy. */
beforeAll(async () => {
  const port = await freePort();
  const env = { ROLE: 'api', BASE_URL: `http://127.0.0.1:${port}`, PUBLIC_RATE: '1000' };
  base = env.BASE_URL;
  service = await startApp({ env: { ...env, PORT: `${port}` } });
  replica = await startApp({ env, databaseUrl: service.databaseUrl });
  observer = await Observer.of(service);
});
afterAll(async () => {
  await observer?.close();
  await replica?.stop();
  await service?.stop();
});
beforeEach(async () => {
  server = await Server.of(service);
});

const SCOPES = ['openid', 'offline_access', 'users:read', 'users:write', 'wallets:read', 'wallets:sign'];
const machine = (settings: object = {}) =>
  server.client({ scopes: SCOPES, resources: [base], default_resource: base, ...settings });
const program = (settings: object = {}) => server.client({ ...CODE, scopes: SCOPES, resources: [base], ...settings });

async function person(of = server) {
  const { user_id: id } = await service.given.user(of.app);
  const { session_token, session } = await signIn(service, of.app, { user_id: id });
  const { wallets } = await service.ok('GET', '/v1/wallets/list', { key: of.app.secretKey, query: { user_id: id } });
  return { id, session: { id: session!.id, token: session_token! }, walletId: wallets[0].id as string };
}

const get = (path: string, key: string, at = service) => at.call('GET', path, { key });
const sign = (wallet: string, key: string) =>
  service.call('POST', `/v1/wallets/${wallet}/sign_message`, { key, body: { message: 'hello' } });
const outcome = ({ status, body }: { status: number; body: { error_type?: string } }) => [status, body.error_type];

/** The token with other claims or another header, signed by the key of the app. */
async function resigned(token: string, changes: object, header: object = {}, of = server) {
  const { current } = await service.nest.get(SessionFacade, { strict: false }).tokenKeys(of.app.id as AppId);
  return new SignJWT({ ...decodeJwt(token), ...changes })
    .setProtectedHeader({ alg: 'RS256', kid: current.kid, typ: 'at+jwt', ...header })
    .sign(current.privateKey);
}

describe('the token of a client that stands for no user', () => {
  it('makes the calls of its scopes, and the refusal names the one that it lacks', async () => {
    const client = await machine({ scopes: ['users:read'] });
    const { access_token: token, scope } = (await server.token(client, { resource: `${base}/` })).body;
    const { id } = await person();
    expect([scope, decodeJwt(token).aud]).toEqual(['users:read', base]);
    expect((await get(`/v1/auth/users/${id}`, token)).status).toBe(200);
    const refused = await get(`/v1/wallets/list?user_id=${id}`, token);
    expect([...outcome(refused), refused.headers.get('www-authenticate')]).toEqual([
      403,
      'missing_scope',
      'Bearer error="insufficient_scope", scope="wallets:read"',
    ]);
    expect(outcome(await get(`/v1/oauth2/grants?user_id=${id}`, token))).toEqual([403, 'wrong_key_kind']);
    expect(outcome(await get(`/management/v1/apps/${server.app.id}`, token))).toEqual([403, 'wrong_key_kind']);
  });

  it('signs only while a policy of the client is active, and what that allows', async () => {
    const client = await machine();
    const { walletId } = await person();
    const early = (await server.token(client)).body;
    expect(early.scope).toBe('users:read users:write wallets:read');
    expect(outcome(await sign(walletId, early.access_token))).toEqual([403, 'missing_scope']);
    const rules = [{ effect: 'allow', match: { operations: ['sign_message'] } }];
    const { id } = await server.manage('POST', '/policies', {
      name: 'Agent',
      scope: { kind: 'client', id: client.id },
      rules,
    });
    await server.manage('POST', `/policies/${id}/activate`, {});
    let token = '';
    await eventually(async () => {
      token = (await server.token(client)).body.access_token;
      expect((await sign(walletId, token)).status).toBe(200);
    });
    const exported = await service.call('POST', `/v1/wallets/${walletId}/sign_typed_data`, {
      key: token,
      body: {
        typed_data: {
          domain: { name: 'Acme' },
          types: { Note: [{ name: 'text', type: 'string' }] },
          primaryType: 'Note',
          message: { text: 'x' },
        },
      },
    });
    expect([...outcome(exported), exported.body.reason]).toEqual([403, 'policy_denied', 'no_rule']);
    // The app itself is bound by no policy of a client, and none is its first policy.
    expect((await sign(walletId, server.app.secretKey)).status).toBe(200);
    await server.manage('POST', `/policies/${id}/retire`, {});
    await eventually(async () => expect(outcome(await sign(walletId, token))).toEqual([403, 'missing_scope']));
  });

  it('has the policy of a client of this app', async () => {
    const foreign = await (await Server.of(service)).client();
    const answer = await service.call('POST', `/management/v1/apps/${server.app.id}/policies`, {
      key: service.managementKey,
      body: { name: 'Agent', scope: { kind: 'client', id: foreign.id }, rules: [{ effect: 'allow' }] },
    });
    expect([answer.status, answer.body.errors[0].field]).toEqual([400, 'scope.id']);
  });

  it('loses a scope that its client loses, before it ends', async () => {
    const client = await machine({ scopes: ['users:read', 'wallets:read'] });
    const { access_token: token } = (await server.token(client)).body;
    const { id } = await person();
    expect((await get(`/v1/auth/users/${id}`, token)).status).toBe(200);
    await server.manage('PATCH', `/oauth_clients/${client.id}`, { scopes: ['wallets:read'] });
    expect(outcome(await get(`/v1/auth/users/${id}`, token, replica))).toEqual([403, 'missing_scope']);
    expect((await server.post('/introspect', client, { token })).body.scope).toBe('wallets:read');
  });

  it('is of no client that could sign an approver in and vote', async () => {
    const path = `/management/v1/apps/${server.app.id}/oauth_clients`;
    const scopes = ['login:write', 'approvals:vote'];
    const body = { name: 'Both', type: 'confidential', grant_types: ['client_credentials'], scopes };
    const refused = await service.call('POST', path, { key: service.managementKey, body });
    expect([refused.status, refused.body.errors[0].field]).toEqual([400, 'scopes']);
  });

  it('has no policy that is named like a budget', async () => {
    const body = {
      name: 'grant_01k0000000000000000000d3m0',
      scope: { kind: 'app' },
      rules: [{ effect: 'allow', match: { operations: ['sign_message'] } }],
    };
    const path = `/management/v1/apps/${server.app.id}/policies`;
    const refused = await service.call('POST', path, { key: service.managementKey, body });
    expect([refused.status, refused.body.errors[0].field]).toEqual([400, 'name']);
  });

  it('keeps no webhook endpoint that reads events when its client may read them no more', async () => {
    const client = await machine({ scopes: ['webhooks:write', 'events:read'] });
    const { access_token: key } = (await server.token(client)).body;
    const hook = { key, body: { url: 'http://127.0.0.1:9/hooks' } };
    const { body } = await service.call('POST', '/v1/webhook_endpoints', hook);
    const engine = new WebhookEngine(service.nest);
    const queued = async () => {
      await service.given.user(server.app);
      await engine.sequence();
      return (await engine.rows({ appId: server.app.id, id: body.id } as unknown as WebhookEndpoint)).length;
    };
    const before = await queued();
    await server.manage('PATCH', `/oauth_clients/${client.id}`, { scopes: ['webhooks:write'] });
    const blind = (await service.call('POST', '/v1/webhook_endpoints', hook)).body;
    expect([before > 0, await queued()]).toEqual([true, before]);
    await service.nest.get(ManageEndpoints, { strict: false }).passOnEnded();
    const path = `/v1/webhook_endpoints/${body.id}`;
    const { body: passed } = await service.call('GET', path, { key: server.app.secretKey });
    expect(passed).toMatchObject({ key_id: '', disabled_reason: 'key_ended' });
    expect((await service.call('GET', `/v1/webhook_endpoints/${blind.id}`, { key })).body.disabled_reason).toBe('');
  });

  it('ends with its client, on the other replica too', async () => {
    const client = await machine();
    const { access_token: token } = (await server.token(client)).body;
    const { id } = await person();
    expect((await get(`/v1/auth/users/${id}`, token, replica)).status).toBe(200);
    await server.manage('DELETE', `/oauth_clients/${client.id}`);
    expect(outcome(await get(`/v1/auth/users/${id}`, token, replica))).toEqual([401, 'unauthorized_credentials']);
  });

  it('is named in events, the audit log and the rate, and its Idempotency-Key is its own', async () => {
    const client = await machine();
    const { access_token: token } = (await server.token(client)).body;
    const { id } = await person();
    const create = (key: string) =>
      service.call('POST', '/v1/wallets/create', {
        key,
        body: { user_id: id, wallet_type: 'solana' },
        headers: { 'idempotency-key': 'one' },
      });
    const created = await create(token);
    expect(created.status).toBe(200);
    expect(created.headers.get('ratelimit-policy')).toContain('"key"');
    expect((await create(server.app.secretKey)).headers.get('idempotent-replayed')).toBeNull();
    expect((await create(token)).headers.get('idempotent-replayed')).toBe('true');
    const events = await observer.rows<{ actor: string }>(
      `select data->>'actor' as actor from stored_events where app_id = $1 and type = 'wallet.created' and data->>'actor' is not null`,
      [server.app.id],
    );
    expect(events).toEqual([{ actor: client.id }]);
  });
});

describe('the token of a user', () => {
  it('sees the user and the wallets of the user alone', async () => {
    const [one, other] = [await person(), await person()];
    const client = await program();
    const { access_token: token, scope } = await consented(server, client, one.session.token, {
      scope: 'users:read wallets:sign',
      resource: base,
    });
    expect(scope).toBe('users:read wallets:sign');
    expect((await get(`/v1/auth/users/${one.id}`, token)).status).toBe(200);
    expect(outcome(await get(`/v1/auth/users/${other.id}`, token))).toEqual([404, 'user_not_found']);
    expect((await sign(one.walletId, token)).status).toBe(200);
    expect(outcome(await sign(other.walletId, token))).toEqual([404, 'wallet_not_found']);
    const [{ actor }] = (await observer.rows<{ actor: string }>(
      `select data->>'actor' as actor from stored_events where app_id = $1 and type = 'message.signed'`,
      [server.app.id],
    )) as [{ actor: string }];
    expect(actor).toMatch(new RegExp(`^grant_\\w{26}/${client.id}$`));
  });

  it('may end the grant that it stands for, by deleting its user', async () => {
    const one = await person();
    const { access_token: token } = await consented(server, await program(), one.session.token, {
      scope: 'users:write',
      resource: base,
    });
    expect((await service.call('DELETE', `/v1/auth/users/${one.id}/delete`, { key: token })).status).toBe(200);
    expect(outcome(await get(`/v1/auth/users/${one.id}`, token))).toEqual([401, 'unauthorized_credentials']);
  });

  it.each([
    ['grant', async (grant: string) => void (await server.manage('DELETE', `/oauth2/grants/${grant}`))],
    [
      'session',
      async (_: string, { session }: { session: { token: string } }) =>
        void (await service.ok('DELETE', '/v1/auth/sessions/delete', {
          key: server.app.secretKey,
          body: { session_token: session.token },
        })),
    ],
    [
      'user',
      async (_: string, { id }: { id: string }) => void (await server.manage('POST', `/users/${id}/deactivate`)),
    ],
    ['server', async () => void (await server.manage('PATCH', '', { authorization_server: null }))],
  ])('ends with its %s, on the other replica too', async (_, end) => {
    const one = await person();
    const { access_token: token } = await consented(server, await program(), one.session.token, {
      scope: 'users:read',
      resource: base,
    });
    expect((await get(`/v1/auth/users/${one.id}`, token, replica)).status).toBe(200);
    await end(decodeJwt(token)['grant_id'] as string, one);
    await eventually(async () => expect((await get(`/v1/auth/users/${one.id}`, token, replica)).status).toBe(401));
  });

  it('changes nothing any more when its grant ends while the call runs', async () => {
    const one = await person();
    const { access_token: token } = await consented(server, await program(), one.session.token, {
      scope: 'users:write',
      resource: base,
    });
    await observer.rows('begin');
    await observer.rows('select from users where app_id = $1 and id = $2 for update', [server.app.id, one.id]);
    let isOver = false;
    const change = service
      .call('PUT', `/v1/auth/users/${one.id}/update`, { key: token, body: { first_name: 'Eve' } })
      .finally(() => (isOver = true));
    await observer.untilWaiting('users', () => (isOver ? 0 : 1), 2);
    await observer.rows('delete from authorization_grants where app_id = $1', [server.app.id]);
    await observer.rows('commit');
    expect(outcome(await change)).toEqual([401, 'unauthorized_credentials']);
  });
});

describe('a token that is not for this API', () => {
  it('is refused, whatever it is', async () => {
    const one = await person();
    await server.resource('https://orders.example');
    const client = await program({ resources: [base, 'https://orders.example'] });
    const both = await consented(server, client, one.session.token, { scope: 'openid users:read', resource: base });
    const token: string = both.access_token;
    const other = await Server.of(service);
    const second = await other.client({ scopes: SCOPES, resources: [base], default_resource: base });
    const { access_token: foreign } = (await other.token(second)).body;
    const elsewhere = await consented(server, client, one.session.token, { resource: 'https://orders.example' });
    const now = Math.floor(Date.now() / 1_000);
    const refused: Record<string, string> = {
      'an id_token': both.id_token,
      'another audience': elsewhere.access_token,
      'several audiences': await resigned(token, { aud: [base] }),
      'no audience': await resigned(token, { aud: undefined }),
      'the audience with a slash': await resigned(token, { aud: `${base}/` }),
      'a second too late': await resigned(token, { exp: now - 1 }),
      'no end': await resigned(token, { exp: undefined }),
      'another type': await resigned(token, {}, { typ: 'JWT' }),
      'the issuer of another app': await resigned(token, { iss: other.issuer }),
      'the key of another app': await resigned(token, {}, {}, other),
      'no algorithm': new UnsecuredJWT(decodeJwt(token)).encode(),
      'the grant of another user': await resigned(token, { sub: (await person()).id }),
      'no grant of this app': await resigned(token, { grant_id: 'grant_00000000000000000000000000' }),
      'the client of another app': await resigned(foreign, { iss: server.issuer }),
      'no JWT': 'a.b.c',
    };
    for (const [what, text] of Object.entries(refused)) {
      const answer = await get(`/v1/auth/users/${one.id}`, text);
      expect([what, ...outcome(answer), answer.headers.get('www-authenticate')]).toEqual([
        what,
        401,
        'unauthorized_credentials',
        'Bearer error="invalid_token"',
      ]);
    }
    // The token of another app is that of its own app, like a key.
    expect(outcome(await get(`/v1/auth/users/${one.id}`, foreign))).toEqual([404, 'user_not_found']);
    expect((await get(`/v1/auth/users/${one.id}`, token)).status).toBe(200);
  });

  it('ends when it is revoked, and a frozen app signs nothing by it', async () => {
    const one = await person();
    const client = await program();
    const { access_token: token } = await consented(server, client, one.session.token, {
      scope: 'users:read wallets:sign',
      resource: base,
    });
    await server.manage('POST', '/freeze', {});
    await eventually(async () => expect(outcome(await sign(one.walletId, token))).toEqual([403, 'app_frozen']));
    expect(await server.isActive(await program(), token)).toBe(false);
    expect((await server.post('/revoke', client, { token })).status).toBe(200);
    expect((await get(`/v1/auth/users/${one.id}`, token)).status).toBe(401);
  });

  it('gives a public client nothing for itself', async () => {
    const body = { name: 'Page', type: 'public', grant_types: ['client_credentials'], scopes: ['wallets:sign'] };
    const path = `/management/v1/apps/${server.app.id}/oauth_clients`;
    expect((await service.call('POST', path, { key: service.managementKey, body })).status).toBe(400);
    const page = await program({ type: 'public' });
    const form = { grant_type: 'client_credentials', client_id: page.id, resource: base };
    const { status, body: refusal } = await server.post('/token', null, form);
    expect([status, refusal.error]).toEqual([400, 'invalid_request']);
  });
});
