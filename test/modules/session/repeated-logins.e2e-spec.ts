import { createHash } from 'node:crypto';
import { sealContext } from '../../../src/edge/idempotency/idempotency.js';
import { StoredBytes } from '../../../src/edge/idempotency/stored-bytes.js';
import { Vault } from '../../../src/kernel/vault.js';
import { Database } from '../../../src/postgres/database.js';
import { type Answer, startApp, type TestApp } from '../../support/app.js';
import { type GivenApp, unique } from '../../support/given.js';

const PATH = '/v1/auth/magic_links/verify';
const MEGABYTE = 1024 * 1024;

let one: TestApp;
let two: TestApp;
let app: GivenApp;
let database: Database;
beforeAll(async () => {
  one = await startApp();
  two = await startApp({ databaseUrl: one.databaseUrl });
  app = await one.given.app();
  database = one.nest.get(Database);
});
afterAll(async () => {
  await two?.stop();
  await one?.stop();
});

const call = (path: string, body: object, headers = {}, at = one) =>
  at.call('POST', path, { key: app.secretKey, body, headers });

/** A login by a link that can be sent again. */
async function login(fields: object = { session_expires_in: 60 }) {
  const { user_id } = await one.given.user(app, { first_name: 'Ann' });
  const { token } = (await call('/v1/auth/magic_links/create', { user_id })).body;
  const key = unique();
  const send = (at = one): Promise<Answer> => call(PATH, { token, ...fields }, { 'idempotency-key': key }, at);
  const first = await send();
  expect(first.status).toBe(200);
  const row = () => storedAt(createHash('sha256').update(`login ${key}`).digest());
  return { user_id, key, send, first, row };
}

async function storedAt(keyHash: Buffer) {
  const [row] = await database.write<{ answer: Buffer }>(
    `select answer from idempotency_keys where app_id = $1 and path = $2 and key_hash = $3`,
    [app.id, PATH, keyHash],
  );
  return row && { keyHash, answer: row.answer, context: sealContext({ appId: app.id, path: PATH, keyHash }) };
}

const manage = (method: string, path: string, body?: object) =>
  one.call(method as 'POST', `/management/v1/apps/${app.id}${path}`, { key: one.managementKey, body });

const SESSION_ENDS: Readonly<Record<string, (of: Awaited<ReturnType<typeof login>>) => Promise<unknown>>> = {
  'was deleted': ({ first }) =>
    one.call('DELETE', '/v1/auth/sessions/delete', {
      key: app.secretKey,
      body: { session_token: first.body.session_token },
    }),
  'has expired': ({ first }) =>
    database.write(`update sessions set expires_at = now() where app_id = $1 and id = $2`, [
      app.id,
      first.body.session.id,
    ]),
};
const USER_LEAVES: Readonly<Record<string, (of: Awaited<ReturnType<typeof login>>) => Promise<unknown>>> = {
  'was deactivated': ({ user_id }) => manage('POST', `/users/${user_id}/deactivate`),
  'was deleted': ({ user_id }) => one.call('DELETE', `/v1/auth/users/${user_id}/delete`, { key: app.secretKey }),
};

describe('the response to a login with an Idempotency-Key', () => {
  it('is repeated with a valid JWT, and stores neither the JWT nor the name', async () => {
    const { first, send, row } = await login();
    const again = await send(two);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    const withoutJwt = ({ session_jwt: _, session: { session_jwt: __, ...session }, ...fields }: Answer['body']) => ({
      ...fields,
      session,
    });
    expect(withoutJwt(again.body)).toEqual(withoutJwt(first.body));
    expect(again.body.session.session_jwt).toBe(again.body.session_jwt);
    const verified = await call('/v1/auth/sessions/verify', { session_jwt: again.body.session_jwt });
    expect(verified.body.session.id).toBe(first.body.session.id);

    const { answer, context } = (await row())!;
    const stored = one.nest.get(Vault).open(answer, context).toString();
    expect(stored).toContain(first.body.session_token);
    expect(stored).not.toMatch(/eyJ|Ann|session_jwt/);
    expect(answer.length).toBeLessThanOrEqual(450);
  });

  it('is repeated for five minutes, and then the proof is refused as spent', async () => {
    const { send } = await login();
    const age = (minutes: number) =>
      database.write(
        `update idempotency_keys set created_at = now() - make_interval(mins => $2::int) where app_id = $1`,
        [app.id, minutes],
      );
    await age(4);
    expect((await send()).headers.get('idempotent-replayed')).toBe('true');
    await age(5);
    for (const replica of [one, two]) {
      const late = await send(replica);
      expect([late.body.error_type, late.headers.get('idempotent-replayed')]).toEqual(['invalid_magic_token', null]);
    }
  });

  it.each(Object.keys(SESSION_ENDS))('is not repeated once the session %s', async (name) => {
    const made = await login();
    await SESSION_ENDS[name]!(made);
    for (const replica of [one, two]) expect((await made.send(replica)).body.error_type).toBe('invalid_magic_token');
  });

  it.each(Object.keys(USER_LEAVES))('is not repeated once the user %s, with or without a session', async (name) => {
    for (const fields of [{ session_expires_in: 60 }, {}]) {
      const made = await login(fields);
      await USER_LEAVES[name]!(made);
      const late = await made.send(two);
      expect([late.body.error_type, late.headers.get('idempotent-replayed')]).toEqual(['invalid_magic_token', null]);
    }
  });

  it('that a replica of an earlier release stored is repeated as a new one is, with the same bounds', async () => {
    const made = await login();
    const keyHash = createHash('sha256').update(made.key).digest();
    const context = sealContext({ appId: app.id, path: PATH, keyHash });
    const whole = one.nest.get(Vault).seal(Buffer.from(JSON.stringify(made.first.body)), context);
    const { changed } = (
      await database.write<{ changed: Buffer }>(
        `update idempotency_keys set key_hash = $3, body_digest = null, answer = $4 where app_id = $1 and key_hash = $2 returning key_hash as changed`,
        [app.id, (await made.row())!.keyHash, keyHash, whole],
      )
    )[0]!;
    expect(changed).toEqual(keyHash);
    const again = await made.send();
    expect([again.status, again.headers.get('idempotent-replayed')]).toEqual([200, 'true']);
    expect(again.body.session.id).toBe(made.first.body.session.id);
    await SESSION_ENDS['was deleted']!(made);
    expect((await made.send()).body.error_type).toBe('invalid_magic_token');
  });

  it('is not found by a replica of an earlier release, which could not read it', async () => {
    const { key } = await login();
    expect(await storedAt(createHash('sha256').update(key).digest())).toBeUndefined();
  });

  it('of 200,000 logins in a day leaves room for payments, which the whole responses of 63,000 filled before', async () => {
    const busy = await one.given.app();
    const stored = one.nest.get(StoredBytes);
    const { answer } = (await (await login()).row())!;
    for (let logins = 0; logins < 200_000; logins++) {
      if (logins % 10_000 === 0) expect(await stored.exceededLimit(busy.id, false)).toBeNull();
      stored.add(busy.id, answer.length, false);
    }
    await stored.flush();
    const [usage] = await database.write<{ bytes: number }>(
      `select sum(bytes)::float8 as bytes from idempotency_usage where app_id = $1`,
      [busy.id],
    );
    expect(usage!.bytes).toBe(200_000 * answer.length);
    expect(usage!.bytes).toBeLessThan(100 * MEGABYTE);
    for (const replica of [one, two]) {
      const headers = { 'idempotency-key': unique() };
      const body = { email: `${unique()}@example.com` };
      const created = await replica.call('POST', '/v1/auth/users/create', { key: busy.secretKey, body, headers });
      expect([created.status, created.headers.get('idempotency-stored')]).toEqual([200, null]);
    }
  });
});
