import { randomBytes } from 'node:crypto';
import { Client } from 'pg';
import { DataSource } from 'typeorm';
import { DatabaseUnavailable } from '../../src/kernel/errors.js';
import { newId } from '../../src/kernel/ids.js';
import { Transactions } from '../../src/kernel/transactions.js';
import { isDatabaseUnavailable } from '../../src/postgres/database-unavailable.js';
import { Database } from '../../src/postgres/database.js';
import { poolOf } from '../../src/postgres/typeorm-internals.js';
import { SeparateConnections } from '../../src/postgres/separate-connections.js';
import { SlowReads } from '../../src/postgres/slow-reads.js';
import { eventually } from '../support/eventually.js';
import { type Answer, startApp, type TestApp } from '../support/app.js';
import { createDatabase, type TestDatabase } from '../support/database.js';
import { roundTripsOf } from '../support/statements.js';
import { DatabaseProxy, type Network } from '../support/database-proxy.js';

let database: TestDatabase;
let proxy: DatabaseProxy;
let app: TestApp;
let calls: Record<string, () => Promise<Answer>>;
const log: string[] = [];

beforeAll(async () => {
  database = await createDatabase();
  proxy = await DatabaseProxy.start(database.url);
  app = await startApp({
    databaseUrl: proxy.url,
    env: { LOG_LEVEL: 'error' },
    log: { write: (line) => log.push(line) },
  });
  const acme = await app.given.app();
  const { id: appId, secretKey: key } = acme;
  const { user_id } = await app.given.user(acme);
  const email = (): string => `${randomBytes(6).toString('hex')}@example.com`;
  calls = {
    // On a shared connection, on one of the pool, in a transaction, in one that counts besides, by TypeORM, and within an idempotent call.
    read: () => app.call('GET', `/v1/auth/users/${user_id}`, { key }),
    search: () => app.call('POST', '/v1/auth/users/search', { key, body: {} }),
    write: () => app.call('POST', '/v1/auth/users/create', { key, body: { email: email() } }),
    send: () => app.call('POST', '/v1/auth/otps/email/login_or_create', { key, body: { email: email() } }),
    manage: () => app.call('GET', `/management/v1/apps/${appId}`, { key: app.managementKey }),
    idempotent: () =>
      app.call('POST', '/v1/auth/users/create', {
        key,
        body: { email: email() },
        headers: { 'idempotency-key': randomBytes(6).toString('hex') },
      }),
  };
});
afterAll(async () => {
  await app.stop();
  await proxy.stop();
  await database.drop();
});

/** The status of every call, several times at once. */
async function statuses(): Promise<Record<string, readonly number[]>> {
  const all = Object.entries(calls).map(async ([name, call]) => {
    const answers = await Promise.all(Array.from({ length: 6 }, call));
    for (const { status, headers } of answers) {
      if (status === 503) expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
    }
    return [name, [...new Set(answers.map(({ status }) => status))]] as const;
  });
  return Object.fromEntries(await Promise.all(all));
}

const all = (status: number) => Object.fromEntries(Object.keys(calls).map((name) => [name, [status]]));
const readiness = async (): Promise<number> => (await app.call('GET', '/readyz')).status;
/** On a slow machine a search that waits for its turn is refused with 429. */
const untilAllIsWell = () =>
  eventually(async () => expect([await statuses(), await readiness()]).toEqual([all(200), 200]));

const FAULTS: [string, Network][] = [
  ['closes every connection', 'closed'],
  ['closes connections that are being opened', 'cut'],
  ['is starting (57P03)', { refuses: '57P03' }],
  ['has no connection left (53300)', { refuses: '53300' }],
  ['takes another password (28P01)', { refuses: '28P01' }],
  ['does not have the database (3D000)', { refuses: '3D000' }],
  ['breaks the protocol (08P01)', { refuses: '08P01' }],
  ['does not answer', 'silent'],
];

describe.each(FAULTS)('while PostgreSQL %s', (_, network) => {
  it('every call is 503 with Retry-After and /readyz says no, and all is well afterwards', async () => {
    await untilAllIsWell();
    proxy.become(network);
    try {
      // The first calls lose their running statements, the later ones find no connection.
      for (let round = 0; round < 2; round++) expect([await statuses(), await readiness()]).toEqual([all(503), 503]);
    } finally {
      proxy.become('works');
    }
    await untilAllIsWell();
  });
});

it('a replica that is not ready logs each reason once, and again when it was ready meanwhile', async () => {
  const isReason = (line: string) => line.includes('"code":"53300"') && line.includes('"msg":"database unavailable"');
  try {
    for (let time = 0; time < 2; time++) {
      await untilAllIsWell();
      log.length = 0;
      proxy.become({ refuses: '53300' });
      // The first finds its connection closed.
      for (let round = 0; round < 3; round++) expect(await readiness()).toBe(503);
      proxy.become('works');
      expect(log.filter(isReason)).toHaveLength(1);
    }
  } finally {
    proxy.become('works');
  }
});

it('a statement beside a transaction is answered by an error when PostgreSQL falls silent', async () => {
  const [transactions, separate] = [app.nest.get(Transactions), app.nest.get(SeparateConnections)];
  const beside = (network: Network) =>
    transactions.run(async () => {
      await app.nest.get(Database).write('select 1');
      if (network === 'silent') proxy.become(network);
      await separate.query('select 1', []);
    });
  try {
    // Until its connection is open: one that is being opened has a timeout of its own.
    await eventually(() => beside('works'));
    const trips = await roundTripsOf(async () =>
      expect(await beside('silent').then(() => null, isDatabaseUnavailable)).toBe(true),
    );
    // It would not be answered either.
    expect(trips.flat().map(({ text }) => text)).not.toContain('rollback');
  } finally {
    proxy.become('works');
  }
});

it('slow reads of one app are all refused as unavailable when PostgreSQL falls silent, also those that wait for a slot', async () => {
  const slowReads = app.nest.get(SlowReads);
  const appId = newId('app');
  // One more than the slots of an app.
  const reads = () => Array.from({ length: 3 }, () => slowReads.run(appId, (query) => query('select 1', [])));
  try {
    await eventually(() => Promise.all(reads()));
    proxy.become('silent');
    const isUnavailable = (error: unknown) =>
      error instanceof DatabaseUnavailable || isDatabaseUnavailable(error) || error;
    expect(await Promise.all(reads().map((read) => read.then(() => 'answered', isUnavailable)))).toEqual([
      true,
      true,
      true,
    ]);
  } finally {
    proxy.become('works');
  }
});

it('/readyz says yes while requests hold every connection of the pool', async () => {
  await eventually(async () => expect(await readiness()).toBe(200));
  const pool = poolOf(app.nest.get(DataSource));
  const held = await Promise.all(Array.from({ length: pool.options.max! }, () => pool.connect()));
  try {
    expect(await readiness()).toBe(200);
  } finally {
    for (const client of held) client.release();
  }
});

it('while the database takes no writes, reads are answered, writes are 503 and /readyz says no', async () => {
  const operator = new Client({ connectionString: database.url });
  await operator.connect();
  const name = new URL(database.url).pathname.slice(1);
  const readOnly = async (is: boolean) => {
    await operator.query(`alter database ${name} set default_transaction_read_only = ${is}`);
    // Open connections keep the previous default.
    proxy.become('works');
  };
  try {
    await readOnly(true);
    await eventually(async () => expect((await calls['read']!()).status).toBe(200));
    for (let round = 0; round < 3; round++) {
      expect((await calls['write']!()).status).toBe(503);
      expect((await calls['idempotent']!()).status).toBe(503);
      expect(await readiness()).toBe(503);
    }
    await readOnly(false);
    await eventually(async () => expect([await statuses(), await readiness()]).toEqual([all(200), 200]));
  } finally {
    await operator.end();
  }
});
