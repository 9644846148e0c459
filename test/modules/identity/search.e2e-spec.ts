import { newId } from '../../../src/kernel/ids.js';
import { ProveAddress, SignInWithProvider, UserSearchFields } from '../../../src/modules/identity/index.js';
import { type Answer, startApp, type TestApp } from '../../support/app.js';
import { type GivenApp, unique } from '../../support/given.js';
import { nodesOf, type PlanNode, planOf, rowsRead } from '../../support/plans.js';
import { statementsOf } from '../../support/statements.js';
import { signIn, signedInAs } from '../../support/sign-in.js';
import { Observer } from '../../support/observer.js';
import { signRows } from '../../support/row-macs.js';

let service: TestApp;
let observer: Observer;
let app: GivenApp;
let crowded: GivenApp;
let ann: User;
let bob: User;
let cem: User;

interface User {
  readonly user_id: string;
  readonly email_id: string;
  readonly phone_number_id: string;
  readonly wallets: readonly { id: string; public_address: string }[];
}

beforeAll(async () => {
  service = await startApp();
  observer = await Observer.of(service);
  app = await service.given.app();
  crowded = await service.given.app({ default_wallet_type: 'none' });
  ann = await create({
    email: 'Ann.Lee@Example.com',
    phone_number: '+14155550101',
    first_name: 'Ann',
    last_name: 'Lee',
  });
  bob = await create({
    email: 'bob@MÜNCHEN.de',
    first_name: '100%',
    middle_name: 'a_b',
    last_name: 'C\\D',
    requires_verification: true,
  });
  cem = await create({ phone_number: '+491711234567', first_name: 'Cem' });
  await service.nest
    .get(ProveAddress, { strict: false })
    .email(app.id as never, 'ann.lee@example.com', signedInAs(ann.user_id));
  await service.nest.get(SignInWithProvider, { strict: false }).execute(app.id as never, {
    connectionId: newId('oauthConnection'),
    provider: 'google',
    subject: unique(),
    email: { address: 'ann.lee@example.com', proven: true, domains: [], isIssuerEntered: false },
  });
  const given = await service.given.user(crowded);
  await remove(given.user_id, crowded);
});
afterAll(async () => {
  await observer.close();
  await service.stop();
});

async function create(body: object): Promise<User> {
  return (await service.call('POST', '/v1/auth/users/create', { key: app.secretKey, body })).body;
}
const remove = (userId: string, of = app): Promise<Answer> =>
  service.call('DELETE', `/v1/auth/users/${userId}/delete`, { key: of.secretKey });
const search = (body: unknown, of = app, headers: Record<string, string> = {}): Promise<Answer> =>
  service.call('POST', '/v1/auth/users/search', { key: of.secretKey, body, headers });

/** Names of the users who pass the filters; also checks that the count has the same number. */
async function found(fields: object[], operator = 'AND'): Promise<string[]> {
  const { status, body } = await search({ filters: { operator, fields } });
  expect([status, body.total_count, body.has_more]).toEqual([200, body.users.length, false]);
  const names = new Map([
    [ann.user_id, 'ann'],
    [bob.user_id, 'bob'],
    [cem.user_id, 'cem'],
  ]);
  return body.users.map(({ user_id: id }: { user_id: string }) => names.get(id));
}
const eq = (field: string, value: unknown): object => ({ field, operator: 'eq', value });
const oneOf = (field: string, ...values: unknown[]): object => ({ field, operator: 'in', values });

describe('a search for users', () => {
  it('finds all users, newest first, as the user endpoint returns them', async () => {
    const { body } = await search({});
    expect(body).toMatchObject({ total_count: 3, has_more: false });
    const shown = [cem, bob, ann].map(({ user_id: id }) =>
      service.call('GET', `/v1/auth/users/${id}`, { key: app.secretKey }),
    );
    expect(body.users).toEqual((await Promise.all(shown)).map((answer) => answer.body));
  });

  it('takes one statement', async () => {
    await search({});
    const fields = [eq('status', 'active'), eq('email_match', 'a'), eq('email_verified', true)];
    expect(await statementsOf(() => search({ filters: { fields } }))).toHaveLength(1);
    expect(await statementsOf(() => search({ filters: { operator: 'OR', fields } }))).toHaveLength(1);
  });

  it.each<[string, () => object, string[]]>([
    ['user_id', () => eq('user_id', bob.user_id), ['bob']],
    ['several user ids', () => oneOf('user_id', ann.user_id, cem.user_id, newId('user')), ['cem', 'ann']],
    ['user_id before', () => ({ field: 'user_id', operator: 'lt', value: bob.user_id }), ['ann']],
    ['user_id after', () => ({ field: 'user_id', operator: 'gt', value: bob.user_id }), ['cem']],
    [
      'user_id between',
      () => ({ field: 'user_id', operator: 'between', value: ann.user_id, second_value: bob.user_id }),
      ['bob', 'ann'],
    ],
    ['user_id of an old client', () => eq('user_id', 'user_27omQ7cYJ3hK1zR8pXv2'), []],
    ['several user ids, of old clients too', () => oneOf('user_id', ann.user_id, 'user_27om', ''), ['ann']],
    ['user_id after one of an old client', () => ({ field: 'user_id', operator: 'gt', value: 'user_27om' }), []],
    ['an id of another kind', () => eq('email_id', ann.user_id), []],
    ['wallet_id of an old client', () => eq('wallet_id', 'wallet_27om'), []],
    ['status', () => eq('status', 'pending'), ['bob']],
    [
      'status, with members that the operator does not use',
      () => ({ ...eq('status', 'pending'), second_value: '', values: [] }),
      ['bob'],
    ],
    ['several statuses', () => oneOf('status', 'pending', 'active'), ['cem', 'bob', 'ann']],
    ['part of a name', () => eq('full_name_match', 'nn le'), ['ann']],
    ['part of a name in another case', () => eq('full_name_match', 'CEM'), ['cem']],
    ['a percent sign in a name', () => eq('full_name_match', '00%'), ['bob']],
    ['a percent sign that stands for itself', () => eq('full_name_match', 'a%b'), []],
    ['an underscore in a name', () => eq('full_name_match', 'a_b'), ['bob']],
    ['an underscore that stands for itself', () => eq('full_name_match', 'n_l'), []],
    ['a backslash in a name', () => eq('full_name_match', 'c\\d'), ['bob']],
    ['the first 2 characters of a name', () => eq('full_name_match', 'AN'), ['ann']],
    ['2 characters inside a name', () => eq('full_name_match', 'le'), []],
    ['the first character of an email', () => eq('email_match', 'b'), ['bob']],
    ['the first characters of a phone number', () => eq('phone_number_match', '+4'), ['cem']],
    ['parts of several names', () => oneOf('full_name_match', 'ann', 'cem'), ['cem', 'ann']],
    ['email', () => eq('email', 'ANN.lee@example.COM'), ['ann']],
    ['email in ASCII', () => eq('email', 'bob@xn--mnchen-3ya.de'), ['bob']],
    ['several emails', () => oneOf('email', 'ann.lee@example.com', 'nobody@example.com'), ['ann']],
    ['email_id', () => eq('email_id', ann.email_id), ['ann']],
    ['part of an email', () => eq('email_match', 'LEE@'), ['ann']],
    ['a wildcard in an email', () => eq('email_match', '%'), []],
    ['verified emails', () => eq('email_verified', true), ['ann']],
    ['unverified emails', () => eq('email_verified', false), ['bob']],
    ['emails of any kind', () => oneOf('email_verified', true, 'false'), ['bob', 'ann']],
    ['phone_number', () => eq('phone_number', '+491711234567'), ['cem']],
    ['phone_number_id', () => oneOf('phone_number_id', cem.phone_number_id), ['cem']],
    ['part of a phone number', () => eq('phone_number_match', '5550'), ['ann']],
    ['verified phone numbers', () => eq('phone_number_verified', true), []],
    ['unverified phone numbers', () => eq('phone_number_verified', false), ['cem', 'ann']],
    ['wallet_id', () => eq('wallet_id', bob.wallets[0]!.id), ['bob']],
    ['wallet_public_address', () => eq('wallet_public_address', cem.wallets[0]!.public_address), ['cem']],
    [
      'wallet_public_address in lower case',
      () => eq('wallet_public_address', cem.wallets[0]!.public_address.toLowerCase()),
      ['cem'],
    ],
    ['totp_id', () => eq('totp_id', newId('totp')), []],
    ['totp_verified', () => oneOf('totp_verified', true, false), []],
    ['idp_provider', () => eq('idp_provider', 'google'), ['ann']],
    ['another idp_provider', () => eq('idp_provider', 'github'), []],
    ['SQL', () => eq('full_name_match', `' or 1=1 --`), []],
  ])('by %s', async (_, filter, expected) => {
    expect(await found([filter()])).toEqual(expected);
    expect(await found([filter()], 'OR')).toEqual(expected);
  });

  it('finds an authenticator by its id and state until its enrolment expires', async () => {
    const body = { user_id: cem.user_id };
    const { totp_id: id } = (await service.call('POST', '/v1/auth/totps/create', { key: app.secretKey, body })).body;
    expect(await found([eq('totp_id', id), eq('totp_verified', false)])).toEqual(['cem']);
    expect(await found([eq('totp_verified', true)])).toEqual([]);
    await observer.rows('update totps set expires_at = now() where id = $1', [id]);
    expect(await found([eq('totp_id', id)])).toEqual([]);
  });

  it('narrows by every filter, or widens by any', async () => {
    const filters = [eq('status', 'active'), eq('email_match', 'lee'), eq('phone_number_verified', false)];
    expect(await found(filters)).toEqual(['ann']);
    expect(
      await found([eq('status', 'pending'), eq('idp_provider', 'google'), eq('totp_verified', true)], 'OR'),
    ).toEqual(['bob', 'ann']);
    expect(await found([eq('user_id', cem.user_id), eq('phone_number_verified', false)], 'OR')).toEqual(['cem', 'ann']);
  });

  it('finds no user of another app with any filter', async () => {
    const fields = [
      eq('user_id', ann.user_id),
      eq('email', 'ann.lee@example.com'),
      eq('email_id', ann.email_id),
      eq('phone_number', '+14155550101'),
      eq('wallet_id', ann.wallets[0]!.id),
      eq('full_name_match', 'ann'),
      eq('idp_provider', 'google'),
    ];
    expect((await search({ filters: { operator: 'OR', fields } }, crowded)).body).toEqual({
      users: [],
      total_count: 0,
      total_count_estimated: false,
      has_more: false,
    });
  });

  it('finds no deleted user', async () => {
    const gone = await create({ email: `${unique()}@example.com`, first_name: 'Gone' });
    await remove(gone.user_id);
    expect(
      await found([eq('user_id', gone.user_id), eq('wallet_id', gone.wallets[0]!.id), eq('status', 'active')]),
    ).toEqual([]);
    expect(await found([eq('user_id', gone.user_id), eq('full_name_match', 'gone')], 'OR')).toEqual([]);
  });

  it.each<[string, unknown, string[]]>([
    ['a limit too small', { limit: 9 }, ['limit']],
    ['a limit too large', { limit: 101 }, ['limit']],
    ['a limit that is no whole number', { limit: '10m' }, ['limit']],
    ['a cursor of another kind', { starting_after: newId('email') }, ['starting_after']],
    ['filters of another type', { filters: [] }, ['filters']],
    ['an unknown connective', { filters: { operator: 'XOR', fields: [] } }, ['filters.operator']],
    ['an unknown field', { filters: { fields: [eq('password', 'x')] } }, ['filters.fields[0].field']],
    ['a field of every object', { filters: { fields: [eq('toString', 'x')] } }, ['filters.fields[0].field']],
    [
      'an unknown operator',
      { filters: { fields: [{ field: 'email', operator: 'like', value: 'x' }] } },
      ['filters.fields[0].operator'],
    ],
    [
      'an operator the field does not know',
      { filters: { fields: [{ field: 'email', operator: 'lt', value: 'x' }] } },
      ['filters.fields[0].operator'],
    ],
    ['no value', { filters: { fields: [{ field: 'status', operator: 'eq' }] } }, ['filters.fields[0].value']],
    ['a null', { filters: { fields: [eq('status', null)] } }, ['filters.fields[0].value']],
    ['an object for a value', { filters: { fields: [eq('status', { $ne: 1 })] } }, ['filters.fields[0].value']],
    [
      'an address that is none',
      { filters: { fields: [eq('status', 'active'), eq('email', 'ann')] } },
      ['filters.fields[1].value'],
    ],
    ['no values', { filters: { fields: [oneOf('status')] } }, ['filters.fields[0].values']],
    [
      'too many values',
      { filters: { fields: [oneOf('full_name_match', ...Array<string>(101).fill('x'))] } },
      ['filters.fields[0].values'],
    ],
    [
      'too many values of _match fields in all',
      {
        filters: {
          fields: [
            oneOf('full_name_match', ...Array<string>(15).fill('xyz')),
            oneOf('email_match', ...Array<string>(6).fill('xyz')),
          ],
        },
      },
      ['filters.fields[1].values'],
    ],
    [
      'too many values in all',
      { filters: { fields: Array(6).fill(oneOf('phone_number', ...Array<string>(100).fill('+14155550101'))) } },
      ['filters.fields[5].values'],
    ],
    ['too many filters', { filters: { fields: Array(21).fill(eq('status', 'active')) } }, ['filters.fields']],
  ])('refuses %s by name', async (_, body, fields) => {
    const answer = await search(body);
    expect(answer.status).toBe(400);
    expect(answer.body.errors.map(({ field }: { field: string }) => field)).toEqual(fields);
  });
});

describe('a search field of a new module', () => {
  beforeAll(async () => {
    const tags = UserSearchFields.declare({
      table: 'test_tags',
      where: 't.is_live',
      fields: { test_tag_match: { compared: 't.name', values: 'match' } },
    });
    service.nest.get(UserSearchFields, { strict: false }).register(tags);
    await observer.rows('create table test_tags (app_id text, user_id text, name text, is_live boolean)');
    // As every table of a module is there.
    if (process.env['CITUS_URL'])
      await observer.rows(`select create_distributed_table('test_tags', 'app_id', colocate_with => 'users')`);
    for (const [user, name, isLive] of [
      [ann, 'blue 100%', true],
      [bob, 'blue', false],
      [cem, 'red', true],
    ] as const)
      await observer.rows('insert into test_tags values ($1, $2, $3, $4)', [app.id, user.user_id, name, isLive]);
    // Another app's row with the same user id.
    await observer.rows('insert into test_tags values ($1, $2, $3, true)', [crowded.id, cem.user_id, 'blue']);
  });

  it('finds users by the rows of that module, and only by rows that meet its condition', async () => {
    expect(await found([eq('test_tag_match', 'BLUE')])).toEqual(['ann']);
    expect(await found([oneOf('test_tag_match', 'lue', 'red')])).toEqual(['cem', 'ann']);
    expect(await found([eq('test_tag_match', '00%'), eq('status', 'active')])).toEqual(['ann']);
    expect(await found([eq('test_tag_match', 'red'), eq('user_id', bob.user_id)], 'OR')).toEqual(['cem', 'bob']);
  });

  it('has the operators and the limit of values of its kind', async () => {
    const refused = (filter: object) => search({ filters: { fields: [filter] } }).then(({ body }) => body.errors);
    expect(await refused({ field: 'test_tag_match', operator: 'lt', value: 'x' })).toMatchObject([{ rule: 'one_of' }]);
    expect(await refused(oneOf('test_tag_match', ...Array<string>(21).fill('xyz')))).toMatchObject([
      { rule: 'too_many' },
    ]);
  });
});

describe('paging through users', () => {
  it('shows each once, in order, also when users are deleted and created between two pages', async () => {
    const users = [];
    for (let i = 0; i < 25; i++) users.unshift((await service.given.user(crowded)).user_id);
    const seen: string[] = [];
    let cursor: string | undefined;
    let more = true;
    while (more) {
      const { body } = await search({ limit: '10', ...(cursor && { starting_after: cursor }) }, crowded);
      seen.push(...body.users.map(({ user_id: id }: { user_id: string }) => id));
      cursor = seen.at(-1)!;
      more = body.has_more;
      expect(body.total_count).toBe(25);
      // The row the cursor names goes, and a newer one comes.
      await remove(cursor, crowded);
      await service.given.user(crowded);
    }
    expect(seen).toEqual(users);
  });

  it('is over exactly at the last', async () => {
    const { body } = await search({ limit: 10, starting_after: `user_${'0'.repeat(26)}` }, crowded);
    expect(body).toMatchObject({ users: [], has_more: false });
    const ten = await service.given.app({ default_wallet_type: 'none' });
    for (let i = 0; i < 10; i++) await service.given.user(ten);
    expect((await search({ limit: 10 }, ten)).body).toMatchObject({ total_count: 10, has_more: false });
    await service.given.user(ten);
    expect((await search({ limit: 10 }, ten)).body).toMatchObject({ total_count: 11, has_more: true });
  });

  it('continues after an id of another app without revealing whether it exists', async () => {
    const { body: behindAnn } = await search({ starting_after: ann.user_id }, crowded);
    const { body: behindNobody } = await search({ starting_after: `${ann.user_id.slice(0, -4)}0000` }, crowded);
    expect(behindAnn).toEqual(behindNobody);
  });
});

describe('a search among many users', () => {
  let many: GivenApp;
  const COUNT = 20_000;

  beforeAll(async () => {
    many = await service.given.app({ default_wallet_type: 'none' });
    await observer.rows(
      `with ids as (select $1 as app_id, lpad(to_hex(i), 26, '0') as suffix, i from generate_series(1, ${COUNT}) i),
            u as (insert into users (app_id, id, first_name, middle_name, last_name, status, wallet_type, deactivated_at, deleted_at, created_at, updated_at)
                 select app_id, 'user_' || suffix, 'N' || i, '', 'Many', case when i % 1000 = 7 then 'pending' else 'active' end, 'none', null, null, now(), now() from ids),
            p as (insert into phone_numbers (app_id, id, user_id, text, canonical, verified_at, created_at, updated_at)
                 select app_id, 'pn_' || suffix, 'user_' || suffix, n, n, null, now(), now()
                    from (select *, '+49151' || lpad(((i::bigint * 7919) % 100000000)::text, 8, '0') as n from ids) numbered)
       insert into emails (app_id, id, user_id, text, canonical, verified_at, created_at, updated_at)
       select app_id, 'email_' || suffix, 'user_' || suffix, a, a, case when i % 5000 <> 7 then now() end, now(), now()
         from (select *, 'many' || i || '@example.com' as a from ids) addressed`,
      [many.id],
    );
    for (const table of ['users', 'emails', 'phone_numbers']) await signRows(service, table);
    for (const table of ['users', 'emails', 'phone_numbers']) await observer.rows(`vacuum analyze ${table}`);
  });

  async function searched(filters: object): Promise<{ plan: PlanNode; count: number }> {
    let count = 0;
    const [sent] = await statementsOf(async () => {
      ({ total_count: count } = (await search({ filters }, many)).body);
    });
    return { plan: await planOf(service, sent!), count };
  }

  it('by keys reads the rows they name, also when any of several filters suffices', async () => {
    const fields = [eq('email', 'many777@example.com'), eq('user_id', ann.user_id), eq('idp_provider', 'google')];
    for (const filters of [{ operator: 'OR', fields }, { fields: fields.slice(0, 1) }]) {
      const { plan, count } = await searched(filters);
      expect(count).toBe(1);
      expect(rowsRead(plan)).toBeLessThan(50);
    }
  });

  /** A number in texts that are no bounds of the histograms: what is, the planner takes for 200 times as frequent. */
  async function rareNumber(textWith: (number: number) => string): Promise<number> {
    const isBound = async (number: number) => {
      const sql = `select from pg_stats where histogram_bounds::text ilike '%' || $1 || '%'`;
      return (await observer.onEachNode(sql, [textWith(number)])).length > 0;
    };
    for (let number = 1234; ; number += 1111) if (!(await isBound(number))) return number;
  }

  it.each<[string, string, string | boolean | ((number: number) => string), string]>([
    ['part of an email', 'email_match', (number) => `any${number}@`, 'emails_text_trgm'],
    ['part of a name', 'full_name_match', (number) => `${number} many`, 'users_full_name_trgm'],
    ['part of a phone number', 'phone_number_match', (number) => `151${number}`, 'phone_numbers_text_trgm'],
    ['status pending', 'status', 'pending', 'users_pending'],
    ['emails that are not verified', 'email_verified', false, 'emails_not_verified'],
  ])('by %s uses its index and scans no table', async (_, field, textWith, index) => {
    const value = typeof textWith === 'function' ? textWith(await rareNumber(textWith)) : textWith;
    const { plan, count } = await searched({ fields: [eq(field, value)] });
    expect(count).toBeGreaterThan(0);
    const nodes = nodesOf(plan).filter((node) => node['Actual Loops'] > 0);
    expect(nodes.map((node) => node['Index Name'])).toContain(index);
    expect(nodes.filter((node) => node['Node Type'] === 'Seq Scan')).toEqual([]);
  });

  it('reads few emails although nearly all match', async () => {
    const fields = [eq('email_match', '@example'), eq('email_verified', true)];
    for (const operator of ['AND', 'OR']) {
      const nodes = nodesOf((await searched({ operator, fields })).plan);
      const ofEmails = nodes.filter((node) => node['Relation Name'] === 'emails');
      expect(ofEmails.reduce((sum, node) => sum + rowsRead({ ...node, Plans: [] }), 0)).toBeLessThan(COUNT / 4);
    }
  });

  it('counts up to 10,000 exactly and estimates what is beyond', async () => {
    const upTo = (i: number) => ({
      fields: [{ field: 'user_id', operator: 'lt', value: `user_${(i + 1).toString(16).padStart(26, '0')}` }],
    });
    expect((await search({ filters: upTo(10_000) }, many)).body).toMatchObject({
      total_count: 10_000,
      total_count_estimated: false,
      has_more: true,
    });
    const { body } = await search({ filters: upTo(10_001) }, many);
    expect(body.total_count_estimated).toBe(true);
    expect(body.total_count).toBeGreaterThan(10_000);
  });

  it.each<[string, object[]]>([
    ['no filter', []],
    ['part of a name', [eq('full_name_match', 'many')]],
    ['part of an email', [eq('email_match', 'many')]],
    ['verified emails', [eq('email_verified', true)]],
  ])('estimates the number of nearly all users by %s', async (_, fields) => {
    const { body } = await search({ filters: { fields } }, many);
    expect(body.total_count_estimated).toBe(true);
    expect(Math.abs(body.total_count - COUNT)).toBeLessThan(COUNT / 10);
  });

  it('shows every page, newest first, also of more users than are counted', async () => {
    const pageBehind = async (i: number): Promise<string[]> => {
      const starting_after = `user_${i.toString(16).padStart(26, '0')}`;
      const filters = { fields: [eq('email_match', 'many')] };
      const { body } = await search({ limit: 10, starting_after, filters }, many);
      return body.users.map(({ first_name: name }: { first_name: string }) => name);
    };
    expect(await pageBehind(COUNT + 1)).toEqual(Array.from({ length: 10 }, (_, k) => `N${COUNT - k}`));
    expect(await pageBehind(5_000)).toEqual(Array.from({ length: 10 }, (_, k) => `N${4_999 - k}`));
    expect(await pageBehind(4)).toEqual(['N3', 'N2', 'N1']);
  });
});

describe('searches that take too long', () => {
  it('are refused and leave the calls of other apps alone', async () => {
    const shop = await service.given.app();
    const { session_token } = await signIn(service, shop, await service.given.user(shop));
    const blocker = await Observer.of(service);
    await blocker.rows('begin');
    await blocker.rows('lock table phone_numbers in access exclusive mode');
    const searches: Promise<Answer>[] = [];
    // More than there are connections in the pool. With a key, so that the answer of each is to be kept. On a paused machine all may
    // end before they are seen to wait, and are sent again.
    for (let waiting = 0; waiting === 0;) {
      waiting = 70;
      for (let n = 0; n < 70; n++) {
        const filters = { fields: [eq('phone_number_match', '555')] };
        searches.push(search({ filters }, app, { 'idempotency-key': unique() }).finally(() => waiting--));
      }
      await observer.untilWaiting('phone_numbers', () => (waiting > 0 ? 2 : 0));
    }
    for (let i = 0; i < 20; i++) {
      const verified = await service.call('POST', '/v1/auth/sessions/verify', {
        key: shop.secretKey,
        // An extension is a write, for which a connection of the pool is needed.
        body: { session_token, session_expires_in: 60 + i },
      });
      expect(verified.status).toBe(200);
    }
    const answers = await Promise.all(searches);
    await blocker.rows('rollback');
    await blocker.close();
    const types = new Set(answers.map(({ body }) => body.error_type));
    // When a busy machine answers the probe of the database too late.
    types.delete('service_unavailable');
    expect(types).toEqual(new Set(['search_too_broad', 'too_many_requests']));
    for (const { status, headers } of answers.filter(({ body }) => body.error_type === 'too_many_requests'))
      expect([status, headers.get('retry-after')]).toEqual([429, '1']);
    expect((await search({})).status).toBe(200);
  });
});
