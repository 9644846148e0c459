import { randomUUID } from 'node:crypto';
import { calculateJwkThumbprint, decodeJwt, exportJWK, generateKeyPair, SignJWT } from 'jose';
import { freePort } from '../../../src/dev/free-port.js';
import { startApp, type TestApp } from '../../support/app.js';
import { eventually } from '../../support/eventually.js';
import { Observer } from '../../support/observer.js';
import { signIn } from '../../support/sign-in.js';
import { PasskeyApp } from '../passkey/passkeys.js';
import { asking, PolicyApp } from '../policy/policies.js';
import { CODE, consented, Server } from './servers.js';

const GRANT = 'urn:ietf:params:oauth:grant-type:token-exchange';
const ACCESS_TOKEN = 'urn:ietf:params:oauth:token-type:access_token';
const TOOLS = 'https://tools.example';
const ORDERS = 'https://orders.example';
const SCOPES = ['openid', 'offline_access', 'orders:read', 'orders:write', 'users:read', 'users:write'];

let service: TestApp;
let replica: TestApp;
let observer: Observer;
let server: Server;
let base: string;
let person: Person;

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
  await server.resource(TOOLS, SCOPES);
  await server.resource(ORDERS, SCOPES);
  person = await newPerson();
});

interface Client {
  readonly id: string;
  readonly secret: string;
}

interface Person {
  readonly id: string;
  readonly token: string;
}

async function newPerson(): Promise<Person> {
  const { user_id: id } = await service.given.user(server.app);
  return { id, token: (await signIn(service, server.app, { user_id: id })).session_token! };
}

/** A program that serves or calls these resources, and may exchange tokens. */
const program = (resources: readonly string[], settings: object = {}): Promise<Client> =>
  server.client({ ...CODE, grant_types: [...CODE.grant_types, GRANT], scopes: SCOPES, resources, ...settings });

const permit = (client: Client, resource: string, scope: string, of = person) =>
  consented(server, client, of.token, { scope, resource });

const exchange = (
  client: Client,
  subject_token: string,
  form: Record<string, string> = {},
  headers: Record<string, string> = {},
) => {
  const standard = { grant_type: GRANT, subject_token, subject_token_type: ACCESS_TOKEN, resource: ORDERS };
  return server.post('/token', client, { ...standard, ...form }, headers);
};

/** A program with a token for the tools, and the tools that may call the orders. */
async function parties() {
  const agent = await program([TOOLS]);
  const tools = await program([TOOLS, ORDERS]);
  const { access_token: token } = await permit(agent, TOOLS, 'orders:read orders:write');
  const own = await permit(tools, ORDERS, 'orders:read users:read');
  return { agent, tools, token: token as string, own: own.access_token as string };
}

const grantOf = (token: string): string => decodeJwt(token)['grant_id'] as string;

describe('an exchanged token', () => {
  it('is for the second resource, names who acts, and has the scopes that the user permitted to both', async () => {
    const { tools, token } = await parties();
    const { status, body } = await exchange(tools, token, { resource: `${ORDERS}/` });
    expect([status, body]).toEqual([
      200,
      {
        access_token: body.access_token,
        issued_token_type: ACCESS_TOKEN,
        token_type: 'Bearer',
        expires_in: body.expires_in,
        scope: 'orders:read',
      },
    ]);
    const claims = decodeJwt(body.access_token);
    expect(claims).toMatchObject({ sub: person.id, aud: ORDERS, client_id: tools.id, act: { sub: tools.id } });
    expect(claims.exp!).toBeLessThanOrEqual(decodeJwt(token).exp!);
    const { body: state } = await server.at(replica).post('/introspect', tools, { token: body.access_token });
    expect(state).toMatchObject({ active: true, act: { sub: tools.id }, scope: 'orders:read' });
  });

  it('lives no longer than the one for which it is exchanged', async () => {
    const brief = 'https://brief.example';
    await server.resource(brief, SCOPES, { token_seconds: 30 });
    const tools = await program([brief, ORDERS]);
    await permit(tools, ORDERS, 'orders:read');
    const { access_token } = await permit(await program([brief]), brief, 'orders:read');
    const { body } = await exchange(tools, access_token);
    expect(body.expires_in).toBeLessThanOrEqual(30);
  });

  it.each([
    ['the grant of the program', 0],
    ['the consent to the client that acts', 1],
  ])('ends with %s, on the other replica too', async (_, index) => {
    const { tools, token, own } = await parties();
    const { access_token: exchanged } = (await exchange(tools, token)).body;
    expect(await server.at(replica).isActive(tools, exchanged)).toBe(true);
    await server.manage('DELETE', `/oauth2/grants/${grantOf([token, own][index]!)}`);
    await eventually(async () => expect(await server.at(replica).isActive(tools, exchanged)).toBe(false));
    expect((await exchange(tools, token)).status).toBe(400);
  });

  it('is exchanged again, by three clients at most, and ends with each grant of the chain', async () => {
    const { access_token: begun } = await permit(await program([TOOLS]), TOOLS, 'orders:read');
    const clients = await Promise.all([1, 2, 3, 4].map(() => program([TOOLS])));
    const consents = [];
    for (const client of clients) consents.push((await permit(client, TOOLS, 'orders:read')).access_token as string);
    let token: string = begun;
    for (const client of clients.slice(0, 3)) {
      const { status, body } = await exchange(client, token, { resource: TOOLS });
      expect([status, body.error_description]).toEqual([200, undefined]);
      token = body.access_token;
    }
    const [one, two, three] = clients.map(({ id }) => id);
    expect(decodeJwt(token)['act']).toEqual({ sub: three, act: { sub: two, act: { sub: one } } });
    const { status, body } = await exchange(clients[3]!, token, { resource: TOOLS });
    expect([status, body.error]).toEqual([400, 'invalid_request']);
    expect(await server.isActive(clients[2]!, token)).toBe(true);
    await server.manage('DELETE', `/oauth2/grants/${grantOf(consents[0]!)}`);
    await eventually(async () => expect(await server.isActive(clients[2]!, token)).toBe(false));
  });
});

describe('an exchange', () => {
  it('is refused for everything that is no token of a user which the client received', async () => {
    const { agent, tools, token, own } = await parties();
    const machine = await server.client({ scopes: SCOPES, resources: [TOOLS] });
    const { access_token: ofMachine } = (await server.token(machine, { resource: TOOLS })).body;
    const stranger = await program([ORDERS]);
    await permit(stranger, ORDERS, 'orders:read');
    const signedIn = await consented(server, agent, person.token, { scope: 'openid offline_access orders:read' });
    const other = await Server.of(service);
    await other.resource(TOOLS, SCOPES);
    const foreign = await other.client({ ...CODE, scopes: SCOPES, resources: [TOOLS] });
    const { user_id } = await service.given.user(other.app);
    const { session_token } = await signIn(service, other.app, { user_id });
    const ofOtherApp = await consented(other, foreign, session_token!, { scope: 'orders:read', resource: TOOLS });
    expect(decodeJwt(ofOtherApp.access_token)['grant_id']).toMatch(/^grant_/);
    const refused: [string, Client, string, Record<string, string>, string][] = [
      ['no resource', tools, token, { resource: '' }, 'invalid_target'],
      ['an unknown resource', tools, token, { resource: 'https://unknown.example' }, 'invalid_target'],
      ['no URL', tools, token, { resource: 'orders' }, 'invalid_target'],
      ['NUL', tools, token, { resource: 'a\u0000' }, 'invalid_target'],
      ['a resource to which it has no consent', tools, token, { resource: TOOLS }, 'invalid_target'],
      ['a scope that only the program has', tools, token, { scope: 'orders:write' }, 'invalid_scope'],
      ['a scope that only the client has', tools, token, { scope: 'users:read' }, 'invalid_scope'],
      ['an actor', tools, token, { actor_token: own, actor_token_type: ACCESS_TOKEN }, 'invalid_request'],
      ['an actor type', tools, token, { actor_token_type: ACCESS_TOKEN }, 'invalid_request'],
      ['another type', tools, token, { subject_token_type: 'urn:ietf:params:oauth:token-type:jwt' }, 'invalid_request'],
      [
        'a refresh token',
        tools,
        token,
        { requested_token_type: 'urn:ietf:params:oauth:token-type:refresh_token' },
        'invalid_request',
      ],
      [
        'a budget',
        tools,
        token,
        { authorization_details: '[{"type":"wallet_spend"}]' },
        'invalid_authorization_details',
      ],
      ['a client that did not receive it', stranger, token, {}, 'invalid_request'],
      ['the token of a service', tools, ofMachine, {}, 'invalid_request'],
      ['the token of another app', tools, ofOtherApp.access_token, {}, 'invalid_request'],
      ['an opaque token', agent, signedIn.access_token, {}, 'invalid_request'],
      ['an id_token', agent, signedIn.id_token, {}, 'invalid_request'],
      ['its refresh token', agent, signedIn.refresh_token, {}, 'invalid_request'],
      ['a damaged token', tools, `${token.slice(0, -4)}AAAA`, {}, 'invalid_request'],
      ['a very long text', tools, 'x.'.repeat(10_000), {}, 'invalid_request'],
      ['an empty text', tools, '', {}, 'invalid_request'],
    ];
    for (const [what, client, subject, form, error] of refused) {
      const { status, body } = await exchange(client, subject, form);
      expect([what, status, body.error, body.access_token]).toEqual([what, 400, error, undefined]);
    }
    const twice = await server.post(
      '/token',
      tools,
      new URLSearchParams([
        ...Object.entries({ grant_type: GRANT, subject_token: token, subject_token_type: ACCESS_TOKEN }),
        ['resource', ORDERS],
        ['resource', TOOLS],
      ]) as never,
    );
    expect([twice.status, twice.body.error]).toEqual([400, 'invalid_target']);
    expect((await exchange(tools, token)).status).toBe(200);
  });

  it('needs the consent of this very user, and a session that lives', async () => {
    const { agent, tools } = await parties();
    const other = await newPerson();
    const { access_token: token } = await permit(agent, TOOLS, 'orders:read', other);
    expect((await exchange(tools, token)).body.error).toBe('invalid_target');
    await permit(tools, ORDERS, 'orders:read', other);
    expect((await exchange(tools, token)).status).toBe(200);
    await service.ok('DELETE', '/v1/auth/sessions/delete', {
      key: server.app.secretKey,
      body: { session_token: other.token },
    });
    await eventually(async () => expect((await exchange(tools, token)).body.error).toBe('invalid_request'));
  });

  it('finds the consent behind any number of later ones whose sessions have ended', async () => {
    const { tools, token } = await parties();
    for (let i = 0; i < 11; i++) {
      const { session_token } = await signIn(service, server.app, { user_id: person.id });
      await consented(server, tools, session_token!, { scope: 'orders:read', resource: ORDERS });
      await service.ok('DELETE', '/v1/auth/sessions/delete', { key: server.app.secretKey, body: { session_token } });
    }
    expect((await exchange(tools, token)).status).toBe(200);
  });

  it('of a token that is bound to a key needs a proof, by its client with this very key', async () => {
    const [own, other] = [await generateKeyPair('ES256'), await generateKeyPair('ES256')];
    const proof = async ({ publicKey, privateKey } = own) => ({
      dpop: await new SignJWT({ htm: 'POST', htu: `${server.issuer}/token` })
        .setProtectedHeader({ alg: 'ES256', typ: 'dpop+jwt', jwk: await exportJWK(publicKey) })
        .setIssuedAt()
        .setJti(randomUUID())
        .sign(privateKey),
    });
    const agent = await program([TOOLS, ORDERS]);
    const tools = await program([TOOLS, ORDERS]);
    await permit(tools, ORDERS, 'orders:read');
    await permit(agent, ORDERS, 'orders:read');
    const params = { scope: 'orders:read', resource: TOOLS };
    const { access_token: token } = await consented(server, agent, person.token, params, {}, await proof());
    expect(decodeJwt(token)['cnf']).toEqual({ jkt: await calculateJwkThumbprint(await exportJWK(own.publicKey)) });
    for (const [who, headers, status] of [
      [agent, {}, 400],
      [agent, await proof(other), 400],
      [agent, await proof(), 200],
      // The key of the program is not that of the server which got its token.
      [tools, {}, 400],
      [tools, await proof(other), 200],
    ] as const) {
      const { body, ...answer } = await exchange(who, token, {}, headers);
      expect([answer.status, body.error]).toEqual([status, status === 200 ? undefined : 'invalid_request']);
      if (status === 200)
        expect([body.token_type, decodeJwt(body.access_token)['cnf']]).toEqual(['DPoP', expect.anything()]);
    }
  });

  it('takes no consent that was written by SQL', async () => {
    const { tools, token, own } = await parties();
    const widened = JSON.stringify({ user: [], resources: { [ORDERS]: ['orders:read', 'orders:write'] } });
    await observer.rows('update authorization_grants set granted = $3 where app_id = $1 and id = $2', [
      server.app.id,
      grantOf(own),
      widened,
    ]);
    expect((await exchange(tools, token)).body.error).toBe('invalid_target');
  });

  it('is for clients that keep a secret and have the grant', async () => {
    const path = `/management/v1/apps/${server.app.id}/oauth_clients`;
    const body = { name: 'Page', type: 'public', ...CODE, grant_types: ['authorization_code', GRANT] };
    const refused = await service.call('POST', path, { key: service.managementKey, body });
    expect([refused.status, refused.body.errors[0].field]).toEqual([400, 'grant_types']);
    const { token } = await parties();
    const plain = await server.client({ ...CODE, scopes: SCOPES, resources: [TOOLS, ORDERS] });
    await permit(plain, ORDERS, 'orders:read');
    expect((await exchange(plain, token)).body.error).toBe('invalid_request');
    expect((await exchange({ ...plain, secret: 'wrong' }, token)).status).toBe(401);
  });

  it('gives nothing after the grant, of 40 at a time while it is revoked', async () => {
    const { tools, token } = await parties();
    const [answers] = await Promise.all([
      Promise.all(Array.from({ length: 40 }, (_, i) => exchange(tools, token, i % 2 ? {} : { scope: 'orders:read' }))),
      server.manage('DELETE', `/oauth2/grants/${grantOf(token)}`),
    ]);
    const given = answers.flatMap(({ body }) => body.access_token ?? []);
    await eventually(async () => {
      for (const each of given) expect(await server.isActive(tools, each)).toBe(false);
    });
    expect(answers.every(({ status }) => status === 200 || status === 400)).toBe(true);
  });
});

describe('an exchanged token for the API of this service', () => {
  async function called() {
    const agent = await program([TOOLS]);
    const tools = await program([TOOLS, base]);
    const { access_token: token } = await permit(agent, TOOLS, 'users:read users:write');
    await permit(tools, base, 'users:read users:write');
    const { access_token: exchanged } = (await exchange(tools, token, { resource: base })).body;
    return { tools, token: token as string, exchanged: exchanged as string };
  }

  it('makes the calls of its scopes, and its events name both grants and the client that acts', async () => {
    const { tools, token, exchanged } = await called();
    expect((await service.call('GET', `/v1/auth/users/${person.id}`, { key: exchanged })).status).toBe(200);
    expect((await service.call('GET', `/v1/auth/users/${person.id}`, { key: token })).status).toBe(401);
    await service.ok('PUT', `/v1/auth/users/${person.id}/update`, { key: exchanged, body: { first_name: 'Ada' } });
    const [{ actor }] = (await observer.rows<{ actor: string }>(
      `select data->>'actor' as actor from stored_events where app_id = $1 and type = 'user.updated' and data->>'actor' like 'grant%'`,
      [server.app.id],
    )) as [{ actor: string }];
    expect(actor).toBe(`${grantOf(exchanged)}/${tools.id}/${grantOf(token)}`);
  });

  it('changes nothing any more when the first grant ends while the call runs', async () => {
    const { token, exchanged } = await called();
    await observer.rows('begin');
    await observer.rows('select from users where app_id = $1 and id = $2 for update', [server.app.id, person.id]);
    let isOver = false;
    const change = service
      .call('PUT', `/v1/auth/users/${person.id}/update`, { key: exchanged, body: { first_name: 'Eve' } })
      .finally(() => (isOver = true));
    await observer.untilWaiting('users', () => (isOver ? 0 : 1), 2);
    await observer.rows('delete from authorization_grants where app_id = $1 and id = $2', [
      server.app.id,
      grantOf(token),
    ]);
    await observer.rows('commit');
    expect((await change).status).toBe(401);
  });

  it('asks for approvals that end with each grant of it', async () => {
    const passkeys = await PasskeyApp.of(service);
    server = await Server.of(service, passkeys.app);
    await server.resource(TOOLS, SCOPES);
    const policies = PolicyApp.at(service, passkeys.app);
    const group = await policies.group([await policies.approver()]);
    await policies.activate(await policies.version({ rules: [asking(group)] }));
    const { user_id } = await service.given.user(server.app, { wallet_type: 'ethereum' });
    person = { id: user_id, token: (await signIn(service, server.app, { user_id })).session_token! };
    const { wallets } = await service.ok('GET', '/v1/wallets/list', { key: server.app.secretKey, query: { user_id } });
    const scopes = { scopes: ['wallets:sign'] };
    await server.resource(ORDERS, scopes.scopes);
    const agent = await program([ORDERS], scopes);
    const tools = await program([ORDERS, base], scopes);
    const { access_token: token } = await permit(agent, ORDERS, 'wallets:sign');
    await permit(tools, base, 'wallets:sign');
    const { access_token: key } = (await exchange(tools, token, { resource: base })).body;
    const path = `/v1/wallets/${wallets[0].id}/sign_message`;
    const { body } = await service.call('POST', path, { key, body: { message: 'hello' } });
    expect(body.error_type).toBe('approval_required');
    expect((await policies.approval(body.approval_id)).state).toBe('waiting');
    await server.manage('DELETE', `/oauth2/grants/${grantOf(token)}`);
    expect((await policies.approval(body.approval_id)).state).toBe('void');
  });

  it('is not given for a token with a budget', async () => {
    const { wallets } = await service.ok('GET', '/v1/wallets/list', {
      key: server.app.secretKey,
      query: { user_id: person.id },
    });
    const tools = await program([base], { scopes: ['transfers:write', 'wallets:read'] });
    const spend = {
      type: 'wallet_spend',
      wallet_id: wallets[0].id,
      assets: ['ethereum'],
      windows: [{ seconds: 3_600, max_amount: '0.05' }],
      expires_in: 600,
    };
    const { access_token } = await consented(server, tools, person.token, {
      scope: 'transfers:write wallets:read',
      resource: base,
      authorization_details: JSON.stringify([spend]),
    });
    const { status, body } = await exchange(tools, access_token, { resource: base });
    expect([typeof access_token, status, body.error, body.error_description]).toEqual([
      'string',
      400,
      'invalid_request',
      'a token with a budget cannot be exchanged',
    ]);
  });
});
