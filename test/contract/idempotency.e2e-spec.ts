import { setTimeout as pause } from 'node:timers/promises';
import { Client } from 'pg';
import { type Answer, startApp, type TestApp } from '../support/app.js';
import { appIn, callsOf, startWorld, type World } from '../support/calls.js';
import { postsWithJwt, readDocument } from '../support/document.js';
import { patiently } from '../support/eventually.js';
import { type GivenApp, unique } from '../support/given.js';
import { codeIn } from '../support/inbox.js';
import { ofAll } from '../support/module-facts.js';

// Calls every POST of the document with an `Idempotency-Key`, repeats it, and repeats it with another body. A route
// without a call here fails the test, so a new route cannot be forgotten.

interface Operation {
  readonly security?: readonly Record<string, unknown>[];
  readonly parameters?: readonly { readonly in: string; readonly name: string }[];
  readonly responses: Readonly<Record<string, unknown>>;
}
const document = readDocument<{
  paths: Record<string, Record<string, Operation>>;
}>();
const posts = Object.entries(document.paths).flatMap(([path, { post }]) => (post ? [{ path, operation: post }] : []));
const TAKING_NONE = ['/v1/auth/oauth/callback/{connection_id}', '/management/v1/session'];
/** The routes that change nothing run again. With the named field in its body, a route does change something. */
const CHANGING_NOTHING: Readonly<Record<string, Record<string, unknown> | null>> = {
  '/management/v1/apps/{app_id}/templates/preview': null,
  '/management/v1/apps/{app_id}/policies/evaluate': null,
  '/management/v1/apps/{app_id}/approvals/{appr_id}/begin': null,
  '/v1/approvals/{appr_id}/begin': null,
  '/management/v1/apps/{app_id}/approver_groups/{agrp_id}/passkeys/{webauthn_id}/begin': null,
  '/v1/auth/users/search': null,
  '/management/v1/apps/{app_id}/users/search': null,
  '/management/v1/apps/{app_id}/oauth_connections/{oauthconn_id}/test': null,
  '/v1/auth/sessions/verify': { session_expires_in: 60 },
  '/v1/auth/totps/recovery_codes': null,
  '/v1/wallets/balance': null,
};
const takingKeys = posts.filter(({ path }) => !TAKING_NONE.includes(path));
const replaying = takingKeys.filter(({ path }) => CHANGING_NOTHING[path] !== null);

let world: World;
let app: TestApp;
let replica: TestApp;
let acme: GivenApp;
let calls: ReturnType<typeof callsOf>;
let database: Client;

beforeAll(async () => {
  world = await startWorld();
  ({ service: app, database } = world);
  replica = await startApp({ databaseUrl: app.databaseUrl, env: { ...world.env, ROLE: 'api' } });
  acme = await appIn(world);
  calls = callsOf(world, acme);
});
afterAll(async () => {
  await replica?.stop();
  await world?.stop();
});

/** Calls a POST that must succeed. */
// eslint-disable-next-line @typescript-eslint/no-explicit-any -- tests reach into answers as clients do
async function made(path: string, body: unknown): Promise<any> {
  const answer = await app.call('POST', path, { key: acme.secretKey, body });
  if (answer.status !== 200) throw new Error(`POST ${path}: ${answer.text}`);
  return answer.body;
}
const email = () => `${unique()}@example.com`;
const user = async () => (await app.given.user(acme)).user_id;
async function mailed(path: string, body: Record<string, unknown> & { email: string }) {
  return world.inbox.after(body.email, () => made(path, body));
}

/** The routes that start a session: repeated without a key, they refuse a proof that is spent; null where none is. */
const STARTING_SESSIONS: Readonly<Record<string, string | null>> = {
  ...ofAll(({ startingSessions }) => startingSessions),
  '/v1/auth/oauth/verify': 'invalid_oauth_token',
  '/v1/auth/magic_links/verify': 'invalid_magic_token',
  '/v1/auth/otps/verify': 'invalid_otp',
  '/v1/auth/totps/verify': 'invalid_totp',
  '/v1/auth/totps/recovery': 'invalid_recovery_code',
  '/v1/auth/wallets/verify': 'invalid_wallet_signature',
  '/v1/auth/wallets/siwe/verify': 'invalid_wallet_signature',
};

/** Each replica makes the JWT of a repeated response anew. */
function withoutJwt(body: Answer['body']): object {
  const { session_jwt: _, session, ...fields } = body;
  return session ? { ...fields, session: withoutJwt(session) } : fields;
}

interface Prepared {
  send(key: string | undefined, body?: Record<string, unknown>, at?: TestApp): Promise<Answer>;
  readonly body: Record<string, unknown>;
}

async function prepared(template: string): Promise<Prepared> {
  const call = calls[`POST ${template}`];
  if (!call)
    throw new Error(`POST ${template} is not known: add it to test/support/calls.ts, or to the module's facts.ts.`);
  const { path = template.replace('{app_id}', acme.id), body = {} } = await call();
  const key = template.startsWith('/management/') ? app.managementKey : acme.secretKey;
  const send: Prepared['send'] = (idempotencyKey, sent = body, at = app) =>
    at.call('POST', path, {
      key,
      body: sent,
      ...(idempotencyKey !== undefined && { headers: { 'idempotency-key': idempotencyKey } }),
    });
  return { send, body };
}

describe('an Idempotency-Key', () => {
  it('is documented at every POST except the OAuth callback, with a 422 where responses are stored', () => {
    const documented = posts.filter(({ operation }) =>
      operation.parameters?.some(({ name }) => name === 'Idempotency-Key'),
    );
    expect(documented.map(({ path }) => path)).toEqual(takingKeys.map(({ path }) => path));
    const storing = documented.filter(({ operation }) => '422' in operation.responses);
    expect(storing.map(({ path }) => path)).toEqual(replaying.map(({ path }) => path));
  });

  it('is sent to every route that starts a session', () => {
    const starting = postsWithJwt().filter((path) => path !== '/v1/auth/sessions/verify');
    expect(Object.keys(STARTING_SESSIONS).toSorted()).toEqual(starting.toSorted());
  });

  it.each(Object.entries(CHANGING_NOTHING))(
    'lets POST %s run again and stores no response, unless its body has %j',
    async (path) => {
      const { send, body } = await prepared(path);
      const key = unique();
      const sent = { ...body, session_expires_in: null };
      for (const each of [sent, { ...sent, another_field: 1 }]) {
        const { status, headers } = await send(key, each);
        expect([status, headers.get('idempotent-replayed')]).toEqual([200, null]);
      }
      const { rowCount } = await database.query('select from idempotency_keys where key_hash = sha256($1::bytea)', [
        Buffer.from(key),
      ]);
      expect(rowCount).toBe(0);
    },
  );

  it.each(replaying.map(({ path }) => path))('makes a repeated POST %s return the first response', async (path) => {
    const { send, body: prepares } = await prepared(path);
    const key = unique();
    const body = { ...prepares, ...CHANGING_NOTHING[path] };
    const first = await send(key, body);
    expect([first.status, first.text]).toEqual([200, first.text]);
    expect(first.headers.get('idempotent-replayed')).toBeNull();
    const [second, third] = [await send(key, body), await send(key, body, replica)];
    for (const again of [second, third]) {
      expect(again.status).toBe(200);
      expect(again.headers.get('idempotent-replayed')).toBe('true');
      expect(withoutJwt(again.body)).toEqual(withoutJwt(first.body));
      expect(again.headers.get('x-api-stability')).toBe(first.headers.get('x-api-stability'));
      expect(again.headers.get('deprecation')).toBe(first.headers.get('deprecation'));
    }
    // A login is stored in another form and under another name.
    const { rowCount } = await database.query('select from idempotency_keys where key_hash = sha256($1::bytea)', [
      Buffer.from(key),
    ]);
    expect(rowCount).toBe('session_jwt' in first.body ? 0 : 1);
    const other = await send(key, { ...body, another_field: 1 });
    expect([other.status, other.body.error_type]).toEqual([422, 'idempotency_key_reused']);
  });

  it.each(Object.entries(STARTING_SESSIONS))(
    'makes a repeated POST %s return its session instead of %s',
    async (path, refusal) => {
      const { send } = await prepared(path);
      const key = unique();
      const first = await send(key);
      const again = await send(key);
      expect(again.body.session_token).toMatch(/^\w{20,}/);
      expect(again.body.session_token).toBe(first.body.session_token);
      const live = await app.call('POST', '/v1/auth/sessions/verify', {
        key: acme.secretKey,
        body: { session_token: again.body.session_token },
      });
      expect(live.body.session.user_id).toBe(first.body.user_id);
      expect((await send(undefined)).body.error_type).toBe(refusal ?? undefined);
    },
  );

  it.each(Object.keys(STARTING_SESSIONS))(
    'lets POST %s be repeated if its response could not be stored',
    async (path) => {
      const { send } = await prepared(path);
      const key = unique();
      const gate = new Client({ connectionString: app.databaseUrl });
      await gate.connect();
      await gate.query('begin; lock table idempotency_keys in share mode');
      let cut!: ReturnType<typeof send>;
      try {
        // The call has done everything but store its response, for which it now waits. Then its connection breaks.
        const CUT = `select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock' and query like '%insert into idempotency_keys%'`;
        // The call is sent again if a pause of this process has ended its wait before.
        for (let cuts = 0; cuts === 0;) {
          let isOver = false;
          cut = send(key).finally(() => (isOver = true));
          while (!isOver && cuts === 0) {
            cuts = (await database.query(CUT)).rowCount!;
            await pause(20);
          }
        }
      } finally {
        await gate.end();
      }
      expect((await cut).status).toBe(503);
      const again = await send(key);
      expect([again.status, again.headers.get('idempotent-replayed')]).toEqual([200, null]);
      expect((await send(key)).headers.get('idempotent-replayed')).toBe('true');
    },
  );

  it.each(Object.keys(STARTING_SESSIONS))(
    'lets simultaneous POST %s on two replicas have one effect and one response',
    async (path) => {
      const { send, body } = await prepared(path);
      const key = unique();
      const answers = await Promise.all(
        Array.from({ length: 6 }, (_, index) => patiently(() => send(key, body, index % 2 ? app : replica))),
      );
      expect(answers.map(({ status, body }) => body.error_type ?? status)).toEqual(Array(6).fill(200));
      for (const { body } of answers) expect(withoutJwt(body)).toEqual(withoutJwt(answers[0]!.body));
      expect(answers.filter(({ headers }) => headers.get('idempotent-replayed') === null)).toHaveLength(1);
    },
  );

  it.each(Object.entries(STARTING_SESSIONS))(
    'makes POST %s store at most 450 bytes, and refuse the proof with %s once the session has ended',
    async (path, refusal) => {
      const { send } = await prepared(path);
      const key = unique();
      const { session_token } = (await send(key)).body;
      const { rows } = await database.query(
        `select octet_length(answer) as bytes from idempotency_keys where app_id = $1 and path = $2 order by created_at desc limit 1`,
        [acme.id, path],
      );
      expect(rows[0].bytes).toBeLessThanOrEqual(450);
      await app.call('DELETE', '/v1/auth/sessions/delete', { key: acme.secretKey, body: { session_token } });
      expect((await send(key)).body.error_type).toBe(refusal ?? undefined);
    },
  );

  it('keeps the count of wrong attempts, but not the refusal', async () => {
    const { answer, message } = await mailed('/v1/auth/otps/email/login_or_create', { email: email() });
    const right = codeIn(message);
    const wrong = right === '000000' ? '000001' : '000000';
    const verify = (otp: string, key: string) =>
      app.call('POST', '/v1/auth/otps/verify', {
        key: acme.secretKey,
        body: { method_id: answer.email_id, otp },
        headers: { 'idempotency-key': key },
      });
    const key = unique();
    for (let tries = 0; tries < 5; tries++) expect((await verify(wrong, key)).body.error_type).toBe('invalid_otp');
    expect((await verify(right, unique())).body.error_type).toBe('otp_attempts_exceeded');
  });

  it('keeps the count of attempts with a magic link on another device', async () => {
    const user_id = await user();
    const { token } = await made('/v1/auth/magic_links/create', { user_id, device_fingerprint: { ip: '192.0.2.1' } });
    const verify = (ip: string) =>
      app.call('POST', '/v1/auth/magic_links/verify', {
        key: acme.secretKey,
        body: { token, device_fingerprint: { ip } },
        headers: { 'idempotency-key': unique() },
      });
    for (let tries = 0; tries < 5; tries++) expect((await verify('192.0.2.9')).body.error_type).toBe('device_mismatch');
    expect((await verify('192.0.2.1')).body.error_type).toBe('invalid_magic_token');
  });

  it('of a management call belongs to the app in its path', async () => {
    const { send } = await prepared('/management/v1/apps/{app_id}/keys');
    await send(unique());
    const { rows } = await database.query(`select app_id from idempotency_keys where path like '/management/%/keys'`);
    expect(new Set(rows.map(({ app_id }) => app_id))).toEqual(new Set([acme.id]));
  });
});
