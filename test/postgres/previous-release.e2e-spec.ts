import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from 'pg';
import { verifyMessage } from 'ethers';
import { Replica } from '../chaos/replica.js';
import { builtRelease } from '../support/built-release.js';
import { createDatabase } from '../support/database.js';
import { eventually } from '../support/eventually.js';

const ROOT = join(__dirname, '../..');
const MANAGEMENT_KEY = `mk_${'previous'.repeat(5)}`;

/** The last tag before this commit. There is none before the first release. */
function lastTag(): string | undefined {
  try {
    return execFileSync('git', ['describe', '--tags', '--abbrev=0'], { cwd: ROOT, stdio: 'pipe' }).toString().trim();
  } catch {
    return undefined;
  }
}

const tag = lastTag();
let folder: string | undefined;
let previous: Replica;
let current: Replica;
let database: Client;
let drop: () => Promise<void>;
beforeAll(async () => {
  folder = tag && builtRelease(tag);
  const made = await createDatabase();
  drop = made.drop;
  database = new Client({ connectionString: made.url });
  await database.connect();
  const env = {
    NODE_ENV: 'test',
    DATABASE_URL: made.url,
    MANAGEMENT_KEY,
    MASTER_KEYS: `test:${createHash('sha256').update('the master key of both releases').digest('base64')}`,
    ALLOW_PRIVATE_NETWORKS: 'true',
  };
  previous = new Replica(env, undefined, folder);
  current = new Replica(env);
  await current.start();
  // As long as no release precedes this one, this one stands for it, beside a successor that has expanded the schema.
  await database.query(
    `insert into migrations (timestamp, name, expands) values (9999999999999, 'OfTheSuccessor9999999999999', true)`,
  );
  await previous.start();
});
afterAll(async () => {
  await previous?.kill();
  await current?.kill();
  await database?.end();
  await drop?.();
  if (folder) rmSync(folder, { recursive: true });
});

type Json = Record<string, unknown>;

async function call(at: Replica, method: string, path: string, key: string, body?: object): Promise<Json> {
  const response = await fetch(`${at.url}${path}`, {
    method,
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  });
  const json = (await response.json()) as Json;
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${JSON.stringify(json)}`);
  return json;
}

const newApp = (at: Replica) => call(at, 'POST', '/management/v1/apps', MANAGEMENT_KEY, { name: 'Acme', mode: 'test' });

async function signsWith(at: Replica, key: string, wallet: Json): Promise<void> {
  const { signature } = await call(at, 'POST', `/v1/wallets/${wallet['id']}/sign_message`, key, { message: 'x' });
  expect(verifyMessage('x', signature as string)).toBe(wallet['public_address']);
}

describe('this release and the previous one on one database', () => {
  it.each([
    ['the previous release makes, this one uses', () => [previous, current] as const],
    ['this release makes, the previous one uses', () => [current, previous] as const],
  ])('%s: keys, users, links, sessions, TOTPs, wallets and deletions', async (_, replicas) => {
    const [maker, user] = replicas();
    const app = await newApp(maker);
    const key = app['secret_key'] as string;
    const { user_id } = await call(maker, 'POST', '/v1/auth/users/create', key, { email: 'ann@example.com' });
    const { token } = await call(maker, 'POST', '/v1/auth/magic_links/create', key, { user_id });
    const login = await call(user, 'POST', '/v1/auth/magic_links/verify', key, { token, session_expires_in: 60 });
    const session = { session_token: login['session_token'] as string };
    for (const at of [maker, user])
      expect(await call(at, 'POST', '/v1/auth/sessions/verify', key, session)).toMatchObject({ session: { user_id } });
    const [wallet] = (await call(user, 'GET', `/v1/wallets/list?user_id=${user_id}`, key))['wallets'] as Json[];
    await signsWith(user, key, wallet!);
    await call(maker, 'POST', '/v1/auth/totps/create', key, { user_id });
    const shown = await call(user, 'POST', '/v1/auth/totps/recovery_codes', key, { user_id });
    expect((shown['totps'] as Json[])[0]!['recovery_codes']).toHaveLength(16);
    await call(user, 'DELETE', `/v1/auth/users/${user_id}/delete`, key);
    await expect(call(maker, 'POST', '/v1/auth/sessions/verify', key, session)).rejects.toThrow(' 401 ');
    await eventually(async () => {
      const feeds = await Promise.all([maker, user].map((at) => call(at, 'GET', '/v1/events?limit=1000', key)));
      const types = (feeds[0]!['events'] as Json[]).map(({ type }) => type as string);
      expect(types.filter((type) => /^user\.(?:created|deleted)$/.test(type))).toEqual([
        'user.created',
        'user.deleted',
      ]);
      expect((feeds[0]!['events'] as Json[]).map(({ position }) => position as number)).toEqual(
        types.map((_type, index) => index + 1),
      );
      expect(feeds[1]!['events']).toEqual(feeds[0]!['events']);
    });
  });

  it('the previous release starts again after a rollback and signs with the wallets of this one', async () => {
    const app = await newApp(current);
    const key = app['secret_key'] as string;
    const { user_id } = await call(current, 'POST', '/v1/auth/users/create', key, { email: 'bob@example.com' });
    await current.kill();
    await previous.kill();
    await previous.start();
    const [wallet] = (await call(previous, 'GET', `/v1/wallets/list?user_id=${user_id}`, key))['wallets'] as Json[];
    await signsWith(previous, key, wallet!);
  });
});
