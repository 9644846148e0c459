import { DataSource } from 'typeorm';
import { startApp, type TestApp } from '../support/app.js';

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.stop());

describe('the database after all migrations', () => {
  it('matches the mappings, column by column and index by index', async () => {
    const { upQueries } = await app.nest.get(DataSource).driver.createSchemaBuilder().log();
    expect(upQueries.map(({ query }) => query)).toEqual([]);
  });

  it('has a mapping for every table', async () => {
    const dataSource = app.nest.get(DataSource);
    const rows = (await dataSource.query(
      // A partition has the mapping of its table.
      `select relname as name from pg_class
        where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition order by 1`,
    )) as { name: string }[];
    const mapped = dataSource.entityMetadatas.map(({ tableName }) => tableName);
    expect(rows.map(({ name }) => name).filter((name) => !UNMAPPED.includes(name) && !mapped.includes(name))).toEqual(
      [],
    );
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

/** Only migrations use them. */
const UNMAPPED = ['migrations', 'sql_objects'];

/** Workers claim the jobs of all apps together. */
const OF_THE_QUEUE = ['jobs_due', 'jobs_pkey', 'jobs_rank', 'jobs_unique_key'];

/** The app of a key or a callback is known only after the look-up. */
const LOOKED_UP_BEFORE_THE_APP_IS_KNOWN = ['api_keys_key_hash', 'oauth_connections_id'];
