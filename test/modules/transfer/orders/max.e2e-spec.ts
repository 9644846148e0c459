import { parseUnits } from 'ethers';
import type { WalletType } from '../../../../src/kernel/chain/chain-name.js';
import { MANAGEMENT_KEY } from '../../../support/app.js';
import { eventually } from '../../../support/eventually.js';
import { Money, newAddress, type Payer, SOL } from '../../../support/money.js';
import { Batches, refusalOf } from '../batches.js';

const CHAINS: WalletType[] = ['ethereum', 'solana'];
const DECIMALS = { ethereum: 18, solana: 9 } as const;
/** The rent-exempt minimum of an account without data, in lamports. */
const RENT_MINIMUM = 890_880n;

// Blocks come only when a test makes them: what is confirmed stays open until then.
let money: Money;

beforeAll(async () => {
  money = await Money.start({
    ethereum: { blockTime: 'never' },
    solana: { slotMs: undefined, finalizedAfter: 4 },
    env: { TRANSFER_CONFIRM_WAIT_SECONDS: '0' },
  });
});
afterAll(() => money.stop());

const max = (payer: Payer, fields: Record<string, unknown> = {}) =>
  money.created(payer, { source_amount: 'max', ...fields });

describe.each(CHAINS)('max on %s', (chain) => {
  const units = (text: string): bigint => parseUnits(text, DECIMALS[chain]);

  /** Lets blocks come until the transfer has ended. */
  function ended(payer: Payer, id: string): Promise<Record<string, string>> {
    return eventually(async () => {
      await money.look();
      if (chain === 'ethereum') await money.anvil.mine();
      else money.solana.advance(1);
      const transfer = await money.get(payer, id);
      if (transfer.status === 'pending') throw new Error(`It is ${transfer.stage}.`);
      return transfer;
    });
  }

  it('of the coin sends the whole balance without the fees', async () => {
    const payer = await money.payer(chain);
    const transfer = await max(payer);
    expect(transfer.source_amount).toBe('10');
    expect(units(transfer.dest_amount)).toBe(units('10') - units(transfer.total_fees));
    expect((await money.confirm(payer, transfer.id)).status).toBe(200);
    expect(await ended(payer, transfer.id)).toMatchObject({ status: 'completed', dest_amount: transfer.dest_amount });
    expect(await money.balance(chain, transfer.dest)).toBe(units(transfer.dest_amount));
    const left = await money.balance(chain, payer.address);
    // Fees of Solana are exact; those of Ethereum are at most the quote.
    if (chain === 'solana') expect(left).toBe(0n);
    else expect(left).toBeLessThan(units(transfer.total_fees));
  });

  it('of the coin sends what open transfers leave', async () => {
    const payer = await money.payer(chain);
    const open = await money.created(payer, { source_amount: '4' });
    expect((await money.confirm(payer, open.id)).status).toBe(200);
    // On Solana it is in a block, which the call finds: it has left the balance and reserves nothing any more.
    if (chain === 'solana') money.solana.advance(1);
    const transfer = await max(payer);
    const free =
      chain === 'solana' ? await money.balance(chain, payer.address) : units('10') - units(open.source_amount);
    expect(units(transfer.source_amount)).toBe(free);
    expect((await money.confirm(payer, transfer.id)).status).toBe(200);
    expect(await ended(payer, open.id)).toMatchObject({ status: 'completed' });
    expect(await ended(payer, transfer.id)).toMatchObject({ status: 'completed' });
    expect(await money.balance(chain, transfer.dest)).toBe(units(transfer.dest_amount));
  });

  it('twice at the same time pays once: the second confirmation is refused and can be created again', async () => {
    const payer = await money.payer(chain);
    const [first, second] = await Promise.all([max(payer), max(payer)]);
    const answers = await Promise.all([money.confirm(payer, first.id), money.confirm(payer, second.id)]);
    const refused = answers.filter(({ status }) => status !== 200);
    expect(refused.map(refusalOf)).toEqual([[409, 'insufficient_funds', null]]);
    const [paid, unpaid] = answers[0]!.status === 200 ? [first, second] : [second, first];
    expect(await money.get(payer, unpaid.id)).toMatchObject({ status: 'unconfirmed', attempts: [] });
    expect(await ended(payer, paid.id)).toMatchObject({ status: 'completed' });
    expect(await money.balance(chain, unpaid.dest)).toBe(0n);
  });

  it('that does not cover the fees is refused', async () => {
    const payer = await money.payer(chain, 0n);
    expect(refusalOf(await money.create(payer, { source_amount: 'max' }))).toEqual([409, 'insufficient_funds', null]);
    if (chain === 'ethereum') await money.anvil.fund(payer.address, 1_000n);
    else money.solana.fund(payer.address, 5_000n);
    const { status, body } = await money.create(payer, { source_amount: 'max' });
    expect([status, body.error_type]).toEqual([
      409,
      chain === 'ethereum' ? 'insufficient_funds' : 'below_rent_minimum',
    ]);
  });

  it('of a token sends the whole balance of the token, and its fees are taken from the coin', async () => {
    const payer = await money.payer(chain);
    const token =
      chain === 'ethereum' ? await money.anvil.deployToken(payer.address, 7_500_000n, 6) : money.solana.createMint(6);
    if (chain === 'solana') await money.solana.fundToken(token, payer.address, 7_500_000n);
    await money.app.call('PATCH', `/management/v1/apps/${payer.app.id}`, {
      key: MANAGEMENT_KEY,
      body: { assets: [{ chain, name: 'coupon', symbol: 'CPN', decimals: 6, token }] },
    });
    const coupons = { source_currency: 'coupon', dest_currency: 'coupon' };
    const open = await eventually(() => money.created(payer, { ...coupons, source_amount: '2.5' }));
    const whole = await max(payer, coupons);
    expect([whole.source_amount, whole.dest_amount]).toEqual(['7.5', '7.5']);
    if (chain === 'ethereum') {
      expect((await money.confirm(payer, open.id)).status).toBe(200);
      expect(refusalOf(await money.confirm(payer, whole.id))).toEqual([409, 'insufficient_funds', null]);
      const rest = await max(payer, coupons);
      expect(rest.dest_amount).toBe('5');
      expect((await money.confirm(payer, rest.id)).status).toBe(200);
      expect(await ended(payer, rest.id)).toMatchObject({ status: 'completed' });
      return;
    }
    expect((await money.confirm(payer, whole.id)).status).toBe(200);
    expect(await ended(payer, whole.id)).toMatchObject({ status: 'completed' });
    expect(await money.solana.tokenBalance(token, whole.dest)).toBe(7_500_000n);
    expect(refusalOf(await money.create(payer, { ...coupons, source_amount: 'max' }))).toEqual([
      409,
      'insufficient_funds',
      null,
    ]);
  });

  it('obeys the limit of the app', async () => {
    const payer = await money.payer(chain);
    await money.app.call('PATCH', `/management/v1/apps/${payer.app.id}`, {
      key: MANAGEMENT_KEY,
      body: { transfer_policy: { max_amounts: [{ currency: chain, max_amount: '5' }] } },
    });
    expect(refusalOf(await money.create(payer, { source_amount: 'max' }))).toEqual([
      403,
      'transfer_limit_exceeded',
      null,
    ]);
  });
});

it('max leaves the rent-exempt minimum on Solana while a transfer is open that may take less than is reserved', async () => {
  const payer = await money.payer('solana');
  money.solana.fate = () => 'forget';
  const open = await money.created(payer, { source_amount: '4' });
  expect((await money.confirm(payer, open.id)).status).toBe(200);
  const transfer = await max(payer);
  money.solana.fate = () => 'land';
  const free = 6n * SOL - parseUnits(open.total_fees, 9);
  expect(parseUnits(transfer.source_amount, 9)).toBe(free - RENT_MINIMUM);
  expect((await money.confirm(payer, transfer.id)).status).toBe(200);
});

it('max is not the amount of an item of a batch', async () => {
  const payer = await money.payer('ethereum');
  const item = { dest: newAddress('ethereum'), source_amount: 'max' };
  expect(refusalOf(await new Batches(money, payer).create([item]))).toEqual([400, 'invalid_amount', 0]);
});
