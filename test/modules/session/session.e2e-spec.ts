import { decodeJwt } from 'jose';
import { randomUUID } from 'node:crypto';
import { type AppId, isId, newId } from '../../../src/kernel/ids.js';
import { DatabaseUnavailable } from '../../../src/kernel/errors.js';
import { IdentityFacade, UserInactive } from '../../../src/modules/identity/index.js';
import { Log } from '../../../src/kernel/log.js';
import { type Factor, InvalidSession, SessionFacade } from '../../../src/modules/session/index.js';
import { Database } from '../../../src/postgres/database.js';
import { startApp, type TestApp } from '../../support/app.js';
import { eventually } from '../../support/eventually.js';
import type { GivenApp } from '../../support/given.js';
import { nodesOf, planOf } from '../../support/plans.js';
import { type SentStatement, statementsOf, textsOf } from '../../support/statements.js';
import { signRows } from '../../support/row-macs.js';
import { atOnce, passcode, signIn } from '../../support/sign-in.js';
import { openConnections } from '../../support/observer.js';

type User = Awaited<ReturnType<TestApp['given']['user']>>;

let app: TestApp;
let replica: TestApp;
let acme: GivenApp;
let other: GivenApp;
let ann: User;
beforeAll(async () => {
  // No call of `atOnce` waits for a connection, which it gets within 3 s or not at all.
  const env = { DATABASE_POOL_SIZE: '30' };
  app = await startApp({ env });
  replica = await startApp({ databaseUrl: app.databaseUrl, env });
  for (const each of [app, replica]) await openConnections(each, 25);
  acme = await app.given.app();
  other = await app.given.app({ name: 'Other' });
});
beforeEach(async () => {
  ann = await app.given.user(acme);
});
afterAll(async () => {
  await replica?.stop();
  await app?.stop();
});

const verify = (body: object, { on = app, key = acme.secretKey } = {}) =>
  on.call('POST', '/v1/auth/sessions/verify', { key, body });
const remove = (body: object | undefined, { on = app, key = acme.secretKey, query = {} } = {}) =>
  on.call('DELETE', '/v1/auth/sessions/delete', { key, query, ...(body && { body }) });
const list = (query: Record<string, string>, { on = app, key = acme.secretKey } = {}) =>
  on.call('GET', '/v1/auth/sessions/list', { key, query });
const sql = <R extends object>(text: string, parameters: unknown[] = []): Promise<R[]> =>
  app.nest.get(Database).write<R>(text, parameters);
const deactivate = (user: User) =>
  app.call('POST', `/management/v1/apps/${acme.id}/users/${user.user_id}/deactivate`, {
    key: app.managementKey,
    body: {},
  });
const eventsOf = (type: string, user: User) =>
  sql<{ data: object }>(`select data from stored_events where type = $1 and data->>'user_id' = $2`, [
    type,
    user.user_id,
  ]);

describe('the claims about the user that an app asks for', () => {
  const setting = (on: GivenApp, session_claims: unknown) =>
    app.call('PATCH', `/management/v1/apps/${on.id}`, { key: app.managementKey, body: { session_claims } });
  const zoe = () => ({ external_id: randomUUID(), metadata: { plan: 'pro', notes: 'private' } });
  const payloadOf = async (on: GivenApp, body: Record<string, unknown>): Promise<Record<string, unknown>> => {
    const user = await app.given.user(on, body);
    return decodeJwt((await signIn(app, on, user)).session_jwt);
  };

  it('are in JWTs that are signed from now on, and replace no claim of the session', async () => {
    const shop = await app.given.app();
    expect(Object.keys(await payloadOf(shop, {})).filter((name) => /external|metadata/.test(name))).toEqual([]);
    const names = ['external_id', 'metadata.plan', 'metadata.plan', 'metadata.sub'];
    expect((await setting(shop, names)).body.session_claims).toEqual(['external_id', 'metadata.plan', 'metadata.sub']);
    const payload = await eventually(async () => {
      const claims = await payloadOf(shop, zoe());
      expect(claims['metadata']).toEqual({ plan: 'pro' });
      return claims;
    });
    expect(payload['external_id']).toMatch(/^[0-9a-f-]{36}$/);
    expect(payload['sub']).toMatch(/^user_/);
    const none = await payloadOf(shop, { metadata: { notes: 'private' } });
    expect(Object.keys(none).filter((name) => /external|metadata/.test(name))).toEqual([]);
    expect((await setting(shop, null)).body.session_claims).toEqual([]);
  });

  it('leave the proof unspent if they cannot be read', async () => {
    const shop = await app.given.app();
    await setting(shop, ['external_id']);
    await eventually(async () => expect(await payloadOf(shop, zoe())).toHaveProperty('external_id'));
    const user = await app.given.user(shop, zoe());
    const spend = () => sql(`update users set first_name = 'spent' where id = $1`, [user.user_id]);
    const read = jest.spyOn(app.nest.get(IdentityFacade), 'appData').mockRejectedValueOnce(new DatabaseUnavailable());
    await expect(signIn(app, shop, user, { minutes: 60 }, { spend })).rejects.toThrow(DatabaseUnavailable);
    read.mockRestore();
    const { body } = await list({ user_id: user.user_id }, { key: shop.secretKey });
    expect(body.sessions).toEqual([]);
    expect(await sql('select first_name from users where id = $1', [user.user_id])).toEqual([{ first_name: '' }]);
    const { session_token } = await signIn(app, shop, user);
    const joined = await signIn(app, shop, user, { token: session_token });
    expect(decodeJwt(joined.session_jwt)).toHaveProperty('external_id');
  });

  it('are left out together if they are too large, which is logged', async () => {
    const shop = await app.given.app();
    await setting(shop, ['metadata', 'external_id']);
    await eventually(async () => expect(await payloadOf(shop, zoe())).toHaveProperty('external_id'));
    const warned = jest.spyOn(app.nest.get(Log), 'warn');
    const fitting = 1_000 - '{"metadata":{"text":""}}'.length;
    expect(await payloadOf(shop, { metadata: { text: 'x'.repeat(fitting) } })).toHaveProperty('metadata');
    expect(warned.mock.calls.filter(([, text]) => String(text).includes('claims'))).toEqual([]);
    const large = await payloadOf(shop, { external_id: 'customer-8', metadata: { text: 'x'.repeat(fitting) } });
    expect(Object.keys(large).filter((name) => /external|metadata/.test(name))).toEqual([]);
    const logged = { app_id: shop.id, user_id: large['sub'], bytes: 1_027 };
    expect(warned.mock.calls).toContainEqual([logged, 'session claims too large']);
    warned.mockRestore();
  });

  it.each([['first_name'], ['metadata.'], ['external_id.x'], ['']])('are refused by another name: %p', async (name) => {
    const { status, body } = await setting(acme, [name]);
    expect(status).toBe(400);
    expect(body.errors).toEqual([expect.objectContaining({ field: expect.stringMatching(/^session_claims/) })]);
  });
});

describe('sessions/verify', () => {
  it('knows a session by its token', async () => {
    const { session, session_token } = await signIn(app, acme, ann);
    const { status, body } = await verify({ session_token });
    expect(status).toBe(200);
    expect(body.session).toEqual(session);
    expect(body).toEqual({ session: body.session, session_token, session_jwt: body.session.session_jwt });
  });

  it('knows a session by its JWT, and answers an empty token', async () => {
    const { session, session_jwt } = await signIn(app, acme, ann);
    const { status, body } = await verify({ session_jwt });
    expect(status).toBe(200);
    expect(body.session).toEqual({ ...session, session_token: '' });
    expect(body.session_token).toBe('');
  });

  it('answers the same on another replica', async () => {
    const { session, session_token, session_jwt } = await signIn(app, acme, ann);
    const byToken = await verify({ session_token }, { on: replica });
    expect(byToken.body.session).toEqual({ ...session, session_jwt: byToken.body.session_jwt });
    expect((await verify({ session_jwt }, { on: replica })).status).toBe(200);
  });

  it('extends the session on request, never shortens it, and then returns a JWT with the new end', async () => {
    const { session, session_token, session_jwt } = await signIn(app, acme, ann, { minutes: 60 });
    const shorter = await verify({ session_token, session_expires_in: 5 });
    expect(shorter.body.session.expires_at).toBe(session!.expires_at);
    expect(shorter.body.session_jwt).toBe(session_jwt);
    const longer = await verify({ session_jwt, session_expires_in: '120' });
    expect(longer.body.session.expires_at).toBeGreaterThanOrEqual(session!.expires_at + 3_600);
    expect(decodeJwt<Record<string, { expires_at: number }>>(longer.body.session_jwt)).toMatchObject({
      [`http://localhost:0/jwt/session`]: { expires_at: longer.body.session.expires_at },
    });
  });

  it('extends no session for a key that may only read sessions', async () => {
    const { body: reader } = await app.call('POST', `/management/v1/apps/${acme.id}/keys`, {
      key: app.managementKey,
      body: { kind: 'restricted', scopes: ['sessions:read'] },
    });
    const { session_token, session } = await signIn(app, acme, ann);
    const extended = await verify({ session_token, session_expires_in: 600 }, { key: reader.key });
    expect([extended.status, extended.body.error_type]).toEqual([403, 'missing_scope']);
    const seen = await verify({ session_token }, { key: reader.key });
    expect(seen.body.session.expires_at).toBe(session!.expires_at);
  });

  it('knows a JWT of a key that was replaced twice within the life of its JWTs', async () => {
    const shop = await app.given.app();
    const { session_jwt } = await signIn(app, shop, await app.given.user(shop));
    const isValid = async () => (await verify({ session_jwt }, { key: shop.secretKey })).status === 200;
    for (let n = 0; n < 2; n++) {
      expect(await app.nest.get(SessionFacade).rotateSigningKeys(shop.id as AppId)).toBe(true);
      // As if the keys were published and retired two minutes apart.
      await sql(
        `update signing_keys set created_at = created_at - interval '16 minutes', retired_at = retired_at - interval '2 minutes'
          where app_id = $1`,
        [shop.id],
      );
    }
    expect(await isValid()).toBe(true);
  });

  it('keeps the time of last activity to the minute', async () => {
    const { session, session_token } = await signIn(app, acme, ann);
    const idle = (seconds: number) =>
      sql(`update sessions set last_active_at = now() - make_interval(secs => $2) where id = $1`, [
        session!.id,
        seconds,
      ]);
    await idle(40);
    expect((await verify({ session_token })).body.session.last_active_at).toBeLessThan(session!.started_at - 10);
    await idle(70);
    expect((await verify({ session_token })).body.session.last_active_at).toBeGreaterThanOrEqual(session!.started_at);
    expect((await list({ user_id: ann.user_id })).body.sessions[0].last_active_at).toBeGreaterThanOrEqual(
      session!.started_at,
    );
  });

  it('takes one statement by token and by JWT, and a second one for an extension', async () => {
    const { session_token, session_jwt } = await signIn(app, acme, ann);
    for (const body of [{ session_token }, { session_jwt }, { session_token, session_expires_in: 90 }]) {
      await verify(body);
      expect(await textsOf(() => verify(body))).toHaveLength('session_expires_in' in body ? 2 : 1);
    }
  });

  it.each([
    ['neither token nor JWT', {}],
    ['an empty token', { session_token: '' }],
    ['a token that is a number', { session_token: 7 }],
    ['a token too long', { session_token: 'x'.repeat(8_193) }],
    ['too few minutes', { session_token: 'a', session_expires_in: 4 }],
    ['too many minutes', { session_token: 'a', session_expires_in: 525_601 }],
    ['minutes with a unit', { session_token: 'a', session_expires_in: '60m' }],
  ])('refuses %s', async (_, body) => {
    const { status, body: problem } = await verify(body);
    expect(status).toBe(400);
    expect(problem.errors).not.toHaveLength(0);
  });

  it('refuses an expired session by token and by JWT, by the clock of the database', async () => {
    const { session, session_token, session_jwt } = await signIn(app, acme, ann);
    await sql(`update sessions set expires_at = now() where id = $1`, [session!.id]);
    for (const body of [{ session_token }, { session_jwt }, { session_token, session_expires_in: 60 }]) {
      expect(await verify(body)).toMatchObject({ status: 401, body: { error_type: 'invalid_session' } });
    }
  });

  it.each([-120, 120])('is not misled by a clock of the replica that is off by %d seconds', async (seconds) => {
    const { session_token, session_jwt } = await signIn(app, acme, ann);
    jest.useFakeTimers({
      now: Date.now() + seconds * 1_000,
      doNotFake: [
        'hrtime',
        'nextTick',
        'performance',
        'queueMicrotask',
        'setImmediate',
        'clearImmediate',
        'setInterval',
        'clearInterval',
        'setTimeout',
        'clearTimeout',
      ],
    });
    try {
      const fresh = await signIn(app, acme, ann, { minutes: 5 });
      expect(decodeJwt(fresh.session_jwt).iat).toBe(fresh.session!.started_at);
      expect((await verify({ session_jwt: fresh.session_jwt })).status).toBe(200);
      expect((await verify({ session_jwt })).status).toBe(200);
      expect((await verify({ session_token })).status).toBe(200);
      await sql(`update sessions set expires_at = now() where id = $1`, [fresh.session!.id]);
      expect((await verify({ session_token: fresh.session_token })).status).toBe(401);
    } finally {
      jest.useRealTimers();
    }
  });

  it.each(['session_token', 'session_jwt'] as const)('answers a %s of another app as an unknown one', async (field) => {
    const mine = await signIn(app, acme, ann);
    const { status, body } = await verify({ [field]: mine[field] }, { key: other.secretKey });
    const { request_id, instance, ...unknown } = (await verify({ [field]: 'unknown' }, { key: other.secretKey })).body;
    expect(status).toBe(401);
    expect(body).toMatchObject(unknown);
    expect((await verify({ [field]: mine[field] })).status).toBe(200);
  });
});

describe('sessions/verify with `require`', () => {
  const TOTP: Factor = {
    type: 'totp',
    deliveryChannel: 'totp_authenticator',
    method: { type: 'totp', totpId: newId('totp') },
  };
  const link = (deliveryChannel: string): Factor => {
    const emailId = newId('email');
    const method = { type: 'email', emailId, email: `${emailId}@example.com` };
    return { type: 'magic_link', deliveryChannel, method };
  };
  /** A session whose proofs are so many seconds old. */
  const sessionOf = async (...proofs: (readonly [Factor, seconds: number])[]) => {
    const sessionMinutes = { minutes: 60 };
    let signed = await signIn(app, acme, ann, sessionMinutes, { factor: proofs[0]![0] });
    for (const [factor] of proofs.slice(1))
      signed = await signIn(app, acme, ann, { token: signed.session_token }, { factor });
    for (const [{ type, deliveryChannel }, seconds] of proofs)
      await sql(
        `update sessions set factors = (
           select jsonb_object_agg(key, case when value ->> 'type' = $2 and value ->> 'delivery_channel' = $3
             then jsonb_set(value, '{method,last_verified_at}', to_jsonb(floor(extract(epoch from now()))::bigint - $4::int))
             else value end) from jsonb_each(factors)) where id = $1`,
        [signed.session!.id, type, deliveryChannel, seconds],
      );
    await signRows(app, 'sessions');
    const { session, session_token, session_jwt } = signed;
    return { id: session!.id, session_token, session_jwt };
  };
  const STEP_UP = { status: 401, body: { error_type: 'step_up_required' } };

  it.each(['session_token', 'session_jwt'] as const)(
    'by %s is 200 only if each named factor was proved',
    async (by) => {
      const own = await sessionOf([passcode(), 0]);
      const verified = (factors: string[]) => verify({ [by]: own[by], require: { factors } });
      expect((await verified(['otp'])).status).toBe(200);
      expect(await verified(['totp'])).toMatchObject(STEP_UP);
      expect(await verified(['otp', 'totp'])).toMatchObject(STEP_UP);
      await signIn(app, acme, ann, { token: own.session_token }, { factor: TOTP });
      // A JWT from before the proof names the same session.
      expect((await verified(['otp', 'totp'])).status).toBe(200);
      expect(await verified(['webauthn'])).toMatchObject(STEP_UP);
    },
  );

  it('takes the age of the last proof, and with factors of the last proof of each', async () => {
    const { session_token } = await sessionOf([passcode(), 200], [TOTP, 100]);
    const statusOf = async (require: object) => (await verify({ session_token, require })).status;
    expect(await statusOf({ max_age_seconds: 150 })).toBe(200);
    expect(await statusOf({ max_age_seconds: 50 })).toBe(401);
    expect(await statusOf({ max_age_seconds: '150', factors: ['totp'] })).toBe(200);
    expect(await statusOf({ max_age_seconds: 150, factors: ['otp'] })).toBe(401);
    expect(await statusOf({ max_age_seconds: 150, factors: ['otp', 'totp'] })).toBe(401);
    expect(await statusOf({ max_age_seconds: 250, factors: ['otp', 'totp', 'totp'] })).toBe(200);
  });

  it('takes an embedded link for no proof, and a mailed one for a proof', async () => {
    const embedded = await sessionOf([link('embedded'), 0]);
    for (const require of [{ factors: ['magic_link'] }, { max_age_seconds: 600 }])
      expect(await verify({ session_token: embedded.session_token, require })).toMatchObject(STEP_UP);
    expect((await verify({ session_token: embedded.session_token, require: null })).status).toBe(200);
    const mailed = await sessionOf([link('email'), 0]);
    const require = { factors: ['magic_link'], max_age_seconds: 600 };
    expect((await verify({ session_token: mailed.session_token, require })).status).toBe(200);
  });

  it('neither extends a session that it refuses nor counts as activity', async () => {
    const { id, session_token } = await sessionOf([passcode(), 0]);
    await sql(`update sessions set last_active_at = now() - interval '1 hour' where id = $1`, [id]);
    const row = () => sql('select expires_at, last_active_at, version, updated_at from sessions where id = $1', [id]);
    const before = await row();
    for (const minutes of [{}, { session_expires_in: 600 }])
      expect(await verify({ session_token, ...minutes, require: { factors: ['totp'] } })).toMatchObject(STEP_UP);
    expect(await row()).toEqual(before);
    const extended = await verify({ session_token, session_expires_in: 600, require: { factors: ['otp'] } });
    expect(extended.status).toBe(200);
    expect(await row()).not.toEqual(before);
  });

  it('is answered anew under a repeated Idempotency-Key', async () => {
    const { id, session_token } = await sessionOf([passcode(), 0]);
    const body = { session_token, session_expires_in: 90, require: { factors: ['otp'], max_age_seconds: 60 } };
    const headers = { 'idempotency-key': randomUUID() };
    const send = () => app.call('POST', '/v1/auth/sessions/verify', { key: acme.secretKey, body, headers });
    expect((await send()).status).toBe(200);
    const age = (seconds: number) =>
      sql(
        `update sessions set factors = (select jsonb_object_agg(key, jsonb_set(value, '{method,last_verified_at}',
           to_jsonb(floor(extract(epoch from now()))::bigint - $2::int))) from jsonb_each(factors)) where id = $1`,
        [id, seconds],
      ).then(() => signRows(app, 'sessions'));
    await age(120);
    expect(await send()).toMatchObject(STEP_UP);
    await age(0);
    expect((await send()).status).toBe(200);
  });

  it('takes no further statement', async () => {
    const { session_token } = await sessionOf([passcode(), 0]);
    const required = { session_token, require: { factors: ['otp'], max_age_seconds: 600 } };
    await verify(required);
    expect(await textsOf(() => verify(required))).toHaveLength(1);
    expect(await textsOf(() => verify({ ...required, session_expires_in: 90 }))).toHaveLength(2);
  });

  it.each([
    ['nothing', {}, 'require.max_age_seconds'],
    ['no factor', { factors: [] }, 'require.factors'],
    ['an unknown factor', { factors: ['otp', 'sms'] }, 'require.factors'],
    ['a factor that proves nothing', { factors: ['password'] }, 'require.factors'],
    ['seconds to come', { max_age_seconds: -1 }, 'require.max_age_seconds'],
    ['too many seconds', { max_age_seconds: 31_536_001 }, 'require.max_age_seconds'],
    ['seconds with a unit', { max_age_seconds: '60s' }, 'require.max_age_seconds'],
    ['a text', 'totp', 'require'],
    ['a list', [{ factors: ['totp'] }], 'require'],
  ])('refuses %s', async (_, require, field) => {
    const { session_token } = await sessionOf([passcode(), 0]);
    const { status, body } = await verify({ session_token, require });
    expect([status, body.errors[0].field]).toEqual([400, expect.stringContaining(field)]);
  });

  it('names each factor that proves something', async () => {
    const { session_token } = await sessionOf([passcode(), 0]);
    const { body } = await verify({ session_token, require: { factors: ['other'] } });
    expect(body.errors[0].message).toBe('must be one of magic_link, oauth, otp, totp, wallet, webauthn');
  });
});

describe('sessions/delete', () => {
  it.each([
    ['session_id', 'session_not_found', 404],
    ['session_token', 'invalid_session', 401],
    ['session_jwt', 'invalid_session', 401],
  ] as const)('by %s ends the session at once, on every replica; again it is refused', async (field, error, status) => {
    const { session, session_token, session_jwt } = await signIn(app, acme, ann);
    await verify({ session_jwt }, { on: replica });
    const body = { [field]: { session_id: session!.id, session_token, session_jwt }[field] };
    expect(await remove(body)).toMatchObject({ status: 200, body: { message: expect.any(String) } });
    for (const on of [app, replica]) {
      expect((await verify({ session_token }, { on })).status).toBe(401);
      expect((await verify({ session_jwt }, { on })).status).toBe(401);
    }
    expect((await list({ user_id: ann.user_id })).body.sessions).toEqual([]);
    expect(await remove(body)).toMatchObject({ status, body: { error_type: error } });
    expect(await eventsOf('session.revoked', ann)).toEqual([
      { data: { session_id: session!.id, user_id: ann.user_id } },
    ]);
  });

  it('answers exactly one of many at once', async () => {
    const { session, session_token, session_jwt } = await signIn(app, acme, ann);
    const bodies = [{ session_id: session!.id }, { session_token }, { session_jwt }];
    const answers = await atOnce(21, (i) => remove(bodies[i % 3]!, { on: i % 2 ? app : replica }));
    const statuses = answers.map((answer) => (answer.status === 'fulfilled' ? answer.value.status : answer.reason));
    expect(statuses.filter((status) => status === 200)).toHaveLength(1);
    expect(statuses.filter((status) => status === 401 || status === 404)).toHaveLength(20);
    expect(await eventsOf('session.revoked', ann)).toHaveLength(1);
  });

  it('answers another app as if there were no such session, which lives on', async () => {
    const { session, session_token, session_jwt } = await signIn(app, acme, ann);
    const key = other.secretKey;
    expect((await remove({ session_id: session!.id }, { key })).body.error_type).toBe('session_not_found');
    expect((await remove({ session_token }, { key })).body.error_type).toBe('invalid_session');
    expect((await remove({ session_jwt }, { key })).body.error_type).toBe('invalid_session');
    expect((await verify({ session_token })).status).toBe(200);
  });

  it('by session_id in the query ends the session, with and without a body', async () => {
    for (const body of [undefined, {}, { session_id: '', session_token: '', session_jwt: null }]) {
      const { session, session_token } = await signIn(app, acme, ann);
      expect(await remove(body, { query: { session_id: session!.id } })).toMatchObject({ status: 200 });
      expect((await verify({ session_token })).status).toBe(401);
    }
  });

  it('takes a session_id in the query and identifiers in the body when they name the same session', async () => {
    const [one, two] = [await signIn(app, acme, ann), await signIn(app, acme, ann)];
    const query = { session_id: one.session!.id };
    for (const body of [{ session_id: two.session!.id }, { session_token: two.session_token }]) {
      expect(await remove(body, { query })).toMatchObject({ status: 400, body: { error_type: 'session_mismatch' } });
    }
    expect((await verify({ session_token: one.session_token })).status).toBe(200);
    expect((await verify({ session_token: two.session_token })).status).toBe(200);
    expect((await remove({ session_id: one.session!.id, session_jwt: one.session_jwt }, { query })).status).toBe(200);
  });

  it.each([
    ['no body', undefined, {}, 'at_least_one_of'],
    ['nothing to go by', {}, {}, 'at_least_one_of'],
    ['empty identifiers', { session_id: '', session_token: '' }, { session_id: '' }, 'at_least_one_of'],
    ['an id of another kind', { session_id: newId('user') }, {}, 'format'],
    ['an id of another kind in the query', {}, { session_id: newId('user') }, 'format'],
    ['an id that was never made', {}, { session_id: 'sess_1' }, 'exists'],
  ])('refuses %s', async (_, body, query, rule) => {
    const answer = await remove(body, { query: query as Record<string, string> });
    expect([answer.status, answer.body.errors]).toEqual([
      400,
      [expect.objectContaining({ field: 'session_id', rule })],
    ]);
  });
});

describe('several identifiers of a session', () => {
  const sets: (keyof Identifiers)[][] = [
    ['session_token', 'session_jwt'],
    ['session_id', 'session_token'],
    ['session_id', 'session_jwt'],
    ['session_id', 'session_token', 'session_jwt'],
  ];
  const begun = async () => {
    const { session, session_token, session_jwt } = await signIn(app, acme, ann);
    return { session_id: session!.id, session_token, session_jwt };
  };
  type Identifiers = Awaited<ReturnType<typeof begun>>;
  const only = (names: readonly (keyof Identifiers)[], of: Identifiers): Partial<Identifiers> =>
    Object.fromEntries(names.map((name) => [name, of[name]]));

  it('verify it and extend it when they name the same one', async () => {
    const { session_id, session_token, session_jwt } = await begun();
    const { status, body } = await verify({ session_token, session_jwt, session_expires_in: 600 });
    expect([status, body.session.id, body.session_token]).toEqual([200, session_id, session_token]);
    expect(body.session.expires_at - body.session.started_at).toBeGreaterThan(3_600);
  });

  it('are refused by verify when they name different ones, and neither is extended', async () => {
    const [one, two] = [await begun(), await begun()];
    const mixed = { session_token: one.session_token, session_jwt: two.session_jwt, session_expires_in: 600 };
    expect(await verify(mixed)).toMatchObject({ status: 400, body: { error_type: 'session_mismatch' } });
    const lives = (await list({ user_id: ann.user_id })).body.sessions as { expires_at: number; started_at: number }[];
    for (const { expires_at, started_at } of lives) expect(expires_at - started_at).toBeLessThanOrEqual(3_600);
  });

  it.each(sets.map((names) => ({ names })))('delete it when they name the same one: $names', async ({ names }) => {
    const identifiers = await begun();
    expect((await remove(only(names, identifiers))).status).toBe(200);
    expect((await verify({ session_token: identifiers.session_token })).status).toBe(401);
  });

  it.each(sets.map((names) => ({ names })))('delete none when one of them names another: $names', async ({ names }) => {
    const [one, two] = [await begun(), await begun()];
    const body = { ...only(names, one), ...only(names.slice(-1), two) };
    expect(await remove(body)).toMatchObject({ status: 400, body: { error_type: 'session_mismatch' } });
    for (const { session_token } of [one, two]) expect((await verify({ session_token })).status).toBe(200);
  });

  it('count for nothing when one of them is not valid', async () => {
    const { session_token, session_jwt, session_id } = await begun();
    for (const body of [
      { session_token, session_jwt: 'x' },
      { session_token: 'x', session_jwt },
    ])
      expect((await verify(body)).body.error_type).toBe('invalid_session');
    expect((await remove({ session_id, session_token: 'x' })).body.error_type).toBe('invalid_session');
    expect((await remove({ session_id, session_token, session_jwt: '' })).status).toBe(200);
  });
});

describe('sessions/list', () => {
  it('shows the live sessions of a user, newest first, without their tokens', async () => {
    const first = await signIn(app, acme, ann);
    const second = await signIn(app, acme, ann);
    const third = await signIn(app, acme, ann);
    await remove({ session_token: second.session_token });
    const { body } = await list({ user_id: ann.user_id });
    const shown = [third, first].map(({ session }) => {
      const { session_token: _token, session_jwt: _jwt, ...item } = session!;
      return item;
    });
    expect(body).toEqual({ sessions: shown, has_more: false });
  });

  it('goes on after a session, even one that is gone by then', async () => {
    const ids = [];
    for (let i = 0; i < 3; i++) ids.unshift((await signIn(app, acme, ann)).session!.id);
    const page = await list({ user_id: ann.user_id, limit: '2' });
    expect(page.body.sessions.map(({ id }: { id: string }) => id)).toEqual(ids.slice(0, 2));
    expect(page.body.has_more).toBe(true);
    await sql(`delete from sessions where id = $1`, [ids[1]]);
    const next = await list({ user_id: ann.user_id, limit: '2', starting_after: ids[1]! });
    expect(next.body).toMatchObject({ sessions: [{ id: ids[2] }], has_more: false });
  });

  it('takes one statement', async () => {
    await signIn(app, acme, ann);
    expect(await textsOf(() => list({ user_id: ann.user_id }))).toHaveLength(1);
  });

  it('answers an unknown user, a deleted one and one of another app alike', async () => {
    const stranger = await app.given.user(other);
    const deleted = await app.given.user(acme);
    await sql(`update users set deleted_at = now() where id = $1`, [deleted.user_id]);
    for (const user_id of [newId('user'), stranger.user_id, deleted.user_id]) {
      expect(await list({ user_id })).toMatchObject({ status: 404, body: { error_type: 'user_not_found' } });
    }
  });

  it.each<[string, Record<string, string>]>([
    ['no user', {}],
    ['a user id of another form', { user_id: 'user_1' }],
    ['a page of nothing', { user_id: newId('user'), limit: '0' }],
    ['a page too long', { user_id: newId('user'), limit: '1001' }],
    ['a cursor of another kind', { user_id: newId('user'), starting_after: newId('user') }],
  ])('refuses %s', async (_, query) => {
    expect((await list(query)).status).toBe(400);
  });
});

describe('many at once', () => {
  it('all have their factors in the session they join', async () => {
    const { session_token: token, session_jwt: jwt } = await signIn(app, acme, ann);
    const joined = await atOnce(24, (i) => signIn(i % 3 ? app : replica, acme, ann, i % 2 ? { token } : { jwt }));
    expect(joined.filter(({ status }) => status === 'rejected')).toEqual([]);
    const { session } = (await verify({ session_token: token })).body;
    expect(session.factors).toHaveLength(25);
  });

  it('cannot bring back a session that is deleted among them', async () => {
    for (let round = 0; round < 5; round++) {
      const { session, session_token } = await signIn(app, acme, ann);
      const answers = await atOnce<unknown>(24, (i) => {
        if (i === 12) return remove({ session_id: session!.id });
        if (i % 2) return verify({ session_token, session_expires_in: 600 }, { on: replica });
        return signIn(app, acme, ann, { token: session_token, minutes: 600 });
      });
      for (const answer of answers) {
        if (answer.status === 'rejected') expect(answer.reason).toBeInstanceOf(InvalidSession);
      }
      expect((await verify({ session_token })).status).toBe(401);
    }
    expect((await list({ user_id: ann.user_id })).body.sessions).toEqual([]);
  });

  it('cannot sign in past a deactivation: no session outlives it', async () => {
    for (let round = 0; round < 5; round++) {
      const user = await app.given.user(acme);
      const answers = await atOnce<unknown>(24, (i) =>
        i === 12 ? deactivate(user) : signIn(i % 2 ? app : replica, acme, user),
      );
      for (const answer of answers) {
        if (answer.status === 'rejected') expect(answer.reason).toBeInstanceOf(UserInactive);
      }
      expect((await list({ user_id: user.user_id })).body.sessions).toEqual([]);
    }
  });
});

describe('the sessions of a user end', () => {
  it.each([
    ['is deactivated', () => deactivate(ann)],
    ['is deleted', () => app.call('DELETE', `/v1/auth/users/${ann.user_id}/delete`, { key: acme.secretKey })],
  ])('when the user %s', async (_, end) => {
    const sessions = [await signIn(app, acme, ann), await signIn(app, acme, ann)];
    const bob = await app.given.user(acme);
    const his = await signIn(app, acme, bob);
    expect((await end()).status).toBe(200);
    for (const { session_token, session_jwt } of sessions) {
      expect((await verify({ session_token }, { on: replica })).status).toBe(401);
      expect((await verify({ session_jwt }, { on: replica })).status).toBe(401);
    }
    expect(await eventsOf('session.revoked', ann)).toHaveLength(2);
    expect((await verify({ session_token: his.session_token })).status).toBe(200);
  });
});

describe('the limit of sessions per user', () => {
  const limited = async (sessions: number): Promise<{ shop: GivenApp; user: User }> => {
    const shop = await app.given.app({ limits: { sessions_per_user: sessions } });
    return { shop, user: await app.given.user(shop) };
  };
  const idsOf = async (shop: GivenApp, user: User): Promise<string[]> => {
    const { body } = await list({ user_id: user.user_id }, { key: shop.secretKey });
    return body.sessions.map(({ id }: { id: string }) => id);
  };

  it('is 100 unless the app sets another, which takes effect with the next session', async () => {
    const path = `/management/v1/apps/${other.id}`;
    const key = app.managementKey;
    expect((await app.call('GET', path, { key })).body.limits.sessions_per_user).toBe(100);
    const { body } = await app.call('PATCH', path, { key, body: { limits: { sessions_per_user: 1 } } });
    expect(body.limits.sessions_per_user).toBe(1);
    const user = await app.given.user(other);
    await signIn(app, other, user);
    const { session } = await signIn(app, other, user);
    expect(await idsOf(other, user)).toEqual([session!.id]);
    for (const refused of [0, 1_001, 'many'])
      expect((await app.call('PATCH', path, { key, body: { limits: { sessions_per_user: refused } } })).status).toBe(
        400,
      );
  });

  it('ends the oldest live session when one more begins, with its event', async () => {
    const { shop, user } = await limited(2);
    const [first, second, third] = [
      await signIn(app, shop, user),
      await signIn(app, shop, user),
      await signIn(app, shop, user),
    ];
    expect(await idsOf(shop, user)).toEqual([third.session!.id, second.session!.id]);
    expect((await verify({ session_token: first.session_token }, { key: shop.secretKey })).status).toBe(401);
    const events = await sql(
      `select type, data->>'session_id' as session from stored_events where app_id = $1 and type like 'session.%' order by position, seq`,
      [shop.id],
    );
    expect(events).toEqual([
      { type: 'session.created', session: first.session!.id },
      { type: 'session.created', session: second.session!.id },
      { type: 'session.revoked', session: first.session!.id },
      { type: 'session.created', session: third.session!.id },
    ]);
  });

  it('ends no session for one that has expired', async () => {
    const { shop, user } = await limited(2);
    const first = await signIn(app, shop, user);
    await signIn(app, shop, user);
    await sql(`update sessions set expires_at = now() where app_id = $1 and id <> $2`, [shop.id, first.session!.id]);
    const third = await signIn(app, shop, user);
    expect(await idsOf(shop, user)).toEqual([third.session!.id, first.session!.id]);
  });

  it('holds for sessions that begin at the same time on two replicas', async () => {
    const { shop, user } = await limited(3);
    for (let round = 0; round < 5; round++) {
      const begun = await atOnce(8, (i) => signIn([app, replica][i % 2]!, shop, user));
      expect(begun.map(({ status }) => status)).toEqual(Array(8).fill('fulfilled'));
      expect(await idsOf(shop, user)).toHaveLength(3);
    }
  });
});

describe('many sessions of a user', () => {
  const COUNT = 20_000;

  /** The statement that lists the sessions of a user. */
  const listStatement = async ({ user_id }: User, { secretKey }: GivenApp): Promise<SentStatement> => {
    const sent = await statementsOf(() => list({ user_id }, { key: secretKey }));
    return sent.find(({ text }) => /^\s*select[^]* from sessions/.test(text))!;
  };

  it.each([1, 100])('beyond a limit of %d end by 1,000 a login, the oldest first', async (limit) => {
    const shop = await app.given.app({ limits: { sessions_per_user: limit } });
    const user = await app.given.user(shop);
    await sql(
      `insert into sessions (app_id, id, user_id, token_hash, expires_at, factors, user_agent, ip)
       select $1, 'sess_' || lpad(to_hex(i), 26, '0'), $2, sha256(('old' || i)::bytea), now() + interval '1 day', '{}', '', ''
         from generate_series(100001, ${101_500 + limit}) i`,
      [shop.id, user.user_id],
    );
    const live = async (): Promise<number> => {
      const [row] = await sql<{ count: number }>(
        `select count(*)::int as count from sessions where app_id = $1 and user_id = $2 and revoked_at is null`,
        [shop.id, user.user_id],
      );
      return row!.count;
    };
    await signIn(app, shop, user);
    expect(await live()).toBe(501 + limit);
    const [oldest] = await sql<{ id: string }>(
      'select min(id) as id from sessions where user_id = $1 and revoked_at is null',
      [user.user_id],
    );
    expect(oldest!.id).toBe(`sess_${(101_001).toString(16).padStart(26, '0')}`);
    await signIn(app, shop, user);
    expect(await live()).toBe(limit);
  });

  it('end 5,000 by each statement, which writes their events', async () => {
    await sql(
      `insert into sessions (app_id, id, user_id, token_hash, expires_at, factors, user_agent, ip)
       select $1, 'sess_' || lpad(to_hex(i), 26, '0'), $2, sha256(i::text::bytea), now() + interval '1 day', '{}', '', ''
         from generate_series(1, ${COUNT}) i`,
      [acme.id, ann.user_id],
    );
    const sent = await statementsOf(() => deactivate(ann));
    expect((await list({ user_id: ann.user_id })).body.sessions).toEqual([]);
    // Neither the sessions nor their events pass through the process.
    for (const { text, values } of sent) expect([text, JSON.stringify(values).length < 2_000]).toEqual([text, true]);
    const events = await sql<{ id: string; session: string }>(
      `select id, data->>'session_id' as session from stored_events where app_id = $1 and type = 'session.revoked' and data->>'user_id' = $2 order by id`,
      [acme.id, ann.user_id],
    );
    expect(events).toHaveLength(COUNT);
    expect(new Set(events.map(({ session }) => session)).size).toBe(COUNT);
    expect(events.filter(({ id }) => !isId('event', id))).toEqual([]);
    // One statement for all of 150,000 exceeds the statement timeout. The ids that one statement mints differ in 6 digits.
    const sizes = new Map<string, number>();
    for (const { id } of events) sizes.set(id.slice(0, -6), (sizes.get(id.slice(0, -6)) ?? 0) + 1);
    expect([...sizes.values()]).toEqual(Array(COUNT / 5_000).fill(5_000));
  });

  it('that have just ended do not make the list read the sessions of other users', async () => {
    const shop = await app.given.app();
    const [ended, live] = [await app.given.user(shop), await app.given.user(shop)];
    await sql(
      `insert into sessions (app_id, id, user_id, token_hash, expires_at, factors, user_agent, ip)
       select $1, 'sess_' || lpad(to_hex(i), 26, '0'), case when i % 2 = 0 then $2 else $3 end, sha256(i::text::bytea),
           now() + interval '1 day', '{}', '', ''
         from generate_series(1, ${2 * COUNT}) i`,
      [shop.id, ended.user_id, live.user_id],
    );
    await sql('analyze sessions');
    await sql('update sessions set revoked_at = now() where user_id = $1', [ended.user_id]);
    const listed = await listStatement(ended, shop);
    const indexes = nodesOf(await planOf(app, listed)).map((node) => node['Index Name']);
    expect(indexes).toContain('sessions_live_of_user');
    expect(indexes).not.toContain('sessions_pkey');
  });

  it('that have expired are not read when the live ones are listed', async () => {
    await sql(
      `insert into sessions (app_id, id, user_id, token_hash, expires_at, factors, user_agent, ip)
       select $1, 'sess_' || lpad(to_hex(i), 26, '0'), $2, sha256(i::text::bytea), now() - interval '1 day', '{}', '', ''
         from generate_series(1, ${COUNT}) i`,
      [other.id, ann.user_id],
    );
    await sql('analyze sessions');
    const bob = await app.given.user(other);
    await sql('update sessions set user_id = $2 where app_id = $1', [other.id, bob.user_id]);
    const plan = JSON.stringify(await planOf(app, await listStatement(bob, other)));
    expect(plan).toMatch(/"sessions_live_of_user".*"Index Cond":"[^"]*expires_at > now\(\)/);
  });
});
