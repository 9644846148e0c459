import { recoverAddress, Transaction, TypedDataEncoder } from 'ethers';
import { setTimeout as pause } from 'node:timers/promises';
import { Database } from '../../../src/platform/database/database.js';
import { type Answer, MANAGEMENT_KEY, startApp, type TestApp } from '../../support/app.js';
import type { GivenApp } from '../../support/given.js';
import { keyPair } from './hpke-peer.js';

let service: TestApp;
let replica: TestApp;
beforeAll(async () => {
  const env = { ETHEREUM_CHAIN_ID: '5' };
  service = await startApp({ env });
  replica = await startApp({ env: { ...env, ROLE: 'api' }, databaseUrl: service.databaseUrl });
});
afterAll(async () => {
  await replica.stop();
  await service.stop();
});

interface Wallet {
  readonly id: string;
  readonly app: GivenApp;
  readonly address: string;
}
async function aWallet(settings: Record<string, unknown> = {}): Promise<Wallet> {
  const app = await service.given.app(settings);
  const { user_id } = await service.given.user(app);
  const { body } = await service.call('GET', '/v1/wallets/list', { key: app.secretKey, query: { user_id } });
  return { app, id: body.wallets[0].id, address: body.wallets[0].public_address };
}
const signTypedData = ({ app, id }: Wallet, typed_data: unknown, on = service): Promise<Answer> =>
  on.call('POST', `/v1/wallets/${id}/sign_typed_data`, { key: app.secretKey, body: { typed_data } });
const signTransaction = ({ app, id }: Wallet, fields: Record<string, unknown>, on = service): Promise<Answer> =>
  on.call('POST', `/v1/wallets/${id}/sign_transaction`, {
    key: app.secretKey,
    body: {
      eth_transaction: { nonce: 0, gas: 60_000, maxFeePerGas: 1, maxPriorityFeePerGas: 1, chainId: 5, ...fields },
    },
  });
const change = (app: GivenApp, body: Record<string, unknown>): Promise<Answer> =>
  service.call('PATCH', `/management/v1/apps/${app.id}`, { key: MANAGEMENT_KEY, body });
const refusal = ({ status, body }: Answer) => [status, body.error_type];
/** From here on a key that is opened is a 500: what is refused otherwise, is refused before. */
async function breakKey({ app, id }: Wallet): Promise<void> {
  await service.nest
    .get(Database)
    .query(`update wallets set sealed_key = overlay(sealed_key placing $3 from 40) where app_id = $1 and id = $2`, [
      app.id,
      id,
      Buffer.from('broken'),
    ]);
}
const signatures = async ({ app, id }: Wallet): Promise<string[]> =>
  (
    await service.nest
      .get(Database)
      .query<{ type: string }>(`select type from events where app_id = $1 and data->>'wallet_id' = $2`, [app.id, id])
  )
    .map(({ type }) => type)
    .filter((type) => type.endsWith('signed'));

const TOKEN = '0xCcCCccccCCCCcCCCCCCcCcCccCcCCCcCcccccccC';
const DEST = '0xbBbBBBBbbBBBbbbBbbBbbbbBBbBbbbbBbBbbBBbB';
const permitFields = ['owner:address', 'spender:address', 'value:uint256', 'nonce:uint256', 'deadline:uint256'].map(
  (field) => ({ name: field.split(':')[0]!, type: field.split(':')[1]! }),
);
const permit = {
  domain: { name: 'USD Coin', version: '2', chainId: 5, verifyingContract: TOKEN },
  types: { Permit: permitFields },
  primaryType: 'Permit',
  message: { owner: DEST, spender: DEST, value: '1', nonce: 0, deadline: '9999999999' },
};
const nested = {
  ...permit,
  types: { Permit: permitFields, Letter: [{ name: 'pages', type: 'Permit[]' }] },
  primaryType: 'Letter',
  message: { pages: [permit.message] },
};
const words = {
  ...permit,
  types: { Note: [{ name: 'text', type: 'string' }], Permit: permitFields },
  primaryType: 'Note',
  message: { text: 'I agree.' },
};
const LISTED = { primary_type: 'Permit', verifying_contract: TOKEN.toLowerCase(), chain_id: 5 };

describe('typed data that moves value', () => {
  it('is refused by every app until it says otherwise: no signature, no event, the key stays closed', async () => {
    const wallet = await aWallet();
    await breakKey(wallet);
    for (const typedData of [permit, nested]) {
      expect(refusal(await signTypedData(wallet, typedData))).toEqual([403, 'typed_data_not_allowed']);
    }
    expect(await signatures(wallet)).toEqual([]);
    // What is not refused meets the broken key.
    expect((await signTypedData(wallet, words)).status).toBe(500);
  });

  it('is signed where the app lists its type, contract and chain, within a second on every replica', async () => {
    const [wallet, stranger] = [await aWallet(), await aWallet()];
    for (const on of [service, replica]) expect((await signTypedData(wallet, permit, on)).status).toBe(403);
    const { body } = await change(wallet.app, { signing_policy: { listed_typed_data: [LISTED] } });
    expect(body.signing_policy).toEqual({
      typed_data: 'without_value',
      listed_typed_data: [{ ...LISTED, verifying_contract: TOKEN }],
      allows_export: true,
    });
    await pause(1000);
    const { Permit } = permit.types;
    const digest = TypedDataEncoder.hash(permit.domain, { Permit }, permit.message);
    for (const on of [service, replica]) {
      const signed = await signTypedData(wallet, permit, on);
      expect(recoverAddress(digest, signed.body.signature)).toBe(wallet.address);
      const elsewhere = { ...permit, domain: { ...permit.domain, chainId: 1 } };
      expect(refusal(await signTypedData(wallet, elsewhere, on))).toEqual([403, 'typed_data_not_allowed']);
      expect((await signTypedData(wallet, nested, on)).status).toBe(403);
      expect((await signTypedData(stranger, permit, on)).status).toBe(403);
    }
    expect(await signatures(wallet)).toEqual(['typed_data.signed', 'typed_data.signed']);
    await change(wallet.app, { signing_policy: { listed_typed_data: null } });
    await pause(1000);
    for (const on of [service, replica]) expect((await signTypedData(wallet, permit, on)).status).toBe(403);
  });

  it('is signed whatever it is where the app wants any, and nothing unlisted where it wants only what is listed', async () => {
    const any = await aWallet({ signing_policy: { typed_data: 'any' } });
    expect((await signTypedData(any, nested)).status).toBe(200);
    const listed = await aWallet({ signing_policy: { typed_data: 'listed', listed_typed_data: [LISTED] } });
    expect((await signTypedData(listed, permit)).status).toBe(200);
    await breakKey(listed);
    expect(refusal(await signTypedData(listed, words))).toEqual([403, 'typed_data_not_allowed']);
  });

  it('is not judged before it is known to be typed data', async () => {
    const wallet = await aWallet();
    const broken = { ...permit, message: { ...permit.message, value: '-1' } };
    expect(refusal(await signTypedData(wallet, broken))).toEqual([400, 'invalid_typed_data']);
  });

  it.each([
    [{ typed_data: 'some' }, 'signing_policy.typed_data'],
    [{ listed_typed_data: [{ ...LISTED, verifying_contract: '0x1' }] }, 'signing_policy.listed_typed_data'],
    [{ listed_typed_data: [{ ...LISTED, chain_id: 0 }] }, 'signing_policy.listed_typed_data[0].chain_id'],
    [{ listed_typed_data: [{ ...LISTED, primary_type: 'A B' }] }, 'signing_policy.listed_typed_data[0].primary_type'],
  ])('is not allowed by the policy %j, which is none', async (signing_policy, field) => {
    const { app } = await aWallet();
    const { status, body } = await change(app, { signing_policy });
    expect([status, body.errors[0].field]).toEqual([400, field]);
  });
});

describe('a private key', () => {
  it('is not exported where the app does not allow it, nor opened', async () => {
    const wallet = await aWallet({ signing_policy: { allows_export: false } });
    const doExport = () =>
      service.call('POST', `/v1/wallets/${wallet.id}/export`, {
        key: wallet.app.secretKey,
        body: { encryption_public_key: keyPair().getPublicKey().toString('base64') },
      });
    await breakKey(wallet);
    expect(refusal(await doExport())).toEqual([403, 'wallet_export_not_allowed']);
    const { body } = await change(wallet.app, { signing_policy: { allows_export: null } });
    expect(body.signing_policy.allows_export).toBe(true);
    await pause(1000);
    expect((await doExport()).status).toBe(500);
  });
});

describe('a transaction of an app that bounds payments', () => {
  const USDC = { chain: 'ethereum', name: 'usd-coin', symbol: 'USDC', decimals: 6, token: TOKEN };
  const bounds = {
    allowed_destinations: [DEST],
    max_amounts: [
      { currency: 'ethereum', max_amount: '0.5' },
      { currency: 'usd-coin', max_amount: '2' },
    ],
  };
  const HALF = String(5n * 10n ** 17n);
  const call = (selector: string, dest: string, amount: bigint) =>
    `0x${selector}${dest.slice(2).toLowerCase().padStart(64, '0')}${amount.toString(16).padStart(64, '0')}`;
  const paying = (dest: string, amount: bigint) => ({ to: TOKEN, data: call('a9059cbb', dest, amount) });
  const STRANGER = `0x${'11'.repeat(20)}`;

  it('is signed when it pays within them: the coin, or a token of the list', async () => {
    const wallet = await aWallet({ assets: [USDC], transfer_policy: bounds });
    for (const fields of [{ to: DEST, value: HALF }, paying(DEST, 2_000_000n)]) {
      const { status, body } = await signTransaction(wallet, fields);
      expect(status).toBe(200);
      expect(Transaction.from(body.signed_transaction).from).toBe(wallet.address);
    }
    expect(await signatures(wallet)).toEqual(['transaction.signed', 'transaction.signed']);
  });

  it('is refused otherwise: no signature, no event, the key stays closed', async () => {
    const wallet = await aWallet({ assets: [USDC], transfer_policy: bounds });
    await breakKey(wallet);
    const cases: [Record<string, unknown>, string][] = [
      [{ to: STRANGER, value: 1 }, 'destination_not_allowed'],
      [{ to: DEST, value: `${HALF.slice(0, -1)}1` }, 'transfer_limit_exceeded'],
      [paying(STRANGER, 1n), 'destination_not_allowed'],
      [paying(DEST, 2_000_001n), 'transfer_limit_exceeded'],
      [{ ...paying(DEST, 1n), to: DEST }, 'transaction_not_allowed'],
      [{ ...paying(DEST, 1n), value: 1 }, 'transaction_not_allowed'],
      [{ ...paying(DEST, 1n), chainId: 1 }, 'transaction_not_allowed'],
      [{ to: DEST, value: 1, chainId: 1 }, 'transaction_not_allowed'],
      [{ to: TOKEN, data: call('095ea7b3', DEST, 1n) }, 'transaction_not_allowed'],
      [{ to: TOKEN, data: call('39509351', DEST, 1n) }, 'transaction_not_allowed'],
      [{ to: TOKEN, data: `${call('23b872dd', DEST, 1n)}${'0'.repeat(64)}` }, 'transaction_not_allowed'],
      [{ to: DEST, value: 1, data: '0x00' }, 'transaction_not_allowed'],
      [{ data: '0x6001600055' }, 'transaction_not_allowed'],
    ];
    for (const [fields, errorType] of cases) {
      expect(refusal(await signTransaction(wallet, fields))).toEqual([403, errorType]);
    }
    expect(await signatures(wallet)).toEqual([]);
    expect((await signTransaction(wallet, { to: DEST, value: 1 })).status).toBe(500);
  });

  it('is bounded within a second on every replica, and free of bounds again when they are taken away', async () => {
    const [wallet, stranger] = [await aWallet(), await aWallet()];
    const creation = { data: '0x6001600055' };
    const statuses = () =>
      Promise.all([service, replica].map(async (on) => (await signTransaction(wallet, creation, on)).status));
    expect(await statuses()).toEqual([200, 200]);
    await change(wallet.app, { transfer_policy: { allowed_destinations: [DEST] } });
    await pause(1000);
    expect(await statuses()).toEqual([403, 403]);
    expect((await signTransaction(stranger, creation)).status).toBe(200);
    await change(wallet.app, { transfer_policy: { allowed_destinations: null } });
    await pause(1000);
    expect(await statuses()).toEqual([200, 200]);
  });
});
