import { createHash, createHmac } from 'node:crypto';
import { Client } from 'pg';
import { SecretTokens } from '../../../src/kernel/secret-tokens.js';
import { AppAuthenticator } from '../../../src/edge/auth/credential.js';
import { ManagementKeys } from '../../../src/modules/apps/index.js';
import { type Answer, startApp, type TestApp } from '../../support/app.js';
import { SealRows } from '../../../src/services/crypto/service-row-macs.js';
import { createDatabase, type TestDatabase } from '../../support/database.js';
import type { GivenApp } from '../../support/given.js';
import { signIn } from '../../support/sign-in.js';

const MASTER_KEY = createHash('sha256').update('unkeyed hashes').digest();
const PAST = '2020-01-01';
const FUTURE = '2999-01-01';

/** The hash that releases before 1.0 stored. */
const unkeyed = (purpose: string, token: string): Buffer =>
  createHash('sha256').update(`${purpose}\0${token}`).digest();
/** A check value of a master key, in either form. */
const checkValue = (version: 1 | 2): Buffer =>
  createHmac('sha256', MASTER_KEY).update(`check value v${version}\0`).digest();

/** A kind of token that outlives an update of the service. */
interface Kind {
  readonly table: string;
  readonly column: string;
  readonly purpose: string;
  readonly prefix: string;
  readonly token: string;
  /** A call that succeeds with a valid token of the kind and is a 401 with another. */
  readonly call: (app: TestApp, token: string) => Promise<Pick<Answer, 'status'>>;
}

let database: TestDatabase;
let sql: Client;
let shop: GivenApp;
let kinds: readonly Kind[];
let link: string;
/** The stored hashes by token. */
const hashes = new Map<string, Buffer>();
const running: TestApp[] = [];

async function start(UNKEYED_HASHES_UNTIL?: string): Promise<TestApp> {
  const env = {
    ROLE: 'api',
    MASTER_KEYS: `m:${MASTER_KEY.toString('base64')}`,
    ...(UNKEYED_HASHES_UNTIL && { UNKEYED_HASHES_UNTIL }),
  };
  const app = await startApp({ databaseUrl: database.url, env });
  running.push(app);
  return app;
}
async function stopAll(): Promise<void> {
  for (const app of running.splice(0)) await app.stop();
}

const named = (kind: Kind): string => `${kind.table}: ${kind.purpose}`;
async function statuses(app: TestApp, tokenOf = (kind: Kind): string => kind.token): Promise<Record<string, number>> {
  const found: Record<string, number> = {};
  for (const kind of kinds) found[named(kind)] = (await kind.call(app, tokenOf(kind))).status;
  return found;
}
const each = (status: number): Record<string, number> => Object.fromEntries(kinds.map((kind) => [named(kind), status]));

/** A token of the kind that its holder has made up. */
const forgedToken = ({ prefix }: Kind, mark: string): string => `${prefix}${mark.repeat(48)}`;

/** Copies the row of the valid token by SQL, with the hash of a forged one. */
async function insertForged(mark: string, hashOf: (purpose: string, token: string) => Buffer): Promise<void> {
  for (const kind of kinds) {
    const { rows } = await sql.query<{ row: Record<string, unknown> }>(
      `select to_jsonb(t) as row from ${kind.table} t where ${kind.column} = $1`,
      [hashes.get(kind.token)],
    );
    const changes = {
      ...('id' in rows[0]!.row && { id: `forged_${mark}_${kind.purpose}` }),
      [kind.column]: `\\x${hashOf(kind.purpose, forgedToken(kind, mark)).toString('hex')}`,
    };
    await sql.query(`insert into ${kind.table} select * from jsonb_populate_record(null::${kind.table}, $1)`, [
      { ...rows[0]!.row, ...changes },
    ]);
  }
}

beforeAll(async () => {
  database = await createDatabase();
  sql = new Client({ connectionString: database.url });
  await sql.connect();
  const app = await start();
  shop = await app.given.app();
  const user = await app.given.user(shop);
  const { session_token } = await signIn(app, shop, user);
  const by = { actor: 'cli', requestId: null, ip: null };
  const { key } = await app.nest.get(ManagementKeys).create(by, { name: 'second', role: 'owner', expiresAt: null });
  const signedIn = await app.call('POST', '/management/v1/session', { key });
  const created = await app.call('POST', '/v1/auth/magic_links/create', {
    key: shop.secretKey,
    body: { user_id: user.user_id },
  });
  link = created.body.token;
  kinds = [
    {
      table: 'api_keys',
      column: 'key_hash',
      purpose: 'secret_key',
      prefix: 'sk_test_',
      token: shop.secretKey,
      call: (replica, token) => replica.call('GET', `/v1/auth/users/${user.user_id}`, { key: token }),
    },
    {
      table: 'api_keys',
      column: 'key_hash',
      purpose: 'public_token',
      prefix: 'pk_test_',
      token: shop.publicToken,
      // An unknown provider is found only after the token was accepted.
      call: async (replica, token) => {
        const answer = await replica.call('GET', '/v1/auth/oauth/none/begin', { query: { public_token: token } });
        return answer.status === 404 ? { ...answer, status: 200 } : answer;
      },
    },
    {
      table: 'management_keys',
      column: 'key_hash',
      purpose: 'management_key',
      prefix: 'mk_',
      token: key,
      call: (replica, token) => replica.call('GET', '/management/v1/apps', { key: token }),
    },
    {
      table: 'management_sessions',
      column: 'token_hash',
      purpose: 'management_session',
      prefix: '',
      token: /management_session=([^;]+)/.exec(signedIn.headers.get('set-cookie')!)![1]!,
      // Without the browser, whose host and origin the guard checks before it asks the authenticator.
      call: async (replica, token) => ({
        status: (await replica.nest.get(AppAuthenticator, { strict: false }).byManagementSession(token)) ? 200 : 401,
      }),
    },
    {
      table: 'sessions',
      column: 'token_hash',
      purpose: 'session_token',
      prefix: '',
      token: session_token,
      call: (replica, token) =>
        replica.call('POST', '/v1/auth/sessions/verify', { key: shop.secretKey, body: { session_token: token } }),
    },
  ];
  const tokens = app.nest.get(SecretTokens);
  for (const { purpose, token } of kinds) hashes.set(token, tokens.hash(purpose, token));
  hashes.set(link, tokens.hash('magic_link', link));
});
afterAll(async () => {
  await stopAll();
  await sql.end();
  await database.drop();
});

/** What a release before 1.0 stored for the valid tokens, and its check value of the master key. */
async function asBefore(
  of: readonly { table: string; column: string; purpose: string; token: string }[],
): Promise<void> {
  await sql.query('update master_keys set check_value = $1', [checkValue(1)]);
  for (const { table, column, purpose, token } of of) {
    const change = `update ${table} set ${column} = $1 where ${column} = $2`;
    expect((await sql.query(change, [unkeyed(purpose, token), hashes.get(token)])).rowCount).toBe(1);
    hashes.set(token, unkeyed(purpose, token));
  }
}

describe('a hash that was made without the key of the service', () => {
  it.each<[form: string, mark: string, hashOf: (purpose: string, token: string) => Buffer]>([
    ['the SHA-256 of releases before 1.0', 'A', unkeyed],
    [
      'that SHA-256 behind the version byte',
      'B',
      (purpose, token) => Buffer.concat([Buffer.of(1), unkeyed(purpose, token)]),
    ],
    ['the SHA-256 of the token alone', 'C', (_, token) => createHash('sha256').update(token).digest()],
  ])('authenticates nothing when its row is inserted by SQL: %s', async (_, mark, hashOf) => {
    const [app] = running;
    await insertForged(mark, hashOf);
    expect(await statuses(app!)).toEqual(each(200));
    expect(await statuses(app!, (kind) => forgedToken(kind, mark))).toEqual(each(401));
  });

  it('still authenticates nothing after a restart of a database that was never older', async () => {
    await stopAll();
    const app = await start(FUTURE);
    expect(await statuses(app, (kind) => forgedToken(kind, 'A'))).toEqual(each(401));
  });
});

describe('the database of a release before 1.0', () => {
  const tokens = () => [...kinds, { table: 'magic_links', column: 'token_hash', purpose: 'magic_link', token: link }];

  it('refuses its keys and sessions once the date has passed, and changes none of them', async () => {
    await stopAll();
    await asBefore(tokens());
    await sql.query('delete from service_secrets');
    // Keys of this test's environment and forged ones: such a release has no hash with a key.
    for (const { table, column } of tokens())
      await sql.query(`delete from ${table} where octet_length(${column}) = 33`);
    const app = await start(PAST);
    expect(await statuses(app)).toEqual(each(401));
    await stopAll();
  });

  it('accepts its keys, sessions and links after two simultaneous starts before the date', async () => {
    const replicas = await Promise.all([start(FUTURE), start(FUTURE)]);
    for (const replica of replicas) expect(await statuses(replica)).toEqual(each(200));
    const verified = await replicas[0].call('POST', '/v1/auth/magic_links/verify', {
      key: shop.secretKey,
      body: { token: link },
    });
    expect(verified.status).toBe(200);
    expect((await sql.query('select check_value from master_keys')).rows).toEqual([{ check_value: checkValue(2) }]);
  });

  it('accepts no hash without a key that is inserted later, before and after the next start', async () => {
    for (const { purpose, token } of kinds) hashes.set(token, running[0]!.nest.get(SecretTokens).hash(purpose, token));
    await insertForged('D', unkeyed);
    const forged = (kind: Kind): string => forgedToken(kind, 'D');
    expect(await statuses(running[0]!, forged)).toEqual(each(401));
    await stopAll();
    expect(await statuses(await start(FUTURE), forged)).toEqual(each(401));
  });

  it('is upgraded to the end by the start after one that was killed in the middle', async () => {
    await stopAll();
    await asBefore([tokens()[0]!, tokens()[4]!]);
    const app = await start(FUTURE);
    expect(await statuses(app)).toEqual(each(200));
  });

  it('gets no keys for its hashes after their rows were sealed without', async () => {
    for (const { purpose, token } of kinds) hashes.set(token, running[0]!.nest.get(SecretTokens).hash(purpose, token));
    await stopAll();
    await asBefore([tokens()[0]!]);
    const late = await start(PAST);
    await late.nest.get(SealRows).execute(() => undefined);
    await stopAll();
    expect(await statuses(await start(FUTURE))).toMatchObject({ [named(kinds[0]!)]: 401 });
  });

  it('is refused when its secret is gone and keyed hashes are there, in every form of the check value', async () => {
    await stopAll();
    await sql.query('delete from service_secrets');
    const changes = [
      ['update master_keys set check_value = $1', [checkValue(1)]],
      ['delete from master_keys', []],
    ] as const;
    const refusal = 'The row "service" of the table service_secrets is missing';
    await expect(start(FUTURE)).rejects.toThrow(refusal);
    for (const [change, values] of changes) {
      await sql.query(change, [...values]);
      await expect(start(FUTURE)).rejects.toThrow(refusal);
    }
  });
});
