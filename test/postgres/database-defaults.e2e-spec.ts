import { Client } from 'pg';
import { Transactions } from '../../src/kernel/transactions.js';
import { Database } from '../../src/postgres/database.js';
import { SeparateConnections } from '../../src/postgres/separate-connections.js';
import { startApp, type TestApp } from '../support/app.js';
import { createDatabase, type TestDatabase } from '../support/database.js';
import { TransactionPooler } from '../support/transaction-pooler.js';

const DEFAULTS = {
  default_transaction_isolation: 'repeatable read',
  datestyle: 'German',
  timezone: 'Asia/Kathmandu',
  bytea_output: 'escape',
  intervalstyle: 'sql_standard',
};

describe.each(['directly', 'behind a pooler'])('a database with unusual defaults, reached %s', (way) => {
  let database: TestDatabase;
  let pooler: TransactionPooler | undefined;
  let app: TestApp;
  beforeAll(async () => {
    database = await createDatabase();
    const client = new Client({ connectionString: database.url });
    await client.connect();
    const name = new URL(database.url).pathname.slice(1);
    for (const [setting, value] of Object.entries(DEFAULTS))
      await client.query(`alter database ${name} set ${setting} = '${value}'`);
    await client.end();
    if (way === 'behind a pooler') pooler = await TransactionPooler.start(database.url);
    app = await startApp({
      databaseUrl: database.url,
      env: { ...(pooler && { DATABASE_URL: pooler.url, DATABASE_DIRECT_URL: database.url }) },
    });
  });
  afterAll(async () => {
    await app?.stop();
    await pooler?.stop();
    await database?.drop();
  });

  const SEEN = `select current_setting('transaction_isolation') as isolation, now() as at`;
  const write = () => app.nest.get(Database).write(SEEN);
  const transactions = () => app.nest.get(Transactions);

  it.each([
    ['a write', write],
    ['a transaction', () => transactions().run(write)],
    ['a transaction that signs', () => transactions().run(write, { signs: true })],
    ['a statement of its own', () => app.nest.get(SeparateConnections).query(SEEN, [])],
  ])('%s sees what is committed when it begins each statement, and reads times', async (_, work) => {
    expect(await work()).toEqual([{ isolation: 'read committed', at: expect.any(Date) }]);
  });

  it('a read reads times', async () => {
    // Behind a pooler the first use on each of the shared connections has the defaults of the role.
    for (let n = 0; n < 4; n++) await app.nest.get(Database).read('select now() as at');
    expect(await app.nest.get(Database).read('select now() as at')).toEqual([{ at: expect.any(Date) }]);
  });

  it('a deactivated user stays out, with times as on any database', async () => {
    const shop = await app.given.app();
    const { user_id: userId } = await app.given.user(shop, { email: 'ann@example.com' });
    const path = `/management/v1/apps/${shop.id}/users/${userId}/deactivate`;
    expect((await app.call('POST', path, { key: app.managementKey })).status).toBe(200);
    const { body } = await app.call('GET', `/v1/auth/users/${userId}`, { key: shop.secretKey });
    expect(Math.abs(body.created_at - Date.now() / 1000)).toBeLessThan(600);
    expect(body.active).toBe(false);
  });
});
