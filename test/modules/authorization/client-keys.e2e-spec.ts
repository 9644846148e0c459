import http from 'node:http';
import { once } from 'node:events';
import { generateKeyPairSync, randomUUID } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import {
  calculateJwkThumbprint,
  decodeJwt,
  exportJWK,
  generateKeyPair,
  type GenerateKeyPairResult,
  SignJWT,
} from 'jose';
import * as oauth from 'oauth4webapi';
import { freePort } from '../../../src/dev/free-port.js';
import type { AppId } from '../../../src/kernel/ids.js';
import { Artifacts } from '../../../src/modules/authorization/infrastructure/artifacts.js';
import { startApp, type TestApp } from '../../support/app.js';
import { eventually } from '../../support/eventually.js';
import { Observer } from '../../support/observer.js';
import { signRows } from '../../support/row-macs.js';
import { signIn } from '../../support/sign-in.js';
import { textsOf } from '../../support/statements.js';
import { answer, Browser, CALLBACK, CODE, requestOf, Server } from './servers.js';

const SCOPES = ['openid', 'offline_access', 'users:read', 'users:write'];
const ASSERTION = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';

let service: TestApp;
let replica: TestApp;
let observer: Observer;
let server: Server;
let base: string;
let key: GenerateKeyPairResult;

/** Both replicas have one address, as behind a proxy. */
beforeAll(async () => {
  const port = await freePort();
  const env = { ROLE: 'api', BASE_URL: `http://127.0.0.1:${port}`, PUBLIC_RATE: '1000' };
  base = env.BASE_URL;
  service = await startApp({ env: { ...env, PORT: `${port}` } });
  replica = await startApp({ env, databaseUrl: service.databaseUrl });
  observer = await Observer.of(service);
  key = await generateKeyPair('ES256', { extractable: true });
});
afterAll(async () => {
  await observer?.close();
  await replica?.stop();
  await service?.stop();
});
beforeEach(async () => {
  server = await Server.of(service);
});

const now = () => Math.floor(Date.now() / 1_000);
const publicKey = async (of = key) => ({ ...(await exportJWK(of.publicKey)), alg: 'ES256', kid: 'one' });

describe('private_key_jwt', () => {
  const registered = async (settings: object = {}) =>
    server.client({
      scopes: SCOPES,
      resources: [base],
      default_resource: base,
      token_endpoint_auth_method: 'private_key_jwt',
      jwks: { keys: [await publicKey()] },
      ...settings,
    });

  /** A modulus as the smartcards of CVE-2017-15361 made it. */
  const factorable = (): string => {
    const isPrime = (candidate: number) =>
      Array.from({ length: candidate - 2 }, (_, index) => index + 2).every((lower) => candidate % lower !== 0);
    const primes = Array.from({ length: 165 }, (_, index) => index + 3).filter(isPrime);
    const product = primes.reduce((all, prime) => all * BigInt(prime), 1n);
    const modulus = (65_537n ** 77n % product) + product * (1n << 1_830n);
    return Buffer.from(modulus.toString(16), 'hex').toString('base64url');
  };

  const assertion = (id: string, claims: object = {}, { of = key, header = {} } = {}) =>
    new SignJWT({ iss: id, sub: id, aud: server.issuer, jti: randomUUID(), iat: now(), exp: now() + 60, ...claims })
      .setProtectedHeader({ alg: 'ES256', kid: 'one', ...header })
      .sign(of.privateKey);

  const send = (client_assertion: string, form: Record<string, string> = {}, at = server) =>
    at.post('/token', null, {
      grant_type: 'client_credentials',
      client_assertion_type: ASSERTION,
      client_assertion,
      ...form,
    });

  it('passes a client that is not ours, and gives the client no secret', async () => {
    const client = await registered();
    expect(client.secret).toBe('');
    const as = await oauth.processDiscoveryResponse(
      new URL(server.issuer),
      await oauth.discoveryRequest(new URL(server.issuer), { [oauth.allowInsecureRequests]: true }),
    );
    expect(as.token_endpoint_auth_methods_supported).toContain('private_key_jwt');
    expect(as.token_endpoint_auth_signing_alg_values_supported).not.toContain('HS256');
    const authentication = oauth.PrivateKeyJwt({ key: key.privateKey, kid: 'one' });
    const asked = { client_id: client.id };
    const options = { [oauth.allowInsecureRequests]: true };
    const response = await oauth.clientCredentialsGrantRequest(as, asked, authentication, {}, options);
    const { access_token } = await oauth.processClientCredentialsResponse(as, asked, response);
    expect(decodeJwt(access_token)['client_id']).toBe(client.id);
    const path = `/management/v1/apps/${server.app.id}/oauth_clients/${client.id}`;
    const rotated = await service.call('POST', `${path}/rotate_secret`, { key: service.managementKey, body: {} });
    expect([rotated.status, rotated.body.error_type]).toEqual([409, 'client_without_secret']);
  });

  it('takes an assertion once, of 40 at a time on two replicas', async () => {
    const client = await registered();
    const text = await assertion(client.id);
    const both = [server, server.at(replica)];
    const answers = await Promise.all(Array.from({ length: 40 }, (_, i) => send(text, {}, both[i % 2])));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(answers.filter(({ status, body }) => status === 401 && body.error === 'invalid_client')).toHaveLength(39);
    expect((await send(await assertion(client.id))).status).toBe(200);
  });

  it('refuses every assertion that is not for this server, by this client, for now', async () => {
    const client = await registered();
    const other = await registered();
    const secret = await server.client({ scopes: SCOPES, resources: [base], default_resource: base });
    const stranger = await generateKeyPair('ES256', { extractable: true });
    const elsewhere = await Server.of(service);
    const hmac = await new SignJWT({ iss: client.id, sub: client.id, aud: server.issuer, jti: 'x', exp: now() + 60 })
      .setProtectedHeader({ alg: 'HS256' })
      .sign(new TextEncoder().encode(JSON.stringify(await publicKey())));
    const none = `${btoa('{"alg":"none"}')}.${btoa(JSON.stringify({ iss: client.id, sub: client.id, aud: server.issuer, jti: 'x', exp: now() + 60 }))}.`;
    const refused: Record<string, string> = {
      'another audience': await assertion(client.id, { aud: elsewhere.issuer }),
      'no audience': await assertion(client.id, { aud: undefined }),
      'no id': await assertion(client.id, { jti: undefined }),
      'no end': await assertion(client.id, { exp: undefined }),
      'an end that is past': await assertion(client.id, { exp: now() - 1 }),
      'an end that is far': await assertion(client.id, { exp: now() + 3_600 }),
      'an end that is a text': await assertion(client.id, { exp: `${now() + 60}` }),
      'another issuer': await assertion(client.id, { iss: other.id }),
      'the key of a stranger': await assertion(client.id, {}, { of: stranger }),
      'a key in the header': await assertion(
        client.id,
        {},
        { of: stranger, header: { jwk: await publicKey(stranger) } },
      ),
      'the key as a secret': hmac,
      'no signature': none.replaceAll('=', ''),
      'a client with a secret': await assertion(secret.id),
      'no JWT': 'a.b.c',
    };
    for (const [what, text] of Object.entries(refused)) {
      const { status, body } = await send(text);
      expect([what, status >= 400 && status < 500, body.access_token]).toEqual([what, true, undefined]);
    }
    const { status } = await server.token({ id: client.id, secret: 'x' });
    expect(status).toBe(401);
    expect((await send(await assertion(client.id))).status).toBe(200);
  });

  it('reads the keys that the client publishes, keeps them for a minute, and then takes none that was withdrawn', async () => {
    const keys = [await publicKey()];
    let calls = 0;
    const host = http.createServer((_, response) => {
      calls++;
      response.setHeader('cache-control', 'max-age=31536000').end(JSON.stringify({ keys }));
    });
    host.listen(0, '127.0.0.1');
    await once(host, 'listening');
    const jwks_uri = `http://127.0.0.1:${(host.address() as AddressInfo).port}/jwks`;
    try {
      const client = await registered({ jwks: undefined, jwks_uri });
      expect((await send(await assertion(client.id))).status).toBe(200);
      expect((await send(await assertion(client.id))).status).toBe(200);
      expect(calls).toBe(1);
      // With an exponent of 1 a signature needs no private key.
      const open = { kty: 'RSA', n: Buffer.alloc(256, 0xff).toString('base64url'), e: 'AQ', kid: 'one', alg: 'RS256' };
      keys.splice(0, 1, open as never);
      const clock = jest.spyOn(Date, 'now').mockReturnValue(Date.now() + 61_000);
      const withdrawn = await assertion(client.id).then(send);
      clock.mockRestore();
      expect([withdrawn.status, withdrawn.body.error, calls]).toEqual([401, 'invalid_client', 2]);
    } finally {
      host.close();
    }
    const gone = await registered({ jwks: undefined, jwks_uri });
    const { status, body } = await send(await assertion(gone.id));
    expect([status, body.error]).toEqual([401, 'invalid_client']);
  });

  it('is registered with public keys alone, or with their address', async () => {
    const path = `/management/v1/apps/${server.app.id}/oauth_clients`;
    const weak = { kty: 'RSA', n: Buffer.alloc(128, 0xff).toString('base64url'), e: 'AQAB' };
    const strong = { ...weak, n: Buffer.alloc(256, 0xff).toString('base64url') };
    expect((await registered({ jwks: { keys: [strong] } })).id).toMatch(/^client_/);
    const jwk = await publicKey();
    const refused: [string, object][] = [
      ['jwks', { jwks: undefined }],
      ['jwks', { jwks: null }],
      ['jwks', { jwks: {} }],
      ['jwks', { jwks: { keys: [] } }],
      ['jwks', { jwks: { keys: [await exportJWK(key.privateKey)] } }],
      ['jwks', { jwks: { keys: [{ kty: 'oct', k: 'c2VjcmV0' }] } }],
      ['jwks', { jwks: { keys: [weak] } }],
      ['jwks', { jwks: { keys: [{ ...strong, e: 'AQ' }] } }],
      ['jwks', { jwks: { keys: [{ ...strong, use: 'enc' }] } }],
      ['jwks', { jwks: { keys: [{ ...strong, alg: 'RSA1_5' }] } }],
      ['jwks', { jwks: { keys: [{ ...strong, key_ops: ['encrypt'] }] } }],
      ['jwks', { jwks: { keys: [{ ...strong, n: factorable() }] } }],
      ['jwks', { jwks: { keys: [{ ...jwk, dp: 'AQAB' }] } }],
      ['jwks', { jwks: { keys: Array.from({ length: 11 }, () => jwk) } }],
      ['jwks', { jwks_uri: 'https://client.example/jwks' }],
      ['jwks_uri', { jwks: undefined, jwks_uri: 'http://client.example/jwks' }],
      ['jwks', { token_endpoint_auth_method: 'client_secret_basic' }],
      ['token_endpoint_auth_method', { token_endpoint_auth_method: 'none', jwks: undefined }],
      ['token_endpoint_auth_method', { type: 'public', ...CODE }],
    ];
    for (const [field, changes] of refused) {
      const body = {
        name: 'Import',
        type: 'confidential',
        grant_types: ['client_credentials'],
        token_endpoint_auth_method: 'private_key_jwt',
        jwks: { keys: [jwk] },
        ...changes,
      };
      const { status, body: refusal } = await service.call('POST', path, { key: service.managementKey, body });
      expect([changes, status, refusal.errors?.map((each: { field: string }) => each.field)]).toEqual([
        changes,
        400,
        expect.arrayContaining([field]),
      ]);
    }
  });
});

describe('a key that was registered under older rules', () => {
  it('authenticates no client any more', async () => {
    const pair = generateKeyPairSync('rsa', { modulusLength: 2_048, publicExponent: 3 });
    const { id } = await server.client({
      scopes: SCOPES,
      resources: [base],
      default_resource: base,
      token_endpoint_auth_method: 'private_key_jwt',
      jwks: { keys: [await publicKey()] },
    });
    const old = { ...pair.publicKey.export({ format: 'jwk' }), alg: 'RS256', kid: 'old' };
    await observer.rows(
      `update authorization_clients set settings = jsonb_set(settings, '{jwks,keys}', settings #> '{jwks,keys}' || $3::jsonb) where app_id = $1 and id = $2`,
      [server.app.id, id, JSON.stringify(old)],
    );
    await signRows(service, 'authorization_clients');
    const claims = { iss: id, sub: id, aud: server.issuer, iat: now(), exp: now() + 60 };
    const send = async (alg: string, kid: string, privateKey: Parameters<SignJWT['sign']>[0]) => {
      const signed = new SignJWT({ ...claims, jti: randomUUID() }).setProtectedHeader({ alg, kid });
      const form = { grant_type: 'client_credentials', client_assertion_type: ASSERTION };
      const { status } = await server.post('/token', null, {
        ...form,
        client_assertion: await signed.sign(privateKey),
      });
      return status;
    };
    expect(await send('RS256', 'old', pair.privateKey)).toBe(401);
    expect(await send('ES256', 'one', key.privateKey)).toBe(200);
  });
});

describe('a proof of possession', () => {
  interface Call {
    readonly method?: string;
    readonly url: string;
    readonly token?: string;
  }

  const proof = async ({ method = 'POST', url, token }: Call, claims: object = {}, { of = key, header = {} } = {}) =>
    new SignJWT({
      htm: method,
      htu: url,
      jti: randomUUID(),
      iat: now(),
      ...(token !== undefined && { ath: await hashOf(token) }),
      ...claims,
    })
      .setProtectedHeader({ alg: 'ES256', typ: 'dpop+jwt', jwk: await exportJWK(of.publicKey), ...header })
      .sign(of.privateKey);

  const hashOf = async (text: string) =>
    Buffer.from(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text))).toString('base64url');

  const machine = () => server.client({ scopes: SCOPES, resources: [base], default_resource: base });
  const tokenUrl = () => `${server.issuer}/token`;

  async function bound() {
    const client = await machine();
    const { user_id: id } = await service.given.user(server.app);
    const { body } = await server.post(
      '/token',
      client,
      { grant_type: 'client_credentials' },
      { dpop: await proof({ url: tokenUrl() }) },
    );
    return { client, id, token: body.access_token as string, type: body.token_type as string };
  }

  const get = async (id: string, authorization: string, dpop?: string, at = service) => {
    const response = await fetch(`${at.url}/v1/auth/users/${id}`, {
      headers: { authorization, ...(dpop !== undefined && { dpop }) },
    });
    await response.text();
    return [response.status, response.headers.get('www-authenticate')];
  };
  const userUrl = (id: string) => `${base}/v1/auth/users/${id}`;

  it('binds the token to the key, and the API takes it with a proof of this call alone', async () => {
    const { client, id, token, type } = await bound();
    expect(type).toBe('DPoP');
    expect(decodeJwt(token)['cnf']).toEqual({ jkt: await calculateJwkThumbprint(await exportJWK(key.publicKey)) });
    expect((await server.post('/introspect', client, { token })).body).toMatchObject({
      active: true,
      token_type: 'DPoP',
      cnf: decodeJwt(token)['cnf'],
    });
    const call = { method: 'GET', url: userUrl(id), token };
    const stranger = await generateKeyPair('ES256', { extractable: true });
    expect(await get(id, `DPoP ${token}`, await proof({ ...call, url: `${userUrl(id)}?x=1#y` }))).toEqual([200, null]);
    const INVALID = [401, 'DPoP error="invalid_token"'];
    const refused: Record<string, string> = {
      'no proof': '',
      'another method': await proof({ ...call, method: 'POST' }),
      'another path': await proof({ ...call, url: `${userUrl(id)}/delete` }),
      'another host': await proof({ ...call, url: userUrl(id).replace('127.0.0.1', 'evil.example') }),
      'another token': await proof({ ...call, token: 'x' }),
      'no token': await proof({ method: 'GET', url: userUrl(id) }),
      'another key': await proof(call, {}, { of: stranger }),
      'the key of another proof': await proof(
        call,
        {},
        { of: stranger, header: { jwk: await exportJWK(key.publicKey) } },
      ),
      'the private key': await proof(call, {}, { header: { jwk: await exportJWK(key.privateKey) } }),
      'another type': await proof(call, {}, { header: { typ: 'JWT' } }),
      'no id': await proof(call, { jti: '' }),
      'an old one': await proof(call, { iat: now() - 400 }),
      'one of the future': await proof(call, { iat: now() + 400 }),
      'no time': await proof(call, { iat: undefined }),
      'two proofs': `${await proof(call)}, ${await proof(call)}`,
    };
    for (const [what, text] of Object.entries(refused))
      expect([what, ...(await get(id, `DPoP ${token}`, text))]).toEqual([what, ...INVALID]);
    expect(await get(id, `Bearer ${token}`, await proof(call))).toEqual([401, 'Bearer error="invalid_token"']);
    expect(await get(id, `Bearer ${token}`)).toEqual([401, 'Bearer error="invalid_token"']);
    expect(await get(id, `DPoP ${server.app.secretKey}`, await proof(call))).toEqual([401, 'DPoP']);
    const bearer = (await server.token(client)).body.access_token as string;
    expect(await get(id, `DPoP ${bearer}`, await proof({ ...call, token: bearer }))).toEqual(INVALID);
    expect(await get(id, `Bearer ${bearer}`)).toEqual([200, null]);
  });

  it('counts once, of 40 at a time on two replicas', async () => {
    const { id, token } = await bound();
    const dpop = await proof({ method: 'GET', url: userUrl(id), token });
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, i) => get(id, `DPoP ${token}`, dpop, [service, replica][i % 2])),
    );
    expect(answers.filter(([status]) => status === 200)).toHaveLength(1);
    expect(answers.filter(([status]) => status === 401)).toHaveLength(39);
  });

  const usedProofs = async () =>
    (
      await observer.rows(`select from authorization_artifacts where app_id = $1 and kind = 'UsedProof'`, [
        server.app.id,
      ])
    ).length;

  it('is stored for a call that has counted, and for no call that is refused', async () => {
    const { client, id, token } = await bound();
    const before = await usedProofs();
    const url = `${base}/management/v1/apps/${server.app.id}`;
    const { status } = await fetch(url, {
      headers: { authorization: `DPoP ${token}`, dpop: await proof({ method: 'GET', url, token }) },
    });
    expect([status, await usedProofs()]).toEqual([403, before]);
    const bearer = (await server.token(client)).body.access_token as string;
    const stranger = await generateKeyPair('ES256', { extractable: true });
    for (const [text, of] of [
      [bearer, key],
      [token, stranger],
    ] as const) {
      const userinfo = { method: 'GET', url: `${server.issuer}/userinfo`, token: text };
      const refused = await fetch(userinfo.url, {
        headers: { authorization: `DPoP ${text}`, dpop: await proof(userinfo, {}, { of }) },
      });
      expect([refused.status, await usedProofs()]).toEqual([401, before]);
    }
    await server.manage('PATCH', '', { limits: { secret_key_calls_per_second: 1 } });
    await eventually(async () => {
      const answer = await service.call('GET', `/v1/auth/users/${id}`, { key: server.app.secretKey });
      expect(answer.headers.get('ratelimit-policy')).toContain('q=1;');
    });
    const counted = await usedProofs();
    const proofs = await Promise.all(
      Array.from({ length: 20 }, () => proof({ method: 'GET', url: userUrl(id), token })),
    );
    const answers = await Promise.all(proofs.map((each) => get(id, `DPoP ${token}`, each)));
    const passed = answers.filter(([each]) => each === 200).length;
    expect(answers.filter(([each]) => each === 429)).toHaveLength(20 - passed);
    expect([passed < 20, await usedProofs()]).toEqual([true, counted + passed]);
  });

  it('counts once at userinfo', async () => {
    const client = await server.client({ ...CODE, type: 'public', scopes: SCOPES });
    const { user_id } = await service.given.user(server.app);
    const { session_token } = await signIn(service, server.app, { user_id });
    const browser = new Browser(server);
    const request = requestOf(server, client.id, { scope: 'openid' });
    const { url: page } = await browser.visit(request.url);
    const { redirect_url } = (await answer(server, page, 'accept', { session_token })).body;
    const { url } = await browser.visit(redirect_url);
    const form = {
      grant_type: 'authorization_code',
      client_id: client.id,
      code: url.searchParams.get('code')!,
      redirect_uri: CALLBACK,
      code_verifier: request.verifier,
    };
    const { body } = await server.post('/token', null, form, { dpop: await proof({ url: tokenUrl() }) });
    const userinfo = { method: 'GET', url: `${server.issuer}/userinfo`, token: body.access_token as string };
    const dpop = await proof(userinfo);
    const statuses = await Promise.all(
      Array.from({ length: 10 }, async () => {
        const headers = { authorization: `DPoP ${userinfo.token}`, dpop };
        return (await fetch(userinfo.url, { headers })).status;
      }),
    );
    expect(statuses.toSorted((a, b) => a - b)).toEqual([200, ...Array.from({ length: 9 }, () => 401)]);
    await server.manage('PATCH', '', { limits: { secret_key_calls_per_second: 10 } });
    const ask = async (proven = dpop) =>
      fetch(userinfo.url, { headers: { authorization: `DPoP ${userinfo.token}`, dpop: proven } });
    await eventually(async () =>
      expect((await ask(await proof(userinfo))).headers.get('ratelimit-policy')).toContain('"client";q=10;'),
    );
    // Copies do not use up the rate of the client.
    for (let copy = 0; copy < 30; copy++) expect((await ask()).status).toBe(401);
  });

  it('does not use up the rate of its key by copies', async () => {
    const { id, token } = await bound();
    const call = { method: 'GET', url: userUrl(id), token };
    const dpop = await proof(call);
    expect((await get(id, `DPoP ${token}`, dpop))[0]).toBe(200);
    await server.manage('PATCH', '', { limits: { secret_key_calls_per_second: 10 } });
    await eventually(async () => {
      const answer = await service.call('GET', `/v1/auth/users/${id}`, { key: server.app.secretKey });
      expect(answer.headers.get('ratelimit-policy')).toContain('q=10;');
    });
    for (let copy = 0; copy < 30; copy++) expect((await get(id, `DPoP ${token}`, dpop))[0]).toBe(401);
    expect((await get(id, `DPoP ${token}`, await proof(call)))[0]).toBe(200);
  });

  it('costs no statement that stores it where a replica has seen a copy', async () => {
    const { client, id, token } = await bound();
    const call = { method: 'GET', url: userUrl(id), token };
    const dpop = await proof(call);
    expect((await get(id, `DPoP ${token}`, dpop))[0]).toBe(200);
    const stores = (sent: readonly string[]) => sent.filter((text) => text.startsWith('insert')).length;
    const copy = (at?: TestApp) => textsOf(async () => expect((await get(id, `DPoP ${token}`, dpop, at))[0]).toBe(401));
    for (const at of [service, replica]) expect([stores(await copy(at)), stores(await copy(at))]).toEqual([1, 0]);
    const fresh = await proof({ url: tokenUrl() });
    const ask = (headers: { dpop: string }) =>
      server.post('/token', client, { grant_type: 'client_credentials' }, headers);
    expect((await ask({ dpop: fresh })).status).toBe(200);
    const refused = () => textsOf(async () => expect((await ask({ dpop: fresh })).status).toBe(400));
    expect([stores(await refused()), stores(await refused())]).toEqual([1, 0]);
    // An app cannot make the service forget the copies of another app. Only copies take memory.
    const other = (await Server.of(service)).app.id as AppId;
    const artifacts = service.nest.get(Artifacts);
    const uses = async (from: number, to: number) => {
      for (let i = from; i < to; i++) await artifacts.isFirstUse(other, 'client', `jti ${i}`);
    };
    await uses(0, 101);
    await uses(0, 101);
    await uses(101, 300);
    expect(stores(await copy())).toBe(0);
    expect(stores(await textsOf(() => uses(1, 101)))).toBe(0);
    expect(stores(await textsOf(() => uses(0, 1)))).toBe(1);
    expect(await artifacts.isFirstUse(other, 'client', 'jti 0')).toBe(false);
  });

  it('counts once over all replicas, also where one only reads', async () => {
    const { id, token } = await bound();
    const [used, fresh] = [0, 1].map(() => proof({ method: 'GET', url: userUrl(id), token }));
    expect((await get(id, `DPoP ${token}`, await used))[0]).toBe(200);
    const reader = await startApp({
      env: { ROLE: 'api', BASE_URL: base, READ_ONLY: 'true' },
      databaseUrl: service.databaseUrl,
    });
    try {
      const before = await usedProofs();
      const statuses: unknown[] = [];
      for (const each of [used, fresh, fresh]) statuses.push((await get(id, `DPoP ${token}`, await each, reader))[0]);
      statuses.push((await get(id, `DPoP ${token}`, await fresh))[0]);
      expect([statuses, await usedProofs()]).toEqual([[401, 200, 401, 401], before + 1]);
    } finally {
      await reader.stop();
    }
  });

  it('counts once at the token endpoint, and is remembered as long as it is valid', async () => {
    const client = await machine();
    const dpop = await proof({ url: tokenUrl() }, { iat: now() + 290 });
    const both = [server, server.at(replica)];
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        both[i % 2]!.post('/token', client, { grant_type: 'client_credentials' }, { dpop }),
      ),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    const rows = await observer.rows<{ seconds: number }>(
      `select extract(epoch from expires_at - now())::int as seconds from authorization_artifacts where app_id = $1 and kind = 'UsedProof'`,
      [server.app.id],
    );
    expect(rows).toEqual([{ seconds: expect.any(Number) }]);
    expect(rows[0]!.seconds).toBeGreaterThan(640);
  });

  it('binds the refresh token of a public client, by a client that is not ours', async () => {
    const client = await server.client({ ...CODE, type: 'public', scopes: SCOPES, resources: [base] });
    const { user_id } = await service.given.user(server.app);
    const { session_token } = await signIn(service, server.app, { user_id });
    const as = await oauth.processDiscoveryResponse(
      new URL(server.issuer),
      await oauth.discoveryRequest(new URL(server.issuer), { [oauth.allowInsecureRequests]: true }),
    );
    expect(as.dpop_signing_alg_values_supported).toEqual(['ES256', 'Ed25519', 'EdDSA']);
    const asked = { client_id: client.id };
    const keys = await oauth.generateKeyPair('ES256');
    const options = { [oauth.allowInsecureRequests]: true, DPoP: oauth.DPoP({}, keys) };
    const browser = new Browser(server);
    const request = requestOf(server, client.id, { scope: 'openid users:read', resource: base });
    const { url: page } = await browser.visit(request.url);
    const { redirect_url } = (await answer(server, page, 'accept', { session_token })).body;
    const { url } = await browser.visit(redirect_url);
    const parameters = oauth.validateAuthResponse(as, asked, url, 'the state');
    const none = oauth.None();
    const tokens = await oauth.processAuthorizationCodeResponse(
      as,
      asked,
      await oauth.authorizationCodeGrantRequest(as, asked, none, parameters, CALLBACK, request.verifier, options),
    );
    const called = await oauth.protectedResourceRequest(
      tokens.access_token,
      'GET',
      new URL(userUrl(user_id)),
      undefined,
      undefined,
      options,
    );
    expect(called.status).toBe(200);
    const stolen = await server.post('/token', null, {
      grant_type: 'refresh_token',
      client_id: client.id,
      refresh_token: tokens.refresh_token!,
    });
    expect([stolen.status, stolen.body.error]).toEqual([400, 'invalid_grant']);
    const refreshed = await oauth.processRefreshTokenResponse(
      as,
      asked,
      await oauth.refreshTokenGrantRequest(as, asked, none, tokens.refresh_token!, options),
    );
    await eventually(async () => expect(decodeJwt(refreshed.access_token)['cnf']).toBeDefined());
  });
});
