import { Transactions } from '../../src/kernel/transactions.js';
import { runIn } from '../../src/postgres/current-transaction.js';
import { Database } from '../../src/postgres/database.js';
import { PostgresRetention } from '../../src/postgres/retention.js';
import { startApp, type TestApp } from '../support/app.js';

let service: TestApp;
let database: Database;
let retention: PostgresRetention;
beforeAll(async () => {
  // Without a worker, whose own run would hold rows that these runs then leave.
  service = await startApp({ env: { ROLE: 'api' } });
  database = service.nest.get(Database);
  retention = service.nest.get(PostgresRetention);
  await database.write(`
    create table test_rows (app_id text, id int, ends_at timestamptz, is_kept boolean not null default false,
      primary key (app_id, id))`);
  retention.register({ table: 'test_rows', endedWhen: 'ends_at', where: 'not is_kept', after: '1 hour' });
});
afterAll(() => service.stop());
beforeEach(() => database.write('delete from test_rows'));

const insert = (appId: string, count: number, endsAt: string, isKept = false) =>
  database.write(
    `insert into test_rows (app_id, id, ends_at, is_kept)
     select $1, (select count(*) from test_rows) + n, ${endsAt}, $3 from generate_series(1, $2::int) n`,
    [appId, count, isKept],
  );
const left = async (): Promise<number> =>
  (await database.read<{ count: number }>('select count(*)::int as count from test_rows'))[0]!.count;

/** Tables whose rows expire but are kept on purpose. */
const KEPT = {
  api_keys: 'The management lists expired keys.',
  management_keys: 'The command line lists expired keys.',
  management_sessions: 'They belong to no app. A schedule of their own deletes them.',
  transfers: 'A transfer stays in the list of its app.',
};

describe('retention', () => {
  it('removes what ended long enough ago, in every app, and nothing else', async () => {
    for (const appId of ['app_a', 'app_b', 'app_c']) await insert(appId, 2, `now() - interval '61 minutes'`);
    await insert('app_a', 1, `now() - interval '59 minutes'`);
    await insert('app_a', 1, 'null');
    await insert('app_b', 1, `now() - interval '2 days'`, true);
    await retention.removeAll();
    expect(await left()).toBe(3);
  });

  it('removes more rows of an app than one statement may', async () => {
    await insert('app_a', 2_500, `now() - interval '1 day'`);
    await insert('app_b', 1, `now() - interval '1 day'`);
    await retention.removeAll();
    expect(await left()).toBe(0);
  });

  it('leaves a row that another transaction holds for the next run instead of waiting', async () => {
    await insert('app_a', 3, `now() - interval '1 day'`);
    await service.nest.get(Transactions).run(async () => {
      await database.write(`select from test_rows where app_id = 'app_a' and id = 1 for update`);
      await runIn(undefined, () => retention.removeAll());
    });
    expect(await left()).toBe(1);
    await retention.removeAll();
    expect(await left()).toBe(0);
  });

  it('refuses a second rule for a table', () => {
    expect(() => retention.register({ table: 'test_rows', endedWhen: 'ends_at' })).toThrow('is registered already');
  });

  it('is registered for every table whose rows expire', async () => {
    const expiring = await database.read<{ table: string }>(
      `select table_name as "table" from information_schema.columns
        where table_schema = 'public' and column_name = 'expires_at' order by 1`,
    );
    const missing = expiring.map(({ table }) => table).filter((table) => !retention.tables.includes(table));
    expect(missing).toEqual(Object.keys(KEPT));
  });
});
