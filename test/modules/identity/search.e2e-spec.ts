import { newId } from '../../../src/kernel/ids.js';
import { IdentityFacade } from '../../../src/modules/identity/index.js';
import { type Answer, startApp, type TestApp } from '../../support/app.js';
import { type GivenApp, unique } from '../../support/given.js';
import { statementsOf } from '../../support/statements.js';
import { Observer } from './observer.js';

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
  const identity = service.nest.get(IdentityFacade, { strict: false });
  await identity.proveEmail(app.id as never, 'ann.lee@example.com');
  await identity.signInWithProvider(app.id as never, {
    connectionId: newId('oauthConnection'),
    provider: 'google',
    subject: unique(),
    email: { address: 'ann.lee@example.com', proven: true },
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
const search = (body: unknown, of = app): Promise<Answer> =>
  service.call('POST', '/v1/auth/users/search', { key: of.secretKey, body });

/** Names of the users who pass the filters, and the promise that the count tells of as many. */
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
  it('finds everybody, newest first, as the user endpoint shows them', async () => {
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
    ['status', () => eq('status', 'pending'), ['bob']],
    ['several statuses', () => oneOf('status', 'pending', 'active'), ['cem', 'bob', 'ann']],
    ['part of a name', () => eq('full_name_match', 'nn le'), ['ann']],
    ['part of a name in another case', () => eq('full_name_match', 'CEM'), ['cem']],
    ['a percent sign in a name', () => eq('full_name_match', '%'), ['bob']],
    ['an underscore in a name', () => eq('full_name_match', 'a_b'), ['bob']],
    ['an underscore that stands for itself', () => eq('full_name_match', 'n_l'), []],
    ['a backslash in a name', () => eq('full_name_match', 'c\\d'), ['bob']],
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

  it('narrows by every filter, or widens by any', async () => {
    const filters = [eq('status', 'active'), eq('email_match', 'e'), eq('phone_number_verified', false)];
    expect(await found(filters)).toEqual(['ann']);
    expect(
      await found([eq('status', 'pending'), eq('idp_provider', 'google'), eq('totp_verified', true)], 'OR'),
    ).toEqual(['bob', 'ann']);
    expect(await found([eq('user_id', cem.user_id), eq('phone_number_verified', false)], 'OR')).toEqual(['cem', 'ann']);
  });

  it('finds nobody of another app, whatever is asked for', async () => {
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
      has_more: false,
    });
  });

  it('finds nobody who was deleted', async () => {
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
    ['too many filters', { filters: { fields: Array(21).fill(eq('status', 'active')) } }, ['filters.fields']],
  ])('refuses %s by name', async (_, body, fields) => {
    const answer = await search(body);
    expect(answer.status).toBe(400);
    expect(answer.body.errors.map(({ field }: { field: string }) => field)).toEqual(fields);
  });
});

describe('paging through users', () => {
  it('shows each once, in order, whatever is deleted or created on the way', async () => {
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

  it('goes on behind the id of another app without telling whether it exists', async () => {
    const { body: behindAnn } = await search({ starting_after: ann.user_id }, crowded);
    const { body: behindNobody } = await search({ starting_after: `${ann.user_id.slice(0, -4)}0000` }, crowded);
    expect(behindAnn).toEqual(behindNobody);
  });
});

describe('exact search', () => {
  it('reaches users by indexes, also when any of several filters will do', async () => {
    await observer.rows(
      `with ids as (select $1 as app_id, 'user_' || lpad(i::text, 26, '0') as id, i from generate_series(1, 20000) i),
            u as (insert into users select app_id, id, 'N' || i, '', '', 'active', 'none', null, null, now(), now() from ids)
       insert into emails select app_id, replace(id, 'user', 'email'), id, 'many' || i || '@example.com', 'many' || i || '@example.com', null, now(), now() from ids`,
      [crowded.id],
    );
    await observer.rows('analyze users');
    await observer.rows('analyze emails');
    const fields = [eq('email', 'many777@example.com'), eq('user_id', ann.user_id), eq('idp_provider', 'google')];
    for (const filters of [{ operator: 'OR', fields }, { fields: fields.slice(0, 1) }]) {
      const [sent] = await statementsOf(async () => {
        expect((await search({ filters }, crowded)).body.total_count).toBe(1);
      });
      const [row] = await observer.rows<{ 'QUERY PLAN': [{ Plan: PlanNode }] }>(
        `explain (analyze, format json) ${sent!.text}`,
        sent!.values,
      );
      expect(rowsRead(row!['QUERY PLAN'][0].Plan)).toBeLessThan(50);
    }
  });
});

interface PlanNode {
  readonly 'Relation Name'?: string;
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly 'Rows Removed by Filter'?: number;
  readonly Plans?: readonly PlanNode[];
}

/** How many rows of tables a plan looked at. */
function rowsRead(node: PlanNode): number {
  const own = node['Relation Name']
    ? (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops']
    : 0;
  return (node.Plans ?? []).reduce((sum, plan) => sum + rowsRead(plan), own);
}
