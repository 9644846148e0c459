import type { AppId } from '../../../src/kernel/ids.js';
import { ProveAddress } from '../../../src/modules/identity/index.js';
import { type Answer, MANAGEMENT_KEY, startApp, type TestApp } from '../../support/app.js';
import { type GivenApp, unique } from '../../support/given.js';
import { openConnections, Observer } from '../../support/observer.js';

// An app keeps its own id of each user, and metadata.

let service: TestApp;
let observer: Observer;
let app: GivenApp;
let stranger: GivenApp;
beforeAll(async () => {
  service = await startApp({ env: { DATABASE_POOL_SIZE: '25' } });
  await openConnections(service, 20);
  observer = await Observer.of(service);
  app = await service.given.app({ default_wallet_type: 'none' });
  stranger = await service.given.app({ default_wallet_type: 'none' });
});
afterAll(async () => {
  await observer.close();
  await service.stop();
});

const email = (): string => `${unique()}@example.com`;
const create = (body: object = {}, key = app.secretKey): Promise<Answer> =>
  service.call('POST', '/v1/auth/users/create', { key, body: { email: email(), ...body } });
const get = async (userId: string) =>
  (await service.call('GET', `/v1/auth/users/${userId}`, { key: app.secretKey })).body;
const update = (userId: string, body: object, key = app.secretKey): Promise<Answer> =>
  service.call('PUT', `/v1/auth/users/${userId}/update`, { key, body });
const remove = (userId: string): Promise<Answer> =>
  service.call('DELETE', `/v1/auth/users/${userId}/delete`, { key: app.secretKey });
const manage = (method: string, path: string, body: object): Promise<Answer> =>
  service.call(method, `/management/v1/apps/${app.id}/users${path}`, { key: MANAGEMENT_KEY, body });
const found = async (operator: string, value: object, of = app): Promise<string[]> => {
  const body = { filters: { fields: [{ field: 'external_id', operator, ...value }] } };
  const answer = await service.call('POST', '/v1/auth/users/search', { key: of.secretKey, body });
  return answer.body.users.map(({ user_id }: { user_id: string }) => user_id);
};
const refusal = ({ status, body }: Answer): unknown => [status, body.error_type];
const outcomes = (answers: Answer[]): string[] =>
  answers.map(({ status, body }) => (status === 200 ? '200' : `${status} ${body.error_type}`)).toSorted();
const restricted = async (fields: object): Promise<string> => {
  const body = { kind: 'restricted', scopes: ['users:read', 'users:write'], ...fields };
  const path = `/management/v1/apps/${app.id}/keys`;
  return (await service.call('POST', path, { key: MANAGEMENT_KEY, body })).body.key;
};

describe('an external id', () => {
  it('is given at the creation or later, is shown, and finds the user', async () => {
    const [first, second] = [`Crm/${unique()}`, `Crm/${unique()}`];
    const { body } = await create({ external_id: first, include_user: true });
    expect([body.external_id, body.user.external_id]).toEqual([first, first]);
    const { user_id: other } = (await create()).body;
    expect((await get(other)).external_id).toBe('');
    expect((await update(other, { external_id: second })).body.user.external_id).toBe(second);
    expect(await found('eq', { value: first })).toEqual([body.user_id]);
    expect(await found('in', { values: [first, second, 'nobody'] })).toEqual([other, body.user_id]);
    expect(await found('eq', { value: first.toLowerCase() })).toEqual([]);
    expect(await found('eq', { value: '' })).toEqual([]);
    expect(await found('eq', { value: first }, stranger)).toEqual([]);
  });

  it('stays when an update does not name it, and an empty text removes it', async () => {
    const external_id = unique();
    const { user_id } = (await create({ external_id })).body;
    for (const body of [{ first_name: 'Ann' }, { external_id: null }, { external_id }])
      expect((await update(user_id, body)).body.user.external_id).toBe(external_id);
    expect((await update(user_id, { external_id: '' })).body.user.external_id).toBe('');
    expect((await create({ external_id })).status).toBe(200);
    expect((await create({ external_id: '' })).body.external_id).toBe('');
    expect((await create({ external_id: '' })).status).toBe(200);
  });

  it('belongs to one user of an app, and a refused creation or update changes nothing', async () => {
    const [external_id, address] = [unique(), email()];
    const { user_id: holder } = (await create({ external_id })).body;
    const { user_id: other } = (await create()).body;
    expect(refusal(await create({ external_id, email: address }))).toEqual([409, 'duplicate_external_id']);
    const body = { external_id, first_name: 'Eve', emails: [{ email: address }] };
    expect(refusal(await update(other, body))).toEqual([409, 'duplicate_external_id']);
    expect(await get(other)).toMatchObject({ external_id: '', first_name: '' });
    expect(refusal(await manage('POST', '', { email: address, external_id }))).toEqual([409, 'duplicate_external_id']);
    expect(refusal(await manage('PATCH', `/${other}`, { external_id }))).toEqual([409, 'duplicate_external_id']);
    expect((await update(holder, { external_id })).status).toBe(200);
    expect((await create({ external_id, email: address }, stranger.secretKey)).status).toBe(200);
    expect((await create({ email: address })).status).toBe(200);
  });

  it('goes to one of many users who are created with it at once', async () => {
    const external_id = unique();
    const answers = await observer.together(
      'users',
      Array.from({ length: 10 }, () => () => create({ external_id })),
    );
    expect(outcomes(answers)).toEqual(['200', ...Array<string>(9).fill('409 duplicate_external_id')]);
    expect(await found('eq', { value: external_id })).toHaveLength(1);
  });

  it('goes to one of many users who are given it at once, also beside creations with it and one address', async () => {
    const external_id = unique();
    const address = email();
    const users = await Promise.all(Array.from({ length: 5 }, () => create()));
    const answers = await observer.together('users', [
      ...users.map(
        ({ body }) =>
          () =>
            update(body.user_id, { external_id, emails: [{ email: address }] }),
      ),
      ...Array.from({ length: 5 }, () => () => create({ external_id, email: address })),
    ]);
    expect(outcomes(answers)).toEqual(['200', ...Array<string>(9).fill('409 duplicate_external_id')]);
  });

  it('is free again after the deletion of its user, whose row keeps nothing of the app', async () => {
    const external_id = unique();
    const { user_id } = (await create({ external_id, metadata: { note: 'private' } })).body;
    await remove(user_id);
    expect(await found('eq', { value: external_id })).toEqual([]);
    expect((await create({ external_id })).status).toBe(200);
    expect(await observer.rows('select external_id, metadata from users where id = $1', [user_id])).toEqual([
      { external_id: null, metadata: {} },
    ]);
  });

  it.each([
    ['a number', 1042],
    ['too long', 'x'.repeat(256)],
    ['a list', ['a']],
    ['of characters that cannot be stored', 'a\0b'],
  ])('is refused by name when it is %s', async (_, external_id) => {
    const answer = await create({ external_id });
    expect([...(refusal(answer) as unknown[]), answer.body.errors[0].field]).toEqual([
      400,
      'invalid_request',
      'external_id',
    ]);
  });

  it('of another user is hidden from a bound key, which sets none and finds its own user only', async () => {
    const [external_id, own] = [unique(), unique()];
    await create({ external_id });
    const { user_id } = (await create({ external_id: own })).body;
    const key = await restricted({ user_id });
    for (const value of [external_id, unique()])
      expect(refusal(await update(user_id, { external_id: value }, key))).toEqual([403, 'outside_binding']);
    expect((await update(user_id, { metadata: { seen: true } }, key)).status).toBe(200);
    const of = { ...app, secretKey: key };
    expect(await found('in', { values: [external_id, own] }, of)).toEqual([user_id]);
  });
});

describe('metadata', () => {
  it('is empty at first, and an update sets its members and removes those that are null', async () => {
    const { user_id } = (await create()).body;
    expect((await get(user_id)).metadata).toEqual({});
    const set = async (metadata: object | null) => (await update(user_id, { metadata })).body.user.metadata;
    expect(await set({ plan: 'pro', seats: 3, tags: ['a', null], deep: { note: null } })).toEqual({
      plan: 'pro',
      seats: 3,
      tags: ['a', null],
      deep: { note: null },
    });
    expect(await set({ plan: null, seats: 4, absent: null, deep: { other: 1 } })).toEqual({
      seats: 4,
      tags: ['a', null],
      deep: { other: 1 },
    });
    for (const unchanged of [{}, null]) expect(await set(unchanged)).toMatchObject({ seats: 4 });
    expect((await update(user_id, { first_name: 'Ann' })).body.user.metadata).toMatchObject({ seats: 4 });
  });

  it('is given at the creation without the members that are null', async () => {
    expect((await create({ metadata: { plan: 'pro', nothing: null } })).body.metadata).toEqual({ plan: 'pro' });
  });

  it('is bounded by the UTF-8 bytes of the merged result, and a change that goes beyond it changes nothing', async () => {
    const { user_id } = (await create()).body;
    // {"a":"…"} is 8 bytes and the text, each character of which is 2 bytes.
    const half = 'ä'.repeat(1_500);
    expect((await update(user_id, { metadata: { a: half } })).status).toBe(200);
    const refused = await update(user_id, { metadata: { b: half }, first_name: 'Eve' });
    expect([refusal(refused), refused.body.errors]).toEqual([
      [400, 'invalid_request'],
      [
        {
          field: 'metadata',
          rule: 'too_large',
          message: 'must have at most 4096 bytes as JSON, and would have 6015 bytes after the change',
        },
      ],
    ]);
    expect(await get(user_id)).toMatchObject({ first_name: '', metadata: { a: half } });
    expect((await update(user_id, { metadata: { a: null, b: half } })).body.user.metadata).toEqual({ b: half });
    expect((await update(user_id, { metadata: { b: 'x'.repeat(4_088) } })).status).toBe(200);
    expect(refusal(await update(user_id, { metadata: { b: 'x'.repeat(4_089) } }))).toEqual([400, 'invalid_request']);
    expect(refusal(await create({ metadata: { b: 'x'.repeat(4_089) } }))).toEqual([400, 'invalid_request']);
  });

  it('has as many members as have room', async () => {
    const metadata = Object.fromEntries(Array.from({ length: 500 }, (_, i) => [i.toString(36), 1]));
    expect((await create({ metadata })).body.metadata).toEqual(metadata);
  });

  it('has at most 5 levels', async () => {
    expect((await create({ metadata: { a: { b: [{ c: {} }] } } })).status).toBe(200);
    const answer = await create({ metadata: { a: { b: [{ c: { d: {} } }] } } });
    expect(answer.body.errors).toEqual([
      { field: 'metadata', rule: 'depth', message: 'must not be nested deeper than 5 levels' },
    ]);
  });

  it.each<[string, unknown]>([
    ['a text', 'plan=pro'],
    ['a list', []],
    ['an object with a number that cannot be kept exactly', '{"n":12345678901234567890}'],
    ['an object with the name of a prototype', '{"__proto__":1}'],
    ['an object with a text that cannot be stored', '{"n":"a\\u0000b"}'],
  ])('is refused when it is %s', async (_, metadata) => {
    const text = typeof metadata === 'string' && metadata.startsWith('{') ? metadata : JSON.stringify(metadata);
    const body = `{"email":"${email()}","metadata":${text}}`;
    const answer = await service.call('POST', '/v1/auth/users/create', { key: app.secretKey, body });
    expect(refusal(answer)).toEqual([400, 'invalid_request']);
  });

  it('keeps the members of all of many updates at once', async () => {
    const { user_id } = (await create()).body;
    const names = Array.from({ length: 10 }, (_, index) => `member${index}`);
    await observer.together(
      'users',
      names.map((name) => () => update(user_id, { metadata: { [name]: true } })),
    );
    expect((await get(user_id)).metadata).toEqual(Object.fromEntries(names.map((name) => [name, true])));
  });
});

describe('an operator', () => {
  it('changes and clears what the app keeps with a user, and the audit log names the fields without the values', async () => {
    const external_id = unique();
    const { user_id } = (await manage('POST', '', { email: email(), external_id, metadata: { plan: 'a' } })).body;
    expect(await get(user_id)).toMatchObject({ external_id, metadata: { plan: 'a' } });
    const changed = await manage('PATCH', `/${user_id}`, { metadata: { plan: null, seats: 2 } });
    expect(changed.body).toMatchObject({ external_id, metadata: { seats: 2 } });
    const cleared = await manage('PATCH', `/${user_id}`, { external_id: null, metadata: null });
    expect(cleared.body).toMatchObject({ external_id: '', metadata: {} });
    expect(
      await observer.rows(`select fields from audit_log where target_id = $1 and action = 'user.updated' order by id`, [
        user_id,
      ]),
    ).toEqual([{ fields: ['metadata'] }, { fields: ['externalId', 'metadata'] }]);
  });
});

describe('the account of a user whom an app describes', () => {
  it('passes with its external id and metadata to the person who proves its address', async () => {
    const [address, external_id] = [email(), unique()];
    const { user_id } = (await create({ email: address, external_id, metadata: { plan: 'pro' } })).body;
    await update(user_id, { metadata: { cohort: 7 } });
    const proven = await service.nest.get(ProveAddress, { strict: false }).email(app.id as AppId, address);
    const prepared = { fields: ['external_id', 'metadata'] };
    expect(proven).toMatchObject({ userId: user_id, userCreated: false, prepared });
    expect(await get(user_id)).toMatchObject({ external_id, metadata: { plan: 'pro', cohort: 7 } });
  });

  it('is named by its id alone in the events', async () => {
    const { user_id } = (await create({ external_id: unique(), metadata: { plan: 'pro' } })).body;
    await update(user_id, { external_id: unique() });
    const events = await observer.rows<{ data: object }>(
      `select data from stored_events where app_id = $1 and data->>'user_id' = $2`,
      [app.id, user_id],
    );
    expect(events.map(({ data }) => data)).toEqual([{ user_id }, { user_id }]);
  });
});
