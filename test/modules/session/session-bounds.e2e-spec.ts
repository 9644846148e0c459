import { decodeJwt } from 'jose';
import { randomUUID } from 'node:crypto';
import type { AppId, SessionId, UserId } from '../../../src/kernel/ids.js';
import { InvalidSession, SessionFacade } from '../../../src/modules/session/index.js';
import { Database } from '../../../src/postgres/database.js';
import { startApp, type TestApp } from '../../support/app.js';
import { eventually } from '../../support/eventually.js';
import type { GivenApp } from '../../support/given.js';
import { passcode, signIn } from '../../support/sign-in.js';
import { textsOf } from '../../support/statements.js';

type User = Awaited<ReturnType<TestApp['given']['user']>>;

let app: TestApp;
let shop: GivenApp;
let ann: User;
beforeAll(async () => {
  app = await startApp();
});
beforeEach(async () => {
  shop = await app.given.app();
  ann = await app.given.user(shop);
});
afterAll(() => app?.stop());

const call = (method: string, path: string, body?: object, headers = {}) =>
  app.call(method, path, { key: shop.secretKey, body, headers });
const verify = (body: object) => call('POST', '/v1/auth/sessions/verify', body);
const manage = (method: string, path = '', body?: object) =>
  app.call(method, `/management/v1/apps/${shop.id}${path}`, { key: app.managementKey, body });
const bound = (settings: object) => manage('PATCH', '', settings);
const sql = <R extends object>(text: string, parameters: unknown[] = []): Promise<R[]> =>
  app.nest.get(Database).write<R>(text, parameters);
const listed = async (user = ann): Promise<string[]> => {
  const { body } = await app.call('GET', '/v1/auth/sessions/list', {
    key: shop.secretKey,
    query: { user_id: user.user_id },
  });
  return body.sessions.map(({ id }: { id: string }) => id);
};

/** As if the session had begun, and was last verified, so many seconds ago. */
const age = (id: string, seconds: { begun?: number; used?: number }) =>
  sql(
    `update sessions set started_at = now() - make_interval(secs => $2), last_active_at = now() - make_interval(secs => $3) where id = $1`,
    [id, seconds.begun ?? 0, seconds.used ?? 0],
  );
async function sessionOf(seconds: { begun?: number; used?: number } = {}, minutes = 600) {
  const signed = await signIn(app, shop, ann, { minutes });
  await age(signed.session!.id, seconds);
  return { id: signed.session!.id, session_token: signed.session_token, session_jwt: signed.session_jwt };
}

describe('the settings session_idle_minutes and session_max_minutes', () => {
  it.each(['session_idle_minutes', 'session_max_minutes'])('%s has no value until it is set', async (field) => {
    expect((await manage('GET')).body[field]).toBeNull();
    expect((await bound({ [field]: '30' })).body[field]).toBe(30);
    expect((await bound({ name: 'Shop' })).body[field]).toBe(30);
    expect((await bound({ [field]: null })).body[field]).toBeNull();
    for (const minutes of [0, 525_601, 'soon'])
      expect((await bound({ [field]: minutes })).body.errors[0].field).toBe(field);
  });
});

describe.each([
  ['session_idle_minutes', { used: 11 * 60 + 2 }, { used: 10 * 60 + 30 }],
  ['session_max_minutes', { begun: 10 * 60 + 2 }, { begun: 10 * 60 - 30 }],
])('a session beyond %s', (field, beyond, within) => {
  beforeEach(() => bound({ [field]: 10 }));

  it('is refused as an expired one, by token and by JWT, and is not extended', async () => {
    const { id, session_token, session_jwt } = await sessionOf(within);
    expect((await verify({ session_token })).status).toBe(200);
    await age(id, beyond);
    for (const body of [{ session_token }, { session_jwt }, { session_token, session_expires_in: 60 }])
      expect(await verify(body)).toMatchObject({ status: 401, body: { error_type: 'invalid_session' } });
  });

  it.each([
    ['alone', ({ id }: { id: string }) => call('DELETE', '/v1/auth/sessions/delete', { session_id: id })],
    ['with all of its user', () => manage('DELETE', `/users/${ann.user_id}/sessions`)],
  ])('stays ended without the setting once it was ended %s', async (_, end) => {
    const session = await sessionOf(beyond);
    expect((await end(session)).status).toBe(200);
    await bound({ [field]: null });
    expect((await verify({ session_token: session.session_token })).status).toBe(401);
  });

  it('takes no factor, adds and removes no sign-in method, and is not returned again', async () => {
    const { id, session_token } = await sessionOf(beyond);
    await expect(signIn(app, shop, ann, { token: session_token })).rejects.toBeInstanceOf(InvalidSession);
    const path = `/v1/auth/users/emails/${ann.emails[0]!.id}/delete`;
    expect((await call('DELETE', path, { session_token })).body.error_type).toBe('invalid_session');
    const sessions = app.nest.get(SessionFacade);
    expect(await sessions.liveOf(shop.id as AppId, id as SessionId)).toBeNull();
    const kept = { id: id as SessionId, token: session_token };
    expect(await sessions.again(shop.id as AppId, ann.user_id as UserId, kept)).toBe('over');
  });

  it('that ends while a factor is added takes none', async () => {
    const { id, session_token } = await sessionOf();
    const joins = signIn(app, shop, ann, { token: session_token }, { spend: () => age(id, beyond) });
    await expect(joins).rejects.toBeInstanceOf(InvalidSession);
  });

  it('is in no list of live sessions, and has expired for operators', async () => {
    const live = await sessionOf(within);
    const dead = await sessionOf(beyond);
    expect(await listed()).toEqual([live.id]);
    const { body } = await manage('GET', '/sessions');
    expect(body.sessions.map((each: { id: string; status: string }) => [each.id, each.status])).toEqual([
      [dead.id, 'expired'],
      [live.id, 'active'],
    ]);
    const user = (await manage('GET', `/users/${ann.user_id}`)).body;
    expect(user.sessions.map(({ id }: { id: string }) => id)).toEqual([live.id]);
    const macs = await sql<{ id: string }>('select id from live_session_macs where app_id = $1', [shop.id]);
    expect(macs).toEqual([{ id: live.id }]);
  });

  it('takes no place of sessions_per_user', async () => {
    await bound({ limits: { sessions_per_user: 2 } });
    const first = await sessionOf(within);
    await sessionOf(beyond);
    await eventually(async () => {
      const third = await sessionOf();
      expect((await listed()).at(-1)).toBe(first.id);
      await manage('DELETE', `/sessions/${third.id}`);
    });
  });

  it('is live without the setting, which holds at once for sessions that have begun', async () => {
    await bound({ [field]: null });
    const { session_token } = await sessionOf(beyond, 60);
    expect((await verify({ session_token })).status).toBe(200);
    await sql(`update sessions set last_active_at = now() - interval '11 minutes 2 seconds' where app_id = $1`, [
      shop.id,
    ]);
    await bound({ [field]: 10 });
    expect((await verify({ session_token })).status).toBe(401);
  });

  it('costs a verify call no statement', async () => {
    const { session_token } = await sessionOf();
    await verify({ session_token });
    expect(await textsOf(() => verify({ session_token }))).toHaveLength(1);
    expect(await textsOf(() => verify({ session_token, session_expires_in: 700 }))).toHaveLength(2);
  });
});

describe('a session that the app bounds', () => {
  it('ends by session_max_minutes whatever it was begun with or is extended to, and its JWT not later', async () => {
    await bound({ session_max_minutes: 10 });
    const begun = await eventually(async () => {
      const signed = await signIn(app, shop, ann, { minutes: 600 });
      expect(signed.session!.expires_at).toBe(signed.session!.started_at + 600);
      return signed;
    });
    const { session_token } = begun;
    const extended = await verify({ session_token, session_expires_in: 600 });
    expect(extended.body.session.expires_at).toBe(begun.session!.expires_at);
    const joined = await signIn(app, shop, ann, { token: session_token, minutes: 600 }, { factor: passcode() });
    expect(joined.session!.expires_at).toBe(begun.session!.expires_at);
    const [row] = await sql<{ left: number }>(
      'select extract(epoch from expires_at - started_at)::float8 as left from sessions where id = $1',
      [begun.session!.id],
    );
    expect(row!.left).toBeCloseTo(600, 1);
  });

  it('that has begun before shows the end that is left, as its JWT does', async () => {
    const { id, session_token } = await sessionOf({ begun: 9 * 60 });
    await bound({ session_max_minutes: 10 });
    const { session, session_jwt } = (await verify({ session_token, session_expires_in: 700 })).body;
    expect(session.expires_at).toBe(session.started_at + 600);
    expect(decodeJwt(session_jwt).exp).toBe(session.expires_at);
    const { body } = await app.call('GET', '/v1/auth/sessions/list', {
      key: shop.secretKey,
      query: { user_id: ann.user_id },
    });
    expect(body.sessions[0]).toMatchObject({ id, expires_at: session.expires_at });
    const user = (await manage('GET', `/users/${ann.user_id}`)).body;
    expect(user.sessions[0].expires_at).toBe(session.expires_at);
  });

  it('lives on while it is verified, and its JWT ends with the idle time', async () => {
    await bound({ session_idle_minutes: 5 });
    const { id, session_token } = await sessionOf({ begun: 3_600, used: 5 * 60 });
    expect((await verify({ session_token })).status).toBe(200);
    await age(id, { begun: 3_600, used: 5 * 60 });
    const sessions = app.nest.get(SessionFacade);
    const kept = { id: id as SessionId, token: session_token };
    const issued = await sessions.again(shop.id as AppId, ann.user_id as UserId, kept);
    const { iat, exp } = decodeJwt(await (issued as Exclude<typeof issued, 'over' | null>).jwt());
    expect(exp! - iat!).toBeLessThanOrEqual(61);
  });

  it('has a first JWT that ends with the idle time', async () => {
    await bound({ session_idle_minutes: 1 });
    const { session_jwt } = await signIn(app, shop, ann, { minutes: 60 });
    const { iat, exp } = decodeJwt(session_jwt);
    expect(exp! - iat!).toBeLessThanOrEqual(121);
  });

  it('is not returned again under an Idempotency-Key once it has expired', async () => {
    await bound({ session_idle_minutes: 5 });
    const { token } = (await call('POST', '/v1/auth/magic_links/create', { user_id: ann.user_id })).body;
    const headers = { 'idempotency-key': randomUUID() };
    const send = () => call('POST', '/v1/auth/magic_links/verify', { token, session_expires_in: 60 }, headers);
    const first = await send();
    expect((await send()).headers.get('idempotent-replayed')).toBe('true');
    await age(first.body.session.id, { used: 6 * 60 + 2 });
    expect((await send()).body.error_type).toBe('invalid_magic_token');
  });
});
