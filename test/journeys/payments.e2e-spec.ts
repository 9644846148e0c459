import { parseEther, verifyMessage } from 'ethers';
import { unique } from '../support/given.js';
import { ETH, Money, newAddress, type Payer } from '../support/money.js';

let money: Money;
beforeAll(async () => {
  money = await Money.start();
});
afterAll(() => money?.stop());

/** A customer with a balance, in the app of another payer if one is given. */
const customer = (like?: Payer) => money.payer('ethereum', 10n, like?.app);
const post = (payer: Payer, path: string, body: unknown, headers: Record<string, string> = {}) =>
  money.app.call('POST', path, { key: payer.app.secretKey, body, headers });
const operator = (payer: Payer, path: string) =>
  money.app.call('POST', `/management/v1/apps/${payer.app.id}${path}`, { key: money.app.managementKey });

async function paid(payer: Payer, fields: Record<string, unknown>) {
  const transfer = await money.created(payer, fields);
  expect((await money.confirm(payer, transfer.id)).status).toBe(200);
  return money.become(payer, transfer.id, 'completed');
}

describe('a purchase', () => {
  it('is refunded with the amount that arrived', async () => {
    const ann = await customer();
    const shop = await money.payer('ethereum', 1n, ann.app);
    const sale = await paid(ann, {
      dest: shop.address,
      source_amount: '2',
      amount_includes_fees: true,
      notes: 'order 7',
    });
    const refund = await paid(shop, { dest: ann.address, source_amount: sale.dest_amount, notes: 'refund of order 7' });
    expect(refund.dest_amount).toBe(sale.dest_amount);
    const lost = 10n * ETH - (await money.balance('ethereum', ann.address));
    expect(lost).toBe(parseEther(sale.total_fees));
  });

  it('that is retried under its order number is paid once', async () => {
    const ann = await customer();
    const order = { dest: newAddress('ethereum'), source_amount: '1', custom_id: `order-${unique()}` };
    const sale = await paid(ann, order);
    const again = await money.create(ann, order);
    expect([again.status, again.body.error_type]).toEqual([409, 'duplicate_custom_id']);
    expect(again.text).toContain(sale.id);
    expect(await money.balance('ethereum', order.dest)).toBe(ETH);
  });

  it('whose answer was lost is asked for again with the same Idempotency-Key, and is the same one', async () => {
    const ann = await customer();
    const order = {
      source: ann.walletId,
      dest: newAddress('ethereum'),
      source_amount: '1',
      source_currency: 'ethereum',
      dest_currency: 'ethereum',
    };
    const headers = { 'Idempotency-Key': unique() };
    const create = () => post(ann, '/v1/transfers/create', order, headers);
    const [one, other] = [await create(), await create()];
    expect(other.body.id).toBe(one.body.id);
    for (let n = 0; n < 2; n++) expect((await money.confirm(ann, one.body.id)).status).toBe(200);
    await money.become(ann, one.body.id, 'completed');
    expect(await money.balance('ethereum', order.dest)).toBe(ETH);
  });

  it('that the customer thinks better of is cancelled, and nothing is paid', async () => {
    const ann = await customer();
    const { id, dest } = await money.created(ann, { source_amount: '1' });
    expect((await post(ann, `/v1/transfers/${id}/cancel`, {})).body.status).toBe('cancelled');
    const late = await money.confirm(ann, id);
    expect([late.status, late.body.error_type]).toEqual([409, 'transfer_cancelled']);
    expect(await money.balance('ethereum', dest)).toBe(0n);
  });

  it('beyond the balance is refused, and a smaller one goes on', async () => {
    const ann = await customer();
    const tooMuch = await money.create(ann, { source_amount: '11' });
    expect([tooMuch.status, tooMuch.body.error_type]).toEqual([409, 'insufficient_funds']);
    expect((await paid(ann, { source_amount: '9' })).status).toBe('completed');
  });

  it('stands in the list of the customer, the newest first', async () => {
    const ann = await customer();
    const first = await paid(ann, { source_amount: '1', notes: 'first' });
    const second = await paid(ann, { source_amount: '1', notes: 'second' });
    const { body } = await money.app.call('GET', '/v1/transfers/list', {
      key: ann.app.secretKey,
      query: { user_id: ann.userId },
    });
    expect(body.transfers.map(({ id }: { id: string }) => id)).toEqual([second.id, first.id]);
  });
});

describe('a wallet', () => {
  it('sends everything, and what is left does not pay for another payment', async () => {
    const ann = await customer();
    const all = await money.created(ann, { source_amount: 'max' });
    expect(parseEther(all.dest_amount)).toBe(10n * ETH - parseEther(all.total_fees));
    expect((await money.confirm(ann, all.id)).status).toBe(200);
    await money.become(ann, all.id, 'completed');
    expect(await money.balance('ethereum', all.dest)).toBe(parseEther(all.dest_amount));
    const { body } = await post(ann, '/v1/wallets/balance', { wallet_id: ann.walletId, token_symbol: 'ETH' });
    expect(parseEther(body.balance)).toBeLessThan(ETH / 100n);
  });

  it('shows the balance that a payment has left', async () => {
    const ann = await customer();
    const { source_amount } = await paid(ann, { source_amount: '3' });
    const { body } = await post(ann, '/v1/wallets/balance', { wallet_id: ann.walletId, token_symbol: 'ETH' });
    expect(parseEther(body.balance)).toBeGreaterThanOrEqual(10n * ETH - parseEther(source_amount));
    expect(parseEther(body.balance)).toBeLessThan(7n * ETH);
  });

  it('signs a text that proves whose it is', async () => {
    const ann = await customer();
    const message = 'Ann owns this wallet.';
    const { body } = await post(ann, `/v1/wallets/${ann.walletId}/sign_message`, { message });
    expect(verifyMessage(message, body.signature)).toBe(ann.address);
  });

  it('pays salaries in one batch, each shown alone', async () => {
    const boss = await customer();
    const items = ['0.1', '0.2', '0.3'].map((source_amount, n) => ({
      dest: newAddress('ethereum'),
      source_amount,
      custom_id: `salary-${unique()}-${n}`,
    }));
    const batch = await post(boss, '/v1/transfers/create_batch', {
      source: boss.walletId,
      source_currency: 'ethereum',
      items,
    });
    expect(batch.status).toBe(200);
    expect((await post(boss, '/v1/transfers/confirm_batch', { batch_id: batch.body.batch_id })).status).toBe(200);
    for (const { id } of batch.body.transfers) await money.become(boss, id, 'completed');
    for (const { dest, source_amount } of items)
      expect(await money.balance('ethereum', dest)).toBe(parseEther(source_amount));
  });

  it('of a deactivated customer pays nothing, and pays again after the reactivation', async () => {
    const ann = await customer();
    const { id } = await money.created(ann, { source_amount: '1' });
    await operator(ann, `/users/${ann.userId}/deactivate`);
    const refused = await money.confirm(ann, id);
    expect([refused.status, refused.body.error_type]).toEqual([403, 'user_inactive']);
    await operator(ann, `/users/${ann.userId}/reactivate`);
    expect((await paid(ann, { source_amount: '1' })).status).toBe('completed');
  });
});
