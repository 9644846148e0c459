import { Wallet as EthersWallet } from 'ethers';
import { generateSync } from 'otplib';
import { type AppId, newId, type UserId } from '../../../src/kernel/ids.js';
import { Transactions } from '../../../src/kernel/transactions.js';
import { EthereumRpc } from '../../../src/modules/chain/infrastructure/ethereum/ethereum-rpc.js';
import { IdentityFacade, ProveAddress, SignInWithProvider } from '../../../src/modules/identity/index.js';
import { type Answer, startApp, type TestApp } from '../../support/app.js';
import { type GivenApp, unique } from '../../support/given.js';
import { keyPair, seal } from '../../support/hpke-peer.js';
import { codeIn, Inbox, tokenIn } from '../../support/inbox.js';
import { Observer } from '../../support/observer.js';
import { ORIGIN, PasskeyApp, RP_ID } from '../passkey/passkeys.js';

// A person prepares an account with the address of another one, who proves it afterwards.
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

const call = (method: string, path: string, body?: unknown): Promise<Answer> =>
  service.call(method, path, { key: app.secretKey, body });
const post = (path: string, body: unknown): Promise<Answer> => call('POST', `/v1/${path}`, body);
async function done(answer: Promise<Answer>): Promise<Answer['body']> {
  const { status, body, text } = await answer;
  if (status !== 200) throw new Error(text);
  return body;
}
const update = (userId: string, body: unknown) => done(call('PUT', `/v1/auth/users/${userId}/update`, body));
const userOf = (userId: string) => done(call('GET', `/v1/auth/users/${userId}`));
const manage = (userId: string, what: string) =>
  done(service.call('POST', `/management/v1/apps/${app.id}/users/${userId}/${what}`, { key: service.managementKey }));
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
  'creates it with a name': () => account({ last_name: 'Mallory' }),
  'names it': async () => {
    const prepared = await account();
    await update(prepared.userId, { first_name: 'Mallory' });
    await update(prepared.userId, { first_name: '' });
    return prepared;
  },
  'creates it with a second address': () => account({ phone_number: phone() }),
  'attaches a second address and deletes it': async () => {
    const prepared = await account();
    const { emails } = await update(prepared.userId, { emails: [{ email: address() }] });
    await done(call('DELETE', `/v1/auth/users/emails/${emails[0].id}/delete`));
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

/** How the owner of the address proves it. Each returns the id of the owner's user. */
const PROOFS: Readonly<Record<string, (email: string) => Promise<UserId>>> = {
  passcode: async (email) => {
    const { answer, message } = await inbox.after(email, () =>
      done(post('auth/otps/email/login_or_create', { email, expires_in: 10 })),
    );
    return (await done(post('auth/otps/verify', { method_id: answer.email_id, otp: codeIn(message) }))).user_id;
  },
  link: async (email) => {
    const { message } = await inbox.after(email, () => done(post('auth/magic_links/email/login_or_create', { email })));
    return (await done(post('auth/magic_links/verify', { token: tokenIn(message) }))).user_id;
  },
  provider: async (email) => {
    const signIn = service.nest.get(SignInWithProvider, { strict: false });
    const subject = { connectionId: newId('oauthConnection'), provider: 'google', subject: unique() };
    return (
      await signIn.execute(app.id as AppId, {
        ...subject,
        email: { address: email, proven: true, domains: [], isIssuerEntered: false },
      })
    ).userId;
  },
};

describe('the owner of an address that stands unverified on an account of another person', () => {
  it.each(Object.entries(PREPARATIONS))('gets nothing of the account when its preparer %s', async (_, prepare) => {
    await Promise.all(
      Object.values(PROOFS).map(async (prove) => {
        const prepared = await prepare();
        const before = await userOf(prepared.userId);
        const owner = await userOf(await prove(prepared.email));
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
      }),
    );
  });

  it.each(Object.entries(PROOFS))('gets an empty account by a %s, and what was begun on it ends', async (_, prove) => {
    const prepared = await account();
    const before = await userOf(prepared.userId);
    const token = await embedded(prepared);
    await done(post('auth/totps/create', { user_id: prepared.userId }));
    await done(post('wallets/import/begin', { user_id: prepared.userId, wallet_type: 'ethereum' }));
    expect(await prove(prepared.email)).toBe(prepared.userId);
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
      expect(types).toEqual(['user.created', 'wallet.created', 'user.updated', 'user.credentials_revoked']);
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
    const answers = await Promise.all(Array.from({ length: 8 }, () => ACTS['signs a message'](prepared)));
    expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(200));
    expect((await prove(prepared.email)).userId).not.toBe(prepared.userId);
  });
});
