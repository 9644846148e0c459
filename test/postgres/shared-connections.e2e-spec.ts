import { DataSource } from 'typeorm';
import { Transactions } from '../../src/kernel/transactions.js';
import { isDatabaseUnavailable } from '../../src/postgres/database-unavailable.js';
import { Database } from '../../src/postgres/database.js';
import { SharedConnections } from '../../src/postgres/shared-connections.js';
import { startApp, type TestApp } from '../support/app.js';

let app: TestApp;
let database: Database;
beforeAll(async () => {
  app = await startApp({ env: { ROLE: 'api' } });
  database = app.nest.get(Database);
});
afterAll(() => app.stop());

const number = async (n: number): Promise<number | undefined> =>
  (await database.read<{ n: number }>('select $1::int as n', [n]).then((rows) => rows[0] ?? null))?.n;

describe('reads on shared connections', () => {
  it('get their own answers, however many are asked at once and whichever fail', async () => {
    const asked = Array.from({ length: 200 }, (_, n) =>
      n % 10 === 3
        ? database
            .read('select 1 / $1::int', [0])
            .then((rows) => rows[0] ?? null)
            .catch((error: { code: string }) => error.code)
        : number(n),
    );
    expect(await Promise.all(asked)).toEqual(Array.from({ length: 200 }, (_, n) => (n % 10 === 3 ? '22012' : n)));
  });

  it('take no more connections than two', async () => {
    const pids = await Promise.all(
      Array.from({ length: 50 }, () =>
        database.read<{ pid: number }>('select pg_backend_pid() as pid').then((rows) => rows[0] ?? null),
      ),
    );
    expect(new Set(pids.map((row) => row!.pid)).size).toBe(2);
  });

  it('fail when the connection is lost, and the next ones use a new one', async () => {
    await number(1);
    await number(1);
    const waiting = Array.from({ length: 20 }, () =>
      database.read('select pg_sleep(20)').then((rows) => rows[0] ?? null),
    );
    const fates = Promise.allSettled(waiting);
    let broken = 0;
    while (broken < 2) {
      const ended = await database.write(
        `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and query = 'select pg_sleep(20)'`,
      );
      broken += ended.length;
    }
    for (const fate of await fates) {
      if (fate.status === 'fulfilled') throw new Error('The connection was not lost.');
      expect(isDatabaseUnavailable(fate.reason)).toBe(true);
    }
    expect(await Promise.all([number(1), number(2), number(3)])).toEqual([1, 2, 3]);
  });

  it('are the transaction’s own inside one', async () => {
    const id = 'select pg_current_xact_id()::text as id';
    await app.nest.get(Transactions).run(async () => {
      const one = await database.write<{ id: string }>(id).then((rows) => rows[0] ?? null);
      expect(await database.read<{ id: string }>(id).then((rows) => rows[0] ?? null)).toEqual(one);
    });
  });

  it('leave no connection open behind them', async () => {
    const shared = new SharedConnections(app.nest.get(DataSource));
    const { rows } = await shared.query({ name: 'pid', text: 'select pg_backend_pid() as pid', values: [] });
    await shared.onApplicationShutdown();
    const pid = (rows[0] as { pid: number }).pid;
    expect(await database.write('select from pg_stat_activity where pid = $1', [pid])).toEqual([]);
  });
});
