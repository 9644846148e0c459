import './delayed-statements.js';
import { Transactions } from '../../src/kernel/transactions.js';
import { Database } from '../../src/postgres/database.js';
import { startApp, type TestApp } from './app.js';

const TRIES = 50;
const ADD = `insert into idempotency_keys (app_id, path, key_hash, body_hash) values ('t', '/', $1, $1)`;
const SET = `update idempotency_keys set path = $2 where app_id = 't' and key_hash = $1`;
const GET = `select path from idempotency_keys where app_id = 't' and key_hash = $1`;

let app: TestApp;
beforeAll(async () => {
  app = await startApp({ env: { ROLE: 'api' } });
});
afterAll(() => app.stop());

/** The distinct results of many tries, each in a transaction. */
async function outcomes(work: (database: Database, key: Buffer) => Promise<string>): Promise<Set<string>> {
  const database = app.nest.get(Database);
  const found = new Set<string>();
  for (let n = 0; n < TRIES; n++) {
    const key = Buffer.from(`${expect.getState().currentTestName} ${n}`);
    await database.write(ADD, [key]);
    found.add(await app.nest.get(Transactions).run(() => work(database, key)));
  }
  return found;
}

describe('delayed statements', () => {
  it('answer reads of a transaction in another order than they were begun', async () => {
    const orders = await outcomes(async (database, key) => {
      const order: string[] = [];
      const read = (name: string) => database.read(GET, [key]).then(() => order.push(name));
      await Promise.all([read('a'), read('b')]);
      return order.join();
    });
    expect(orders).toEqual(new Set(['a,b', 'b,a']));
  });

  it('let a read that was begun before a write find what the write has changed', async () => {
    const seen = await outcomes(async (database, key) => {
      const reading = database.read<{ path: string }>(GET, [key]);
      void database.write(SET, [key, '/changed']);
      return (await reading)[0]!.path;
    });
    expect(seen).toContain('/changed');
  });

  it('carry out the writes of a transaction in the order of their calls', async () => {
    const stored = await outcomes(async (database, key) => {
      const first = database.write(SET, [key, '/first']);
      void database.write(SET, [key, '/second']);
      await Promise.all([first, database.write(SET, [key, '/third'])]);
      void database.write(SET, [key, '/last']);
      return (await database.read<{ path: string }>(GET, [key]))[0]!.path;
    });
    expect(stored).toEqual(new Set(['/last']));
  });
});
