import { type AppId, newId, type OauthConnectionId } from '../../../src/kernel/ids.js';
import { RemoveSignInMethod } from '../../../src/modules/identity/application/remove-sign-in-method.js';
import { ProveAddress, SignInWithProvider } from '../../../src/modules/identity/index.js';
import { type Answer, startApp, type TestApp } from '../../support/app.js';
import { patiently } from '../../support/eventually.js';
import { type GivenApp, unique } from '../../support/given.js';
import { statementsOf } from '../../support/statements.js';
import { Observer, openConnections } from '../../support/observer.js';
import { signedInAs } from '../../support/sign-in.js';
import { signRows } from '../../support/row-macs.js';

let service: TestApp;
let observer: Observer;
let app: GivenApp;
let stranger: GivenApp;
beforeAll(async () => {
  service = await startApp({ env: { DATABASE_POOL_SIZE: '45' } });
  await openConnections(service, 40);
  observer = await Observer.of(service);
  app = await service.given.app({ default_wallet_type: 'none' });
  stranger = await service.given.app({ default_wallet_type: 'none' });
});
afterAll(async () => {
  await observer.close();
  await service.stop();
});

const email = (): string => `${unique()}@example.com`;
let line = 4155550000;
const phone = (): string => `+1${line++}`;

const create = (body: unknown, key = app.secretKey): Promise<Answer> =>
  service.call('POST', '/v1/auth/users/create', { key, body });
const get = (userId: string, key = app.secretKey): Promise<Answer> =>
  service.call('GET', `/v1/auth/users/${userId}`, { key });
const update = (userId: string, body: unknown, key = app.secretKey): Promise<Answer> =>
  service.call('PUT', `/v1/auth/users/${userId}/update`, { key, body });
const remove = (path: string, key = app.secretKey): Promise<Answer> =>
  service.call('DELETE', `/v1/auth/users/${path}/delete`, { key });

const proof = (): ProveAddress => service.nest.get(ProveAddress, { strict: false });

const outcomes = (answers: Answer[]): string[] =>
  answers.map(({ status, body }) => (status === 200 ? '200' : `${status} ${body.error_type}`)).toSorted();
const refusal = ({ status, body }: Answer): unknown => [status, body.error_type];
const faults = ({ body }: Answer): string[] => body.errors.map(({ field }: { field: string }) => field);
/** An error body without what differs between any two requests. */
const impersonal = ({ status, body: { request_id: _, instance: __, ...body } }: Answer): unknown => ({ status, body });

describe('creating a user', () => {
  it('answers the user with the ids of the addresses', async () => {
    const [address, number] = [email(), phone()];
    const asked = Math.floor(Date.now() / 1000);
    const { status, body } = await create({
      email: address,
      phone_number: number,
      first_name: 'Ann',
      last_name: 'Lee',
    });
    expect(status).toBe(200);
    const time = body.created_at as number;
    expect(time).toBeGreaterThanOrEqual(asked);
    expect(time).toBeLessThanOrEqual(Date.now() / 1000);
    const stamps = { created_at: time, updated_at: time };
    const own = {
      user_id: expect.stringMatching(/^user_/),
      app_id: app.id,
      first_name: 'Ann',
      middle_name: '',
      last_name: 'Lee',
      active: true,
      status: 'active',
      external_id: '',
      metadata: {},
      ...stamps,
      email: address,
      phone_number: number,
      requires_verification: false,
      email_id: expect.stringMatching(/^email_/),
      phone_number_id: expect.stringMatching(/^pn_/),
      emails: [{ id: body.email_id, email: address, verified: false, ...stamps }],
      phone_numbers: [{ id: body.phone_number_id, phone_number: number, verified: false, ...stamps }],
      idp_providers: [],
    };
    // The fields of other modules, of which a new user has nothing.
    const names = Object.keys(body).filter((name) => !(name in own));
    expect(names).toEqual(expect.arrayContaining(['wallets', 'totps']));
    expect(body).toEqual({ ...own, ...Object.fromEntries(names.map((name) => [name, []])) });
  });

  it('answers an empty string for the address that is not there', async () => {
    expect((await create({ email: email() })).body).toMatchObject({ phone_number_id: '', phone_numbers: [] });
    expect((await create({ phone_number: phone() })).body).toMatchObject({ email_id: '', emails: [] });
  });

  it('answers the whole user when asked to', async () => {
    const { body } = await create({ email: email(), include_user: true });
    expect(body.user).toEqual((await get(body.user_id)).body);
    expect((await create({ email: email() })).body).not.toHaveProperty('user');
  });

  it('leaves a user pending who has an address to verify first', async () => {
    const { body } = await create({ email: email(), requires_verification: true });
    expect(body).toMatchObject({ status: 'pending', active: false });
  });

  it('gives the default wallet asked for, else the one of the app', async () => {
    const ethereum = await service.given.app();
    expect((await create({ email: email() }, ethereum.secretKey)).body.wallets).toEqual([
      expect.objectContaining({ app_id: ethereum.id, wallet_type: 'ethereum', is_default: true, verified: true }),
    ]);
    expect((await create({ email: email(), wallet_type: 'none' }, ethereum.secretKey)).body.wallets).toEqual([]);
    expect((await create({ email: email(), wallet_type: 'SOL' })).body.wallets).toEqual([
      expect.objectContaining({ wallet_type: 'solana' }),
    ]);
  });

  it('publishes one event', async () => {
    const { body } = await create({ email: email() });
    expect(await observer.events(app.id, body.user_id)).toEqual(['user.created']);
  });

  it('shows the address with its domain in lower-case ASCII, and compares it without its case', async () => {
    const name = unique();
    const { body } = await create({ email: `  ${name}.Lee@MÜNCHEN.de ` });
    expect(body.emails[0].email).toBe(`${name}.Lee@xn--mnchen-3ya.de`);
    expect(refusal(await create({ email: `${name}.lee@xn--mnchen-3ya.de` }))).toEqual([409, 'duplicate_email']);
  });

  it('refuses an address that another user has and creates no user', async () => {
    const [address, number] = [email(), phone()];
    await create({ email: address, phone_number: number });
    const before = await observer.rows('select id from users where app_id = $1', [app.id]);
    expect(refusal(await create({ email: address.toUpperCase() }))).toEqual([409, 'duplicate_email']);
    expect(refusal(await create({ phone_number: number }))).toEqual([409, 'duplicate_phone_number']);
    expect(refusal(await create({ email: email(), phone_number: number }))).toEqual([409, 'duplicate_phone_number']);
    expect(await observer.rows('select id from users where app_id = $1', [app.id])).toEqual(before);
  });

  it('lets another app have a user of the same address', async () => {
    const address = email();
    await create({ email: address });
    expect((await create({ email: address }, stranger.secretKey)).status).toBe(200);
  });

  it('creates one user, however many ask at once', async () => {
    const body = { email: email(), phone_number: phone() };
    const answers = await observer.together(
      'emails',
      Array.from({ length: 20 }, () => () => create(body)),
    );
    expect(outcomes(answers)).toEqual(['200', ...Array<string>(19).fill('409 duplicate_email')]);
  });

  it.each([
    ['no address', {}, ['email']],
    ['no body', undefined, ['email']],
    ['an address that is none', { email: 'ann' }, ['email']],
    ['two addresses in one', { email: 'ann@example.com,eve@evil.com' }, ['email']],
    ['a list of addresses', { email: ['ann@example.com'] }, ['email']],
    ['an object', { email: { $ne: null } }, ['email']],
    ['null', { email: null }, ['email']],
    ['an address NFKC would change', { email: 'ａｎｎ@example.com' }, ['email']],
    ['an address of 255 characters', { email: `${'a'.repeat(61)}@${'b.'.repeat(95)}com` }, ['email']],
    ['a number without its country', { phone_number: '4155550100' }, ['phone_number']],
    ['a number of no country', { phone_number: '+9991234567' }, ['phone_number']],
    ['a number as a number', { phone_number: 14155550100 }, ['phone_number']],
    [
      'names of other types',
      { email: 'a@b.co', first_name: 1, middle_name: {}, last_name: [] },
      ['first_name', 'middle_name', 'last_name'],
    ],
    ['a long name', { email: 'a@b.co', first_name: 'x'.repeat(257) }, ['first_name']],
    ['a NUL', { email: 'a@b.co', first_name: 'a\0b' }, ['first_name']],
    ['a lone surrogate', '{"email":"a@b.co","first_name":"\\ud800"}', ['first_name']],
    [
      'flags of other types',
      { email: 'a@b.co', requires_verification: 'yes', include_user: 1 },
      ['requires_verification', 'include_user'],
    ],
    ['an unknown wallet', { email: 'a@b.co', wallet_type: 'dogecoin' }, ['wallet_type']],
  ])('refuses %s by name', async (_, body, fields) => {
    const answer = await create(body);
    expect(answer.status).toBe(400);
    expect(faults(answer)).toEqual(fields);
  });

  it('assigns nothing a caller may not choose', async () => {
    const forged = {
      app_id: stranger.id,
      user_id: newId('user'),
      id: newId('user'),
      status: 'active',
      active: true,
      verified: true,
      verified_at: 1,
      created_at: 1,
      emails: [{ email: email(), verified: true }],
      isVerified: true,
    };
    const { body } = await create({ email: email(), requires_verification: true, ...forged });
    expect(body).toMatchObject({ app_id: app.id, status: 'pending', active: false });
    expect(body.user_id).not.toBe(forged.user_id);
    expect(body.emails).toHaveLength(1);
    expect(body.emails[0].verified).toBe(false);
    expect(body.created_at).toBeGreaterThan(1);
  });
});

describe('getting a user', () => {
  it('answers the domain of an email in lower case, with an unchanged local part', async () => {
    const name = unique();
    const { body } = await create({ email: `Ann.${name}@Shop.Example.COM` });
    expect((await get(body.user_id)).body.emails[0].email).toBe(`Ann.${name}@shop.example.com`);
  });

  it('takes one statement', async () => {
    const { user_id: userId } = await service.given.user(app, { phone_number: phone() });
    await get(userId);
    expect(await statementsOf(() => get(userId))).toHaveLength(1);
  });

  it('shows wallets in the shape of the wallet endpoints, and not the deleted ones', async () => {
    const { user_id: userId } = await service.given.user(app);
    const shown = await givenLoginWallet(userId);
    const gone = await givenLoginWallet(userId);
    await observer.rows('update wallets set deleted_at = now() where id = $1', [gone]);
    expect((await get(userId)).body.wallets).toEqual([
      {
        id: shown,
        app_id: app.id,
        user_id: userId,
        public_address: expect.any(String),
        wallet_type: 'ethereum',
        verified: true,
        is_default: false,
        is_read_only: true,
        is_imported: true,
        created_at: 1_700_000_000,
        updated_at: 1_700_000_000,
      },
    ]);
  });
});

describe('updating a user', () => {
  it('changes only the names that are given', async () => {
    const { user_id: userId } = await service.given.user(app, { first_name: 'Ann', last_name: 'Lee' });
    const { status, body } = await update(userId, { last_name: '', middle_name: 'B.' });
    expect(status).toBe(200);
    expect(body.user).toMatchObject({ first_name: 'Ann', middle_name: 'B.', last_name: '' });
    expect(body).toMatchObject({ user_id: userId, emails: [], phone_numbers: [] });
    expect((await get(userId)).body).toEqual(body.user);
  });

  it('attaches addresses, unverified, and answers those', async () => {
    const { user_id: userId, email_id: first } = await service.given.user(app);
    const [address, number] = [email(), phone()];
    const { body } = await update(userId, { emails: [{ email: address }], phone_numbers: [{ phone_number: number }] });
    expect(body.emails).toEqual([expect.objectContaining({ email: address, verified: false })]);
    expect(body.phone_numbers).toEqual([expect.objectContaining({ phone_number: number, verified: false })]);
    expect(body.user.emails.map(({ id }: { id: string }) => id)).toEqual([first, body.emails[0].id]);
  });

  it('removes nothing by an empty list', async () => {
    const { user_id: userId, email_id: first } = await service.given.user(app);
    const { body } = await update(userId, { emails: [], phone_numbers: [] });
    expect(body).toMatchObject({ emails: [], user: { emails: [{ id: first }] } });
  });

  it('takes an address the user holds already, or one named twice, as it is', async () => {
    const { user_id: userId, email_id: first } = await service.given.user(app, { email: `${unique()}@example.com` });
    const held = (await get(userId)).body.emails[0].email as string;
    const added = email();
    const emails = [held.toUpperCase(), added, added.toUpperCase()].map((one) => ({ email: one }));
    const { status, body } = await update(userId, { emails });
    expect(status).toBe(200);
    expect(body.emails.map(({ email }: { email: string }) => email)).toEqual([held, added]);
    expect(body.emails[0].id).toBe(first);
  });

  it('attaches no more than 100 addresses of a kind, all of a call or none', async () => {
    const { user_id: userId } = await service.given.user(app);
    await observer.rows(
      `insert into emails (app_id, id, user_id, text, canonical, verified_at, created_at, updated_at)
       select $1, 'email_' || $2 || n, $2, n || $2 || '@example.com', n || $2 || '@example.com', now(), now(), now()
         from generate_series(1, 98) n`,
      [app.id, userId],
    );
    await signRows(service, 'emails');
    expect((await update(userId, { emails: [{ email: email() }] })).status).toBe(200);
    const refused = await update(userId, { emails: [{ email: email() }], first_name: 'Eve' });
    expect(refusal(refused)).toEqual([409, 'too_many_addresses']);
    const { body } = await get(userId);
    expect([body.emails.length, body.first_name]).toEqual([100, '']);
    const again = { first_name: 'Eve', emails: [{ email: body.emails[0].email }], phone_numbers: [] };
    expect((await update(userId, again)).status).toBe(200);
  });

  it('attaches no more than 5 unverified addresses of both kinds, all of a call or none', async () => {
    const { user_id: userId } = await service.given.user(app);
    const some = (emails: number, numbers: number) => ({
      emails: Array.from({ length: emails }, () => ({ email: email() })),
      phone_numbers: Array.from({ length: numbers }, () => ({ phone_number: phone() })),
    });
    expect(refusal(await update(userId, some(3, 2)))).toEqual([409, 'too_many_unverified_addresses']);
    const one = await Promise.all(Array.from({ length: 8 }, () => patiently(() => update(userId, some(0, 1)))));
    expect(outcomes(one)).toEqual([
      ...Array<string>(4).fill('200'),
      ...Array<string>(4).fill('409 too_many_unverified_addresses'),
    ]);
    const { emails, phone_numbers } = (await get(userId)).body;
    expect([emails.length, phone_numbers.length]).toEqual([1, 4]);
    await proof().phoneNumber(app.id as AppId, phone_numbers[0].phone_number, signedInAs(userId));
    expect((await update(userId, some(1, 0))).status).toBe(200);
  });

  it('removes addresses that stayed unverified for 7 days, but not those with which a user was created who has proved nothing', async () => {
    const [lonely, both, further, old] = await Promise.all([
      service.given.user(app),
      service.given.user(app, { phone_number: phone() }),
      service.given.user(app),
      service.given.user(app),
    ]);
    const byPhone = (await create({ phone_number: phone() })).body;
    await update(byPhone.user_id, { emails: [{ email: email() }] });
    // The address of a user from before is not overdue at once when another one is attached beside it.
    for (const [table, column] of [
      ['users', 'id'],
      ['emails', 'user_id'],
    ])
      await observer.rows(
        `update ${table} set created_at = ((created_at at time zone 'UTC') - interval '30 days') at time zone 'UTC' where ${column} = $1`,
        [old.user_id],
      );
    await update(old.user_id, { phone_numbers: [{ phone_number: phone() }] });
    const attached = await update(further.user_id, {
      emails: [{ email: email() }],
      phone_numbers: [{ phone_number: phone() }],
    });
    const { phone_number } = attached.body.phone_numbers[0];
    await proof().phoneNumber(app.id as AppId, phone_number, signedInAs(further.user_id));
    const users = [lonely, both, further, old, byPhone].map(({ user_id: userId }) => userId);
    const left = async () =>
      (await Promise.all(users.map((id) => get(id)))).map(({ body }) => [
        body.emails.length,
        body.phone_numbers.length,
      ]);
    const removal = service.nest.get(RemoveSignInMethod, { strict: false });
    const age = (days: number) =>
      Promise.all(
        ['emails', 'phone_numbers'].map((table) =>
          observer.rows(
            `update ${table} set unverified_until = ((unverified_until at time zone 'UTC') - make_interval(days => $2)) at time zone 'UTC' where user_id = any($1)`,
            [users, days],
          ),
        ),
      );
    await age(6);
    await removal.unverifiedAddresses();
    expect(await left()).toEqual([
      [1, 0],
      [1, 1],
      [2, 1],
      [1, 1],
      [1, 1],
    ]);
    await age(1);
    await Promise.all([removal.unverifiedAddresses(), removal.unverifiedAddresses()]);
    expect(await left()).toEqual([
      [1, 0],
      [1, 1],
      [0, 1],
      [1, 0],
      [0, 1],
    ]);
    const updates = async (userId: string) =>
      (await observer.events(app.id, userId)).filter((type) => type === 'user.updated');
    expect([await updates(both.user_id), await updates(byPhone.user_id)].map(({ length }) => length)).toEqual([0, 2]);
    // What was removed is free for its owner.
    const again = await proof().email(app.id as AppId, attached.body.emails[0].email);
    expect(again).toMatchObject({ userCreated: true });
  });

  it('attaches all or nothing', async () => {
    const taken = email();
    await create({ email: taken });
    const { user_id: userId } = await service.given.user(app);
    const before = await get(userId);
    const answer = await update(userId, { first_name: 'Eve', emails: [{ email: email() }, { email: taken }] });
    expect(refusal(answer)).toEqual([409, 'duplicate_email']);
    expect((await get(userId)).body).toEqual(before.body);
  });

  it('gives two addresses to one of many callers that request both in another order, without a deadlock', async () => {
    const wanted = [email(), email()];
    const users = await Promise.all(Array.from({ length: 20 }, () => service.given.user(app)));
    const answers = await observer.together(
      'emails',
      users.map(({ user_id: userId }, index) => () => {
        const emails = (index % 2 ? wanted.toReversed() : wanted).map((one) => ({ email: one }));
        return update(userId, { emails });
      }),
    );
    expect(outcomes(answers)).toEqual(['200', ...Array<string>(19).fill('409 duplicate_email')]);
  });

  it('refuses what is wrong by name', async () => {
    const { user_id: userId } = await service.given.user(app);
    const emails = [{ email: email() }, { email: 'ann' }, {}];
    expect(faults(await update(userId, { emails, first_name: 7 }))).toEqual([
      'first_name',
      'emails[1].email',
      'emails[2].email',
    ]);
    expect(faults(await update(userId, { emails: [{ email: email() }, 'ann@example.com', null] }))).toEqual([
      'emails[1]',
      'emails[2]',
    ]);
    expect(faults(await update(userId, { emails: [{ email: 'ann@1.2.3.4' }] }))).toEqual(['emails[0].email']);
    expect(faults(await update(userId, { phone_numbers: [{ phone_number: '+9991234567' }] }))).toEqual([
      'phone_numbers[0].phone_number',
    ]);
    expect(faults(await update(userId, { emails: Array(21).fill({ email: 'a@b.co' }) }))).toEqual(['emails']);
  });

  it('assigns nothing a caller may not choose', async () => {
    const { user_id: userId } = await service.given.user(app, { requires_verification: true });
    const forged = {
      app_id: stranger.id,
      status: 'active',
      active: true,
      deleted_at: 1,
      deactivated_at: 1,
      wallet_type: 'solana',
    };
    const { body } = await update(userId, {
      ...forged,
      emails: [{ email: email(), verified: true, user_id: newId('user') }],
    });
    expect(body.user).toMatchObject({ user_id: userId, app_id: app.id, status: 'pending', active: false });
    expect(body.emails[0].verified).toBe(false);
  });
});

describe('deleting a user', () => {
  it('leaves nothing to be found, and a tombstone without a name or an address', async () => {
    const { user_id: userId } = await service.given.user(app, { first_name: 'Ann', phone_number: phone() });
    expect((await remove(userId)).body).toEqual({ user_id: userId, message: expect.any(String) });
    for (const answer of [await get(userId), await remove(userId), await update(userId, { first_name: 'Eve' })]) {
      expect(refusal(answer)).toEqual([404, 'user_not_found']);
    }
    expect(await observer.rows('select first_name, deleted_at from users where id = $1', [userId])).toEqual([
      { first_name: '', deleted_at: expect.any(Date) },
    ]);
    expect(await observer.events(app.id, userId)).toEqual(['user.created', 'user.deleted']);
  });

  it('frees the addresses', async () => {
    const body = { email: email(), phone_number: phone() };
    const first = await create(body);
    await remove(first.body.user_id);
    const second = await create(body);
    expect(second.status).toBe(200);
    expect(second.body.user_id).not.toBe(first.body.user_id);
    expect(refusal(await remove(`emails/${first.body.email_id}`))).toEqual([404, 'email_not_found']);
  });

  it('happens once, however many ask at once', async () => {
    const { user_id: userId } = await service.given.user(app);
    const answers = await observer.together(
      'users',
      Array.from({ length: 20 }, () => () => remove(userId)),
    );
    expect(outcomes(answers)).toEqual(['200', ...Array<string>(19).fill('404 user_not_found')]);
    expect(await observer.events(app.id, userId)).toEqual(['user.created', 'user.deleted']);
  });
});

describe('deleting an address', () => {
  it('takes it from its user and frees it', async () => {
    const [address, number] = [email(), phone()];
    const { body: user } = await create({ email: address, phone_number: number });
    expect((await remove(`emails/${user.email_id}`)).body).toEqual({
      user_id: user.user_id,
      message: expect.any(String),
    });
    expect((await get(user.user_id)).body).toMatchObject({ emails: [], phone_numbers: [{ phone_number: number }] });
    expect((await create({ email: address })).status).toBe(200);
    expect(refusal(await remove(`emails/${user.email_id}`))).toEqual([404, 'email_not_found']);
    expect(await observer.events(app.id, user.user_id)).toEqual(['user.created', 'factor.removed', 'user.updated']);
  });

  it('leaves the last sign-in method', async () => {
    const { body: user } = await create({ email: email(), phone_number: phone() });
    expect((await remove(`phone_numbers/${user.phone_number_id}`)).status).toBe(200);
    expect(refusal(await remove(`emails/${user.email_id}`))).toEqual([409, 'last_way_to_sign_in']);
    expect((await get(user.user_id)).body.emails).toHaveLength(1);
  });

  it('counts a login wallet as a sign-in method, and a wallet the service holds as none', async () => {
    const { body: user } = await create({ email: email(), wallet_type: 'ethereum' });
    expect(refusal(await remove(`emails/${user.email_id}`))).toEqual([409, 'last_way_to_sign_in']);
    await givenLoginWallet(user.user_id);
    expect((await remove(`emails/${user.email_id}`)).status).toBe(200);
  });

  it('counts an identity at a provider as a sign-in method while the app is connected with the provider', async () => {
    const provider = unique();
    const connection = await service.given.connection(app, {
      provider,
      issuer: 'https://id.example.com',
      client_id: 'acme',
      client_secret: 'secret',
    });
    const signedIn = (subject: string) =>
      service.nest.get(SignInWithProvider).execute(app.id as AppId, {
        connectionId: connection.id as OauthConnectionId,
        provider,
        subject,
        email: { address: email(), proven: true, domains: [], isIssuerEntered: true },
      });
    const emailOf = async (userId: string): Promise<string> => (await get(userId)).body.emails[0].id;
    const [ann, ben] = [await signedIn('ann'), await signedIn('ben')];
    expect((await remove(`emails/${await emailOf(ann.userId)}`)).status).toBe(200);
    await service.call('DELETE', `/management/v1/apps/${app.id}/oauth_connections/${connection.id}`, {
      key: service.managementKey,
    });
    expect(refusal(await remove(`emails/${await emailOf(ben.userId)}`))).toEqual([409, 'last_way_to_sign_in']);
  });

  it('leaves one of the last two, however many go at once', async () => {
    const users = await Promise.all(
      Array.from({ length: 10 }, () => create({ email: email(), phone_number: phone() })),
    );
    const answers = await observer.together(
      'users',
      users.flatMap(({ body }) => [
        () => remove(`emails/${body.email_id}`),
        () => remove(`phone_numbers/${body.phone_number_id}`),
      ]),
    );
    expect(outcomes(answers)).toEqual([
      ...Array<string>(10).fill('200'),
      ...Array<string>(10).fill('409 last_way_to_sign_in'),
    ]);
  });
});

describe("another app's ids", () => {
  it('are treated as unknown ids, and nothing happens to them', async () => {
    const { body: user } = await create({ email: email(), phone_number: phone() });
    const theirs = { user: user.user_id, email: user.email_id, phone: user.phone_number_id };
    const nobodys = { user: newId('user'), email: newId('email'), phone: newId('phoneNumber') };
    const asked = async (ids: typeof theirs): Promise<unknown[]> => {
      const key = stranger.secretKey;
      const answers = [
        await get(ids.user, key),
        await update(ids.user, { first_name: 'Eve', emails: [{ email: email() }] }, key),
        await remove(ids.user, key),
        await remove(`emails/${ids.email}`, key),
        await remove(`phone_numbers/${ids.phone}`, key),
      ];
      return answers.map(impersonal);
    };
    const answers = await asked(theirs);
    expect(answers).toEqual(await asked(nobodys));
    expect(answers).toEqual(Array(5).fill(expect.objectContaining({ status: 404 })));
    expect((await get(user.user_id)).body).toMatchObject({ first_name: '', emails: [{ id: user.email_id }] });
  });

  it.each([
    ['of another kind', () => newId('app')],
    ['in upper case', () => newId('user').toUpperCase()],
    ['of no form', () => 'user_1'],
    ['with SQL in it', () => encodeURIComponent("' or 1=1 --")],
    ['very long', () => `user_${'a'.repeat(5_000)}`],
  ])('are not distinguishable from ids %s', async (_, id) => {
    const answer = await get(id());
    expect(impersonal(answer)).toEqual(impersonal(await get(newId('user'))));
  });
});

describe('an email id where a phone number id belongs', () => {
  it('is not found', async () => {
    const { body: user } = await create({ email: email(), phone_number: phone() });
    expect(refusal(await remove(`phone_numbers/${user.email_id}`))).toEqual([404, 'phone_number_not_found']);
    expect(refusal(await remove(`emails/${user.phone_number_id}`))).toEqual([404, 'email_not_found']);
    expect(refusal(await remove(user.email_id))).toEqual([404, 'user_not_found']);
  });
});

/** A wallet its user signed in with; the endpoints for it come with another part of the service. */
async function givenLoginWallet(userId: string): Promise<string> {
  const id = newId('wallet');
  await observer.rows(
    `insert into wallets (app_id, id, user_id, wallet_type, public_address, verified, is_default, is_read_only, is_imported, created_at, updated_at)
     values ($1, $2, $3, 'ethereum', $4, true, false, true, true, to_timestamp(1700000000.9), to_timestamp(1700000000.9))`,
    [app.id, id, userId, `0x${id.slice(-20)}`],
  );
  await signRows(service, 'wallets');
  return id;
}
