import { createRemoteJWKSet, decodeProtectedHeader, importJWK, jwtVerify, SignJWT, UnsecuredJWT } from 'jose';
import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { type AppId, newId } from '../../../src/kernel/ids.js';
import { Vault } from '../../../src/kernel/vault.js';
import { PostgresRetention } from '../../../src/postgres/retention.js';
import { SigningKeys } from '../../../src/modules/session/application/signing-keys.js';
import { SessionFacade } from '../../../src/modules/session/index.js';
import { Database } from '../../../src/postgres/database.js';
import { startApp, type TestApp } from '../../support/app.js';
import type { GivenApp } from '../../support/given.js';
import { roundTripsOf } from '../../support/statements.js';
import { atOnce, signIn } from '../../support/sign-in.js';
import { openConnections } from '../../support/observer.js';

type User = Awaited<ReturnType<TestApp['given']['user']>>;

let app: TestApp;
let replica: TestApp;
let acme: GivenApp;
let ann: User;
beforeAll(async () => {
  // No call of `atOnce` waits for a connection, which it gets within 3 s or not at all.
  const env = { DATABASE_POOL_SIZE: '30' };
  app = await startApp({ env });
  replica = await startApp({ databaseUrl: app.databaseUrl, env });
  for (const each of [app, replica]) await openConnections(each, 25);
});
beforeEach(async () => {
  acme = await app.given.app();
  ann = await app.given.user(acme);
});
afterAll(async () => {
  await replica?.stop();
  await app?.stop();
});

const sql = <R extends object>(text: string, parameters: unknown[] = []): Promise<R[]> =>
  app.nest.get(Database).write<R>(text, parameters);
const verify = (session_jwt: string, on = app) =>
  on.call('POST', '/v1/auth/sessions/verify', { key: acme.secretKey, body: { session_jwt } });
const jwks = (headers = {}, on = app) => on.call('GET', `/v1/auth/jwks/${acme.id}`, { headers });
const rotate = (on = app) => on.nest.get(SessionFacade).rotateSigningKeys(acme.id as AppId);
const kidOf = (jwt: string) => decodeProtectedHeader(jwt).kid!;
const states = async () =>
  Object.fromEntries(
    (
      await sql<{ state: string; id: string }>(`select state, id from signing_keys where app_id = $1 order by id`, [
        acme.id,
      ])
    ).map(({ state, id }) => [state, id]),
  );
/** The next key as if it had been published for long. */
const publishLongAgo = () =>
  sql(`update signing_keys set created_at = now() - interval '16 minutes' where app_id = $1 and state = 'next'`, [
    acme.id,
  ]);

/** The key the app signs with, as only the service itself can open it. */
async function currentKey(of: GivenApp): Promise<{ kid: string; privateKey: KeyObject }> {
  const [row] = await sql<{ id: string; sealed: Buffer }>(
    `select id, sealed_private_key as sealed from signing_keys where app_id = $1 and state = 'current'`,
    [of.id],
  );
  const plain = app.nest.get(Vault).open(row!.sealed, ['signing-key', of.id, row!.id]);
  return { kid: row!.id, privateKey: createPrivateKey({ key: plain, format: 'der', type: 'pkcs8' }) };
}

describe('the JWKS of an app', () => {
  it('is public, holds the next and the current key and nothing private', async () => {
    const { status, headers, body } = await jwks();
    expect(status).toBe(200);
    expect(headers.get('cache-control')).toBe('public, max-age=300');
    expect(body.keys).toHaveLength(2);
    for (const key of body.keys) {
      expect(key).toEqual({
        kty: 'RSA',
        alg: 'RS256',
        use: 'sig',
        key_ops: ['verify'],
        kid: expect.stringMatching(/^jwk_/),
        n: expect.any(String),
        e: 'AQAB',
      });
      expect(createPublicKey({ key, format: 'jwk' }).asymmetricKeyDetails!.modulusLength).toBe(2_048);
    }
  });

  it('is the same for the secret key, by header and as old clients send it', async () => {
    const { body } = await jwks();
    const byHeader = await app.call('GET', '/v1/auth/jwks/default', { key: acme.secretKey });
    expect(byHeader.body).toEqual(body);
    expect(byHeader.headers.get('cache-control')).toBe('private, max-age=300');
    const byQuery = await app.call('GET', '/v1/auth/jwks/default', { query: { api_key: acme.secretKey } });
    expect(byQuery.body).toEqual(body);
    expect((await app.call('GET', '/v1/auth/jwks/default')).status).toBe(401);
  });

  it('is not sent again to a client that has it', async () => {
    const etag = (await jwks()).headers.get('etag')!;
    const again = await jwks({ 'if-none-match': `"other", W/${etag}` });
    expect(again).toMatchObject({ status: 304, text: '' });
    expect(again.headers.get('etag')).toBe(etag);
    expect((await jwks({ 'if-none-match': '"other"' })).status).toBe(200);
    await rotate();
    expect((await jwks({ 'if-none-match': etag })).status).toBe(200);
  });

  it.each([
    ['unknown', newId('app')],
    ['malformed', 'app_1'],
    ['of another kind', newId('user')],
  ])('of an id that is %s is not found, and not cached', async (_, id) => {
    const { status, headers, body } = await app.call('GET', `/v1/auth/jwks/${id}`);
    expect({ status, error: body.error_type }).toEqual({ status: 404, error: 'app_not_found' });
    expect(headers.get('cache-control')).toBe('no-store');
  });

  it('verifies a session JWT offline, with a JOSE library', async () => {
    const { session, session_jwt } = await signIn(app, acme, ann);
    const { session_token: _token, session_jwt: _jwt, ...document } = session!;
    const keys = createRemoteJWKSet(new URL(`/v1/auth/jwks/${acme.id}`, app.url));
    const { payload } = await jwtVerify(session_jwt, keys, {
      issuer: `http://localhost:0/${acme.id}`,
      subject: ann.user_id,
    });
    expect(payload).toEqual({
      iss: `http://localhost:0/${acme.id}`,
      sub: ann.user_id,
      jti: session!.id,
      iat: session!.started_at,
      nbf: session!.started_at - 60,
      exp: session!.started_at + 300,
      'http://localhost:0/jwt/session': document,
    });
  });
});

describe('a public key that was replaced in the table', () => {
  const publicKeyOf = ({ n }: { n: string }) => n;
  /** Puts a modulus of the attacker's over those of all of the app's keys. */
  async function replaceModulus(): Promise<KeyObject> {
    const forged = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const { n } = forged.publicKey.export({ format: 'jwk' });
    await sql(
      `update signing_keys set public_jwk = public_jwk || jsonb_build_object('n', $2::text) where app_id = $1`,
      [acme.id, n],
    );
    return forged.privateKey;
  }

  it('is neither published nor believed', async () => {
    const { session_jwt, session } = await signIn(app, acme, ann);
    const published = (await jwks()).body.keys.map(publicKeyOf);
    const privateKey = await replaceModulus();
    const third = await startApp({ databaseUrl: app.databaseUrl });
    try {
      expect((await jwks({}, third)).body.keys.map(publicKeyOf)).toEqual(published);
      const { payload } = await jwtVerify(
        session_jwt,
        createRemoteJWKSet(new URL(`/v1/auth/jwks/${acme.id}`, third.url)),
      );
      const forged = await new SignJWT({ ...payload, jti: session!.id })
        .setProtectedHeader({ alg: 'RS256', kid: kidOf(session_jwt) })
        .sign(privateKey);
      expect((await verify(forged, third)).status).toBe(401);
      expect((await verify(session_jwt, third)).status).toBe(200);
    } finally {
      await third.stop();
    }
  });

  it('whose private half does not open is left out, while the current key goes on signing', async () => {
    const { session_jwt } = await signIn(app, acme, ann);
    const { current } = await states();
    await sql(
      `update signing_keys k set sealed_private_key = c.sealed_private_key from signing_keys c
        where k.app_id = $1 and k.state = 'next' and c.app_id = $1 and c.state = 'current'`,
      [acme.id],
    );
    const third = await startApp({ databaseUrl: app.databaseUrl });
    try {
      expect((await jwks({}, third)).body.keys.map(({ kid }: { kid: string }) => kid)).toEqual([current]);
      expect((await verify(session_jwt, third)).status).toBe(200);
      expect((await third.call('GET', '/metrics')).text).toMatch(/^seal_failures_total\{kind="signing-key"\} [1-9]/m);
    } finally {
      await third.stop();
    }
  });
});

describe('a current key that does not open', () => {
  it('refuses logins, verification by JWT and the JWKS with 503 and raises the alert, until the key is whole', async () => {
    const { session_jwt, session_token } = await signIn(app, acme, ann);
    const swap = () =>
      sql(
        `update signing_keys k set sealed_private_key = o.sealed_private_key from signing_keys o
          where k.app_id = $1 and o.app_id = $1 and k.id <> o.id`,
        [acme.id],
      );
    await swap();
    const third = await startApp({ databaseUrl: app.databaseUrl });
    const login = () =>
      third.call('POST', '/v1/auth/totps/verify', {
        key: acme.secretKey,
        body: { user_id: ann.user_id, totp: '000000', session_expires_in: 60 },
      });
    try {
      for (const answer of [await login(), await verify(session_jwt, third), await jwks({}, third)]) {
        expect(answer).toMatchObject({ status: 503, body: { error_type: 'signing_key_unavailable' } });
      }
      expect((await third.call('GET', '/metrics')).text).toMatch(/^seal_failures_total\{kind="signing-key"\} [1-9]/m);
      await swap();
      expect((await login()).body.error_type).toBe('invalid_totp');
      const again = await third.call('POST', '/v1/auth/sessions/verify', {
        key: acme.secretKey,
        body: { session_token },
      });
      expect(again.status).toBe(200);
    } finally {
      await third.stop();
    }
  });
});

describe('a current key that was altered', () => {
  it('is replaced by a rotation, after which logins work again', async () => {
    await signIn(app, acme, ann);
    await sql(
      `update signing_keys set sealed_private_key = set_byte(sealed_private_key, 60, 255 - get_byte(sealed_private_key, 60))
        where app_id = $1 and state = 'current'`,
      [acme.id],
    );
    const third = await startApp({ databaseUrl: app.databaseUrl });
    try {
      await expect(signIn(third, acme, ann)).rejects.toMatchObject({ code: 'signing_key_unavailable' });
      expect(await rotate(third)).toBe(true);
      const { session_jwt } = await signIn(third, acme, ann);
      expect((await verify(session_jwt, third)).status).toBe(200);
    } finally {
      await third.stop();
    }
  });
});

describe('the first keys of an app', () => {
  it('are one set, however many sign in first on whichever replica', async () => {
    const logins = await atOnce(24, (i) => signIn(i % 2 ? app : replica, acme, ann));
    const jwts = logins.map((login) => (login.status === 'fulfilled' ? login.value.session_jwt : login.reason));
    expect(new Set(jwts.map(kidOf)).size).toBe(1);
    expect(await sql(`select from signing_keys where app_id = $1`, [acme.id])).toHaveLength(2);
    for (const jwt of jwts) expect((await verify(jwt, replica)).status).toBe(200);
  });

  it('are made outside the transaction of the login', async () => {
    const sessions = app.nest.get(SessionFacade);
    await sessions.resolve(acme.id as AppId, { minutes: 60 });
    expect(await states()).toEqual({ current: expect.any(String), next: expect.any(String) });
  });

  it('cannot be opened in the place of another', async () => {
    await jwks();
    const [row] = await sql<{ id: string; sealed: Buffer }>(
      `select id, sealed_private_key as sealed from signing_keys where app_id = $1 and state = 'next'`,
      [acme.id],
    );
    const open = (appId: string, id: string) => app.nest.get(Vault).open(row!.sealed, ['signing-key', appId, id]);
    expect(() => open(newId('app'), row!.id)).toThrow();
    expect(() => open(acme.id, newId('signingKey'))).toThrow();
    expect(open(acme.id, row!.id).length).toBeGreaterThan(1_000);
  });
});

describe('a rotation', () => {
  it('makes the next key sign, publishes another next one and keeps the previous', async () => {
    const before = await signIn(app, acme, ann);
    const { current, next } = await states();
    expect(await rotate()).toBe(true);
    const after = await signIn(app, acme, ann);
    expect(kidOf(before.session_jwt)).toBe(current);
    expect(kidOf(after.session_jwt)).toBe(next);
    const now = await states();
    expect(now).toEqual({ previous: current, current: next, next: expect.any(String) });
    expect((await jwks()).body.keys.map(({ kid }: { kid: string }) => kid).sort()).toEqual(Object.values(now).sort());
    expect((await verify(before.session_jwt)).status).toBe(200);
  });

  it('refuses a rotation to a key that verifiers cannot know yet', async () => {
    await jwks();
    expect(await rotate()).toBe(true);
    const before = await states();
    expect(await rotate()).toBe(false);
    expect(await states()).toEqual(before);
    await publishLongAgo();
    expect(await rotate()).toBe(true);
  });

  it('happens once, however many want it at once', async () => {
    await jwks();
    const answers = await atOnce(20, (i) => rotate(i % 2 ? app : replica));
    expect(answers.filter((answer) => answer.status === 'fulfilled' && answer.value)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 'rejected')).toEqual([]);
    expect(await sql(`select from signing_keys where app_id = $1`, [acme.id])).toHaveLength(3);
  });

  it('forgets a key that was retired more than an hour ago, and none before', async () => {
    const retire = (minutes: number) =>
      sql(
        `update signing_keys set retired_at = now() - make_interval(mins => $2) where app_id = $1 and state = 'previous'`,
        [acme.id, minutes],
      );
    await jwks();
    const { current: first } = await states();
    const published = async () => (await jwks()).body.keys.map(({ kid }: { kid: string }) => kid);
    await rotate();
    for (const [minutes, stays] of [
      [59, true],
      [61, false],
    ] as const) {
      await publishLongAgo();
      await retire(minutes);
      expect(await rotate()).toBe(true);
      expect((await published()).includes(first!)).toBe(stays);
    }
  });

  it('comes by itself to a key that has signed for 30 days', async () => {
    await jwks();
    const { current, next } = await states();
    const age = (days: number) =>
      sql(
        `update signing_keys set activated_at = now() - make_interval(days => $2) where app_id = $1 and state = 'current'`,
        [acme.id, days],
      );
    await age(29);
    await app.nest.get(SigningKeys).rotateExpiring();
    expect((await states()).current).toBe(current);
    await age(30);
    await app.nest.get(SigningKeys).rotateExpiring();
    expect((await states()).current).toBe(next);
  });

  it('after rotation fails no verification on any replica, however many are under way', async () => {
    const kids = new Set<string>();
    let rotating = true;
    let verified = 0;
    const load = async (worker: number): Promise<void> => {
      const [here, there] = worker % 2 ? [app, replica] : [replica, app];
      while (rotating) {
        const { session_jwt } = await signIn(here, acme, ann);
        kids.add(kidOf(session_jwt));
        const { status } = await verify(session_jwt, there);
        if (status !== 200) throw new Error(`A verification answered ${status}.`);
        verified++;
      }
    };
    // All on one replica: the other meets keys it has not read yet.
    const rotations = async (): Promise<void> => {
      for (let i = 0; i < 4; i++) {
        await publishLongAgo();
        expect(await rotate()).toBe(true);
        const before = verified;
        while (verified < before + 20) await new Promise((resolve) => setTimeout(resolve, 5));
      }
    };
    await signIn(app, acme, ann);
    await Promise.all([rotations().finally(() => (rotating = false)), ...Array.from({ length: 8 }, (_, i) => load(i))]);
    expect(kids.size).toBeGreaterThanOrEqual(4);
  });

  it('fails no offline verification either', async () => {
    await signIn(app, acme, ann);
    const keys = createRemoteJWKSet(new URL(`/v1/auth/jwks/${acme.id}`, replica.url));
    const offline = async (on: TestApp) => jwtVerify((await signIn(on, acme, ann)).session_jwt, keys);
    await offline(app);
    await rotate();
    for (const on of [app, replica, app, replica]) await offline(on);
    expect(await rotate()).toBe(false);
    for (const on of [app, replica]) await offline(on);
  });
});

describe('a hostile JWT', () => {
  const refusal = { status: 401, body: { error_type: 'invalid_session' } };

  /** Signs what the app's own key could sign, but for what is changed. */
  async function forged(
    changes: object,
    header: object = {},
    by?: { kid: string; privateKey: KeyObject },
  ): Promise<string> {
    const { session } = await signIn(app, acme, ann);
    const { kid, privateKey } = by ?? (await currentKey(acme));
    const claims = { iss: `http://localhost:0/${acme.id}`, sub: ann.user_id, jti: session!.id };
    const times = { iat: session!.started_at, nbf: session!.started_at, exp: session!.started_at + 300 };
    return new SignJWT({ ...claims, ...times, ...changes })
      .setProtectedHeader({ alg: 'RS256', kid, ...header })
      .sign(privateKey);
  }

  it('is distinguished from one signed by the app, which is accepted', async () => {
    expect((await verify(await forged({}))).status).toBe(200);
  });

  it('without a signature is refused', async () => {
    const { session } = await signIn(app, acme, ann);
    const claims = { sub: ann.user_id, jti: session!.id, iss: `http://localhost:0/${acme.id}` };
    expect(await verify(new UnsecuredJWT(claims).setExpirationTime('5m').encode())).toMatchObject(refusal);
  });

  it('with the public key as an HMAC secret is refused', async () => {
    const { session } = await signIn(app, acme, ann);
    const [key] = (await jwks()).body.keys;
    const pem = createPublicKey({ key, format: 'jwk' }).export({ format: 'pem', type: 'spki' }) as string;
    const jwt = await new SignJWT({ sub: ann.user_id, jti: session!.id, iss: `http://localhost:0/${acme.id}` })
      .setProtectedHeader({ alg: 'HS256', kid: key.kid })
      .setExpirationTime('5m')
      .sign(Buffer.from(pem));
    expect(await verify(jwt)).toMatchObject(refusal);
  });

  it.each(['jwk', 'jku', 'x5c'])('that brings its own key in %s is refused (CVE-2026-22817)', async (parameter) => {
    await signIn(app, acme, ann);
    const { kid } = await currentKey(acme);
    const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 });
    const jwk = { ...publicKey.export({ format: 'jwk' }), kid, alg: 'RS256' };
    const value = {
      jwk,
      jku: 'http://127.0.0.1:1/jwks',
      x5c: [publicKey.export({ format: 'der', type: 'spki' }).toString('base64')],
    };
    const jwt = await forged({}, { [parameter]: value[parameter as keyof typeof value] }, { kid, privateKey });
    expect(await importJWK(jwk).then((key) => jwtVerify(jwt, key))).toBeTruthy();
    expect(await verify(jwt)).toMatchObject(refusal);
  });

  it('signed by the key of another app is refused, under its kid and under ours', async () => {
    const other = await app.given.app();
    await signIn(app, other, await app.given.user(other));
    await signIn(app, acme, ann);
    const theirs = await currentKey(other);
    expect(await verify(await forged({}, {}, theirs))).toMatchObject(refusal);
    expect(await verify(await forged({}, {}, { ...theirs, kid: (await currentKey(acme)).kid }))).toMatchObject(refusal);
  });

  it.each([
    ['that has expired', () => ({ exp: Math.floor(Date.now() / 1_000) - 1 })],
    ['that is not yet valid', () => ({ nbf: Math.floor(Date.now() / 1_000) + 60 })],
    ['without an end', () => ({ exp: undefined })],
    ['of another issuer', () => ({ iss: `http://localhost:0/${newId('app')}` })],
    ['of another user', () => ({ sub: newId('user') })],
    ['of an unknown session', () => ({ jti: newId('session') })],
  ])('%s is refused, though our own key signed it', async (_, changes) => {
    await signIn(app, acme, ann);
    expect(await verify(await forged(changes()))).toMatchObject(refusal);
  });

  it('of an unknown kid costs one statement, as an invented token does', async () => {
    // The keys, which are remembered for a minute, stay fresh: time stands still.
    const now = jest.spyOn(performance, 'now').mockReturnValue(performance.now());
    try {
      await signIn(app, acme, ann);
      const { privateKey } = await currentKey(acme);
      const jwt = await forged({}, {}, { kid: newId('signingKey'), privateKey });
      const trips = await roundTripsOf(async () => expect(await verify(jwt)).toMatchObject(refusal));
      const sent = trips.flat().filter(({ text }) => /\bsigning_keys\b|\bsessions\b/.test(text));
      expect(sent.map(({ text }) => text)).toEqual([expect.stringContaining('signing_keys')]);
    } finally {
      now.mockRestore();
    }
  });
});

describe('first keys made for a call that fails', () => {
  it('stay when that call is undone', async () => {
    const { status } = await app.call('POST', '/v1/auth/oauth/verify', {
      key: acme.secretKey,
      body: { token: 'unknown', session_expires_in: 60 },
      headers: { 'idempotency-key': 'first' },
    });
    expect(status).toBe(400);
    const here = (await jwks()).body.keys;
    expect(here).toHaveLength(2);
    expect((await jwks({}, replica)).body.keys).toEqual(here);
  });
});

describe('housekeeping', () => {
  it('removes all sessions that ended more than 30 days ago, and only those', async () => {
    const { session } = await signIn(app, acme, ann);
    await sql(
      `insert into sessions (app_id, id, user_id, token_hash, expires_at, factors, user_agent, ip)
       select app_id, id || n, user_id, token_hash || int4send(n), now() - make_interval(days => 29 + n % 3), factors, '', ''
         from sessions, generate_series(1, 3600) n where id = $1`,
      [session!.id],
    );
    await app.nest.get(PostgresRetention, { strict: false }).removeAll();
    const left = await sql<{ days: number; count: number }>(
      `select round(extract(epoch from now() - expires_at) / 86400)::int as days, count(*)::int from sessions where app_id = $1 group by 1 order by 1`,
      [acme.id],
    );
    expect(left).toEqual([
      { days: 0, count: 1 },
      { days: 29, count: 1_200 },
    ]);
  });
});
