import { type AppId, newId, type UserId } from '../../../src/kernel/ids.js';
import { DomainEvents, type SubscribedClass } from '../../../src/kernel/domain-events.js';
import { Transactions } from '../../../src/kernel/transactions.js';
import {
  IdentityFacade,
  LastWayToSignIn,
  ProveAddress,
  SignInWithProvider,
  AccountPassed,
  UserInactive,
  UserNotFound,
  UserProfiles,
} from '../../../src/modules/identity/index.js';
import { Database } from '../../../src/postgres/database.js';
import { startApp, type TestApp } from '../../support/app.js';
import { type GivenApp, unique } from '../../support/given.js';
import { Observer, openConnections } from '../../support/observer.js';
import { signedInAs } from '../../support/sign-in.js';
import { signRows } from '../../support/row-macs.js';

let service: TestApp;
let observer: Observer;
let app: GivenApp;
let appId: AppId;
let identity: IdentityFacade;
let proof: ProveAddress;
let providerSignIn: SignInWithProvider;
beforeAll(async () => {
  service = await startApp({ env: { DATABASE_POOL_SIZE: '45' } });
  await openConnections(service, 40);
  observer = await Observer.of(service);
  app = await service.given.app({ default_wallet_type: 'none' });
  appId = app.id as AppId;
  identity = service.nest.get(IdentityFacade, { strict: false });
  proof = service.nest.get(ProveAddress, { strict: false });
  providerSignIn = service.nest.get(SignInWithProvider, { strict: false });
});
afterAll(async () => {
  await observer.close();
  await service.stop();
});

const email = (): string => `${unique()}@example.com`;
let line = 4155560000;
const phone = (): string => `+1${line++}`;

interface Given {
  readonly user_id: UserId;
  readonly email_id: string;
}
const given = (fields: object = {}): Promise<Given> =>
  service.given.user(app, { ...fields }) as unknown as Promise<Given>;
const profile = async (userId: UserId) => service.nest.get(UserProfiles, { strict: false }).get(appId, userId);
const events = (userId: UserId): Promise<string[]> => observer.events(app.id, userId);
const manage = (userId: UserId, what: 'deactivate' | 'reactivate') =>
  service.call('POST', `/management/v1/apps/${app.id}/users/${userId}/${what}`, { key: service.managementKey });
const times = <T>(count: number, of: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => of(index));
const distinct = <T>(values: readonly T[]): T[] => [...new Set(values)];

const TAKEN = ['user.created', 'user.updated', 'user.claimed'] as const;

const google = newId('oauthConnection');
const github = newId('oauthConnection');
const signIn = (subject: string, address?: string, proven = true, connectionId = google) =>
  providerSignIn.execute(appId, {
    connectionId,
    provider: connectionId === google ? 'google' : 'github',
    subject,
    firstName: 'Ann',
    ...(address && { email: { address, proven, domains: [], isIssuerEntered: false } }),
  });

describe('a person who proves an address', () => {
  it('becomes a new user with the verified address if no user had it', async () => {
    const address = email();
    const proven = await proof.email(appId, ` ${address.toUpperCase()} `, { name: { lastName: 'Lee' } });
    expect(proven.userCreated).toBe(true);
    expect(await profile(proven.userId)).toMatchObject({
      lastName: 'Lee',
      status: 'active',
      emails: [{ id: proven.contactId, email: `${address.split('@')[0]!.toUpperCase()}@example.com`, verified: true }],
    });
    expect(await events(proven.userId)).toEqual(['user.created']);
  });

  it('is the user it was verified for (a), and nothing changes', async () => {
    const address = email();
    const first = await proof.email(appId, address);
    const before = await profile(first.userId);
    expect(await proof.email(appId, address)).toEqual({
      ...first,
      userCreated: false,
      isFirst: false,
      provedAt: expect.any(Date),
    });
    expect(await profile(first.userId)).toEqual(before);
    expect(await events(first.userId)).toEqual(['user.created']);
  });

  it('verifies it on the account they are signed in to (b), which stays theirs as it was', async () => {
    const [address, number] = [email(), phone()];
    const holder = await given({ email: address, phone_number: number, requires_verification: true });
    await proof.phoneNumber(appId, number, signedInAs(holder.user_id));
    const proven = await proof.email(appId, address, signedInAs(holder.user_id));
    expect(proven).toMatchObject({ userId: holder.user_id, userCreated: false, contactId: holder.email_id });
    expect(await profile(holder.user_id)).toMatchObject({
      status: 'active',
      active: true,
      emails: [{ verified: true }],
      phoneNumbers: [{ verified: true }],
    });
    expect(await events(holder.user_id)).toEqual(['user.created', 'user.updated', 'user.updated']);
  });

  it('gets an unused account (c), and its previous user loses every credential (CVE-2026-53516)', async () => {
    const address = email();
    const holder = await given({ email: address, requires_verification: true });
    const proven = await proof.email(appId, address);
    expect(proven).toMatchObject({ userId: holder.user_id, userCreated: false, contactId: holder.email_id });
    expect(await events(holder.user_id)).toEqual([...TAKEN]);
    expect(await profile(holder.user_id)).toMatchObject({ status: 'active', emails: [{ verified: true }] });
  });

  it.each<[string, (userId: UserId, number: string) => Promise<unknown>]>([
    ['a verified address', (userId, number) => proof.phoneNumber(appId, number, signedInAs(userId))],
    ['an identity at a provider', (userId) => givenIdentity(userId)],
    ['a login wallet', (userId) => givenLoginWallet(userId)],
  ])('parts from an account with %s (d), and nothing else moves', async (_, proveOtherwise) => {
    const [address, number] = [email(), phone()];
    const holder = await given({ email: address, phone_number: number, first_name: 'Eve' });
    await proveOtherwise(holder.user_id, number);
    const before = await profile(holder.user_id);
    const proven = await proof.email(appId, address, signedInAs((await given()).user_id));
    expect(proven.userCreated).toBe(true);
    expect(proven.userId).not.toBe(holder.user_id);
    expect(await profile(proven.userId)).toMatchObject({
      firstName: '',
      emails: [{ email: address, verified: true }],
      phoneNumbers: [],
      parts: { wallets: [] },
    });
    expect(await profile(holder.user_id)).toEqual({ ...before, emails: [], updatedAt: expect.any(Number) });
    expect(await events(holder.user_id)).not.toContain('user.credentials_revoked');
  });

  it('does not get a holder with nothing but a wallet the service made', async () => {
    const address = email();
    const holder = await given({ email: address, wallet_type: 'ethereum' });
    expect(await proof.email(appId, address)).toMatchObject({ userId: holder.user_id });
  });

  it('is refused where management deactivated the user who proved it', async () => {
    const known = email();
    const user = await proof.email(appId, known);
    await manage(user.userId, 'deactivate');
    await expect(proof.email(appId, known)).rejects.toThrow(UserInactive);
  });

  it('takes the caller’s transaction along: what fails later proves nothing', async () => {
    const address = email();
    const failing = service.nest.get(Transactions).run(async () => {
      await proof.email(appId, address);
      throw new Error('later');
    });
    await expect(failing).rejects.toThrow('later');
    expect(await identity.contact(appId, identity.address('email', address))).toBeNull();
  });

  it.each([
    ['an embedded link', '/v1/auth/magic_links/create'],
    ['an authenticator that is not active yet', '/v1/auth/totps/create'],
  ])('is an event that names revoked credentials where %s was begun on the account', async (_, path) => {
    const address = email();
    const holder = await given({ email: address });
    const body = { user_id: holder.user_id };
    expect((await service.call('POST', path, { key: app.secretKey, body })).status).toBe(200);
    await proof.email(appId, address);
    expect(await events(holder.user_id)).toEqual([
      'user.created',
      'user.updated',
      'user.credentials_revoked',
      'user.claimed',
    ]);
  });

  it('keeps the account of before when a credential cannot be revoked', async () => {
    const holder = await given({ email: `refused-${email()}` });
    const { email: address } = (await profile(holder.user_id)).emails[0]!;
    const refusing = subscribed(AccountPassed, async ({ userId }) => {
      if (userId === holder.user_id) throw new Error('not now');
    });
    await expect(proof.email(appId, address)).rejects.toThrow('not now');
    expect(refusing).toHaveBeenCalledTimes(1);
    expect(await profile(holder.user_id)).toMatchObject({ emails: [{ verified: false }] });
    expect(await events(holder.user_id)).toEqual(['user.created']);
  });
});

describe('many at once', () => {
  it('who prove an unknown address at once become one user', async () => {
    const address = email();
    const before = await observer.rows('select id from users where app_id = $1', [app.id]);
    const proven = await observer.together(
      'emails',
      times(20, () => () => proof.email(appId, address)),
    );
    expect(distinct(proven.map(({ userId }) => userId))).toHaveLength(1);
    expect(proven.filter(({ userCreated }) => userCreated)).toHaveLength(1);
    expect(await observer.rows('select id from users where app_id = $1', [app.id])).toHaveLength(before.length + 1);
  });

  it('who prove an address held unverified take its account over once', async () => {
    const address = email();
    const holder = await given({ email: address });
    const proven = await observer.together(
      'users',
      times(20, () => () => proof.email(appId, address)),
    );
    expect(distinct(proven.map(({ userId }) => userId))).toEqual([holder.user_id]);
    expect(await events(holder.user_id)).toEqual([...TAKEN]);
  });

  it('who prove an address that must part from its account become one new user', async () => {
    const [address, number] = [email(), phone()];
    const holder = await given({ email: address, phone_number: number });
    await proof.phoneNumber(appId, number, signedInAs(holder.user_id));
    const proven = await observer.together(
      'users',
      times(20, () => () => proof.email(appId, address)),
    );
    const [userId, ...others] = distinct(proven.map(({ userId }) => userId));
    expect(others).toEqual([]);
    expect(userId).not.toBe(holder.user_id);
    expect(proven.filter(({ userCreated }) => userCreated)).toHaveLength(1);
    expect(await profile(holder.user_id)).toMatchObject({ emails: [], phoneNumbers: [{ verified: true }] });
  });

  it('who create, prove, update and delete around one address leave it with one live user or none', async () => {
    const address = email();
    const users = await Promise.all(times(6, () => given()));
    const holder = await given({ email: address, phone_number: phone() });
    const call = (method: string, path: string, body?: unknown) =>
      service.call(method, path, { key: app.secretKey, body });
    const answers = await observer.together('users', [
      ...times(8, () => () => proof.email(appId, address).then(() => 200)),
      ...times(6, () => () => call('POST', '/v1/auth/users/create', { email: address }).then(({ status }) => status)),
      ...users.map(
        ({ user_id: id }) =>
          () =>
            call('PUT', `/v1/auth/users/${id}/update`, { emails: [{ email: address }] }).then(({ status }) => status),
      ),
      () => call('DELETE', `/v1/auth/users/${holder.user_id}/delete`).then(({ status }) => status),
      () => call('DELETE', `/v1/auth/users/emails/${holder.email_id}/delete`).then(({ status }) => status),
    ]);
    expect(answers.filter((status) => ![200, 404, 409].includes(status))).toEqual([]);
    const holders = await observer.rows(
      `select u.deleted_at from emails e join users u on u.app_id = e.app_id and u.id = e.user_id where e.app_id = $1 and e.canonical = $2`,
      [app.id, address],
    );
    expect(holders.filter((user) => user.deleted_at !== null)).toEqual([]);
  });
});

describe('a login through an identity provider', () => {
  it('finds the user of the subject again, also with another email', async () => {
    const subject = unique();
    const first = await signIn(subject, email());
    expect(first.userCreated).toBe(true);
    const [other, otherUser] = [email(), await given()];
    await proof.email(appId, other);
    expect(await signIn(subject, other)).toEqual({ ...first, userCreated: false });
    expect(await profile(first.userId)).toMatchObject({
      firstName: 'Ann',
      providerIdentities: [{ id: first.providerIdentityId, connectionId: google, provider: 'google', subject }],
    });
    expect(otherUser.user_id).not.toBe(first.userId);
  });

  it('leads to the user who proved the email before', async () => {
    const address = email();
    const { userId } = await proof.email(appId, address);
    const signedIn = await signIn(unique(), address.toUpperCase());
    expect(signedIn).toMatchObject({ userId, userCreated: false });
    expect(await profile(userId)).toMatchObject({
      firstName: '',
      providerIdentities: [{ id: signedIn.providerIdentityId }],
    });
  });

  it('takes over an account whose address was never proven', async () => {
    const address = email();
    const holder = await given({ email: address });
    expect(await signIn(unique(), address)).toMatchObject({ userId: holder.user_id, userCreated: false });
    expect(await events(holder.user_id)).toEqual([...TAKEN, 'user.updated']);
  });

  it.each([
    ['held verified', true],
    ['held unverified', false],
  ])('with an email that the provider does not prove leads to no existing user (nOAuth): %s', async (_, verified) => {
    const address = email();
    const holder = await given({ email: address });
    if (verified) await proof.email(appId, address);
    const before = await profile(holder.user_id);
    const signedIn = await signIn(unique(), address, false);
    expect(signedIn.userCreated).toBe(true);
    expect(await profile(signedIn.userId)).toMatchObject({ emails: [], firstName: 'Ann' });
    expect(await profile(holder.user_id)).toEqual(before);
  });

  it('without an email, or with one that is none, makes a user without one', async () => {
    for (const address of [undefined, 'not an address', 'ann@example.com,eve@evil.com']) {
      expect(await profile((await signIn(unique(), address)).userId)).toMatchObject({ emails: [] });
    }
  });

  it('keeps subjects of two connections and of two apps apart', async () => {
    const subject = unique();
    const other = await service.given.app({ default_wallet_type: 'none' });
    const users = [
      await signIn(subject),
      await signIn(subject, undefined, true, github),
      await providerSignIn.execute(other.id as AppId, { connectionId: google, provider: 'google', subject }),
    ];
    expect(distinct(users.map(({ userId }) => userId))).toHaveLength(3);
  });

  it('is refused to a deactivated user until they are reactivated', async () => {
    const subject = unique();
    const { userId } = await signIn(subject);
    await manage(userId, 'deactivate');
    await expect(signIn(subject)).rejects.toThrow(UserInactive);
    await manage(userId, 'reactivate');
    expect((await signIn(subject)).userId).toBe(userId);
  });

  it('of a deleted user makes a new one', async () => {
    const [subject, address] = [unique(), email()];
    const { userId } = await signIn(subject, address);
    await service.call('DELETE', `/v1/auth/users/${userId}/delete`, { key: app.secretKey });
    const again = await signIn(subject, address);
    expect(again.userCreated).toBe(true);
    expect(again.userId).not.toBe(userId);
  });

  it.each([
    ['without an email', () => undefined],
    ['with a proven email', () => email()],
  ])('of one new subject, 20 times at once %s, makes one user', async (_, address) => {
    const [subject, proven] = [unique(), address()];
    const before = await observer.rows('select id from users where app_id = $1', [app.id]);
    const signedIn = await observer.together(
      'provider_identities',
      times(20, () => () => signIn(subject, proven)),
    );
    expect(distinct(signedIn.map(({ userId }) => userId))).toHaveLength(1);
    expect(distinct(signedIn.map(({ providerIdentityId }) => providerIdentityId))).toHaveLength(1);
    expect(signedIn.filter(({ userCreated }) => userCreated)).toHaveLength(1);
    expect(await observer.rows('select id from users where app_id = $1', [app.id])).toHaveLength(before.length + 1);
  });

  it('of one new subject with 20 different emails at once makes one user', async () => {
    const subject = unique();
    const signedIn = await observer.together(
      'provider_identities',
      times(20, () => () => signIn(subject, email())),
    );
    expect(distinct(signedIn.map(({ userId }) => userId))).toHaveLength(1);
    expect((await profile(signedIn[0]!.userId)).emails).toHaveLength(1);
  });

  it('of two providers that prove one email at once, 20 subjects each, leads to one user', async () => {
    const address = email();
    const signedIn = await observer.together('emails', [
      ...times(20, () => () => signIn(unique(), address)),
      ...times(20, () => () => signIn(unique(), address, true, github)),
    ]);
    expect(distinct(signedIn.map(({ userId }) => userId))).toHaveLength(1);
    expect((await profile(signedIn[0]!.userId)).providerIdentities).toHaveLength(40);
  });
});

describe('finding or creating the holder of an address', () => {
  it('creates the user as asked, and then finds them, proved or not', async () => {
    const address = email();
    const created = await identity.findOrCreate(appId, identity.address('email', address), {
      status: 'pending',
      firstName: 'Ann',
    });
    expect(created).toMatchObject({
      userCreated: true,
      user: { status: 'pending', firstName: 'Ann' },
      contact: { verifiedAt: null },
    });
    const found = await identity.findOrCreate(appId, identity.address('email', address.toUpperCase()), {
      firstName: 'Eve',
    });
    expect(found).toMatchObject({
      userCreated: false,
      user: { id: created.user.id, firstName: 'Ann' },
      contact: { id: created.contact.id },
    });
    await proof.email(appId, address, signedInAs(created.user.id));
    expect(await identity.findOrCreate(appId, identity.address('email', address))).toMatchObject({
      user: { id: created.user.id, status: 'active' },
    });
  });

  it('creates one user, however many ask at once', async () => {
    const number = phone();
    const found = await observer.together(
      'phone_numbers',
      times(20, () => () => identity.findOrCreate(appId, identity.address('phone_number', number))),
    );
    expect(distinct(found.map(({ user }) => user.id))).toHaveLength(1);
    expect(found.filter(({ userCreated }) => userCreated)).toHaveLength(1);
  });

  it('is refused for a deactivated user who proved the address, and for no other', async () => {
    const address = email();
    const { user_id: userId } = await given({ email: address });
    await manage(userId, 'deactivate');
    await identity.findOrCreate(appId, identity.address('email', address));
    await manage(userId, 'reactivate');
    await proof.email(appId, address);
    await manage(userId, 'deactivate');
    await expect(identity.findOrCreate(appId, identity.address('email', address))).rejects.toThrow(UserInactive);
  });
});

describe('a user who must be active', () => {
  it('is neither unknown, deleted, of another app, nor deactivated; pending is enough', async () => {
    const { user_id: userId } = await given({ requires_verification: true });
    await identity.holdActive(appId, userId);
    const other = await service.given.app();
    await expect(identity.holdActive(other.id as AppId, userId)).rejects.toThrow(UserNotFound);
    await expect(identity.holdActive(appId, newId('user'))).rejects.toThrow(UserNotFound);
    await manage(userId, 'deactivate');
    await expect(identity.holdActive(appId, userId)).rejects.toThrow(UserInactive);
    await service.call('DELETE', `/v1/auth/users/${userId}/delete`, { key: app.secretKey });
    await expect(identity.holdActive(appId, userId)).rejects.toThrow(UserNotFound);
  });

  it.each([
    ['deactivated', (userId: UserId) => manage(userId, 'deactivate')],
    ['deleted', (userId: UserId) => service.call('DELETE', `/v1/auth/users/${userId}/delete`, { key: app.secretKey })],
  ])('is not %s before the transaction that asked has ended', async (_, end) => {
    const { user_id: userId } = await given();
    const order: string[] = [];
    let ending: Promise<unknown> | undefined;
    await service.nest.get(Transactions).run(async () => {
      await identity.holdActive(appId, userId);
      ending = end(userId).then(() => order.push('ended'));
      await observer.untilWaiting('users', () => 1);
      order.push('committing');
    });
    await ending;
    expect(order).toEqual(['committing', 'ended']);
  });
});

describe('a sign-in method removed by another module', () => {
  const WALLETS = { type: 'wallet', id: 'all' };
  const withoutWallets = (userId: UserId) => () =>
    service.nest
      .get(Database)
      .write('delete from wallets where app_id = $1 and user_id = $2', [appId, userId])
      .then(() => undefined);

  it('goes where another is left, and stays where none is', async () => {
    const { user_id: userId, email_id: emailId } = await given();
    await givenLoginWallet(userId);
    await service.call('DELETE', `/v1/auth/users/emails/${emailId}/delete`, { key: app.secretKey });
    await expect(identity.removeSignInMethod(appId, userId, WALLETS, 'app', withoutWallets(userId))).rejects.toThrow(
      LastWayToSignIn,
    );
    expect((await profile(userId)).parts['wallets']).toHaveLength(1);
    const { user_id: other } = await given({ email: 'other@example.com' });
    await givenLoginWallet(other);
    // An unverified address is none: a stranger may prove it.
    await expect(identity.removeSignInMethod(appId, other, WALLETS, 'app', withoutWallets(other))).rejects.toThrow(
      LastWayToSignIn,
    );
    await proof.email(appId, 'other@example.com', signedInAs(other));
    await identity.removeSignInMethod(appId, other, WALLETS, 'app', withoutWallets(other));
    expect((await profile(other)).parts['wallets']).toEqual([]);
  });
});

function subscribed<E extends AccountPassed>(
  type: SubscribedClass<E>,
  handler: (event: E) => Promise<void>,
): jest.Mock {
  const mock = jest.fn(handler);
  service.nest.get(DomainEvents).subscribe(type, mock);
  return mock;
}

async function givenIdentity(userId: UserId): Promise<void> {
  await observer.rows(
    `insert into provider_identities (app_id, id, user_id, connection_id, provider, subject, created_at, updated_at)
     values ($1, $2, $3, $4, 'google', $5, now(), now())`,
    [app.id, newId('providerIdentity'), userId, google, unique()],
  );
  await signRows(service, 'provider_identities');
}

async function givenLoginWallet(userId: UserId): Promise<void> {
  await observer.rows(
    `insert into wallets (app_id, id, user_id, wallet_type, public_address, verified, is_default, is_read_only, is_imported)
     values ($1, $2, $3, 'ethereum', $4, true, false, true, true)`,
    [app.id, newId('wallet'), userId, unique()],
  );
  await signRows(service, 'wallets');
}
