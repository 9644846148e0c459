import { PersonalData } from '../../src/kernel/personal-data.js';
import { ManagementKeys } from '../../src/modules/apps/index.js';
import type { Answer } from '../support/app.js';
import { appIn, callsOf, startWorld, type World } from '../support/calls.js';
import { eventually } from '../support/eventually.js';
import type { GivenApp } from '../support/given.js';
import { factsOfModules, type Ids } from '../support/module-facts.js';
import { signIn } from '../support/sign-in.js';
import { textsOf } from '../support/statements.js';
import { document, type Operation, operations } from './prefilled.js';

// Makes objects of every module in one app by the calls of all modules. Then it reads each list of the document page by page, and
// deletes all users of the app. A new list or a new table with a `user_id` is found here without a line for it.
//
// Every column about a person says what an erasure does with it: `PersonalData.declare` of its module. Columns are found by their names,
// and by the values that the calls leave in them.

type Schema = Readonly<Record<string, unknown>> & {
  readonly $ref?: string;
  readonly allOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly minimum?: number;
  readonly maximum?: number;
};

const VOTES = 'A group has a bounded number of members, of whom each votes once.';
const RULES = 'A version has a bounded number of rules.';
const KEYS = 'The signing keys that are not retired.';
const ATTEMPTS = 'A payment is replaced a bounded number of times.';
/** The lists of a user, whom both APIs show, each with its bound. */
const OF_USER = {
  emails: 'At most five are unverified; the user has proved each other one.',
  phone_numbers: 'At most five are unverified; the user has proved each other one.',
  idp_providers: 'The user has signed in with each one.',
  totps: 'One.',
  wallets: 'The app has created each one by a call; `wallets/list` has pages.',
  webauthn_credentials: 'The user has registered each one with an authenticator.',
};
const of = (path: string, lists: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(lists).map(([field, bound]) => [`${path} ${field}`, bound]));

/** Lists without `has_more`, by the path of the operation and the field, each with its bound. */
const ENDING: Readonly<Record<string, string>> = {
  ...of('/v1/auth/users/{user_id}', OF_USER),
  ...of('/management/v1/apps/{app_id}/users/{user_id}', {
    ...OF_USER,
    sessions: 'A user has a bounded number of live sessions.',
    freezes: 'The user, and each of their wallets.',
    recoveries: 'A user has one at a time.',
  }),
  '/v1/auth/webauthn/credentials webauthn_credentials': OF_USER.webauthn_credentials,
  '/management/v1/apps/{app_id}/users/{user_id}/erase lines': 'One for each kind of rows about a person.',
  '/management/v1/apps/{app_id}/wallets/{wallet_id} balances': 'The coin of the chain, and the assets of the app.',
  '/management/v1/sessions sessions': 'Browser sessions of operators, who sign in again after 8 hours.',
  '/v1/event_types event_types': 'The types of a release.',
  '/management/v1/apps/{app_id} assets': 'A request names a bounded number of them.',
  '/management/v1/apps/{app_id} accept_confirmed': 'A request names a bounded number of them.',
  '/management/v1/networks networks': 'Those of the configuration.',
  '/v1/networks networks': 'Those of the configuration.',
  '/v1/oauth2/interactions/{interaction} authorization_details': 'A grant has one budget.',
  ...of('/management/v1/key_storage', {
    providers: 'Those of the configuration.',
    app_keys: 'Apps are counted by provider and generation.',
    sealed_values: 'Values are counted by master key and provider.',
  }),
  '/management/v1/apps/{app_id}/approver_groups/{agrp_id} members': 'A group has a bounded number of members.',
  '/management/v1/apps/{app_id}/policies/{policy_id} rules': RULES,
  '/v1/policies/{policy_id} rules': RULES,
  '/management/v1/apps/{app_id}/approvals/{appr_id} votes': VOTES,
  '/v1/approvals/{appr_id} votes': VOTES,
  '/management/v1/apps/{app_id}/statistics statistics': 'The requested time has a bounded number of steps.',
  '/v1/transfers/list transfers': 'Its pages are requested by `limit` and `offset`.',
  '/v1/transfers/{transfer_id} attempts': ATTEMPTS,
  '/management/v1/apps/{app_id}/transfers/{transfer_id} attempts': ATTEMPTS,
  '/v1/auth/jwks/default keys': KEYS,
  '/v1/auth/jwks/{app_id} keys': KEYS,
};

/** The tables that keep rows of a deleted user, each with its reason. */
const KEPT: Readonly<Record<string, string>> = {
  approval_votes: 'Votes name the user by the id alone, and are removed by their age.',
  approvals: 'Approvals name the user by the id alone, and are removed by their age.',
  deposits: 'The books of the app.',
  erasures: 'The receipt of the erasure of the user.',
  event_log: 'Events name the user by the id alone, and are removed by their age.',
  freezes: 'A freeze names the user by the id alone, and holds for wallets that may receive a payment later.',
  login_tickets: 'A spent or revoked ticket is removed when it would have expired, in minutes.',
  magic_links: 'A spent or revoked link is removed a day after its expiry; until then it counts wrong tries.',
  replaced_magic_links: 'A link that a newer one replaced is removed after an hour; it says why the link is refused.',
  otps: 'A spent or revoked passcode is removed an hour after its expiry, without its code.',
  sessions: 'An ended session is kept for 30 days, for the complaints of users.',
  transfers: 'The books of the app.',
  wallet_registrations: 'A registration is removed an hour after its expiry.',
  wallets: 'A deleted wallet keeps its sealed key, because its address may receive a payment later.',
  wrong_tries: 'The count ends with its window, an hour.',
};

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
let ids: Ids;
const jobs = `insert into jobs (app_id, id, kind, due_at) select $1, 'job_' || lpad(i::text, 26, '0'), 'seeded', '2100-01-01' from generate_series(1, 2) i`;

beforeAll(async () => {
  world = await startWorld();
  app = await appIn(world);
  const { service, database } = world;
  const user = await service.given.user(app, { phone_number: '+4915112345678', first_name: 'Grace' });
  const ofModules = await Promise.all(factsOfModules.map(async ({ ids }) => ids?.(service, app, user.user_id)));
  ids = { ...(Object.assign({}, ...ofModules) as Ids), app_id: app.id, user_id: user.user_id };
  for (const call of Object.entries(callsOf(world, app))) await succeed(...call);
  for (let i = 0; i < 2; i++) {
    await signIn(service, app, user);
    await service.nest
      .get(ManagementKeys)
      .create({ actor: 'cli', requestId: null, ip: null }, { name: 'audit', role: 'auditor', expiresAt: null });
  }
  await database.query(jobs, [app.id]);
  const wrong = { method_id: user.phone_number_id, otp: '000000' };
  await service.call('POST', '/v1/auth/otps/verify', { key: app.secretKey, body: wrong });
  // From here on the lists do not change.
  await eventually(async () => {
    const { rows } = await database.query<{ left: number }>(
      `select ((select count(*) from unsequenced_events) + (select count(*) from transfers where status = 'pending')
            + (select count(*) from jobs where kind in ('mail', 'sms'))
            + (not exists (select from refused_calls where operation = 'POST /v1/auth/otps/verify'))::int
            + (not exists (select from stored_events where type = 'login.failed'))::int)::int as left`,
    );
    expect(rows[0]!.left).toBe(0);
  });
});
afterAll(() => world?.stop());

const keyFor = (path: string): string =>
  path.startsWith('/management/') ? world.service.managementKey : app.secretKey;

async function succeed(name: string, prepare: ReturnType<typeof callsOf>[string]): Promise<void> {
  const [method, template] = name.split(' ') as [string, string];
  const { path = template.replace('{app_id}', app.id), body } = await prepare();
  const answer = await world.service.call(method, path, { key: keyFor(path), body });
  if (answer.status !== 200) throw new Error(`${name}: ${answer.text}`);
}

/** The schema without references. */
function resolved(schema: Schema = {}): Schema {
  if (schema.$ref) {
    const names = schema.$ref.slice(2).split('/');
    return resolved(names.reduce<unknown>((at, name) => (at as Record<string, unknown>)[name], document) as Schema);
  }
  const parts = (schema.allOf ?? []).map(resolved);
  const properties: unknown = Object.assign({}, ...parts.map((part) => part.properties), schema.properties);
  return { type: parts[0]?.type, ...schema, properties } as Schema;
}

const jsonOf = (content?: Record<string, { readonly schema?: object }>): Schema =>
  resolved((content?.['application/json']?.schema ?? {}) as Schema);

/** The fields of a response with lists of objects. */
function listsIn({ responses }: Operation): string[] {
  const fields = Object.entries(jsonOf(responses['200']?.content).properties ?? {});
  return fields
    .filter(([, schema]) => resolved(schema).items && resolved(resolved(schema).items).type === 'object')
    .map(([name]) => name);
}

const hasMore = ({ operation }: (typeof operations)[number]): boolean =>
  'has_more' in (jsonOf(operation.responses['200']?.content).properties ?? {});
const paged = operations.filter(hasMore);

interface Asked {
  readonly limit?: number | string;
  /** The cursor, whose name is `after` in the feed. */
  readonly after?: string | undefined;
}

/** A list with the bounds of its pages. */
interface List {
  readonly least: number;
  readonly most: number;
  answer(asked: Asked): Promise<Answer>;
  page(limit: number, after?: string): Promise<{ readonly ids: string[]; readonly hasMore: boolean }>;
}

function listOf({ path: template, method, operation }: (typeof operations)[number], filter: object = {}): List {
  const parameters = (operation.parameters ?? []).filter((each) => each.in === 'query');
  const fields =
    method === 'GET'
      ? Object.fromEntries(parameters.map(({ name, schema }) => [name, schema as Schema]))
      : jsonOf(operation.requestBody?.content).properties!;
  const { minimum: least = 0, maximum: most = 0 } = fields['limit'] ?? {};
  const path = template.replaceAll(/\{(\w+)\}/g, (_, name: string) => ids[name]!);
  const answer: List['answer'] = ({ limit, after }) => {
    const asked = {
      ...Object.fromEntries(parameters.filter(({ required }) => required).map(({ name }) => [name, ids[name]!])),
      ...(limit !== undefined && { limit }),
      ...(after !== undefined && { ['starting_after' in fields ? 'starting_after' : 'after']: after }),
      ...filter,
    };
    const query = Object.fromEntries(Object.entries(asked).map(([name, value]) => [name, String(value)]));
    const sent = method === 'GET' ? { query } : { body: asked };
    return world.service.call(method, path, { key: keyFor(path), ...sent });
  };
  const page: List['page'] = async (limit, after) => {
    const { status, text, body } = await answer({ limit, after });
    expect([path, status, text]).toEqual([path, 200, text]);
    const items = body[listsIn(operation)[0]!] as { readonly id?: string; readonly user_id?: string }[];
    return { ids: items.map(({ id, user_id }) => (id ?? user_id)!), hasMore: body.has_more };
  };
  return { least, most, answer, page };
}

const FILTER = { filters: { fields: [{ field: 'email_match', operator: 'eq', value: '@example.com' }] } };

describe('a list', () => {
  it.each([
    ...paged.map((each): [string, typeof each, object] => [`${each.method} ${each.path}`, each, {}]),
    ...paged
      .filter(({ method }) => method === 'POST')
      .map((each): [string, typeof each, object] => [`${each.method} ${each.path} with a filter`, each, FILTER]),
  ])('has bounded pages, and has_more exactly if an item follows: %s', async (_, each, filter) => {
    const { least, most, page } = listOf(each, filter);
    expect([least, most]).toEqual([expect.any(Number), expect.any(Number)]);
    const { ids: all, hasMore: isLong } = await page(most);
    // More than one page: otherwise give the list two items by `calls` or `ids` of the module's facts.ts.
    expect([all.length > least, isLong && all.length < most]).toEqual([true, false]);
    expect(await page(least)).toEqual({ ids: all.slice(0, least), hasMore: true });
    expect(await page(least, all[0])).toEqual({ ids: all.slice(1, 1 + least), hasMore: all.length > 1 + least });
    expect(await page(all.length - 1)).toEqual({ ids: all.slice(0, -1), hasMore: true });
    if (isLong) return;
    expect(await page(most, all.at(-1))).toEqual({ ids: [], hasMore: false });
    expect(await page(all.length)).toEqual({ ids: all, hasMore: false });
  });

  it.each(paged.map((each) => [`${each.method} ${each.path}`, each] as const))(
    'takes as many statements for all items as for the fewest: %s',
    async (_, each) => {
      const { least, most, page } = listOf(each);
      const textsFor = async (limit: number): Promise<string[]> =>
        (await textsOf(() => page(limit))).map((text) => text.replace(/LIMIT \d+$/, 'LIMIT')).toSorted();
      expect(await textsFor(most)).toEqual(await textsFor(least));
    },
  );

  it.each(paged.map((each) => [`${each.method} ${each.path}`, each] as const))(
    'refuses a cursor or a limit that is none: %s',
    async (_, each) => {
      const { least, most, answer } = listOf(each);
      const limits = [least - 1, most + 1, '1e1', '', 'NaN'].map((limit) => ({ limit }));
      const cursors = ['x', `none_${'0'.repeat(26)}`, '', 'x'.repeat(9_000), "' or 1=1"].map((after) => ({ after }));
      for (const asked of [...limits, ...cursors]) {
        const { status } = await answer(asked);
        expect([asked, status]).toEqual([asked, 400]);
      }
    },
  );

  it('has pages, or is named here with its bound', () => {
    const ending = operations
      .filter((each) => each.method === 'GET' && !hasMore(each))
      .flatMap(({ path, operation }) => listsIn(operation).map((field) => `${path} ${field}`));
    expect(ending.toSorted()).toEqual(Object.keys(ENDING).toSorted());
  });
});

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

/** The tables with a column `user_id`. */
async function tablesOfUsers(): Promise<string[]> {
  const { rows } = await world.database.query<{ name: string }>(
    `select c.relname as name from pg_attribute a join pg_class c on c.oid = a.attrelid
      where a.attname = 'user_id' and c.relnamespace = 'public'::regnamespace
        and c.relkind in ('r', 'p') and not c.relispartition order by 1`,
  );
  return rows.map(({ name }) => name);
}

/** Those of the tables that have rows of these users. */
async function tablesWithRowsOf(users: readonly string[]): Promise<string[]> {
  const tables = await tablesOfUsers();
  const { rows } = await world.database.query<{ name: string; has_rows: boolean }>(
    tables
      .map((name) => `select '${name}' as name, exists (select from ${name} where user_id = any($1)) as has_rows`)
      .join(' union all '),
    [users],
  );
  return rows.filter(({ has_rows }) => has_rows).map(({ name }) => name);
}

describe('the users of an app', () => {
  let users: string[];
  beforeAll(async () => {
    const { rows } = await world.database.query<{ id: string }>(
      'select id from users where app_id = $1 and deleted_at is null',
      [app.id],
    );
    users = rows.map(({ id }) => id);
    await world.database.query(
      `insert into replaced_magic_links (app_id, token_hash, user_id, email_id, ended_at, ending) values ($1, 'x', $2, 'email_x', now(), 'replaced')`,
      [app.id, users[0]],
    );
    await world.database.query(`insert into erasures (app_id, user_id, counts) values ($1, $2, '{}')`, [
      app.id,
      users[0],
    ]);
  });

  it('have rows in every table with a user_id, which the calls of all modules make', async () => {
    expect(await tablesWithRowsOf(users)).toEqual(await tablesOfUsers());
  });

  it('leave no rows when they are deleted, except where this file states why', async () => {
    for (const id of users) {
      const { status, text } = await world.service.call('DELETE', `/v1/auth/users/${id}/delete`, {
        key: app.secretKey,
      });
      expect([status, text]).toEqual([200, text]);
    }
    expect(await tablesWithRowsOf(users)).toEqual(Object.keys(KEPT).toSorted());
  });
});
