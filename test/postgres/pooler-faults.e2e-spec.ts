import { Client } from 'pg';
import { DataSource } from 'typeorm';
import type { Log } from '../../src/kernel/log.js';
import { Transactions } from '../../src/kernel/transactions.js';
import { ConnectionWatchdog } from '../../src/postgres/connection-watchdog.js';
import { dataSourceOptions } from '../../src/postgres/data-source.js';
import { isDatabaseUnavailable } from '../../src/postgres/database-unavailable.js';
import { Database } from '../../src/postgres/database.js';
import { SeparateConnections } from '../../src/postgres/separate-connections.js';
import { SharedConnections } from '../../src/postgres/shared-connections.js';
import { statement } from '../../src/postgres/statement.js';
import { type Answer, startApp, type TestApp } from '../support/app.js';
import { createDatabase, type TestDatabase } from '../support/database.js';
import { eventually } from '../support/eventually.js';
import { type GivenApp, unique } from '../support/given.js';
import { type Pooler, type PoolerOptions, startPooler } from '../support/pooler.js';
import { TransactionPooler } from '../support/transaction-pooler.js';

let database: TestDatabase;
beforeAll(async () => {
  database = await createDatabase();
});
afterAll(() => database.drop());

async function connected(url: string): Promise<Client> {
  const client = new Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  return client;
}

/** Takes this many server connections of the pooler. Returns what gives them back. */
async function holding(url: string, count: number): Promise<() => Promise<void>> {
  const clients = await Promise.all(Array.from({ length: count }, () => connected(url)));
  for (const client of clients) await client.query('begin; select 1');
  return async () => {
    for (const client of clients) await client.end();
  };
}

describe('the service behind a pooler with one server connection', () => {
  let app: TestApp;
  let pooler: Pooler;
  let shop: GivenApp;
  let userId: string;
  const start = (options: PoolerOptions = {}) => startPooler(database.url, { serverConnections: 1, ...options });
  beforeAll(async () => {
    pooler = await start();
    const env = { DATABASE_URL: pooler.url, DATABASE_DIRECT_URL: database.url };
    app = await startApp({ databaseUrl: database.url, env });
    shop = await app.given.app();
    userId = (await app.given.user(shop)).user_id;
  });
  afterAll(async () => {
    await app.stop();
    await pooler.stop();
  });

  const create = (headers = {}): Promise<Answer> =>
    app.call('POST', '/v1/auth/users/create', {
      key: shop.secretKey,
      body: { email: `${unique()}@example.com` },
      headers,
    });
  const find = (): Promise<Answer> => app.call('GET', `/v1/auth/users/${userId}`, { key: shop.secretKey });
  const ready = (): Promise<Answer> => app.call('GET', '/readyz');
  function expectUnavailable({ status, headers }: Answer): void {
    expect(status).toBe(503);
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
  }

  it('carries out simultaneous transactions one after another, and none waits for a second connection', async () => {
    // On a slow machine some wait for longer than they may; one that needed a second connection would never get through.
    const made = async (): Promise<void> => {
      const answer = await create({ 'idempotency-key': unique() });
      if (answer.status !== 200) expectUnavailable(answer);
      expect(answer.status).toBe(200);
    };
    await Promise.all(Array.from({ length: 12 }, () => eventually(made)));
    const work = (n: number) =>
      app.nest.get(Transactions).run(async () => {
        await app.nest.get(Database).write('select 1');
        return app.nest.get(SeparateConnections).query('select $1::int as n', [n]);
      });
    const rows = await Promise.all(Array.from({ length: 12 }, (_, n) => eventually(() => work(n))));
    expect(rows).toEqual(Array.from({ length: 12 }, (_, n) => [{ n }]));
  });

  it('answers 503 with Retry-After while no server connection is free, and everything afterwards', async () => {
    const release = await holding(pooler.url, 1);
    for (const answer of await Promise.all([create(), find(), ready()])) expectUnavailable(answer);
    await release();
    for (const call of [create, find, ready]) await eventually(async () => expect((await call()).status).toBe(200));
  });

  it('answers 503 with Retry-After while the pooler is down, and everything after its restart', async () => {
    const port = Number(new URL(pooler.url).port);
    await pooler.stop();
    for (const answer of await Promise.all([create(), find(), ready()])) expectUnavailable(answer);
    pooler = await start({ port });
    for (const call of [create, find, ready])
      await eventually(async () => {
        const answer = await call();
        if (answer.status !== 200) expectUnavailable(answer);
        expect(answer.status).toBe(200);
      });
  });

  it('reads a changed table again after RECONNECT, which ends no transaction', async () => {
    const direct = await connected(database.url);
    await direct.query('create table changing as select 1 as a');
    const read = () => app.nest.get(Database).read('select a from changing');
    for (let n = 0; n < 4; n++) expect(await read()).toEqual([{ a: 1 }]);
    await direct.query('alter table changing alter a type text');
    // The pooler keeps what is prepared on its server connection, for all clients, until it closes the connection for another reason.
    for (let n = 0; n < 4; n++) {
      const answer = await read().catch(({ code }: { code: string }) => code);
      expect(['0A000', [{ a: '1' }]]).toContainEqual(answer);
    }
    const open = await connected(pooler.url);
    await open.query('begin');
    await pooler.reconnect();
    expect((await open.query('select 1 as one')).rows).toEqual([{ one: 1 }]);
    await open.query('commit');
    await eventually(async () => expect(await read()).toEqual([{ a: '1' }]));
    await open.end();
    await direct.end();
  });
});

describe('a pooler that answers a login with the process id of its server connection', () => {
  it('gets no settings of a session where DATABASE_DIRECT_URL names PostgreSQL', async () => {
    const pooler = await TransactionPooler.start(database.url, { serverConnections: 1 });
    const client = await connected(pooler.url);
    const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
    pooler.processId = () => rows[0]!.pid;
    const settings = { databasePoolSize: 2, databaseDirectUrl: database.url };
    const dataSource = await new DataSource(dataSourceOptions(settings, pooler.url)).initialize();
    const shared = new SharedConnections(dataSource);
    await new Database(dataSource, shared).write('select 1');
    await new Database(dataSource, shared).read('select 1');
    await client.query('select 1');
    await shared.onApplicationShutdown();
    await dataSource.destroy();
    await client.end();
    await pooler.stop();
    expect(pooler.refused).toEqual([]);
  });
});

describe('a shared connection whose session is never configured', () => {
  it('is given up, and reads use a new one', async () => {
    const pooler = await TransactionPooler.start(database.url, { serverConnections: 1 });
    const dataSource = await new DataSource(dataSourceOptions({ databasePoolSize: 2 }, pooler.url)).initialize();
    const shared = new SharedConnections(dataSource);
    const separate = new SeparateConnections(new Database(dataSource, shared), dataSource);
    const log = { error: () => undefined } as unknown as Log;
    const watchdog = new ConnectionWatchdog(dataSource, shared, separate, log);
    const release = await holding(pooler.url, 1);
    const one = () => shared.query(statement('select 1 as one'));
    expect(await one().then(() => null, isDatabaseUnavailable)).toBe(true);
    await release();
    expect((await one()).rows).toEqual([{ one: 1 }]);
    watchdog.onApplicationShutdown();
    await shared.onApplicationShutdown();
    await dataSource.destroy();
    await pooler.stop();
  });
});
