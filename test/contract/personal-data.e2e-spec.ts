import { PersonalData } from '../../src/kernel/personal-data.js';
import { appIn, callsOf, startWorld, type World } from '../support/calls.js';
import type { GivenApp } from '../support/given.js';
import { factsOfModules } from '../support/module-facts.js';
import { signIn } from '../support/sign-in.js';

// Every column about a person says what an erasure does with it: `PersonalData.declare` of its module. Columns are found by their names,
// and by the values that the calls of all modules leave in them.

/** Names of columns that may say something about a user. */
const ABOUT_USERS =
  /(^|_)(user|users|email|emails|phones?|recipient|ip|agent|subject|metadata|notes|members|operator(?!_fee)|external|address|addresses|sender|actor)(_|$)|(first|middle|last)_name/;

const statedOf = (table: string): Readonly<Record<string, string>> =>
  Object.assign(
    {},
    ...PersonalData.impersonal.filter((each) => each.table === table).map(({ columns }) => columns),
    ...PersonalData.rows
      .filter((each) => each.table === table)
      .flatMap(({ removes = [], clears = {}, keeps = {} }) => [
        Object.fromEntries([...removes, ...Object.keys(clears)].map((column) => [column, 'erased'])),
        keeps,
      ]),
  ) as Record<string, string>;

let world: World;
let app: GivenApp;
beforeAll(async () => {
  world = await startWorld();
  app = await appIn(world);
  const { service } = world;
  const user = await service.given.user(app, { phone_number: '+4915112345678', first_name: 'Grace' });
  await signIn(service, app, user);
  for (const { ids } of factsOfModules) await ids?.(service, app, user.user_id);
  for (const [name, prepare] of Object.entries(callsOf(world, app))) {
    const [method, template] = name.split(' ') as [string, string];
    const { path = template.replace('{app_id}', app.id), body } = await prepare();
    const key = path.startsWith('/management/') ? service.managementKey : app.secretKey;
    const answer = await service.call(method, path, { key, body });
    if (answer.status !== 200) throw new Error(`${name}: ${answer.text}`);
  }
});
afterAll(() => world?.stop());

interface Column {
  readonly table: string;
  readonly column: string;
}

async function columns(): Promise<Column[]> {
  const { rows } = await world.database.query<Column>(
    `select c.relname as table, a.attname as column from pg_attribute a join pg_class c on c.oid = a.attrelid
      where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
        and a.attnum > 0 and not a.attisdropped and c.relname not in ('migrations', 'sql_objects') order by 1, 2`,
  );
  return rows;
}

const undeclared = (found: readonly Column[]): string[] =>
  found.filter(({ table, column }) => !statedOf(table)[column]).map(({ table, column }) => `${table}.${column}`);
const byName = async (): Promise<Column[]> => (await columns()).filter(({ column }) => ABOUT_USERS.test(column));

describe('a column about a person', () => {
  it('says what an erasure does with it, if its name is one about users', async () => {
    expect(undeclared(await byName())).toEqual([]);
  });

  it('is found in a table that says nothing', async () => {
    await world.database.query('create table gifts (app_id text, id text, giver_user_id text, ip inet)');
    try {
      expect(undeclared(await byName())).toEqual(['gifts.giver_user_id', 'gifts.ip']);
    } finally {
      await world.database.query('drop table gifts');
    }
  });

  it('says so too, if the calls of all modules leave an id, an email or a phone number of a user in it', async () => {
    const found: Column[] = [];
    for (const each of await columns()) {
      const { rows } = await world.database.query<{ has: boolean }>(
        `select exists (select from ${each.table} t where t.${each.column}::text ~ '\\muser_[0-9a-z]{26}|@example\\.com|\\+49151') as has`,
      );
      if (rows[0]!.has) found.push(each);
    }
    expect(found.length).toBeGreaterThan(30);
    expect(undeclared(found)).toEqual([]);
  });
});

describe('a declaration', () => {
  it('names columns that exist', async () => {
    const known = new Set((await columns()).map(({ table, column }) => `${table}.${column}`));
    const tables = [...PersonalData.rows, ...PersonalData.impersonal].map(({ table }) => table);
    const stated = tables.flatMap((table) => Object.keys(statedOf(table)).map((column) => `${table}.${column}`));
    expect(stated.filter((each) => !known.has(each))).toEqual([]);
  });

  it.each(PersonalData.rows.map((each) => [each.name, each] as const))(
    '%s is shown in an export or says why not, and removes rows or says what stays',
    (_, { shows = '', hidden = '', removes, clears, keeps = {} }) => {
      expect(shows === '').toBe(hidden !== '');
      expect(removes === undefined).toBe(clears !== undefined || Object.keys(keeps).length > 0);
      for (const reason of Object.values(keeps)) expect(reason).toMatch(/^[A-Z].{15,}\.$/s);
    },
  );
});
