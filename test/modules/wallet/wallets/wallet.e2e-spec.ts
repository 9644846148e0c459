import {
  getBytes,
  recoverAddress,
  Signature,
  Transaction,
  TypedDataEncoder,
  verifyMessage,
  verifyTypedData,
} from 'ethers';
import { createPublicKey, verify } from 'node:crypto';
import { decodeBase58, toBeHex } from 'ethers';
import { Database } from '../../../../src/postgres/database.js';
import { MANAGEMENT_KEY, startApp, type TestApp } from '../../../support/app.js';
import type { GivenApp } from '../../../support/given.js';
import { patiently } from '../../../support/eventually.js';
import { signRows } from '../../../support/row-macs.js';

let app: TestApp;
let acme: GivenApp;
let other: GivenApp;
beforeAll(async () => {
  app = await startApp();
  acme = await app.given.app();
  other = await app.given.app();
});
afterAll(() => app.stop());

interface Wallet {
  id: string;
  user_id: string;
  public_address: string;
  wallet_type: string;
}
const get = (path: string, key = acme.secretKey) => app.call('GET', path, { key });
const post = (path: string, body: unknown, key = acme.secretKey) => app.call('POST', path, { key, body });
async function walletOf(userId: string): Promise<Wallet> {
  return (await get(`/v1/wallets/list?user_id=${userId}`)).body.wallets[0] as Wallet;
}
async function aWallet(): Promise<Wallet> {
  return walletOf((await app.given.user(acme)).user_id);
}
async function aSolanaWallet(): Promise<Wallet> {
  const { user_id } = await app.given.user(acme);
  return (await post('/v1/wallets/create', { user_id, wallet_type: 'SOL' })).body as Wallet;
}

describe("a new user's wallet", () => {
  it('is there at once, of the default type, and is what the interface says', async () => {
    const { user_id } = await app.given.user(acme);
    const { body } = await get(`/v1/wallets/list?user_id=${user_id}`);
    expect(body).toEqual({
      wallets: [
        {
          id: expect.stringMatching(/^wallet_/),
          app_id: acme.id,
          user_id,
          public_address: expect.stringMatching(/^0x[0-9a-fA-F]{40}$/),
          wallet_type: 'ethereum',
          verified: true,
          is_default: true,
          is_read_only: false,
          is_imported: false,
          updated_at: expect.any(Number),
          created_at: expect.any(Number),
        },
      ],
      has_more: false,
    });
    expect((await get(`/v1/wallets/${body.wallets[0].id}`)).body).toEqual(body.wallets[0]);
  });

  it.each([
    ['solana', 1],
    ['none', 0],
  ])('follows the default type of the app: %s', async (default_wallet_type, count) => {
    const own = await app.given.app({ default_wallet_type });
    const { user_id } = await app.given.user(own);
    const { body } = await get(`/v1/wallets/list?user_id=${user_id}`, own.secretKey);
    expect(body.wallets.map((wallet: Wallet) => wallet.wallet_type)).toEqual(Array(count).fill(default_wallet_type));
  });

  it('is gone with the user, but its sealed key stays', async () => {
    const wallet = await aWallet();
    await app.call('DELETE', `/v1/auth/users/${wallet.user_id}/delete`, { key: acme.secretKey });
    expect((await get(`/v1/wallets/${wallet.id}`)).body.error_type).toBe('wallet_not_found');
    expect((await post(`/v1/wallets/${wallet.id}/sign_message`, { message: 'x' })).status).toBe(404);
    const row = await app.nest
      .get(Database)
      .write<{ sealed_key: Buffer | null }>(`select sealed_key from wallets where app_id = $1 and id = $2`, [
        acme.id,
        wallet.id,
      ])
      .then((rows) => rows[0] ?? null);
    expect(row?.sealed_key?.length).toBeGreaterThan(60);
  });
});

describe('creating a wallet', () => {
  it('answers the default one of the type when there is one', async () => {
    const wallet = await aWallet();
    const { body } = await post('/v1/wallets/create', { user_id: wallet.user_id, wallet_type: 'ETH' });
    expect(body.id).toBe(wallet.id);
  });

  it('makes one wallet, however many ask at once', async () => {
    const { user_id } = await app.given.user(acme);
    const answers = await Promise.all(
      Array.from({ length: 24 }, () => patiently(() => post('/v1/wallets/create', { user_id, wallet_type: 'solana' }))),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array(24).fill(200));
    expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1);
    expect((await get(`/v1/wallets/list?user_id=${user_id}`)).body.wallets).toHaveLength(2);
  });

  it('refuses an unknown user and a user of another app alike', async () => {
    const theirs = await app.given.user(other);
    const unknown = await post('/v1/wallets/create', {
      user_id: 'user_00000000000000000000000000',
      wallet_type: 'ethereum',
    });
    const foreign = await post('/v1/wallets/create', { user_id: theirs.user_id, wallet_type: 'ethereum' });
    expect([unknown.status, unknown.body.error_type]).toEqual([404, 'user_not_found']);
    expect([foreign.status, foreign.body.error_type]).toEqual([404, 'user_not_found']);
  });

  it.each(['bitcoin', '', 'constructor', 'eth '])(
    'refuses the wallet type %j, naming the field',
    async (wallet_type) => {
      const { user_id } = await app.given.user(acme);
      const { status, body } = await post('/v1/wallets/create', { user_id, wallet_type });
      expect([status, body.errors[0].field]).toEqual([400, 'wallet_type']);
    },
  );
});

describe('listing wallets', () => {
  it('goes through all of them page by page, newest first', async () => {
    const own = await app.given.app();
    for (let i = 0; i < 5; i++) await app.given.user(own);
    const all = (await get('/v1/wallets/list', own.secretKey)).body.wallets as Wallet[];
    expect(all).toHaveLength(5);
    const seen: string[] = [];
    for (let after = ''; ; after = `&starting_after=${seen.at(-1)}`) {
      const { body } = await get(`/v1/wallets/list?limit=2${after}`, own.secretKey);
      seen.push(...body.wallets.map(({ id }: Wallet) => id));
      if (!body.has_more) break;
    }
    expect(seen).toEqual(all.map(({ id }) => id));
    expect(seen).toEqual(seen.toSorted().toReversed());
  });

  it.each(['limit=0', 'limit=1001', 'limit=x', 'limit=1.5', 'user_id=none', 'starting_after=user_1'])(
    'refuses %s',
    async (query) => {
      const { status, body } = await get(`/v1/wallets/list?${query}`);
      expect([status, body.error_type, body.errors[0].field]).toEqual([400, 'invalid_request', query.split('=')[0]]);
    },
  );
});

describe('signing a message', () => {
  it.each(['I agree.', '0xdeadbeef', 'ünïcödé 🦊', ' \n\t', 'x'.repeat(65_536)])(
    'makes an EIP-191 signature that recovers to the wallet',
    async (message) => {
      const wallet = await aWallet();
      const { status, headers, body } = await post(`/v1/wallets/${wallet.id}/sign_message`, { message });
      expect(status).toBe(200);
      expect(headers.get('x-api-stability')).toBe('beta');
      expect(verifyMessage(message, body.signature)).toBe(wallet.public_address);
      expect([27, 28]).toContain(getBytes(body.signature)[64]);
      expect(body).toMatchObject({ wallet_id: wallet.id, wallet, ...wallet });
    },
  );

  it('signs for solana only inside the off-chain envelope', async () => {
    const wallet = await aSolanaWallet();
    const { body } = await post(`/v1/wallets/${wallet.id}/sign_message`, { message: 'hello' });
    const bytes32 = (base58: string, length: number): Buffer =>
      Buffer.from(getBytes(toBeHex(decodeBase58(base58), length)));
    const raw = Buffer.concat([Buffer.from('302a300506032b6570032100', 'hex'), bytes32(wallet.public_address, 32)]);
    const publicKey = createPublicKey({ key: raw, format: 'der', type: 'spki' });
    const envelope = Buffer.concat([
      Buffer.from('\xffsolana offchain', 'latin1'),
      Buffer.from([0, 0, 5, 0]),
      Buffer.from('hello'),
    ]);
    expect(verify(null, envelope, publicKey, bytes32(body.signature, 64))).toBe(true);
    expect(verify(null, Buffer.from('hello'), publicKey, bytes32(body.signature, 64))).toBe(false);
  });

  it.each([undefined, 5, ['a'], { a: 1 }, null, 'x'.repeat(65_537)])(
    'refuses a message that is no text of the right length',
    async (message) => {
      const wallet = await aWallet();
      const { status, body } = await post(`/v1/wallets/${wallet.id}/sign_message`, { message });
      expect([status, body.error_type, body.errors[0].field]).toEqual([400, 'invalid_request', 'message']);
    },
  );

  it.each(['', 'ä'.repeat(32_768)])('refuses for solana a text that its envelope cannot hold', async (message) => {
    const wallet = await aSolanaWallet();
    const { status, body } = await post(`/v1/wallets/${wallet.id}/sign_message`, { message });
    expect([status, body.error_type]).toEqual([400, 'invalid_message']);
  });

  it.each(['"a\\u0000b"', '"\\ud800"'])('refuses %s, which is not text', async (text) => {
    const wallet = await aWallet();
    expect((await post(`/v1/wallets/${wallet.id}/sign_message`, `{"message":${text}}`)).status).toBe(400);
  });

  it("refuses another app's wallet just as an unknown one", async () => {
    const wallet = await aWallet();
    const foreign = await post(`/v1/wallets/${wallet.id}/sign_message`, { message: 'x' }, other.secretKey);
    const unknown = await post('/v1/wallets/wallet_00000000000000000000000000/sign_message', { message: 'x' });
    for (const { status, body } of [foreign, unknown])
      expect([status, body.error_type]).toEqual([404, 'wallet_not_found']);
    expect(foreign.body.detail).toBe(unknown.body.detail);
  });

  it('publishes one event per signature, without the message', async () => {
    const wallet = await aWallet();
    await post(`/v1/wallets/${wallet.id}/sign_message`, { message: 'canary-7f3a' });
    const events = await app.nest
      .get(Database)
      .write<{ type: string; data: object }>(
        `select type, data from stored_events where app_id = $1 and data->>'wallet_id' = $2 order by id`,
        [acme.id, wallet.id],
      );
    expect(events.map(({ type }) => type)).toEqual(['wallet.created', 'message.signed']);
    expect(JSON.stringify(events)).not.toContain('canary-7f3a');
  });
});

describe('a key in the database', () => {
  const sealedOf = async (id: string): Promise<Buffer> =>
    (await app.nest
      .get(Database)
      .write<{ k: Buffer }>(`select sealed_key as k from wallets where app_id = $1 and id = $2`, [acme.id, id])
      .then((rows) => rows[0] ?? null))!.k;
  const setSealed = (id: string, key: Buffer) =>
    app.nest
      .get(Database)
      .write(`update wallets set sealed_key = $3 where app_id = $1 and id = $2`, [acme.id, id, key]);

  it('signs nothing in the place of another wallet', async () => {
    const [one, two] = [await aWallet(), await aWallet()];
    await setSealed(one.id, await sealedOf(two.id));
    const { status, body } = await post(`/v1/wallets/${one.id}/sign_message`, { message: 'x' });
    expect([status, body.error_type, body.signature]).toEqual([503, 'sealed_value_unavailable', undefined]);
  });

  it('signs nothing for a user whose id was put into its row', async () => {
    const [mine, another] = [await aWallet(), await aWallet()];
    await app.nest
      .get(Database)
      .write(`update wallets set user_id = $3, is_default = false where app_id = $1 and id = $2`, [
        acme.id,
        mine.id,
        another.user_id,
      ]);
    const { status, body } = await post(`/v1/wallets/${mine.id}/sign_message`, { message: 'x' });
    expect([status, body.error_type, body.signature]).toEqual([500, 'seal_broken', undefined]);
    await signRows(app, 'wallets');
    const signed = await post(`/v1/wallets/${mine.id}/sign_message`, { message: 'x' });
    expect([signed.status, signed.body.error_type]).toEqual([503, 'sealed_value_unavailable']);
    expect((await app.call('GET', '/metrics')).text).toMatch(/^seal_failures_total\{kind="wallet-key"\} [1-9]/m);
  });

  it('signs nothing once a bit of it has changed', async () => {
    const wallet = await aWallet();
    const sealed = await sealedOf(wallet.id);
    sealed[sealed.length - 20]! ^= 1;
    await setSealed(wallet.id, sealed);
    expect((await post(`/v1/wallets/${wallet.id}/sign_message`, { message: 'x' })).status).toBe(503);
  });
});

const typed_data = {
  domain: {
    name: 'Ether Mail',
    version: '1',
    chainId: 1,
    verifyingContract: '0xCcCCccccCCCCcCCCCCCcCcCccCcCCCcCcccccccC',
  },
  types: {
    Person: [
      { name: 'name', type: 'string' },
      { name: 'wallet', type: 'address' },
    ],
  },
  primaryType: 'Person',
  message: { name: 'Bob', wallet: '0xbBbBBBBbbBBBbbbBbbBbbbbBBbBbbbbBbBbbBBbB' },
};

describe('signing typed data', () => {
  it('makes an EIP-712 signature that recovers to the wallet', async () => {
    const wallet = await aWallet();
    const { status, body } = await post(`/v1/wallets/${wallet.id}/sign_typed_data`, { typed_data });
    expect(status).toBe(200);
    expect(verifyTypedData(typed_data.domain, typed_data.types, typed_data.message, body.signature)).toBe(
      wallet.public_address,
    );
    const digest = TypedDataEncoder.hash(typed_data.domain, typed_data.types, typed_data.message);
    expect(recoverAddress(digest, body.signature)).toBe(wallet.public_address);
  });

  it.each([
    ['without types', { ...typed_data, types: undefined }],
    ['with a primary type without a declaration', { ...typed_data, primaryType: 'Cat' }],
    ['with a field missing', { ...typed_data, message: { name: 'Bob' } }],
    ['with a wrong address', { ...typed_data, message: { name: 'Bob', wallet: 'bob' } }],
    ['with a type that contains itself', { ...typed_data, types: { Person: [{ name: 'p', type: 'Person' }] } }],
    ['that is a text', 'x'],
    ['that is a list', []],
  ])('refuses typed data %s', async (_, data) => {
    const wallet = await aWallet();
    const { status, body } = await post(`/v1/wallets/${wallet.id}/sign_typed_data`, { typed_data: data });
    expect(status).toBe(400);
    expect(body.errors.length).toBeGreaterThan(0);
  });

  it('is not for solana wallets', async () => {
    const wallet = await aSolanaWallet();
    const { status, body } = await post(`/v1/wallets/${wallet.id}/sign_typed_data`, { typed_data });
    expect([status, body.error_type]).toEqual([400, 'unsupported_wallet_type']);
  });
});

const eth_transaction = {
  to: '0xbBbBBBBbbBBBbbbBbbBbbbbBBbBbbbbBbBbbBBbB',
  value: '1000000000000000000',
  nonce: 7,
  gas: '21000',
  maxFeePerGas: '0x77359400',
  maxPriorityFeePerGas: '1000000000',
  chainId: 1,
  data: '0x',
};

describe('signing a transaction', () => {
  it('is not for solana wallets', async () => {
    const wallet = await aSolanaWallet();
    const { status, body } = await post(`/v1/wallets/${wallet.id}/sign_transaction`, { eth_transaction });
    expect([status, body.error_type]).toEqual([400, 'unsupported_wallet_type']);
  });

  it('signs exactly what was asked, as EIP-1559', async () => {
    const wallet = await aWallet();
    const { status, body } = await post(`/v1/wallets/${wallet.id}/sign_transaction`, { eth_transaction });
    expect(status).toBe(200);
    const transaction = Transaction.from(body.signed_transaction);
    expect(transaction.from).toBe(wallet.public_address);
    expect(transaction.hash).toBe(body.transaction_hash);
    expect(Signature.from(body.signature).serialized).toBe(transaction.signature?.serialized);
    expect(transaction).toMatchObject({
      type: 2,
      to: eth_transaction.to,
      value: 10n ** 18n,
      nonce: 7,
      gasLimit: 21_000n,
      maxFeePerGas: 2_000_000_000n,
      maxPriorityFeePerGas: 1_000_000_000n,
      chainId: 1n,
      data: '0x',
    });
  });

  it.each([
    ['type', 0],
    ['type', 1],
    ['type', '0x3'],
    ['type', 'legacy'],
    ['gasPrice', '1'],
    ['gasPrice', 0],
    ['accessList', []],
    ['accessList', [{ address: '0xbBbBBBBbbBBBbbbBbbBbbbbBBbBbbbbBbBbbBBbB', storageKeys: [] }]],
    ['authorizationList', []],
    ['maxFeePerBlobGas', '0x1'],
    ['blobVersionedHashes', [`0x01${'00'.repeat(31)}`]],
    ['blobs', ['0x']],
    ['from', '0xbBbBBBBbbBBBbbbBbbBbbbbBBbBbbbbBbBbbBBbB'],
    ['from', 'me'],
    ['from', 7],
    ['input', '0x00'],
    ['input', 'abc'],
    ['input', 1],
  ])('is refused, not signed without what was sent, with %s %j', async (name, value) => {
    const wallet = await aWallet();
    const { status, body } = await post(`/v1/wallets/${wallet.id}/sign_transaction`, {
      eth_transaction: { ...eth_transaction, [name]: value },
    });
    expect([status, body.error_type]).toEqual([400, 'invalid_transaction']);
    expect(body.errors.map(({ field }: { field: string }) => field)).toEqual([`eth_transaction.${name}`]);
  });

  it('signs what says the same in other words, and takes null for absent', async () => {
    const wallet = await aWallet();
    const sign = async (fields: Record<string, unknown>): Promise<string> => {
      const answer = await post(`/v1/wallets/${wallet.id}/sign_transaction`, {
        eth_transaction: { ...eth_transaction, ...fields },
      });
      expect(answer.status).toBe(200);
      return answer.body.signed_transaction;
    };
    const plain = await sign({});
    const absent = { type: null, from: null, input: null, gasPrice: null, accessList: null, authorizationList: null };
    for (const fields of [absent, { type: 2 }, { type: '0x2' }, { type: '2' }, { type: 'eip1559' }, { input: '0x' }]) {
      expect(await sign(fields)).toBe(plain);
    }
    expect(await sign({ from: wallet.public_address })).toBe(plain);
    expect(await sign({ from: wallet.public_address.toLowerCase() })).toBe(plain);
    const called = await sign({ data: '0xABcd' });
    expect(Transaction.from(called).data).toBe('0xabcd');
    expect(await sign({ data: undefined, input: '0xabCD' })).toBe(called);
    expect(await sign({ data: '0xabcd', input: '0xABCD' })).toBe(called);
  });

  it.each([
    ['to', 'XE7338O073KYGTWWZN0F2WZ0R8PX5ZPPZS'],
    ['to', 'bBbBBBBbbBBBbbbBbbBbbbbBBbBbbbbBbBbbBBbB'],
    ['to', '0xBbBBBBbbBBBbbbBbbBbbbbBBbBbbbbBbBbbBBbBb'],
    ['to', null],
    ['value', '-1'],
    ['value', '1.5'],
    ['value', 1e21],
    ['value', `0x1${'0'.repeat(64)}`],
    ['nonce', undefined],
    ['nonce', '18446744073709551616'],
    ['gas', ''],
    ['chainId', 0],
    ['data', 'abc'],
    ['maxPriorityFeePerGas', '9000000000'],
  ])('refuses %s %j', async (name, value) => {
    const wallet = await aWallet();
    const { status, body } = await post(`/v1/wallets/${wallet.id}/sign_transaction`, {
      eth_transaction: { ...eth_transaction, [name]: value },
    });
    expect([status, body.error_type]).toEqual([400, 'invalid_transaction']);
    expect(body.errors.map(({ field }: { field: string }) => field).join()).toContain(`eth_transaction.${name}`);
  });
});

describe.each([
  ['sign_message', { message: 'x' }],
  ['sign_typed_data', { typed_data }],
  ['sign_transaction', { eth_transaction }],
])('%s', (operation, request) => {
  it('is refused while the user is deactivated, and while the wallet or the app is frozen', async () => {
    const own = await app.given.app();
    const { user_id } = await app.given.user(own);
    const { body } = await get(`/v1/wallets/list?user_id=${user_id}`, own.secretKey);
    const [{ id }] = body.wallets as [Wallet];
    const managed = `/management/v1/apps/${own.id}`;
    const refused: unknown[] = [];
    for (const [begin, end] of [
      [`/users/${user_id}/deactivate`, `/users/${user_id}/reactivate`],
      [`/wallets/${id}/freeze`, `/wallets/${id}/thaw`],
      ['/freeze', '/thaw'],
    ]) {
      await app.ok('POST', `${managed}${begin}`, { key: MANAGEMENT_KEY, body: {} });
      const answer = await post(`/v1/wallets/${id}/${operation}`, request, own.secretKey);
      refused.push([answer.status, answer.body.error_type]);
      await app.ok('POST', `${managed}${end}`, { key: MANAGEMENT_KEY, body: {} });
    }
    expect(refused).toEqual([
      [403, 'user_inactive'],
      [403, 'wallet_frozen'],
      [403, 'app_frozen'],
    ]);
    expect((await post(`/v1/wallets/${id}/${operation}`, request, own.secretKey)).status).toBe(200);
  });
});
