import { recoverAddress, Transaction, TypedDataEncoder } from 'ethers';
import { Database } from '../../../../src/postgres/database.js';
import { type Answer, MANAGEMENT_KEY, startApp, type TestApp } from '../../../support/app.js';
import { forgetSettings } from '../../../support/background.js';
import type { GivenApp } from '../../../support/given.js';
import { keyPair } from '../../../support/hpke-peer.js';

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
const signMessage = ({ app, id }: Wallet, message: string, on = service): Promise<Answer> =>
  on.call('POST', `/v1/wallets/${id}/sign_message`, { key: app.secretKey, body: { message } });
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
/** Breaks the seal: a call that opens the key answers 503, so every other refusal shows that the key stayed sealed. */
async function breakKey({ app, id }: Wallet): Promise<void> {
  await service.nest
    .get(Database)
    .write(`update wallets set sealed_key = overlay(sealed_key placing $3 from 40) where app_id = $1 and id = $2`, [
      app.id,
      id,
      Buffer.from('broken'),
    ]);
}
const signatures = async ({ app, id }: Wallet): Promise<string[]> =>
  (
    await service.nest
      .get(Database)
      .write<{ type: string }>(`select type from stored_events where app_id = $1 and data->>'wallet_id' = $2`, [
        app.id,
        id,
      ])
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
    expect((await signTypedData(wallet, words)).status).toBe(503);
  });

  it('is signed where the app lists its type, contract and chain, on every replica', async () => {
    const [wallet, stranger] = [await aWallet(), await aWallet()];
    for (const on of [service, replica]) expect((await signTypedData(wallet, permit, on)).status).toBe(403);
    const { body } = await change(wallet.app, { signing_policy: { listed_typed_data: [LISTED] } });
    expect(body.signing_policy).toEqual({
      typed_data: 'without_value',
      listed_typed_data: [{ ...LISTED, verifying_contract: TOKEN }],
      messages: 'any',
      allows_export: true,
    });
    forgetSettings(service, replica);
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
    forgetSettings(service, replica);
    for (const on of [service, replica]) expect((await signTypedData(wallet, permit, on)).status).toBe(403);
  });

  it('is signed without a check if the rule is any, and only if it is listed if the rule is listed', async () => {
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

describe('a message that may be the hash of a transaction of a smart account', () => {
  it('is refused by a rule or a transfer policy: no signature, no event, the key stays closed', async () => {
    // A hash that is 32 bytes of UTF-8, as an attacker finds it by trying values of one member.
    const digestAsText = 'Ωpay all of it to this account!';
    expect(Buffer.byteLength(digestAsText)).toBe(32);
    for (const settings of [
      { signing_policy: { messages: 'text' } },
      { transfer_policy: { allowed_destinations: [DEST] } },
    ]) {
      const wallet = await aWallet(settings);
      await breakKey(wallet);
      for (const message of [digestAsText, TypedDataEncoder.hash(permit.domain, permit.types, permit.message)]) {
        expect(refusal(await signMessage(wallet, message))).toEqual([403, 'message_not_allowed']);
      }
      expect(await signatures(wallet)).toEqual([]);
      // A message that is not refused meets the broken key.
      expect((await signMessage(wallet, 'hello')).status).toBe(503);
    }
  });

  it('is signed by default, and no message is signed if the rule is none', async () => {
    const wallet = await aWallet();
    expect((await signMessage(wallet, 'a'.repeat(32))).status).toBe(200);
    const { body } = await change(wallet.app, { signing_policy: { messages: 'none' } });
    expect(body.signing_policy.messages).toBe('none');
    forgetSettings(service, replica);
    for (const on of [service, replica]) {
      expect(refusal(await signMessage(wallet, 'hello', on))).toEqual([403, 'message_not_allowed']);
    }
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
    forgetSettings(service, replica);
    expect((await doExport()).status).toBe(503);
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
    expect((await signTransaction(wallet, { to: DEST, value: 1 })).status).toBe(503);
  });

  it('is bounded under every name that its token is listed under', async () => {
    const dollar = { ...USDC, name: 'dollar', symbol: 'USD' };
    for (const currency of ['usd-coin', 'USDC', 'dollar', 'USD']) {
      const transfer_policy = { max_amounts: [{ currency, max_amount: '2' }] };
      const wallet = await aWallet({ assets: [USDC, dollar], transfer_policy });
      expect((await signTransaction(wallet, paying(DEST, 2_000_000n))).status).toBe(200);
      const above = await signTransaction(wallet, paying(DEST, 2_000_001n));
      expect([currency, ...refusal(above)]).toEqual([currency, 403, 'transfer_limit_exceeded']);
    }
  });

  it('is refused when its fees are above the bounds: no signature, no event, the key stays closed', async () => {
    const GWEI = 10n ** 9n;
    // 49 ether of tip in a transaction that pays nothing.
    const burning = { to: DEST, value: 0, gas: 21_000, maxFeePerGas: String((49n * 10n ** 18n) / 21_000n) };
    const tip = { maxPriorityFeePerGas: burning.maxFeePerGas };
    const max_fees = [{ currency: 'ethereum', max_fee: '0.01' }];
    const inCoin = [{ currency: 'ethereum', max_amount: '0.5' }];
    const costing = (wei: bigint, gas = 100_000n) => ({
      to: DEST,
      gas: String(gas),
      maxFeePerGas: String(wei / gas),
      maxPriorityFeePerGas: '0',
    });
    const milli = 10n ** 15n;
    const cases: [Record<string, unknown>, Record<string, unknown>, number, string | undefined][] = [
      [{ max_amounts: inCoin }, { ...burning, ...tip }, 403, 'fee_limit_exceeded'],
      [{ max_fees }, { ...burning, ...tip }, 403, 'fee_limit_exceeded'],
      [{ allowed_destinations: [DEST] }, { ...burning, ...tip }, 409, 'fee_too_high'],
      [{ max_fees }, costing(10n * milli + 100_000n), 403, 'fee_limit_exceeded'],
      [{ max_fees }, costing(10n * milli), 503, 'sealed_value_unavailable'],
      // A bound on fees takes the place of the one on amounts of the coin, which bounds fees without it.
      [{ max_amounts: inCoin }, costing(500n * milli + 2_000_000n, 2_000_000n), 403, 'fee_limit_exceeded'],
      [{ max_amounts: inCoin, max_fees }, costing(11n * milli), 403, 'fee_limit_exceeded'],
      [{ allowed_destinations: [DEST] }, { to: DEST, maxFeePerGas: String(500n * GWEI + 1n) }, 409, 'fee_too_high'],
      [
        { allowed_destinations: [DEST] },
        { to: DEST, maxFeePerGas: String(60n * GWEI), maxPriorityFeePerGas: String(50n * GWEI + 1n) },
        409,
        'fee_too_high',
      ],
      [
        { allowed_destinations: [DEST] },
        { to: DEST, maxFeePerGas: String(500n * GWEI), maxPriorityFeePerGas: String(50n * GWEI) },
        503,
        'sealed_value_unavailable',
      ],
    ];
    for (const [transfer_policy, fields, status, errorType] of cases) {
      const wallet = await aWallet({ transfer_policy });
      await breakKey(wallet);
      expect([fields, refusal(await signTransaction(wallet, fields))]).toEqual([fields, [status, errorType]]);
      expect(await signatures(wallet)).toEqual([]);
    }
    // The ceilings of the operator hold without bounds of the app too.
    const unbound = await aWallet();
    expect(refusal(await signTransaction(unbound, { ...burning, ...tip }))).toEqual([409, 'fee_too_high']);
    const most = { to: DEST, maxFeePerGas: String(500n * GWEI), maxPriorityFeePerGas: String(50n * GWEI) };
    expect((await signTransaction(unbound, most)).status).toBe(200);
  });

  it('sets that nothing unlisted is signed and no key exported, unless the same call says otherwise', async () => {
    const closed = { typed_data: 'listed', listed_typed_data: [], messages: 'text', allows_export: false };
    const open = { typed_data: 'without_value', listed_typed_data: [], messages: 'any', allows_export: true };
    const wallet = await aWallet({ transfer_policy: { max_fees: [{ currency: 'ethereum', max_fee: '1' }] } });
    const policyOf = async (body: Record<string, unknown>) => (await change(wallet.app, body)).body.signing_policy;
    expect(await policyOf({})).toEqual(closed);
    expect(refusal(await signTypedData(wallet, words))).toEqual([403, 'typed_data_not_allowed']);
    // Later the app may open it again, and what it has said stays while no bound is set.
    expect(await policyOf({ signing_policy: { typed_data: null, messages: null, allows_export: true } })).toEqual(open);
    expect(await policyOf({ name: 'Another name' })).toEqual(open);
    expect(await policyOf({ transfer_policy: { allowed_destinations: null, max_amounts: [] } })).toEqual(open);
    expect(await policyOf({ transfer_policy: { allowed_destinations: [] } })).toEqual(closed);
    const bounds = { transfer_policy: { max_amounts: [{ currency: 'ethereum', max_amount: '1' }] } };
    expect(await policyOf({ ...bounds, signing_policy: { allows_export: true } })).toEqual({
      ...closed,
      allows_export: true,
    });
    expect(await policyOf({ ...bounds, signing_policy: { typed_data: 'any' } })).toEqual({
      ...closed,
      typed_data: 'any',
    });
    const removed = { typed_data: null, messages: null, allows_export: null };
    expect(await policyOf({ ...bounds, signing_policy: removed })).toEqual(open);
    const stated = { typed_data: 'any', messages: 'any', allows_export: true };
    const other = await aWallet({ ...bounds, signing_policy: stated });
    expect((await change(other.app, {})).body.signing_policy).toEqual({ ...open, typed_data: 'any' });
  });

  it('is bounded within a second on every replica, and unbounded again after the bounds are removed', async () => {
    const [wallet, stranger] = [await aWallet(), await aWallet()];
    const creation = { data: '0x6001600055' };
    const statuses = () =>
      Promise.all([service, replica].map(async (on) => (await signTransaction(wallet, creation, on)).status));
    expect(await statuses()).toEqual([200, 200]);
    await change(wallet.app, { transfer_policy: { allowed_destinations: [DEST] } });
    forgetSettings(service, replica);
    expect(await statuses()).toEqual([403, 403]);
    expect((await signTransaction(stranger, creation)).status).toBe(200);
    await change(wallet.app, { transfer_policy: { allowed_destinations: null } });
    forgetSettings(service, replica);
    expect(await statuses()).toEqual([200, 200]);
  });
});
