import '../support/through-pooler.js';
import { Client } from 'pg';
import { DataSource } from 'typeorm';
import { Transactions } from '../../src/kernel/transactions.js';
import { dataSourceOptions } from '../../src/postgres/data-source.js';
import { Database } from '../../src/postgres/database.js';
import { DirectConnectionNeeded, runMigrations } from '../../src/postgres/migrate.js';
import { SeparateConnections } from '../../src/postgres/separate-connections.js';
import { startApp, type TestApp } from '../support/app.js';
import { createDatabase, type TestDatabase } from '../support/database.js';
import { eventually } from '../support/eventually.js';
import { roundTripsOf } from '../support/statements.js';
import { TransactionPooler } from '../support/transaction-pooler.js';

describe('the service behind a pooler in transaction mode', () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startApp({ env: { ROLE: 'api' } });
  });
  afterAll(() => app.stop());

  const SETTINGS = ['synchronous_commit', 'statement_timeout', 'idle_in_transaction_session_timeout', 'lock_timeout'];
  const READ = `select ${SETTINGS.map((name) => `current_setting('${name}') as ${name}`).join(', ')}`;
  const USUAL = { synchronous_commit: 'on', statement_timeout: '7s', idle_in_transaction_session_timeout: '30s' };
  const database = () => app.nest.get(Database);
  const transactions = () => app.nest.get(Transactions);

  it.each([
    ['a write', USUAL, () => database().write(READ)],
    ['a transaction', USUAL, () => transactions().run(() => database().write(READ))],
    [
      'a transaction that signs',
      { ...USUAL, idle_in_transaction_session_timeout: '1500ms', lock_timeout: '4s' },
      () => transactions().run(() => database().write(READ), { signs: true }),
    ],
    [
      'a statement of its own in a transaction',
      USUAL,
      () => transactions().run(() => app.nest.get(SeparateConnections).query(READ, [])),
    ],
    ['a read', { statement_timeout: '2s', lock_timeout: '1s' }, () => database().read(READ)],
  ])('bounds %s and commits it durably, in as many round trips as without one', async (_, settings, work) => {
    // The first times prepare the statements on both shared connections.
    for (let n = 0; n < 4; n++) await work();
    let rows: object[] = [];
    const trips = await roundTripsOf(async () => {
      rows = await work();
    });
    expect(rows).toEqual([expect.objectContaining(settings)]);
    const ends = trips.filter(([first]) => first!.text === 'commit').length;
    expect(trips.length - ends).toBe(1);
  });

  it('leaves no setting to the next transaction of a server connection', async () => {
    const client = new Client({ connectionString: (app.nest.get(DataSource).options as { url: string }).url });
    await client.connect();
    for (let n = 0; n < 20; n++) {
      await transactions().run(() => database().write('select 1'), { signs: true });
      const { rows } = await client.query(READ);
      expect(rows[0]).toMatchObject({ statement_timeout: '0', lock_timeout: '0' });
    }
    await client.end();
  });

  it('rolls back a write that fails, and the connection is used again', async () => {
    for (let n = 0; n < 12; n++) {
      await expect(database().write(`select 1 / $1::int as n`, [0])).rejects.toThrow('division by zero');
      expect(await database().write(`select 1 / $1::int as n`, [1])).toEqual([{ n: 1 }]);
    }
  });

  it.each([
    ['by itself', (text: string) => database().write(text)],
    ['in a transaction', (text: string) => transactions().run(() => database().write(text))],
    ['on a shared connection', (text: string) => database().read(text)],
  ])('uses a statement again whose preparation failed %s', async (way, use) => {
    const table = `later_${way.replaceAll(' ', '_')}`;
    for (let n = 0; n < 12; n++)
      await expect(use(`select a from ${table}`)).rejects.toMatchObject({ code: '42P01', severity: 'ERROR' });
    await database().write(`create table ${table} as select 1 as a`);
    for (let n = 0; n < 12; n++) expect(await use(`select a from ${table}`)).toEqual([{ a: 1 }]);
  });

  it('refuses to migrate through it, and says what to set', async () => {
    const { url } = app.nest.get(DataSource).options as { url: string };
    const dataSource = await new DataSource(dataSourceOptions({ databasePoolSize: 2 }, url)).initialize();
    try {
      await expect(runMigrations(dataSource, [])).rejects.toThrow(DirectConnectionNeeded);
    } finally {
      await dataSource.destroy();
    }
  });
});

describe('the pooler of the tests', () => {
  let database: TestDatabase;
  let pooler: TransactionPooler;
  let client: Client;
  beforeAll(async () => {
    database = await createDatabase();
  });
  afterAll(() => database.drop());
  beforeEach(async () => {
    pooler = await TransactionPooler.start(database.url);
    client = new Client({ connectionString: pooler.url });
    client.on('error', () => undefined);
    await client.connect();
  });
  afterEach(async () => {
    await client.end().catch(() => undefined);
    await pooler.stop();
  });

  it('gives each transaction a random server connection, and keeps it for the whole transaction', async () => {
    const backend = async (): Promise<number> =>
      (await client.query({ name: 'backend', text: 'select pg_backend_pid() as pid' })).rows[0].pid;
    const outside = new Set<number>();
    for (let n = 0; n < 40; n++) outside.add(await backend());
    expect(outside.size).toBeGreaterThan(1);
    await client.query('begin');
    const inside = new Set<number>();
    for (let n = 0; n < 10; n++) inside.add(await backend());
    await client.query('commit');
    expect(inside.size).toBe(1);
    expect(pooler.refused).toEqual([]);
  });

  it.each([
    `set statement_timeout = '1s'`,
    'listen news',
    'select pg_advisory_lock(1)',
    'create temp table notes (id int)',
    'prepare one as select 1',
    'discard all',
    'declare c cursor with hold for select 1',
  ])('refuses session state: %s', async (text) => {
    await expect(client.query(text)).rejects.toThrow('keeps no session state');
    expect(pooler.refused).toEqual([text]);
  });

  it('notices a setting that outlives its transaction', async () => {
    await client.query(`select set_config('lock_timeout', '5s', true)`);
    await client.query('select 1');
    expect(pooler.refused).toEqual([]);
    await client.query(`select set_config('lock_timeout', '5s', false)`);
    await client.query('select 1');
    await eventually(() => expect(pooler.refused).toEqual([expect.stringMatching(/^setting lock_timeout left by/)]));
  });

  it('refuses startup parameters that PgBouncer refuses', async () => {
    const bounded = new Client({ connectionString: pooler.url, statement_timeout: 1_000 });
    await expect(bounded.connect()).rejects.toThrow('unsupported startup parameter: statement_timeout');
    expect(pooler.refused).toEqual(['startup parameter statement_timeout']);
  });
});
