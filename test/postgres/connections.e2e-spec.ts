import { Transactions } from '../../src/kernel/transactions.js';
import { isDatabaseUnavailable } from '../../src/postgres/database-unavailable.js';
import { Database } from '../../src/postgres/database.js';
import { startApp, type TestApp } from '../support/app.js';
import { createDatabase } from '../support/database.js';

let app: TestApp;
let database: Database;
beforeAll(async () => {
  // With this few connections, state that is left on one affects its next user.
  app = await startApp({ env: { ROLE: 'api', DATABASE_POOL_SIZE: '2' } });
  database = app.nest.get(Database);
});
afterAll(() => app.stop());

const codeOf = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'none',
    ({ code, message }: { code?: string; message: string }) => code ?? message,
  );
const asked = (sql: string, parameters: readonly unknown[] = []) => ({
  'by itself': () => database.write(sql, parameters),
  'on a shared connection': () => database.read(sql, parameters).then((rows) => rows[0] ?? null),
  'in a transaction': () => app.nest.get(Transactions).run(() => database.write(sql, parameters)),
});
const WAYS = ['by itself', 'on a shared connection', 'in a transaction'] as const;

describe.each(WAYS)('a connection asked %s', (way) => {
  it('is replaced when what was prepared on it is for a table that has changed', async () => {
    const table = `changing_${WAYS.indexOf(way)}`;
    await database.write(`create table ${table} as select 1::int as a`);
    const read = asked(`select a from ${table}`)[way];
    for (let n = 0; n < 4; n++) await read();
    await database.write(`alter table ${table} alter a type text`);
    const codes = [];
    for (let n = 0; n < 8; n++) codes.push(await codeOf(read()));
    // Each of the connections, one or two, reports once.
    expect(new Set(codes)).toEqual(new Set(['0A000', 'none']));
    expect(codes.filter((code) => code === '0A000').length).toBeLessThanOrEqual(2);
    expect(await database.write(`select a from ${table}`).then((rows) => rows[0] ?? null)).toEqual({ a: '1' });
  });

  it('is replaced when the server ends it', async () => {
    const end = asked('select pg_terminate_backend(pg_backend_pid())')[way];
    const fine = asked('select 2 as two')[way];
    for (let n = 0; n < 3; n++) {
      expect(await end().then(() => null, isDatabaseUnavailable)).toBe(true);
      await fine();
    }
  });

  it('is usable after a value that cannot be encoded, and after a refusal', async () => {
    const circular: Record<string, unknown> = {};
    circular['self'] = circular;
    const text = `select $1::text as given, '${way}' as way`;
    await expect(asked(text, [circular])[way]()).rejects.toThrow('circular');
    await asked(text, ['fine'])[way]();
    await expect(asked(text, [circular])[way]()).rejects.toThrow('circular');
    const divide = (by: number) => codeOf(asked(`select 1 / $1::int as n, '${way}' as way`, [by])[way]());
    expect([await divide(0), await divide(1), await divide(0), await divide(1)]).toEqual([
      '22012',
      'none',
      '22012',
      'none',
    ]);
  });
});

describe('a timeout for statements in the database’s URL', () => {
  it('ends only those that take longer', async () => {
    const { url, drop } = await createDatabase();
    // Longer than a busy machine pauses a process: the start has the same timeout.
    const hasty = await startApp({ env: { ROLE: 'api' }, databaseUrl: `${url}?query_timeout=3000` });
    try {
      const slow = hasty.nest.get(Database);
      const pids = async () =>
        (
          await Promise.all(
            [1, 2, 3, 4].map(() =>
              slow.read<{ pid: number }>('select pg_backend_pid() as pid').then((rows) => rows[0] ?? null),
            ),
          )
        ).map((row) => row!.pid);
      await pids();
      const before = new Set(await pids());
      await expect(slow.write('select pg_sleep(20)')).rejects.toThrow('Query read timeout');
      await expect(slow.write('select pg_sleep(20)')).rejects.toThrow('Query read timeout');
      // The timers of the statements before, which were started earlier, would have ended these connections by then.
      expect(new Set(await pids())).toEqual(before);
      expect(await slow.write('select 1 as n').then((rows) => rows[0] ?? null)).toEqual({ n: 1 });
    } finally {
      await hasty.stop();
      await drop();
    }
  });
});
