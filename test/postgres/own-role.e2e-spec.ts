import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from 'pg';
import { Database } from '../../src/postgres/database.js';
import { DayPartitions } from '../../src/postgres/day-partitions.js';
import { startApp, type TestApp } from '../support/app.js';
import { createDatabase, type TestDatabase } from '../support/database.js';
import { eventually } from '../support/eventually.js';
import { signIn } from '../support/sign-in.js';

/** The statements of the page, by which an operator makes the role. */
const PAGE = readFileSync(join(__dirname, '../../docker/pages/run.md'), 'utf8');
const GRANTS = /```sql\n([^`]*grant [^`]*)```/.exec(PAGE)![1]!;

const role = `plain_${randomBytes(6).toString('hex')}`;
let database: TestDatabase;
let owner: Client;
let app: TestApp;

beforeAll(async () => {
  database = await createDatabase();
  owner = new Client({ connectionString: database.url });
  await owner.connect();
  await owner.query(`create role ${role} login password 'secret'`);
  await owner.query(GRANTS.replaceAll(/\bservice\b/g, role));
  const url = new URL(database.url);
  [url.username, url.password] = [role, 'secret'];
  app = await startApp({ databaseUrl: url.href });
});
afterAll(async () => {
  await app?.stop();
  await owner?.query(`drop owned by ${role}`);
  await owner?.query(`drop role ${role}`);
  await owner?.end();
  await database?.drop();
});

describe('a database role that owns nothing', () => {
  it('runs the service: users, sign-ins, events and the audit log', async () => {
    const shop = await app.given.app();
    const { user_id } = await app.given.user(shop);
    expect((await signIn(app, shop, { user_id })).session_token).toEqual(expect.any(String));
    await eventually(async () => {
      const { body } = await app.call('GET', '/v1/events', { key: shop.secretKey });
      expect(body.events.map(({ type }: { type: string }) => type)).toContain('user.created');
    });
    const { rows } = await owner.query('select from pg_class where relowner = $1::regrole', [role]);
    expect(rows).toEqual([]);
  });

  it('makes and drops the partitions of a day by functions of the owner, which no other role may call', async () => {
    const service = app.nest.get(Database);
    const [newest] = await service.write<{ name: string }>(
      `select max(inhrelid::regclass::text) as name from pg_inherits where inhparent = 'event_log'::regclass`,
    );
    await owner.query(`drop table ${newest!.name}`);
    await owner.query(`create table event_log_20200101 (like event_log including defaults)`);
    await owner.query(
      `alter table event_log attach partition event_log_20200101 for values from ('2020-01-01') to ('2020-01-02')`,
    );
    const drop = 'select drop_event_partition(now() - make_interval(days => $1)) as name';
    await new DayPartitions(service, 'event_log', drop).renew(90);
    const named = async (name: string) =>
      (await owner.query<{ is: boolean }>('select to_regclass($1) is not null as is', [name])).rows[0]!.is;
    expect([await named(newest!.name), await named('event_log_20200101')]).toEqual([true, false]);
    const { rows } = await owner.query<{ name: string }>(
      `select proname as name from pg_proc p
        where pronamespace = 'public'::regnamespace and prosecdef
          and exists (select from aclexplode(coalesce(proacl, acldefault('f', proowner))) where grantee = 0)`,
    );
    expect(rows).toEqual([]);
  });

  it('cannot lead these functions to temporary tables of its own, whose triggers would run as the owner', async () => {
    const { rows } = await owner.query(
      `select distinct proconfig from pg_proc where pronamespace = 'public'::regnamespace and prosecdef`,
    );
    expect(rows).toEqual([{ proconfig: ['search_path=public, pg_temp'] }]);
  });
});
