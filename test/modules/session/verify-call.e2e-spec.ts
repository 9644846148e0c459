import { decodeJwt } from 'jose';
import { type AppId, newId } from '../../../src/kernel/ids.js';
import { DomainEvents } from '../../../src/kernel/domain-events.js';
import { UserInactive, UserNotFound } from '../../../src/modules/identity/index.js';
import { InvalidSession } from '../../../src/modules/session/index.js';
import { Database } from '../../../src/postgres/database.js';
import { BEGIN } from '../../../src/postgres/statement.js';
import { startApp, type TestApp } from '../../support/app.js';
import type { GivenApp } from '../../support/given.js';
import { textsOf } from '../../support/statements.js';
import { passcode, signIn } from '../../support/sign-in.js';
import { signRows } from '../../support/row-macs.js';

type User = Awaited<ReturnType<TestApp['given']['user']>>;

let app: TestApp;
let acme: GivenApp;
let other: GivenApp;
let ann: User;
beforeAll(async () => {
  app = await startApp();
  acme = await app.given.app();
  other = await app.given.app({ name: 'Other' });
});
beforeEach(async () => {
  ann = await app.given.user(acme);
});
afterAll(() => app?.stop());

const verify = (body: object) => app.call('POST', '/v1/auth/sessions/verify', { key: acme.secretKey, body });
const sql = <R extends object>(text: string, parameters: unknown[] = []): Promise<R[]> =>
  app.nest.get(Database).write<R>(text, parameters);
const setUser = (assignment: string) => sql(`update users set ${assignment} where id = $1`, [ann.user_id]);
const eventsOf = (type: string, user: User) =>
  sql<{ data: object }>(`select data from stored_events where type = $1 and data->>'user_id' = $2`, [
    type,
    user.user_id,
  ]);

describe('a verify call', () => {
  it('that asks for no session gets none', async () => {
    expect(await signIn(app, acme, ann, {})).toEqual({ session: null, session_token: '', session_jwt: '' });
    expect(await sql('select id from sessions where user_id = $1', [ann.user_id])).toEqual([]);
  });

  it('that names minutes gets a new session with its token and JWT', async () => {
    const emailId = newId('email');
    const before = Math.floor(Date.now() / 1000);
    const { session, session_token, session_jwt } = await signIn(
      app,
      acme,
      ann,
      { minutes: 60, deviceFingerprint: { ip: '203.0.113.7', userAgent: 'curl' } },
      { factor: passcode(emailId) },
    );
    const start = session!.started_at;
    expect(start).toBeGreaterThanOrEqual(before - 1);
    expect(session).toEqual({
      id: expect.stringMatching(/^sess_/),
      user_id: ann.user_id,
      started_at: start,
      expires_at: start + 3_600,
      last_active_at: start,
      factors: [
        {
          type: 'otp',
          delivery_channel: 'email',
          method: {
            method_id: emailId,
            method_type: 'email',
            email_id: emailId,
            email: `${emailId}@example.com`,
            last_verified_at: start,
          },
        },
      ],
      device_fingerprint: { ip: '203.0.113.7', user_agent: 'curl' },
      updated_at: start,
      created_at: start,
      session_token,
      session_jwt,
    });
    expect(Buffer.from(session_token, 'base64url').length).toBeGreaterThanOrEqual(32);
    expect(decodeJwt(session_jwt)).toMatchObject({ sub: ann.user_id, jti: session!.id, iat: start, exp: start + 300 });
  });

  it('leaves nothing in the database that could be used as a token or JWT', async () => {
    const { session, session_token, session_jwt } = await signIn(app, acme, ann);
    const tables = await sql<{ name: string }>(
      `select table_name as name from information_schema.tables where table_schema = 'public'`,
    );
    const rows: { row: string }[] = [];
    for (const { name } of tables) rows.push(...(await sql<{ row: string }>(`select t::text as row from ${name} t`)));
    const text = rows.map(({ row }) => row).join('\n');
    expect(text).toContain(session!.id);
    expect(text).not.toContain(session_token);
    expect(text).not.toContain(session_jwt.split('.')[2]);
    expect(text).not.toContain(Buffer.from(session_token, 'base64url').toString('hex'));
  });

  it('adds its factor to the session whose token it brings', async () => {
    const first = await signIn(app, acme, ann);
    const second = await signIn(app, acme, ann, { token: first.session_token });
    expect(second.session!.id).toBe(first.session!.id);
    expect(second.session!.factors).toHaveLength(2);
    expect(second.session_token).toBe(first.session_token);
    expect(second.session!.expires_at).toBe(first.session!.expires_at);
  });

  it('that brings a JWT gets an empty token, because only the hash of it is known', async () => {
    const first = await signIn(app, acme, ann);
    const second = await signIn(app, acme, ann, { jwt: first.session_jwt });
    expect(second.session!.id).toBe(first.session!.id);
    expect(second.session_token).toBe('');
    expect(second.session!.session_token).toBe('');
    expect(second.session_jwt).not.toBe(first.session_jwt);
  });

  it('with a factor the session has already updates the time of that factor', async () => {
    const factor = passcode();
    const first = await signIn(app, acme, ann, { minutes: 60 }, { factor });
    await sql(
      `update sessions set factors = (select jsonb_object_agg(key, jsonb_set(value, '{method,last_verified_at}', '1'))
         from jsonb_each(factors)) where id = $1`,
      [first.session!.id],
    );
    await signRows(app, 'sessions');
    const second = await signIn(app, acme, ann, { token: first.session_token }, { factor });
    expect(second.session!.factors).toHaveLength(1);
    expect(second.session!.factors[0]!.method.last_verified_at).toBeGreaterThan(1);
    expect(await eventsOf('factor.added', ann)).toEqual([]);
  });

  it('moves the end of the session it joins later, never earlier', async () => {
    const { session, session_token: token } = await signIn(app, acme, ann, { minutes: 60 });
    const shorter = await signIn(app, acme, ann, { token, minutes: 5 });
    expect(shorter.session!.expires_at).toBe(session!.expires_at);
    const longer = await signIn(app, acme, ann, { token, minutes: 120 });
    expect(longer.session!.expires_at).toBeGreaterThanOrEqual(session!.expires_at + 3_600);
  });

  it.each(['token', 'jwt'] as const)(
    'with the %s of another user adds nothing and spends nothing (fixation)',
    async (by) => {
      const bob = await app.given.user(acme);
      const his = await signIn(app, acme, bob);
      const brought = by === 'token' ? { token: his.session_token } : { jwt: his.session_jwt };
      const spend = () => setUser(`first_name = 'spent'`);
      await expect(signIn(app, acme, ann, brought, { spend })).rejects.toBeInstanceOf(InvalidSession);
      expect((await verify({ session_token: his.session_token })).body.session.factors).toEqual(his.session!.factors);
      expect(await sql(`select 1 from users where id = $1 and first_name = 'spent'`, [ann.user_id])).toEqual([]);
    },
  );

  it.each([
    ['an unknown token', async () => ({ token: 'x'.repeat(43) })],
    [
      'a token of another app',
      async () => ({ token: (await signIn(app, other, await app.given.user(other))).session_token }),
    ],
    [
      'a JWT of another app',
      async () => ({ jwt: (await signIn(app, other, await app.given.user(other))).session_jwt }),
    ],
    [
      'a token and a JWT of two sessions',
      async () => ({
        token: (await signIn(app, acme, ann)).session_token,
        jwt: (await signIn(app, acme, ann)).session_jwt,
      }),
    ],
  ])('with %s is refused before anything is spent', async (_, brought) => {
    const spend = jest.fn(async () => undefined);
    await expect(signIn(app, acme, ann, { minutes: 60, ...(await brought()) }, { spend })).rejects.toBeInstanceOf(
      InvalidSession,
    );
    expect(spend).not.toHaveBeenCalled();
  });

  it('takes a token and a JWT of one session', async () => {
    const { session, session_token: token, session_jwt: jwt } = await signIn(app, acme, ann);
    expect((await signIn(app, acme, ann, { token, jwt })).session!.id).toBe(session!.id);
  });

  it.each([{ minutes: 60 }, {}])('of a deactivated user is refused with %j', async (args) => {
    await setUser('deactivated_at = now()');
    const spend = () => setUser(`first_name = 'spent'`);
    await expect(signIn(app, acme, ann, args, { spend })).rejects.toBeInstanceOf(UserInactive);
    expect(await sql(`select 1 from users where id = $1 and first_name = 'spent'`, [ann.user_id])).toEqual([]);
  });

  it.each([{ minutes: 60 }, {}])('of a deleted user is refused with %j', async (args) => {
    await setUser('deleted_at = now()');
    await expect(signIn(app, acme, ann, args)).rejects.toBeInstanceOf(UserNotFound);
  });

  it('publishes one event for the new session and one for each further factor', async () => {
    const { session, session_token: token } = await signIn(app, acme, ann);
    const factor = passcode();
    await signIn(app, acme, ann, { token }, { factor });
    await signIn(app, acme, ann, { token }, { factor });
    expect(await eventsOf('session.created', ann)).toEqual([
      { data: { session_id: session!.id, user_id: ann.user_id, factor: expect.objectContaining({ type: 'otp' }) } },
    ]);
    expect(await eventsOf('factor.added', ann)).toEqual([
      {
        data: {
          session_id: session!.id,
          user_id: ann.user_id,
          factor: { type: 'otp', delivery_channel: 'email', method_type: 'email', method_id: factor.method['emailId'] },
          is_new_method: false,
        },
      },
    ]);
  });

  it('that opens a session takes eight statements, the proof and the events included', async () => {
    await signIn(app, acme, ann);
    const events = app.nest.get(DomainEvents);
    const spend = async () => {
      await sql(`update users set first_name = 'spent' where id = $1`, [ann.user_id]);
      await events.publish({ type: 'user.updated', appId: acme.id as AppId, data: { user_id: ann.user_id } });
    };
    const sent = await textsOf(() => signIn(app, acme, ann, { minutes: 60 }, { spend }));
    expect(withSortedPair(sent, 4)).toEqual([
      BEGIN.text,
      expect.stringContaining('update users'),
      expect.stringMatching(/make_room_for_login/),
      expect.stringMatching(/insert into sessions/),
      expect.stringMatching(/^select .* from users/s),
      expect.stringMatching(/^update sessions set mac/),
      expect.stringMatching(/^insert into unsequenced_events/),
      'commit',
    ]);
  });

  it('that joins a session reads it first, because the token is checked before anything is spent', async () => {
    const { session_token: token } = await signIn(app, acme, ann);
    const sent = await textsOf(() => signIn(app, acme, ann, { token }));
    expect(withSortedPair(sent, 4)).toEqual([
      expect.stringMatching(/^select .* from sessions/s),
      BEGIN.text,
      expect.stringMatching(/hold_user/),
      expect.stringMatching(/^select .* from sessions .* for update/s),
      expect.stringMatching(/^select .* from users/s),
      expect.stringMatching(/update sessions/),
      expect.stringMatching(/^insert into unsequenced_events/),
      'commit',
    ]);
  });
});

/** The user is read while the session is written, so these two statements have no order. */
function withSortedPair(texts: readonly string[], at: number): string[] {
  return [...texts.slice(0, at), ...texts.slice(at, at + 2).toSorted(), ...texts.slice(at + 2)];
}
