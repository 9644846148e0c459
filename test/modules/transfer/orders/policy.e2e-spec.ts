import { Client } from 'pg';
import { Chains } from '../../../../src/kernel/chain/chain.js';
import type { AppId, TransferId } from '../../../../src/kernel/ids.js';
import { SignPendingPayment } from '../../../../src/modules/transfer/paying/application/sign-pending-payment.js';
import { TrackTransfer } from '../../../../src/modules/transfer/tracking/application/track-transfer.js';
import { SENDER_QUEUE_CAPACITY } from '../../../../src/modules/transfer/transfer/domain/sender-queue.js';
import { TransferRepository } from '../../../../src/modules/transfer/transfer/domain/transfer.repository.js';
import { MANAGEMENT_KEY } from '../../../support/app.js';
import { eventually } from '../../../support/eventually.js';
import { keyPair } from '../../../support/hpke-peer.js';
import { ETH, Money, newAddress, type Payer, SOL } from '../../../support/money.js';

const FINALITY_DEPTH = 3;
const NO_DESTINATION = { allowed_destinations: [] };

// Blocks come only when a test makes them. The process that makes the change feels it at once.
let money: Money;
let database: Client;

beforeAll(async () => {
  money = await Money.start({
    ethereum: { blockTime: 'never' },
    solana: { slotMs: undefined, finalizedAfter: 8 },
    env: {
      ETHEREUM_FINALITY_DEPTH: String(FINALITY_DEPTH),
      TRANSFER_CONFIRM_WAIT_SECONDS: '0',
      TRANSFER_BUMP_AFTER_SECONDS: '60',
      TRANSFER_STUCK_AFTER_SECONDS: '600',
    },
  });
  database = new Client({ connectionString: money.app.databaseUrl });
  await database.connect();
  await money.anvil.mine(FINALITY_DEPTH + 1);
});
afterAll(async () => {
  await database.end();
  await money.stop();
});

async function setPolicy({ app }: Payer, transfer_policy: Record<string, unknown> | null): Promise<void> {
  const { status } = await money.app.call('PATCH', `/management/v1/apps/${app.id}`, {
    key: MANAGEMENT_KEY,
    body: { transfer_policy },
  });
  expect(status).toBe(200);
}

async function confirmed(payer: Payer, fields: Record<string, unknown> = {}): Promise<{ id: string; dest: string }> {
  const { id, dest } = await money.created(payer, fields);
  const { status, text } = await money.confirm(payer, id);
  if (status !== 200) throw new Error(text);
  return { id, dest };
}

/** Confirms one more transfer than a sender queue signs at a time; returns the last one, which is queued. */
async function queued(payer: Payer): Promise<{ id: string; dest: string }> {
  for (let i = 0; i < SENDER_QUEUE_CAPACITY; i++) await confirmed(payer, { source_amount: '0.01' });
  const last = await confirmed(payer, { source_amount: '0.01' });
  expect((await money.get(payer, last.id)).stage).toBe('queued');
  return last;
}

const tracking = (): TrackTransfer => money.app.nest.get(TrackTransfer, { strict: false });

// eslint-disable-next-line @typescript-eslint/no-explicit-any -- tests reach into answers as clients do
function end(payer: Payer, id: string): Promise<any> {
  return eventually(async () => {
    await money.look();
    if (payer.chain === 'ethereum') await money.anvil.mine();
    else money.solana.advance(1);
    const transfer = await money.get(payer, id);
    if (transfer.status === 'pending') throw new Error(`The transfer is ${JSON.stringify(transfer)}`);
    return transfer;
  });
}

describe('a policy that became stricter', () => {
  it('refuses a confirmation that had read the former policy and then waited for the node', async () => {
    const payer = await money.payer('ethereum');
    const { id } = await money.created(payer);
    const proxy = money.proxies.ethereum;
    let open = (): void => undefined;
    proxy.gate = new Promise((resolve) => (open = resolve));
    const estimates = proxy.calls.get('eth_estimateGas') ?? 0;
    const confirming = money.confirm(payer, id);
    try {
      await eventually(() => expect(proxy.calls.get('eth_estimateGas')).toBe(estimates + 1));
      await setPolicy(payer, NO_DESTINATION);
    } finally {
      proxy.gate = Promise.resolve();
      open();
    }
    const { status, body } = await confirming;
    expect([status, body.error_type]).toEqual([403, 'destination_not_allowed']);
    expect(await money.get(payer, id)).toMatchObject({ status: 'unconfirmed', attempts: [] });
    await setPolicy(payer, null);
    expect((await money.confirm(payer, id)).body.status).toBe('pending');
    expect((await end(payer, id)).status).toBe('completed');
  });

  it.each([
    ['destination_not_allowed', NO_DESTINATION],
    ['transfer_limit_exceeded', { max_amounts: [{ currency: 'ethereum', max_amount: '0.009' }] }],
    ['fee_limit_exceeded', { max_fees: [{ currency: 'ethereum', max_fee: '0' }] }],
  ])('ends a queued transfer, of which nothing is signed, as %s', async (code, policy) => {
    const payer = await money.payer('ethereum');
    const { id, dest } = await queued(payer);
    await setPolicy(payer, policy);
    expect(await end(payer, id)).toMatchObject({ status: 'failed', attempts: [], failure: { code, retry_safe: true } });
    expect(await money.balance('ethereum', dest)).toBe(0n);
  });

  it('leaves a transfer queued that was confirmed so recently that the policy read may be from before', async () => {
    const payer = await money.payer('ethereum');
    const { id, dest } = await queued(payer);
    await money.withoutTracker(async () => {
      await setPolicy(payer, NO_DESTINATION);
      const sign = money.app.nest.get(SignPendingPayment, { strict: false });
      const find = () =>
        money.app.nest.get(TransferRepository, { strict: false }).find(payer.app.id as AppId, id as TransferId);
      const seen = (await find())!;
      const chain = money.app.nest.get(Chains, { strict: false }).named('ethereum');
      // A place in the queue for it.
      await database.query(`update transfers set stage = 'mined' where source_address = $1 and id <> $2`, [
        payer.address,
        id,
      ]);
      await sign.execute({ ...seen, now: seen.transfer.confirmedAt!, attempts: [], chain });
      await setPolicy(payer, null);
      expect((await find())!.transfer).toMatchObject({ status: 'pending', stage: 'queued' });
    });
    expect((await end(payer, id)).status).toBe('completed');
    expect(await money.balance('ethereum', dest)).toBe(ETH / 100n);
  });

  it('ends a transfer on solana instead of signing it again, once what is signed has provably expired', async () => {
    const payer = await money.payer('solana');
    money.solana.fate = () => 'forget';
    const { id, dest } = await confirmed(payer);
    await setPolicy(payer, NO_DESTINATION);
    // What is signed may still be carried out.
    await tracking().execute(payer.app.id as AppId, id as TransferId);
    expect((await money.get(payer, id)).status).toBe('pending');
    money.solana.expireBlockhashes();
    money.solana.fate = () => 'land';
    const failure = { code: 'destination_not_allowed', retry_safe: true };
    const attempts = [expect.anything()];
    expect(await end(payer, id)).toMatchObject({ status: 'failed', attempts, failure });
    expect(await money.balance('solana', dest)).toBe(0n);
    expect(await money.balance('solana', payer.address)).toBe(10n * SOL);
  });

  it.each([
    ['the destination', NO_DESTINATION, 'not_in_a_block'],
    ['the amount', { max_amounts: [{ currency: 'ethereum', max_amount: '0.1' }] }, 'not_in_a_block'],
    ['the fees', { max_fees: [{ currency: 'ethereum', max_fee: '0' }] }, 'fee_above_ceiling'],
  ])('refuses to replace a payment by higher fees for %s, and the payment goes on', async (_, policy, reason) => {
    const payer = await money.payer('ethereum');
    const { id, dest } = await confirmed(payer);
    await setPolicy(payer, policy);
    await database.query(
      `update transfers set confirmed_at = ((confirmed_at at time zone 'UTC') - interval '1 hour') at time zone 'UTC' where id = $1`,
      [id],
    );
    await database.query(
      `update transfer_attempts set created_at = ((created_at at time zone 'UTC') - interval '1 hour') at time zone 'UTC' where transfer_id = $1`,
      [id],
    );
    const stuck = await tracking().execute(payer.app.id as AppId, id as TransferId);
    expect(stuck).toMatchObject({ status: 'pending', stuckReason: reason });
    expect((await money.get(payer, id)).attempts).toHaveLength(1);
    await setPolicy(payer, { allowed_destinations: [dest, newAddress('ethereum')], max_amounts: null, max_fees: null });
    await eventually(async () => {
      await money.look();
      expect((await money.get(payer, id)).attempts).toHaveLength(2);
    });
    expect((await end(payer, id)).status).toBe('completed');
    expect(await money.balance('ethereum', dest)).toBe(ETH / 2n);
  });
});

describe('a deactivated user', () => {
  it('neither pays, signs nor exports: a queued payment waits for the reactivation, a signed one goes on', async () => {
    const payer = await money.payer('ethereum');
    const { app, userId, walletId } = payer;
    const [signed, unconfirmed] = [await confirmed(payer, { source_amount: '0.01' }), await money.created(payer)];
    for (let i = 1; i < SENDER_QUEUE_CAPACITY; i++) await confirmed(payer, { source_amount: '0.01' });
    const waiting = await confirmed(payer, { source_amount: '0.01' });
    const dropped = await confirmed(payer, { source_amount: '0.01' });
    const manage = (what: string) =>
      money.app.call('POST', `/management/v1/apps/${app.id}/users/${userId}/${what}`, { key: MANAGEMENT_KEY });
    expect((await manage('deactivate')).status).toBe(200);
    const post = (path: string, body: unknown) => money.app.call('POST', `/v1/${path}`, { key: app.secretKey, body });
    const refused = [
      await money.confirm(payer, unconfirmed.id),
      await post('transfers/create', {
        source: walletId,
        dest: newAddress('ethereum'),
        source_amount: '1',
        source_currency: 'ethereum',
      }),
      await post(`wallets/${walletId}/sign_message`, { message: 'yes' }),
      await post(`wallets/${walletId}/export`, { encryption_public_key: keyPair().getPublicKey('base64') }),
    ];
    expect(refused.map(({ status, body }) => [status, body.error_type])).toEqual(Array(4).fill([403, 'user_inactive']));
    expect((await end(payer, signed.id)).status).toBe('completed');
    await tracking().execute(app.id as AppId, waiting.id as TransferId);
    expect(await money.get(payer, waiting.id)).toMatchObject({ status: 'pending', stage: 'queued' });
    await database.query(`update transfers set confirmed_at = now() - interval '1 day' where id = $1`, [waiting.id]);
    await tracking().execute(app.id as AppId, waiting.id as TransferId);
    expect(await money.get(payer, waiting.id)).toMatchObject({ status: 'pending', stuck_reason: 'user_inactive' });
    expect((await post(`transfers/${dropped.id}/cancel`, {})).body.status).toBe('cancelled');
    expect((await manage('reactivate')).status).toBe(200);
    expect((await end(payer, waiting.id)).status).toBe('completed');
  });
});
