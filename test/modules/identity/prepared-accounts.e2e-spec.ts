import { Wallet as EthersWallet } from 'ethers';
import { generateSync } from 'otplib';
import { type AppId, newId, type UserId } from '../../../src/kernel/ids.js';
import { Transactions } from '../../../src/kernel/transactions.js';
import { EthereumRpc } from '../../../src/modules/chain/infrastructure/ethereum/ethereum-rpc.js';
import { IdentityFacade, ProveAddress, SignInWithProvider } from '../../../src/modules/identity/index.js';
import { type Answer, startApp, type TestApp } from '../../support/app.js';
import { patiently } from '../../support/eventually.js';
import { type GivenApp, unique } from '../../support/given.js';
import { keyPair, seal } from '../../support/hpke-peer.js';
import { codeIn, Inbox, tokenIn } from '../../support/inbox.js';
import { Observer } from '../../support/observer.js';
import { ORIGIN, PasskeyApp, RP_ID } from '../passkey/passkeys.js';

// An app prepares an account, or a person has something done with it, before the owner of its address proves that.
let inbox: Inbox;
let service: TestApp;
let observer: Observer;
let app: GivenApp;

beforeAll(async () => {
  stubEthereumNode();
  inbox = await Inbox.start();
  service = await startApp({
    env: { ...inbox.env, DATABASE_POOL_SIZE: '30', ETHEREUM_RPC_URL: 'http://127.0.0.1:1', ETHEREUM_CHAIN_ID: '31337' },
  });
  observer = await Observer.of(service);
  app = await service.given.app({ webauthn: { rp_id: RP_ID, origins: [ORIGIN] } });
  await service.given.redirectUrl(app, 'login', 'https://shop.example/in');
  await service.given.redirectUrl(app, 'registration', 'https://shop.example/new');
  await service.given.redirectUrl(app, 'invite', 'https://shop.example/invited');
});
afterAll(async () => {
  await observer?.close();
  await service?.stop();
  await inbox?.stop();
  jest.restoreAllMocks();
});

const DESTINATION = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';

/** A node that knows enough to quote a payment. */
function stubEthereumNode(): void {
  const block = { number: '0x3e8', hash: `0x${'b1'.repeat(32)}`, parentHash: `0x${'b0'.repeat(32)}`, transactions: [] };
  const answers: Readonly<Record<string, unknown>> = {
    eth_chainId: '0x7a69',
    eth_blockNumber: block.number,
    eth_getBlockByNumber: { ...block, baseFeePerGas: '0x3b9aca00' },
    eth_getTransactionCount: '0x0',
    eth_getBalance: '0xd3c21bcecceda1000000',
    eth_maxPriorityFeePerGas: '0x3b9aca00',
    eth_estimateGas: '0x5208',
    eth_feeHistory: { reward: [['0x3b9aca00']] },
  };
  const node = EthereumRpc.prototype as unknown as Record<string, (...parameters: never[]) => unknown>;
  jest.spyOn(node, 'send').mockImplementation(async (calls: [string][]) => calls.map(([method]) => answers[method]));
}

const call = (method: string, path: string, body?: unknown, key = app.secretKey): Promise<Answer> =>
  service.call(method, path, { key, body });
const post = (path: string, body: unknown, key?: string): Promise<Answer> => call('POST', `/v1/${path}`, body, key);
async function done(answer: Promise<Answer>): Promise<Answer['body']> {
  const { status, body, text } = await answer;
  if (status !== 200) throw new Error(text);
  return body;
}
const update = (userId: string, body: unknown) => done(call('PUT', `/v1/auth/users/${userId}/update`, body));
const userOf = (userId: string) => done(call('GET', `/v1/auth/users/${userId}`));
const managed = (method: string, path: string, body?: unknown) =>
  done(service.call(method, `/management/v1/apps/${app.id}/${path}`, { key: service.managementKey, body }));
const manage = (userId: string, what: string) => managed('POST', `users/${userId}/${what}`);
const address = (): string => `${unique()}@example.com`;
let line = 4155580000;
const phone = (): string => `+1${line++}`;

interface Account {
  readonly userId: UserId;
  readonly walletId: string;
  readonly email: string;
}

async function account(fields: object = {}): Promise<Account> {
  const email = address();
  const { user_id: userId } = await service.given.user(app, { email, ...fields });
  const { wallets } = await userOf(userId);
  return { userId: userId as UserId, walletId: wallets[0].id, email };
}

/** What an app may do for a user who has proved nothing. */
const ACTS = {
  'signs a message': ({ walletId }: Account) => post(`wallets/${walletId}/sign_message`, { message: 'yes' }),
  'signs typed data': ({ walletId }: Account) =>
    post(`wallets/${walletId}/sign_typed_data`, {
      typed_data: {
        domain: { name: 'Votes', chainId: 1 },
        types: { Vote: [{ name: 'choice', type: 'string' }] },
        primaryType: 'Vote',
        message: { choice: 'yes' },
      },
    }),
  'signs a transaction': ({ walletId }: Account) =>
    post(`wallets/${walletId}/sign_transaction`, {
      eth_transaction: {
        to: DESTINATION,
        value: '1',
        nonce: '0',
        gas: '21000',
        maxFeePerGas: '1000000000',
        maxPriorityFeePerGas: '1',
        chainId: '31337',
      },
    }),
  'exports the wallet': ({ walletId }: Account) =>
    post(`wallets/${walletId}/export`, { encryption_public_key: keyPair().getPublicKey('base64') }),
  'imports a wallet': async ({ userId }: Account) => {
    const { id, encryption_public_key } = await done(
      post('wallets/import/begin', { user_id: userId, wallet_type: 'ethereum' }),
    );
    const key = Buffer.from(EthersWallet.createRandom().privateKey);
    const { enc, ct } = seal(Buffer.from(encryption_public_key, 'base64'), key);
    return post('wallets/import', {
      id,
      encapsulated_key: enc.toString('base64'),
      ciphertext: ct.toString('base64'),
    });
  },
  'creates a transfer': ({ walletId }: Account) =>
    post('transfers/create', {
      source: walletId,
      dest: DESTINATION,
      source_amount: '1',
      source_currency: 'ethereum',
      dest_currency: 'ethereum',
    }),
} as const;

const embedded = async ({ userId }: Account): Promise<string> =>
  (await done(post('auth/magic_links/create', { user_id: userId }))).token;

/** What the account of a person who has proved nothing may be given, besides its address. */
const PREPARATIONS: Readonly<Record<string, () => Promise<Account>>> = {
  ...Object.fromEntries(
    Object.entries(ACTS).map(([name, act]) => [
      name,
      async () => {
        const prepared = await account();
        await done(act(prepared));
        return prepared;
      },
    ]),
  ),
  'starts a session': async () => {
    const prepared = await account();
    await done(post('auth/magic_links/verify', { token: await embedded(prepared), session_expires_in: 60 }));
    return prepared;
  },
  'deactivates it': async () => {
    const prepared = await account();
    await manage(prepared.userId, 'deactivate');
    return prepared;
  },
  'activates a TOTP': async () => {
    const prepared = await account();
    const { secret } = await done(post('auth/totps/create', { user_id: prepared.userId }));
    await done(post('auth/totps/verify', { user_id: prepared.userId, totp: generateSync({ secret }) }));
    return prepared;
  },
  'registers a passkey': async () => {
    const prepared = await account();
    const page = PasskeyApp.at(service, app);
    await page.holder(page.authenticator(), prepared.userId);
    return prepared;
  },
  'attaches a login wallet': async () => {
    const prepared = await account();
    const key = EthersWallet.createRandom();
    const named = { wallet_type: 'ethereum', public_address: key.address };
    const { challenge } = await done(post('auth/wallets/registrations/begin', { ...named, user_id: prepared.userId }));
    await done(post('auth/wallets/verify', { ...named, signature: await key.signMessage(challenge) }));
    return prepared;
  },
};

interface Proof {
  readonly kind: 'email' | 'phone_number';
  /** Returns the response of the verify call; of a provider, what it would contain. */
  readonly prove: (address: string, fields?: object) => Promise<Answer['body']>;
}

/** How the owner of an address proves it. */
const PROOFS: Readonly<Record<string, Proof>> = {
  'an emailed passcode': {
    kind: 'email',
    prove: async (email, fields) => {
      const { answer, message } = await inbox.after(email, () =>
        done(post('auth/otps/email/login_or_create', { email, expires_in: 10 })),
      );
      return done(post('auth/otps/verify', { method_id: answer.email_id, otp: codeIn(message), ...fields }));
    },
  },
  'a passcode by SMS': {
    kind: 'phone_number',
    prove: async (phone_number, fields) => {
      const { answer, message } = await inbox.after(phone_number, () =>
        done(post('auth/otps/sms/login_or_create', { phone_number, expires_in: 10 })),
      );
      return done(post('auth/otps/verify', { method_id: answer.phone_number_id, otp: codeIn(message), ...fields }));
    },
  },
  'a link': {
    kind: 'email',
    prove: async (email, fields) => {
      const sent = () => done(post('auth/magic_links/email/login_or_create', { email }));
      const { message } = await inbox.after(email, sent);
      return done(post('auth/magic_links/verify', { token: tokenIn(message), ...fields }));
    },
  },
  'an invitation': {
    kind: 'email',
    prove: async (email, fields) => {
      const { message } = await inbox.after(email, () => done(post('auth/magic_links/email/invite', { email })));
      return done(post('auth/magic_links/verify', { token: tokenIn(message), ...fields }));
    },
  },
  'a provider': {
    kind: 'email',
    prove: async (email) => {
      const signIn = service.nest.get(SignInWithProvider, { strict: false });
      const subject = { connectionId: newId('oauthConnection'), provider: 'google', subject: unique() };
      const asserted = { address: email, proven: true, domains: [], isIssuerEntered: false };
      const signedIn = await signIn.execute(app.id as AppId, { ...subject, email: asserted });
      const { userId, userCreated, prepared } = signedIn;
      return { user_id: userId, user_created: userCreated, account_prepared: prepared };
    },
  },
};
const BY_EMAIL = Object.entries(PROOFS).filter(([, { kind }]) => kind === 'email');

/** The calls of an app in an ordinary sign-up, before the user proves the address. They return the id of the user. */
interface SignUp {
  readonly begin: (addresses: Record<Proof['kind'], string>, kind: Proof['kind']) => Promise<string>;
  /** The members of the user that stay. */
  readonly kept?: object;
  /** The fields that the response of the proof names; by default none. */
  readonly fields?: (other: Proof['kind']) => readonly string[];
  readonly kinds?: readonly Proof['kind'][];
}

const GRACE = { first_name: 'Grace', last_name: 'Hopper' };
const named: Pick<SignUp, 'kept' | 'fields'> = { kept: GRACE, fields: () => ['first_name', 'last_name'] };
/** Waits for the message, so that it is not taken for a later one. */
const sent = async (to: string, sending: Promise<Answer>): Promise<Answer['body']> =>
  (await inbox.after(to, () => done(sending))).answer;
const createdWith = async (fields: object): Promise<string> =>
  (await done(post('auth/users/create', fields))).user_id as string;

const SIGN_UPS: Readonly<Record<string, SignUp>> = {
  'creates the user': { begin: (addresses, kind) => createdWith({ [kind]: addresses[kind] }) },
  'creates the user with names': {
    begin: (addresses, kind) => createdWith({ [kind]: addresses[kind], ...GRACE, requires_verification: true }),
    ...named,
  },
  'creates the user with an id and data of its own': {
    begin: (addresses, kind) =>
      createdWith({ [kind]: addresses[kind], external_id: unique(), metadata: { plan: 'pro' } }),
    kept: { external_id: expect.stringMatching(/./), metadata: { plan: 'pro' } },
    fields: () => ['external_id', 'metadata'],
  },
  'creates the user with names, an email and a phone number': {
    begin: (addresses) => createdWith({ ...addresses, ...GRACE }),
    kept: GRACE,
    fields: (other) => ['first_name', 'last_name', other],
  },
  'creates the user and sets the names later': {
    begin: async (addresses, kind) => {
      const id = await createdWith({ [kind]: addresses[kind] });
      await update(id, GRACE);
      return id;
    },
    ...named,
  },
  'creates the user, and takes the names back': {
    begin: async (addresses, kind) => {
      const id = await createdWith({ [kind]: addresses[kind], ...GRACE });
      await update(id, { first_name: '', last_name: '' });
      return id;
    },
  },
  'logs in a new user': {
    begin: async (addresses, kind) => {
      const path = kind === 'email' ? 'auth/otps/email/login_or_create' : 'auth/otps/sms/login_or_create';
      return (await sent(addresses[kind], post(path, { [kind]: addresses[kind] }))).user_id;
    },
  },
  'mails a link to a new user': {
    begin: async ({ email }) => (await sent(email, post('auth/magic_links/email/login_or_create', { email }))).user_id,
    kinds: ['email'],
  },
  'invites a user by name': {
    begin: async ({ email }) => (await sent(email, post('auth/magic_links/email/invite', { email, ...GRACE }))).user_id,
    ...named,
    kinds: ['email'],
  },
  'lets an operator create the user': {
    begin: async (addresses, kind) =>
      (await managed('POST', 'users', { [kind]: addresses[kind], ...GRACE })).user_id as string,
    ...named,
  },
  'lets an operator invite and rename the user': {
    begin: async ({ email }) => {
      const invitation = { email, first_name: 'Gracie' };
      const { answer } = await inbox.after(email, () => managed('POST', 'users/invite', invitation));
      const { user_id } = answer;
      await managed('PATCH', `users/${user_id}`, GRACE);
      return user_id;
    },
    ...named,
    kinds: ['email'],
  },
  'attaches a second address and deletes it': {
    begin: async (addresses, kind) => {
      const id = await createdWith({ [kind]: addresses[kind] });
      const { emails } = await update(id, { emails: [{ email: address() }] });
      await done(call('DELETE', `/v1/auth/users/emails/${emails[0].id}/delete`));
      return id;
    },
  },
  'gives the user a second wallet': {
    begin: async (addresses, kind) => {
      const id = await createdWith({ [kind]: addresses[kind] });
      await done(post('wallets/create', { user_id: id, wallet_type: 'solana' }));
      return id;
    },
  },
  'begins a TOTP, a wallet login, an import and a link for the user': {
    begin: async (addresses, kind) => {
      const user_id = await createdWith({ [kind]: addresses[kind], ...GRACE });
      const wallet = { wallet_type: 'ethereum', public_address: EthersWallet.createRandom().address };
      await done(post('auth/totps/create', { user_id }));
      await done(post('auth/wallets/registrations/begin', { ...wallet, user_id }));
      await done(post('wallets/import/begin', { user_id, wallet_type: 'ethereum' }));
      await done(post('auth/magic_links/create', { user_id }));
      return user_id;
    },
    ...named,
  },
  'binds a key to the user': {
    begin: async (addresses, kind) => {
      const user_id = await createdWith({ [kind]: addresses[kind], ...GRACE });
      await managed('POST', 'keys', { kind: 'restricted', scopes: ['users:read'], user_id });
      return user_id;
    },
    ...named,
  },
  'deactivates and reactivates the user': {
    begin: async (addresses, kind) => {
      const id = await createdWith({ [kind]: addresses[kind], ...GRACE });
      await manage(id, 'deactivate');
      await manage(id, 'reactivate');
      return id;
    },
    ...named,
  },
};

const eventsOf = (userId: string, type: string) =>
  observer.rows<{ data: Record<string, unknown> }>(
    `select data from stored_events where app_id = $1 and type = $2 and data->>'user_id' = $3`,
    [app.id, type, userId],
  );

describe('the owner of an address', () => {
  it.each(Object.entries(SIGN_UPS))('is the user whom the app prepared when it %s', async (_, signUp) => {
    const { begin, kept = {}, fields = () => [], kinds = ['email', 'phone_number'] } = signUp;
    const proofs = Object.values(PROOFS).filter(({ kind }) => kinds.includes(kind));
    await Promise.all(
      proofs.map(async ({ kind, prove }) => {
        const addresses = { email: address(), phone_number: phone() };
        const userId = await begin(addresses, kind);
        const before = await userOf(userId);
        const verified = await prove(addresses[kind]);
        const other = kind === 'email' ? 'phone_number' : 'email';
        expect(verified).toMatchObject({
          user_id: userId,
          user_created: false,
          account_prepared: { fields: fields(other) },
        });
        const owner = await userOf(userId);
        expect(owner).toMatchObject({ ...kept, active: true, totps: [], wallets: before.wallets });
        const [proved, unproved] = kind === 'email' ? ['emails', 'phone_numbers'] : ['phone_numbers', 'emails'];
        expect(owner[proved]).toEqual([expect.objectContaining({ [kind]: addresses[kind], verified: true })]);
        expect(owner[unproved]).toEqual(before[unproved]);
        expect(await eventsOf(userId, 'user.claimed')).toEqual([{ data: { user_id: userId, fields: fields(other) } }]);
        const again = await prove(addresses[kind]);
        expect(again).toMatchObject({ user_id: userId, user_created: false, account_prepared: null });
      }),
    );
  });

  it('sees when the app prepared the account', async () => {
    const prepared = await account({ middle_name: 'Brewster' });
    const { created_at } = await userOf(prepared.userId);
    const { account_prepared } = await PROOFS['a link']!.prove(prepared.email);
    expect(account_prepared).toEqual({ at: created_at, fields: ['middle_name'] });
  });

  it('is a new user who got no prepared account where no account had the address', async () => {
    const email = address();
    const prove = PROOFS['a provider']!.prove;
    expect(await prove(email)).toMatchObject({ user_created: true, account_prepared: null });
  });
});

describe('the owner of an address that stands unverified on an account of another person', () => {
  it.each(Object.entries(PREPARATIONS))('gets nothing of the account when its preparer %s', async (_, prepare) => {
    await Promise.all(
      BY_EMAIL.map(async ([, { prove }]) => {
        const prepared = await prepare();
        const before = await userOf(prepared.userId);
        const verified = await prove(prepared.email);
        expect(verified).toMatchObject({ user_created: true, account_prepared: null });
        const owner = await userOf(verified.user_id);
        expect(owner).toMatchObject({
          active: true,
          first_name: '',
          last_name: '',
          emails: [{ email: prepared.email, verified: true }],
          phone_numbers: [],
        });
        expect(owner.user_id).not.toBe(prepared.userId);
        expect(owner.wallets).toHaveLength(1);
        const addresses = before.wallets.map((wallet: { public_address: string }) => wallet.public_address);
        expect(addresses).not.toContain(owner.wallets[0].public_address);
        const ofOthers = before.emails.filter(({ email }: { email: string }) => email !== prepared.email);
        expect(await userOf(prepared.userId)).toEqual({
          ...before,
          emails: ofOthers,
          ...(ofOthers.length === 0 && { email_id: '' }),
          updated_at: expect.any(Number),
        });
        expect(await eventsOf(prepared.userId, 'address.moved')).toEqual([
          {
            data: {
              user_id: prepared.userId,
              from_user_id: prepared.userId,
              to_user_id: owner.user_id,
              method_id: owner.emails[0].id,
              method_type: 'email',
            },
          },
        ]);
        expect(await eventsOf(prepared.userId, 'user.claimed')).toEqual([]);
      }),
    );
  });

  it.each(BY_EMAIL)('gets an unused account by %s, and what was begun on it ends', async (_, { prove }) => {
    const prepared = await account();
    const before = await userOf(prepared.userId);
    const token = await embedded(prepared);
    await done(post('auth/totps/create', { user_id: prepared.userId }));
    await done(post('wallets/import/begin', { user_id: prepared.userId, wallet_type: 'ethereum' }));
    expect(await prove(prepared.email)).toMatchObject({ user_id: prepared.userId });
    expect(await userOf(prepared.userId)).toMatchObject({
      emails: [{ id: before.emails[0].id, verified: true }],
      wallets: before.wallets,
      totps: [],
    });
    const followed = await post('auth/magic_links/verify', { token });
    expect([followed.status, followed.body.error_type]).toEqual([400, 'invalid_magic_token']);
    expect(await observer.rows('select id from wallet_imports where user_id = $1', [prepared.userId])).toEqual([]);
  });
});

describe('a proof at the same moment', () => {
  const prove = (email: string) => service.nest.get(ProveAddress, { strict: false }).email(app.id as AppId, email);
  const transactions = (): Transactions => service.nest.get(Transactions);

  it.each(Object.entries(ACTS).filter(([name]) => !name.startsWith('imports')))(
    'that comes first refuses the preparer who %s',
    async (_, act) => {
      const prepared = await account();
      let acting!: Promise<Answer>;
      await transactions().run(async () => {
        await prove(prepared.email);
        acting = act(prepared);
        await observer.untilWaiting('users', () => 1);
      });
      const { status, body } = await acting;
      expect([status, body.error_type]).toEqual([409, 'account_taken']);
      const types = await observer.events(app.id, prepared.userId);
      expect(types.slice(0, 3)).toEqual(['user.created', 'wallet.created', 'user.updated']);
      expect(types.filter((type) => type.endsWith('.signed') || type.startsWith('transfer.'))).toEqual([]);
      // The account is now in use by its owner.
      await done(act(prepared));
    },
  );

  it.each([
    [
      'session',
      (prepared: Account) => embedded(prepared),
      (token: string) => post('auth/magic_links/verify', { token, session_expires_in: 60 }),
    ],
    [
      'import',
      async ({ userId }: Account) =>
        JSON.stringify(await done(post('wallets/import/begin', { user_id: userId, wallet_type: 'ethereum' }))),
      (begun: string) => {
        const { id, encryption_public_key } = JSON.parse(begun) as { id: string; encryption_public_key: string };
        const key = Buffer.from(EthersWallet.createRandom().privateKey);
        const { enc, ct } = seal(Buffer.from(encryption_public_key, 'base64'), key);
        return post('wallets/import', {
          id,
          encapsulated_key: enc.toString('base64'),
          ciphertext: ct.toString('base64'),
        });
      },
    ],
  ])('that comes first ends the %s that was begun', async (_, begin, end) => {
    const prepared = await account();
    const begun = await begin(prepared);
    let ending!: Promise<Answer>;
    await transactions().run(async () => {
      await prove(prepared.email);
      ending = end(begun);
      await observer.untilWaiting('users', () => 1);
    });
    expect((await ending).status).toBe(400);
    expect((await userOf(prepared.userId)).wallets).toHaveLength(1);
    expect(await observer.rows('select id from sessions where user_id = $1', [prepared.userId])).toEqual([]);
  });

  it('that comes second gets another account', async () => {
    const prepared = await account();
    const { message } = await inbox.after(prepared.email, () =>
      done(post('auth/magic_links/email/login_or_create', { email: prepared.email })),
    );
    let proving!: Promise<Answer>;
    await transactions().run(async () => {
      await service.nest.get(IdentityFacade, { strict: false }).use(app.id as AppId, prepared.userId, true);
      proving = post('auth/magic_links/verify', { token: tokenIn(message) });
      await observer.untilWaiting('users', () => 1);
    });
    expect((await done(proving)).user_id).not.toBe(prepared.userId);
  });

  it('neither fails nor stops simultaneous first signatures', async () => {
    const prepared = await account();
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => patiently(() => ACTS['signs a message'](prepared))),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(200));
    expect((await prove(prepared.email)).userId).not.toBe(prepared.userId);
  });
});
