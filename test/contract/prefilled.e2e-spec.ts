import { mkdirSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import type { Browser, Page } from 'playwright-core';
import { freePort } from '../../src/dev/free-port.js';
import { exampleId } from '../../src/kernel/examples.js';
import { launchChromium, MOST_MS } from '../console/chromium.js';
import { Anvil } from '../support/anvil.js';
import { type TestApp, startApp } from '../support/app.js';
import { createDatabase, type TestDatabase } from '../support/database.js';
import { eventually } from '../support/eventually.js';
import { largestBodies, LARGEST_POLICIES } from '../support/largest-bodies.js';
import { unitsOf } from '../support/processor-time.js';
import { sampled, tenth } from '../support/sampled.js';
import { callPrefilled, type Keys, operations, startDevelopment } from './prefilled.js';

type PrefilledOperation = (typeof operations)[number];

/** An operation that states why it is refused is refused by a rule, not because its example is malformed or names nothing. */
const REFUSALS = [400, 401, 403, 404, 409];
const MALFORMED = 'invalid_request';

/** Opened in Chromium: in the gate one operation for each key. */
const SAMPLE = ['apps_get', 'oauth_begin', 'otp_verify'];
const opened = sampled(operations, ({ name }) => SAMPLE.includes(name));

const DEVELOPMENT = { NODE_ENV: 'development', MANAGEMENT_KEY: '' };

let chain: Anvil;
let owner: TestDatabase;
let app: TestApp;
let database: Client;
let keys: Keys;

beforeAll(async () => {
  [chain, owner] = await Promise.all([Anvil.start(), createDatabase()]);
  const first = await startDevelopment({ databaseUrl: owner.url });
  keys = first.keys;
  database = new Client(owner.url);
  await database.connect();
  // The sequencer makes the delivery of the demo event.
  await eventually(async () => {
    const { rowCount } = await database.query('select from webhook_queue where event_id = $1', [exampleId('event')]);
    expect(rowCount).toBe(1);
  });
  await first.app.stop();
  const port = String(await freePort());
  // Without background work, which would change the rows while they are restored.
  app = await startApp({
    databaseUrl: owner.url,
    env: {
      ...DEVELOPMENT,
      PORT: port,
      HOST: '127.0.0.1',
      BASE_URL: `http://127.0.0.1:${port}`,
      ROLE: 'api',
      ETHEREUM_RPC_URL: chain.url,
      ETHEREUM_CHAIN_ID: String(chain.chainId),
      TRANSFER_CONFIRM_WAIT_SECONDS: '0',
    },
  });
  await keepCopies(database);
});
afterAll(async () => {
  await database?.end();
  await app?.stop();
  await owner?.drop();
  await chain?.stop();
});

it('the operations as they are prefilled are answered with 2xx or a redirect on the data of a development start, but for those that say why', async () => {
  const table: { name: string; status: number; text: string; reason?: string }[] = [];
  for (const each of operations) {
    await restoreCopies(database);
    const response = await callPrefilled(app.url, keys, each);
    const text = await response.text();
    table.push({ name: each.name, status: response.status, text, reason: each.operation['x-refused-as-prefilled'] });
  }
  const refused = table.filter(({ status }) => status < 200 || status >= 400);
  const lines = table.map(({ name, status, text }) => `${status} ${name}${status < 400 ? '' : ` ${text}`}`);
  mkdirSync('coverage', { recursive: true });
  writeFileSync('coverage/prefilled.txt', `${table.length - refused.length} of ${table.length}\n${lines.join('\n')}\n`);
  expect(table.filter(({ reason }) => reason !== undefined).map(({ name }) => name)).toEqual(
    refused.map(({ name }) => name),
  );
  for (const { name, status, text } of refused) {
    expect([name, REFUSALS]).toEqual([name, expect.arrayContaining([status])]);
    expect([name, text]).toEqual([name, expect.not.stringContaining(MALFORMED)]);
  }
  expect((table.length - refused.length) / table.length).toBeGreaterThanOrEqual(0.9);
});

/**
 * Units of work that one call may take. 50 rules with 10 windows each take 53 here and less than half in the built service: in Jest's
 * context a global is slow to read, and class-transformer reads several for each value. An erasure goes through all tables, in a job that
 * runs beside its call.
 */
const MOST_UNITS: Readonly<Record<string, number>> = { managedPolicies_create: 70, privacy_erase: 130 };
const mostUnits = (name: string): number => MOST_UNITS[name] ?? 50;

it('no operation with the largest body that it accepts takes more than 50 units of work, and the two that may no more than theirs', async () => {
  const table: { name: string; bytes: number; status: number; expected?: number; units: number }[] = [];
  for (const each of tenth(operations)) {
    const [media] = Object.entries(each.operation.requestBody?.content ?? {});
    const bodies = media
      ? largestBodies(each.name, media[0], media[1].schema!, media[1].example as object)
      : [undefined];
    const sent =
      each.name === 'managedPolicies_create' ? LARGEST_POLICIES : bodies.map((body) => ({ body, status: undefined }));
    for (const { body, status: expected } of sent) {
      let least = Infinity;
      let status = 0;
      // The least of five counts: a first call also compiles, and a garbage collection falls into one.
      for (let tries = 0; tries < 5 && least > mostUnits(each.name); tries++) {
        if (each.method !== 'GET') await restoreCopies(database);
        const began = performance.now();
        const units = await unitsOf(async () => {
          const response = await callPrefilled(app.url, keys, each, body);
          await response.arrayBuffer();
          status = response.status;
        }, tries > 0);
        // On a busy machine a call waits for longer, and the service does more of its own work meanwhile.
        const ofService = units > mostUnits(each.name) ? await unitsOf(() => sleep(performance.now() - began)) : 0;
        least = Math.min(least, units - ofService);
      }
      table.push({ name: each.name, bytes: Buffer.byteLength(body ?? ''), status, expected, units: least });
    }
  }
  const sorted = table.toSorted((one, other) => other.units - one.units);
  // Of two bodies the one that takes longer.
  const lines = sorted
    .filter(({ name }, index) => sorted.findIndex((other) => other.name === name) === index)
    .map((row) => `| ${row.name} | ${row.bytes} | ${row.status} | ${row.units.toFixed(1)} |`);
  const head = ['| Operation | Bytes of the body | Status | Units |', '| --- | ---: | ---: | ---: |'];
  mkdirSync('coverage', { recursive: true });
  writeFileSync('coverage/processor-time.md', [...head, ...lines, ''].join('\n'));
  const isWrong = ({ name, status, expected, units }: (typeof table)[number]) =>
    units > mostUnits(name) || status >= 500 || (expected === undefined ? status === 413 : status !== expected);
  expect(table.filter(isWrong)).toEqual([]);
});

it('the start of a second replica has added nothing to the demo app', async () => {
  const { rows } = await database.query(
    'select (select count(*) from kept.apps)::int as apps, count(*)::int as users from kept.users',
  );
  expect(rows).toEqual([{ apps: 1, users: 2 }]);
});

describe('in Chromium, with the three keys pasted into /docs', () => {
  let browser: Browser;
  let page: Page;
  beforeAll(async () => {
    browser = await launchChromium();
    page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
    page.setDefaultTimeout(MOST_MS);
    await page.goto(`${app.url}/docs`);
    await pasteKeys(page);
  });
  afterAll(() => browser?.close());

  it('the page stores none of them beyond its own life', async () => {
    expect(await page.evaluate('[localStorage.length, sessionStorage.length, document.cookie]')).toEqual([0, 0, '']);
  });

  it('the button gives the demo app its first data again', async () => {
    await restoreCopies(database);
    await database.query('delete from sessions');
    await page.getByRole('button', { name: 'Reset the demo data' }).click();
    await page.getByText('The demo data is as it was at the first start.').waitFor();
    expect((await database.query('select id from sessions')).rows).toEqual([{ id: exampleId('session') }]);
  });

  it.each(opened.map((each) => [each.name, each] as const))('%s is sent and answered as expected', async (_, each) => {
    await restoreCopies(database);
    const status = await execute(page, each);
    const isRefused = each.operation['x-refused-as-prefilled'] !== undefined;
    expect(isRefused ? REFUSALS : [200, 201, 202, 204]).toContain(status);
  });
});

async function pasteKeys(page: Page): Promise<void> {
  await page.locator('.auth-wrapper .authorize').first().click();
  const pasted = { secret_key: keys.SECRET, public_token: keys.PUBLIC, management_key: keys.MANAGEMENT };
  for (const [scheme, key] of Object.entries(pasted)) {
    const form = page.locator('.auth-container').filter({ has: page.getByText(scheme, { exact: true }) });
    await form.locator('input').fill(key);
    await form.getByRole('button', { name: 'Authorize' }).click();
  }
  await page.locator('.btn-done').first().click();
}

/** Opens the operation, sends what is prefilled, and returns the status that the page shows. */
async function execute(page: Page, { operation }: PrefilledOperation): Promise<number> {
  // The page draws all that it shows anew with each change, so it shows one tag.
  await page.locator('.operation-filter-input').fill(operation.tags[0]!);
  const block = page.locator(`.opblock[id$="-${operation.operationId}"]`);
  await block.locator('.opblock-summary-control').click();
  await block.getByRole('button', { name: 'Execute' }).click();
  const status = await block.locator('.live-responses-table .response-col_status').nth(1).textContent();
  await block.locator('.opblock-summary-control').click();
  return Number.parseInt(status!, 10);
}

/** The tables as the start left them. Background work goes on meanwhile, which changes nothing that the operations need. */
async function keepCopies(database: Client): Promise<void> {
  await database.query('create schema kept');
  for (const name of await tablesOf(database))
    await database.query(`create table kept."${name}" as table public."${name}"`);
}

/**
 * Deletes instead of truncating, which would wait for background work and make files anew. Again where that work, such as the
 * note of a key's last use, holds rows in another order, or adds one meanwhile.
 */
async function restoreCopies(database: Client): Promise<void> {
  const names = await tablesOf(database);
  const statements = [
    'begin',
    'set local session_replication_role = replica',
    ...names.map((name) => `delete from public."${name}"`),
    ...names.map((name) => `insert into public."${name}" overriding system value select * from kept."${name}"`),
    'commit',
  ];
  await eventually(async () => {
    await database.query('rollback');
    await database.query(statements.join(';'));
  });
}

async function tablesOf(database: Client): Promise<string[]> {
  const { rows } = await database.query<{ name: string }>(
    `select c.relname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where n.nspname = 'public' and c.relkind in ('r', 'p') and not c.relispartition
        and c.relname not in ('migrations', 'sql_objects', 'jobs', 'master_keys', 'service_secrets') order by 1`,
  );
  return rows.map(({ name }) => name);
}
