import { DataSource } from 'typeorm';
import { distribute, NotDistributable } from '../../src/postgres/distribute.js';
import { createDatabase, createEmptyDatabase, type TestDatabase } from '../support/database.js';

let database: TestDatabase;
let dataSource: DataSource;
const connect = async (created: TestDatabase): Promise<void> => {
  database = created;
  dataSource = await new DataSource({ type: 'postgres', url: database.url }).initialize();
};
afterEach(async () => {
  await dataSource.destroy();
  await database.drop();
});

it('distribute refuses a database without Citus, and says what to do', async () => {
  await connect(await createEmptyDatabase());
  await expect(distribute(dataSource)).rejects.toThrow(/has no extension citus\. Create it/);
});

/** `npm run test:citus` names a cluster; its test databases are distributed. */
(process.env['CITUS_URL'] ? describe : describe.skip)('a distributed database', () => {
  beforeEach(async () => connect(await createDatabase()));

  it('has all rows of an app on one node, also that of the app itself, and reference tables for what belongs to no app', async () => {
    const placed: { name: string; kind: string; groups: number }[] = await dataSource.query(`
      select min(table_name::text) as name, citus_table_type as kind, count(distinct colocation_id)::int as groups
        from citus_tables group by citus_table_type order by kind`);
    expect(placed.map(({ kind, groups }) => [kind, groups])).toEqual([
      ['distributed', 1],
      ['reference', 1],
    ]);
    const [{ others }] = await dataSource.query(`
      select array_agg(relname::text order by relname) as others from pg_class c
       where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition
         and not exists (select from pg_dist_partition where logicalrelid = c.oid)`);
    expect(others).toEqual(['jobs', 'migrations', 'sql_objects']);
    const [apps] = await dataSource.query(
      `select citus_table_type as kind, distribution_column as column from citus_tables where table_name = 'apps'::regclass`,
    );
    expect(apps).toEqual({ kind: 'distributed', column: 'id' });
  });

  it('stays as it is when distribute is repeated, and gets the tables that were added', async () => {
    const local = 3;
    expect(await distribute(dataSource)).toEqual({ distributed: 0, reference: 0, local });
    await dataSource.query(`
      create table added (app_id text, id text, constraint added_pkey primary key (app_id, id));
      create table added_ones (id text primary key)`);
    expect(await distribute(dataSource)).toEqual({ distributed: 1, reference: 1, local });
  });

  it('refuses a table whose unique index lacks app_id, by the names of both', async () => {
    await dataSource.query(`
      create table odd (app_id text, id text, code text, constraint odd_pkey primary key (app_id, id));
      create unique index odd_code on odd (code)`);
    const refusal = distribute(dataSource);
    await expect(refusal).rejects.toThrow(NotDistributable);
    await expect(refusal).rejects.toThrow(
      /odd cannot be distributed: the unique index odd_code lacks the column app_id/,
    );
  });
});
