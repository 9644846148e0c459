import { DataSource } from 'typeorm';
import { startApp, type TestApp } from '../support/app.js';

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.stop());

describe('the database after all migrations', () => {
  it('has the columns that TypeORM maps', async () => {
    const { upQueries } = await app.nest.get(DataSource).driver.createSchemaBuilder().log();
    const changes = upQueries.map(({ query }) => query);
    expect(changes.filter((query) => !/^DROP INDEX| DROP (?:CONSTRAINT|COLUMN) /.test(query))).toEqual([]);
  });

  it('has app_id first in every index and key, except where the look-up precedes the app', async () => {
    const rows = (await app.nest.get(DataSource).query(`
      select c.relname as "index", a.attname as "first"
        from pg_index i
        join pg_class c on c.oid = i.indexrelid
        join pg_class t on t.oid = i.indrelid
        join pg_namespace n on n.oid = t.relnamespace and n.nspname = 'public'
        join pg_attribute a on a.attrelid = t.oid and a.attnum = i.indkey[0]
       where exists (select 1 from pg_attribute x where x.attrelid = t.oid and x.attname = 'app_id')`)) as {
      index: string;
      first: string;
    }[];
    const others = rows.filter(({ first }) => first !== 'app_id').map(({ index }) => index);
    expect(others.toSorted()).toEqual([...LOOKED_UP_BEFORE_THE_APP_IS_KNOWN, ...OF_THE_QUEUE].toSorted());
  });
});

/** Workers claim the jobs of all apps together. */
const OF_THE_QUEUE = ['jobs_due', 'jobs_pkey', 'jobs_rank', 'jobs_unique_key'];

/** The app of a key, a callback or a payment is known only after the look-up. */
const LOOKED_UP_BEFORE_THE_APP_IS_KNOWN = ['api_keys_key_hash', 'oauth_connections_id', 'wallets_receiving'];
