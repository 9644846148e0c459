import { Wallet as EthersWallet } from 'ethers';
import { generateSync } from 'otplib';
import type { AppId, UserId } from '../../../src/kernel/ids.js';
import { KEY_SCOPES } from '../../../src/kernel/key-restriction.js';
import { Transactions } from '../../../src/kernel/transactions.js';
import { ProveAddress, SignInWithProvider, UserProfiles } from '../../../src/modules/identity/index.js';
import { type Answer, startApp, type TestApp } from '../../support/app.js';
import { type GivenApp, unique } from '../../support/given.js';
import { codeIn, Inbox, tokenIn } from '../../support/inbox.js';
import { Observer, openConnections } from '../../support/observer.js';
import { PasskeyApp } from '../passkey/passkeys.js';
import { asking, PolicyApp } from '../policy/policies.js';

// An account passes to the owner of its address, and everything that was begun on it before ends.
let inbox: Inbox;
let service: TestApp;
let replica: TestApp;
let observer: Observer;
let app: GivenApp;
beforeAll(async () => {
  inbox = await Inbox.start();
  service = await startApp({ env: { ...inbox.env, DATABASE_POOL_SIZE: '30' } });
  replica = await startApp({ env: inbox.env, databaseUrl: service.databaseUrl });
  await openConnections(service, 20);
  observer = await Observer.of(service);
  ({ app } = await PasskeyApp.of(service));
  await service.given.redirectUrl(app, 'login', 'https://shop.example/in');
  await service.given.redirectUrl(app, 'registration', 'https://shop.example/new');
});
afterAll(async () => {
  await observer?.close();
  await replica?.stop();
  await service?.stop();
  await inbox?.stop();
});

const call = (method: string, path: string, body?: unknown, key = app.secretKey, at = service): Promise<Answer> =>
  at.call(method, `/v1/${path}`, { key, body });
const post = (path: string, body: unknown, key?: string, at?: TestApp) => call('POST', path, body, key, at);
async function done(answer: Promise<Answer>): Promise<Answer['body']> {
  const { status, body, text } = await answer;
  if (status !== 200) throw new Error(text);
  return body;
}
const refusal = ({ status, body }: Answer): unknown => [status, body.error_type];
const managed = (method: string, path: string, body?: unknown) =>
  done(service.call(method, `/management/v1/apps/${app.id}/${path}`, { key: service.managementKey, body }));
const userOf = (userId: string) => done(call('GET', `auth/users/${userId}`));
const address = (): string => `${unique()}@example.com`;
let line = 4155590000;
const phone = (): string => `+1${line++}`;

interface Account {
  readonly userId: UserId;
  readonly email: string;
  readonly phoneNumber: string;
  readonly walletId: string;
}

/** The account of a form with an email and a phone number. */
async function account(fields: object = {}): Promise<Account> {
  const [email, phoneNumber] = [address(), phone()];
  const body = { email, phone_number: phoneNumber, wallet_type: 'ethereum', ...fields };
  const { user_id: userId } = await done(post('auth/users/create', body));
  return { userId, email, phoneNumber, walletId: (await userOf(userId)).wallets[0].id };
}

interface Code {
  readonly method_id: string;
  readonly otp: string;
}
async function mailed(email: string): Promise<Code> {
  const send = () => done(post('auth/otps/email/send', { email, expires_in: 10 }));
  const { answer, message } = await inbox.after(email, send);
  return { method_id: answer.email_id, otp: codeIn(message) };
}
async function texted(phone_number: string): Promise<Code> {
  const send = () => done(post('auth/otps/sms/send', { phone_number, expires_in: 10 }));
  const { answer, message } = await inbox.after(phone_number, send);
  return { method_id: answer.phone_number_id, otp: codeIn(message) };
}
const verify = (code: Code, fields: object = {}, key?: string) => post('auth/otps/verify', { ...code, ...fields }, key);
const proveEmail = (email: string) => service.nest.get(ProveAddress, { strict: false }).email(app.id as AppId, email);
const transactions = (): Transactions => service.nest.get(Transactions);

describe('a form with an email and a phone number', () => {
  it('gives both to its user who proves the second within the session of the first', async () => {
    const { userId, email, phoneNumber } = await account({ first_name: 'Grace' });
    const [code, second] = [await mailed(email), await texted(phoneNumber)];
    const first = await done(verify(code, { session_expires_in: 60 }));
    expect(first).toMatchObject({ user_id: userId, account_prepared: { fields: ['first_name', 'phone_number'] } });
    const { session_token } = first;
    expect(await done(verify(second, { session_token }))).toMatchObject({ user_id: userId, account_prepared: null });
    expect(await userOf(userId)).toMatchObject({
      first_name: 'Grace',
      emails: [{ verified: true }],
      phone_numbers: [{ verified: true }],
    });
  });

  it('gives the second to the person who proves it without that session, in an account of their own', async () => {
    const { userId, email, phoneNumber, walletId } = await account({ first_name: 'Grace' });
    const [code, second] = [await mailed(email), await texted(phoneNumber)];
    await done(verify(code));
    const moved = await done(verify(second));
    expect(moved).toMatchObject({ user_created: true, account_prepared: null });
    expect(await userOf(userId)).toMatchObject({ first_name: 'Grace', phone_numbers: [], wallets: [{ id: walletId }] });
    expect(await userOf(moved.user_id)).toMatchObject({ first_name: '', emails: [], wallets: [] });
  });

  it('lets a link to the email work after the phone number was proved', async () => {
    const { userId, email, phoneNumber } = await account();
    const { message } = await inbox.after(email, () => done(post('auth/magic_links/email/login_or_create', { email })));
    const { session_token } = await done(verify(await texted(phoneNumber), { session_expires_in: 60 }));
    const followed = await done(post('auth/magic_links/verify', { token: tokenIn(message), session_token }));
    expect(followed).toMatchObject({ user_id: userId, account_prepared: null });
  });

  it('has one user of each address, however both are proved at once', async () => {
    const accounts = await Promise.all(Array.from({ length: 6 }, () => account()));
    const proof = service.nest.get(ProveAddress, { strict: false });
    const proven = await observer.together(
      'users',
      accounts.flatMap(({ email, phoneNumber }) => [
        () => proof.email(app.id as AppId, email),
        () => proof.phoneNumber(app.id as AppId, phoneNumber),
      ]),
    );
    for (const [index, { userId }] of accounts.entries()) {
      const both = proven.slice(2 * index, 2 * index + 2);
      expect(both.filter((one) => one.userId === userId)).toHaveLength(1);
      expect(both.filter(({ prepared }) => prepared !== null)).toHaveLength(1);
      expect(both.filter(({ userCreated }) => userCreated)).toHaveLength(1);
    }
  });
});

describe('an address that was attached after the creation', () => {
  it('leaves the account at the proof, with its codes, and is free', async () => {
    const { userId, email, phoneNumber } = await account();
    const later = address();
    await done(call('PUT', `auth/users/${userId}/update`, { emails: [{ email: later }] }));
    const [code, stray] = [await mailed(email), await mailed(later)];
    expect((await done(verify(code))).account_prepared).toMatchObject({ fields: ['phone_number'] });
    expect(await userOf(userId)).toMatchObject({
      emails: [{ email, verified: true }],
      phone_numbers: [{ phone_number: phoneNumber, verified: false }],
    });
    expect(refusal(await verify(stray))).toEqual([400, 'invalid_otp']);
    expect((await done(post('auth/users/create', { email: later }))).user_id).not.toBe(userId);
  });

  it('gets the account as the app prepared it if it is proved first', async () => {
    const { userId, email } = await account({ last_name: 'Hopper' });
    const [later, another] = [address(), address()];
    await done(call('PUT', `auth/users/${userId}/update`, { emails: [{ email: later }, { email: another }] }));
    const { account_prepared } = await done(verify(await mailed(later)));
    expect(account_prepared).toMatchObject({ fields: ['last_name', 'email', 'phone_number'] });
    const { emails } = await userOf(userId);
    const shown = emails.map((one: { email: string; verified: boolean }) => [one.email, one.verified]);
    expect(shown).toEqual([
      [email, false],
      [later, true],
    ]);
  });
});

describe('a key that is bound to the account', () => {
  const restricted = (fields: object): Promise<{ id: string; key: string }> =>
    managed('POST', 'keys', { kind: 'restricted', scopes: KEY_SCOPES, ...fields });
  const sign = (walletId: string, key: string, at = service) =>
    post(`wallets/${walletId}/sign_message`, { message: 'yes' }, key, at);

  it('ends by the proof, on every replica, before that is answered', async () => {
    const [prepared, other] = [await account(), await account()];
    const { userId, walletId } = prepared;
    const keys = await Promise.all([
      restricted({ user_id: userId }),
      restricted({ wallet_ids: [walletId] }),
      restricted({ user_id: userId, wallet_ids: [walletId] }),
      restricted({ wallet_ids: [other.walletId, walletId] }),
    ]);
    const spared = await Promise.all([restricted({ user_id: other.userId }), restricted({})]);
    const reads = (key: string, at: TestApp) => call('GET', `wallets/list?user_id=${userId}`, undefined, key, at);
    // Both replicas know the keys.
    for (const { key } of [...keys, ...spared])
      for (const at of [service, replica]) expect((await reads(key, at)).status).toBe(200);
    await done(verify(await mailed(prepared.email)));
    for (const { key } of keys)
      for (const at of [service, replica])
        expect(refusal(await reads(key, at))).toEqual([401, 'unauthorized_credentials']);
    for (const { key } of spared) expect((await reads(key, replica)).status).toBe(200);
    const { keys: left } = await managed('GET', 'keys');
    expect(left.map(({ id }: { id: string }) => id)).not.toEqual(expect.arrayContaining([keys[0]!.id]));
    const ended = await observer.rows<{ id: string }>(
      `select data->>'key_id' as id from stored_events where app_id = $1 and type = 'key.revoked'`,
      [app.id],
    );
    expect(ended.map(({ id }) => id).toSorted()).toEqual(keys.map(({ id }) => id).toSorted());
  });

  it('ends by its own call that proves the address, which succeeds', async () => {
    const prepared = await account();
    const { key } = await restricted({ user_id: prepared.userId });
    const code = await mailed(prepared.email);
    expect(await done(verify(code, {}, key))).toMatchObject({ user_id: prepared.userId });
    expect((await call('GET', `auth/users/${prepared.userId}`, undefined, key)).status).toBe(401);
  });

  it.each<[string, (prepared: Account, key: string) => Promise<Answer>, unknown]>([
    ['signs', ({ walletId }, key) => sign(walletId, key), [409, 'account_taken']],
    [
      'makes a link',
      ({ userId }, key) => post('auth/magic_links/create', { user_id: userId }, key),
      [401, 'unauthorized_credentials'],
    ],
    [
      'begins a TOTP',
      ({ userId }, key) => post('auth/totps/create', { user_id: userId }, key),
      [401, 'unauthorized_credentials'],
    ],
    [
      'renames the user',
      ({ userId }, key) => call('PUT', `auth/users/${userId}/update`, { first_name: 'Eve' }, key),
      [401, 'unauthorized_credentials'],
    ],
    [
      'deletes the user',
      ({ userId }, key) => call('DELETE', `auth/users/${userId}/delete`, undefined, key),
      [401, 'unauthorized_credentials'],
    ],
  ])('changes nothing when it %s while the proof runs', async (_, act, outcome) => {
    const prepared = await account();
    const { key } = await restricted({ user_id: prepared.userId });
    let acting!: Promise<Answer>;
    await transactions().run(async () => {
      await proveEmail(prepared.email);
      acting = act(prepared, key);
      await observer.untilWaiting('users', () => 1);
    });
    expect(refusal(await acting)).toEqual(outcome);
    expect(await userOf(prepared.userId)).toMatchObject({ first_name: '', emails: [{ verified: true }], totps: [] });
    const links = 'select from magic_links where user_id = $1 and consumed_at is null and email_id is null';
    expect(await observer.rows(links, [prepared.userId])).toEqual([]);
  });

  it('ends also when it is made while the proof waits', async () => {
    const prepared = await account();
    const code = await mailed(prepared.email);
    await observer.rows('begin');
    await observer.rows('lock table api_keys in share mode');
    const made = restricted({ user_id: prepared.userId });
    await observer.untilWaiting('api_keys', () => 1);
    const proving = verify(code);
    await observer.untilWaiting('users', () => 1);
    await observer.rows('commit');
    const { key } = await made;
    expect((await proving).status).toBe(200);
    expect((await call('GET', `auth/users/${prepared.userId}`, undefined, key)).status).toBe(401);
  });
});

describe('an approval of a use of the account', () => {
  it('becomes void by the proof, and does not close the account before', async () => {
    const { app: bank } = await PasskeyApp.of(service);
    const passkeys = PasskeyApp.at(service, bank);
    const policies = PolicyApp.at(service, bank);
    const members = [await passkeys.holder(), await passkeys.holder()];
    const group = await policies.group(members.map(({ userId }) => userId));
    await policies.activate(await policies.version({ rules: [{ id: 'asks', ...asking(group) }] }));
    const email = address();
    const { user_id } = await service.given.user(bank, { email, wallet_type: 'ethereum' });
    const wallet = (await done(call('GET', `auth/users/${user_id}`, undefined, bank.secretKey))).wallets[0].id;
    const sign = (fields: object) =>
      post(`wallets/${wallet}/sign_message`, { message: 'yes', ...fields }, bank.secretKey);
    const [first, second] = [await sign({}), await sign({ message: 'no' })];
    expect(refusal(first)).toEqual([409, 'approval_required']);
    await policies.vote(second.body.approval_id, members[0]!);
    const proof = service.nest.get(ProveAddress, { strict: false });
    expect(await proof.email(bank.id as AppId, email)).toMatchObject({ userId: user_id });
    for (const { body } of [first, second])
      expect(await policies.approval(body.approval_id)).toMatchObject({ state: 'void', reason: 'user_claimed' });
    expect(refusal(await sign({ message: 'no', approval_id: second.body.approval_id }))).toEqual([
      409,
      'approval_ended',
    ]);
    expect((await policies.approval((await sign({})).body.approval_id)).state).toBe('waiting');
  });
});

describe('expected_user_id', () => {
  const expected = (userId: string) => ({ expected_user_id: userId });
  const REFUSED = [409, 'address_of_other_account'];

  it('lets in the user whom it names', async () => {
    const { userId, email } = await account();
    expect(await done(verify(await mailed(email), expected(userId)))).toMatchObject({ user_id: userId });
  });

  it('refuses a passcode that leads to another user, and counts no try', async () => {
    const [{ userId, email, phoneNumber }, other] = [await account(), await account()];
    await done(verify(await mailed(email)));
    const code = await texted(phoneNumber);
    // The number would move to a new user.
    for (let time = 0; time < 7; time++) expect(refusal(await verify(code, expected(userId)))).toEqual(REFUSED);
    expect(refusal(await verify(code, expected(other.userId)))).toEqual(REFUSED);
    expect((await userOf(userId)).phone_numbers).toHaveLength(1);
    expect((await done(verify(code))).user_created).toBe(true);
    expect(await observer.events(app.id, userId)).toContain('address.moved');
  });

  it('refuses a link that leads to another user, which stays unspent', async () => {
    const [{ userId, email }, other] = [await account(), await account()];
    const { message } = await inbox.after(email, () => done(post('auth/magic_links/email/login_or_create', { email })));
    const body = { token: tokenIn(message) };
    expect(refusal(await post('auth/magic_links/verify', { ...body, ...expected(other.userId) }))).toEqual(REFUSED);
    expect(await done(post('auth/magic_links/verify', { ...body, ...expected(userId) }))).toMatchObject({
      user_id: userId,
      account_prepared: { fields: ['phone_number'] },
    });
  });

  it('refuses an embedded link, a TOTP, a passkey and a wallet of another user, and spends none', async () => {
    const [{ userId }, other] = [await account(), await account()];
    const { token } = await done(post('auth/magic_links/create', { user_id: userId }));
    const { secret } = await done(post('auth/totps/create', { user_id: userId }));
    const passkeys = PasskeyApp.at(service, app);
    const holder = await passkeys.holder();
    const options = await passkeys.beginAuthentication(holder.userId);
    const credential = holder.authenticator.get(options.body.public_key_credential_request_options);
    const key = EthersWallet.createRandom();
    const wallet = { wallet_type: 'ethereum', public_address: key.address };
    const { challenge, user_id: reserved } = await done(post('auth/wallets/registrations/begin', wallet));
    const signed = { ...wallet, signature: await key.signMessage(challenge) };
    const doors: [string, string, () => object][] = [
      ['auth/magic_links/verify', userId, () => ({ token })],
      ['auth/totps/verify', userId, () => ({ user_id: userId, totp: generateSync({ secret }) })],
      ['auth/webauthn/verify', holder.userId, () => ({ public_key_credential: credential })],
      ['auth/wallets/verify', reserved, () => signed],
    ];
    for (const [path, mine, body] of doors) {
      for (let time = 0; time < 6; time++)
        expect(refusal(await post(path, { ...body(), ...expected(other.userId) }))).toEqual(REFUSED);
      const verified = await done(post(path, { ...body(), ...expected(mine) }));
      expect(verified).toMatchObject({ user_id: mine, user_created: false });
    }
  });

  it('of another app or another kind is refused', async () => {
    const { email } = await account();
    const code = await mailed(email);
    const stranger = await service.given.user(await service.given.app());
    expect(refusal(await verify(code, expected(stranger.user_id)))).toEqual(REFUSED);
    expect((await verify(code, expected(code.method_id))).status).toBe(400);
    expect((await verify(code, { expected_user_id: null })).status).toBe(200);
  });
});

describe('a user who was reserved for a wallet', () => {
  it('is prepared as any other: the names stay, and addresses leave', async () => {
    const key = EthersWallet.createRandom();
    const wallet = { wallet_type: 'ethereum', public_address: key.address };
    const { challenge, user_id: userId } = await done(post('auth/wallets/registrations/begin', wallet));
    const email = address();
    await done(call('PUT', `auth/users/${userId}/update`, { first_name: 'Grace', emails: [{ email }] }));
    const verified = await done(
      post('auth/wallets/verify', { ...wallet, signature: await key.signMessage(challenge) }),
    );
    expect(verified).toMatchObject({
      user_id: userId,
      user_created: false,
      account_prepared: { fields: ['first_name'] },
    });
    expect(await userOf(userId)).toMatchObject({ first_name: 'Grace', emails: [] });
  });
});

describe('the unverified addresses with which a user was created', () => {
  const limited = async (userId: string) =>
    (
      await observer.rows<{ days: number | null }>(
        `select round(extract(epoch from unverified_until - now()) / 86400)::int as days
           from (select app_id, user_id, unverified_until, verified_at from emails
                 union all select app_id, user_id, unverified_until, verified_at from phone_numbers) c
          where app_id = $1 and user_id = $2 and verified_at is null`,
        [app.id, userId],
      )
    ).map(({ days }) => days);

  it('stay until the first proof, then 7 days', async () => {
    const { userId, email } = await account();
    expect(await limited(userId)).toEqual([null, null]);
    await done(call('PUT', `auth/users/${userId}/update`, { emails: [{ email: address() }] }));
    const days = await limited(userId);
    expect([days.length, days.filter((each) => each !== null)]).toEqual([3, [7]]);
    await proveEmail(email);
    expect(await limited(userId)).toEqual([7]);
  });

  it.each<[string, (userId: string) => Promise<unknown>]>([
    [
      'TOTP',
      async (user_id) => {
        const { secret } = await done(post('auth/totps/create', { user_id }));
        return done(post('auth/totps/verify', { user_id, totp: generateSync({ secret }) }));
      },
    ],
    [
      'passkey',
      (userId) => {
        const page = PasskeyApp.at(service, app);
        return page.holder(page.authenticator(), userId);
      },
    ],
  ])('stay for 7 days after a first %s', async (_, prove) => {
    const { userId } = await account();
    await prove(userId);
    expect(await limited(userId)).toEqual([7, 7]);
  });

  it('and what a provider proves leads to the same account', async () => {
    const { userId, email } = await account({ first_name: 'Grace' });
    const signedIn = await service.nest.get(SignInWithProvider, { strict: false }).execute(app.id as AppId, {
      connectionId: `oauthconn_${unique().padStart(26, '0').slice(-26)}` as never,
      provider: 'google',
      subject: unique(),
      firstName: 'Other',
      email: { address: email, proven: true, domains: [], isIssuerEntered: false },
    });
    expect(signedIn).toMatchObject({ userId, userCreated: false });
    const profile = await service.nest.get(UserProfiles, { strict: false }).get(app.id as AppId, userId);
    expect(profile.firstName).toBe('Grace');
  });
});
