import { createHash } from 'node:crypto';
import { type IncomingMessage, request } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { runCommand } from '../../src/cli/run-command.js';
import { freePort } from '../../src/dev/free-port.js';
import { exampleId } from '../../src/kernel/examples.js';
import { Config } from '../../src/services/config/config.js';
import type { Terminal } from '../../src/services/cli/terminal.js';
import { callPrefilled, type Keys, operations, startDevelopment } from '../contract/prefilled.js';
import { Anvil } from '../support/anvil.js';
import { startApp, type TestApp } from '../support/app.js';
import { createDatabase, type TestDatabase } from '../support/database.js';
import { eventually } from '../support/eventually.js';
import { Observer } from '../support/observer.js';
import { isInRotation } from '../support/sampled.js';
import { signIn } from '../support/sign-in.js';
import { writeKeyUses } from '../support/background.js';

const DEMO = exampleId('app');
const MASTER_KEYS = `demo:${createHash('sha256').update('demo').digest('base64')}`;

let chain: Anvil;
let owner: TestDatabase;
let app: TestApp;
let keys: Keys;
let observer: Observer;

beforeAll(async () => {
  [chain, owner] = await Promise.all([Anvil.start(), createDatabase()]);
  const port = String(await freePort());
  const env = {
    PORT: port,
    HOST: '127.0.0.1',
    MASTER_KEYS,
    BASE_URL: `http://127.0.0.1:${port}`,
    ETHEREUM_RPC_URL: chain.url,
    ETHEREUM_CHAIN_ID: String(chain.chainId),
    ETHEREUM_FINALITY_DEPTH: '0',
    TRANSFER_CONFIRM_WAIT_SECONDS: '0',
  };
  ({ app, keys } = await startDevelopment({ databaseUrl: owner.url, env }));
  observer = await Observer.of({ databaseUrl: owner.url });
});
afterAll(async () => {
  await observer?.close();
  await app?.stop();
  await owner?.drop();
  await chain?.stop();
});

async function reset(env: Readonly<Record<string, string>> = {}): Promise<{ status: number; text: string }> {
  const lines: string[] = [];
  const terminal: Terminal = { out: (text) => lines.push(text), err: (text) => lines.push(text) };
  const surroundings = { env: { NODE_ENV: 'development', DATABASE_URL: owner.url, MASTER_KEYS, ...env }, terminal };
  return { status: await runCommand(['demo', 'reset', '--json'], surroundings), text: lines.join('') };
}

function press(headers: Readonly<Record<string, string>> = { origin: new URL(app.nest.get(Config).baseUrl).origin }) {
  return fetch(`${app.url}/docs/demo`, { method: 'POST', headers });
}

it('each prefilled call works after a reset, also where every operation was called before it', async () => {
  for (const each of operations) await callPrefilled(app.url, keys, each);
  for (const [index, each] of operations.toReversed().entries()) {
    if (each.operation['x-refused-as-prefilled'] || !isInRotation(index)) continue;
    await eventually(async () => expect([each.name, (await press()).status]).toEqual([each.name, 200]));
    // The sequencer makes the delivery of the demo event.
    await eventually(async () => {
      const response = await callPrefilled(app.url, keys, each);
      const text = await response.text();
      expect([each.name, response.ok ? '' : text]).toEqual([each.name, '']);
    });
  }
});

it('two resets at once end one after the other, and the command does the same', async () => {
  const users = () => observer.rows('select id from users where app_id = $1 order by id', [DEMO]);
  await eventually(async () => expect((await press()).status).toBe(200));
  const first = await users();
  expect((await Promise.all([press(), press()])).map(({ status }) => status)).toEqual([200, 200]);
  expect(await users()).toEqual(first);
  await observer.rows('delete from sessions where app_id = $1', [DEMO]);
  expect(await reset()).toEqual({ status: 0, text: expect.stringContaining(DEMO) });
  expect(await users()).toEqual(first);
  expect(await observer.rows('select id from sessions where app_id = $1', [DEMO])).toHaveLength(1);
});

it('a reset changes no row of another app', async () => {
  const { body: other } = await app.call('POST', '/management/v1/apps', {
    key: keys.MANAGEMENT,
    body: { name: 'Other', mode: 'test' },
  });
  const { body: user } = await app.call('POST', '/v1/auth/users/create', {
    key: other.secret_key,
    body: { email: 'other@example.com' },
  });
  await signIn(app, other, { user_id: user.user_id });
  await eventually(async () =>
    expect(await rowsOf(other.id)).toContainEqual(expect.stringMatching(/^event_log .*session\.created/)),
  );
  // Workers store the use of the app's key and the counts of its events some time later.
  await writeKeyUses(app);
  await eventually(async () =>
    expect(
      await observer.rows(
        `select from counted_events c join event_positions p on p.app_id = c.app_id
          where c.app_id = $1 and c.position = p.last_position
            and not exists (select from unsequenced_events u where u.app_id = $1)`,
        [other.id],
      ),
    ).toHaveLength(1),
  );
  const before = await rowsOf(other.id);
  expect(before.length).toBeGreaterThan(10);
  await eventually(async () => expect((await press()).status).toBe(200));
  expect(await rowsOf(other.id)).toEqual(before);
});

const CHAINED = `- '{number, hash, mac, chained_at}'::text[]`;

/** All rows of an app, with the names of their tables. Workers chain the entries of the audit log at any time, so these are compared as they were entered. */
async function rowsOf(appId: string): Promise<string[]> {
  const tables = await observer.rows<{ name: string }>(
    `select c.relname as name from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname = 'app_id'
      where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
        and c.relname not in ('audit_chains', 'audit_checkpoints', 'audit_heads') order by 1`,
  );
  const rows: string[] = [];
  for (const { name } of tables)
    for (const { row } of await observer.rows<{ row: string }>(
      `select (to_jsonb(t)${name === 'audit_log' ? CHAINED : ''})::text as row from ${name} t where app_id = $1 order by 1`,
      [appId],
    ))
      rows.push(`${name} ${row}`);
  return rows;
}

it('the button exists in development only', async () => {
  const service = await startApp({ databaseUrl: owner.url, env: { MASTER_KEYS } });
  try {
    for (const [method, path] of [
      ['POST', '/docs/demo'],
      ['POST', '/docs/demo/keys'],
      ['GET', '/docs/demo.js'],
    ] as const)
      expect((await fetch(`${service.url}${path}`, { method, headers: { origin: service.url } })).status).toBe(404);
    expect(await (await fetch(`${service.url}/docs`)).text()).not.toContain('demo.js');
  } finally {
    await service.stop();
  }
});

it('a reset waits for pending payments, and needs a demo app and a start in development', async () => {
  await observer.rows(`update transfers set status = 'pending', stage = 'queued' where app_id = $1 returning id`, [
    DEMO,
  ]);
  expect(await reset()).toEqual({ status: 1, text: expect.stringContaining('is pending') });
  expect([(await press()).status]).toEqual([409]);
  await observer.rows(`update transfers set status = 'unconfirmed', stage = null where app_id = $1 returning id`, [
    DEMO,
  ]);
  expect(await reset({ NODE_ENV: 'test' })).toEqual({
    status: 1,
    text: expect.stringContaining('Only a development start'),
  });
  const empty = await createDatabase();
  try {
    expect(await reset({ DATABASE_URL: empty.url })).toEqual({
      status: 1,
      text: expect.stringMatching(/migrations|no demo app/),
    });
  } finally {
    await empty.drop();
  }
});

it.each<[string, Record<string, string>]>([
  ['no page', {}],
  ['a page of another origin', { origin: 'https://evil.example.com' }],
  ['a page of another site, without its origin', { 'sec-fetch-site': 'cross-site' }],
])('%s cannot press the buttons of the page', async (_, headers) => {
  expect((await press(headers)).status).toBe(403);
  expect((await pressForKeys(headers)).status).toBe(403);
});

describe('the button for the keys of the demo app', () => {
  it('gives a working key for each scheme, and the same ones for a day', async () => {
    const first = await pressForKeys();
    expect(first.status).toBe(200);
    const { secret_key, public_token, management_key } = JSON.parse(first.text);
    // Another test has dropped a database a moment ago: the server may be writing that, and a new connection waits.
    await app.ok('POST', '/v1/auth/users/search', { key: secret_key, body: {} });
    expect(await app.ok('GET', `/management/v1/apps/${DEMO}`, { key: management_key })).toMatchObject({ id: DEMO });
    expect(public_token).toMatch(/^pk_test_/);
    expect((await pressForKeys()).text).toBe(first.text);
  });

  it('gives none to a call through a tunnel, which comes from this machine too', async () => {
    for (const name of ['x-forwarded-for', 'Forwarded', 'via'])
      expect([name, (await pressForKeys({ origin: app.url, [name]: '203.0.113.7' })).status]).toEqual([name, 403]);
  });

  it('gives none under a name that leads to this machine, although the page of that name says so itself', async () => {
    const host = `rebound.example:${new URL(app.url).port}`;
    expect((await pressForKeys({ host, origin: `http://${host}` })).status).toBe(403);
    expect((await pressForKeys({ host, 'sec-fetch-site': 'same-origin' })).status).toBe(403);
  });
});

/** By the client of Node, since `fetch` sends no other host than that of its address. */
async function pressForKeys(headers: Readonly<Record<string, string>> = { origin: app.url }) {
  const response = await new Promise<IncomingMessage>((resolve) =>
    request(new URL('/docs/demo/keys', app.url), { method: 'POST', headers }, resolve).end(),
  );
  return { status: response.statusCode, text: (await buffer(response)).toString() };
}
