import { eventually } from '../../../support/eventually.js';
import { Money, type Payer } from '../../../support/money.js';
import { Observer } from '../../../support/observer.js';
import { signRows } from '../../../support/row-macs.js';
import { checkBudgets } from '../budget-history.js';
import { PolicyApp } from '../policies.js';

const FINALITY_DEPTH = 3;
const GWEI = 10n ** 9n;
const SENDS = ['eth_sendRawTransaction', 'eth_sendRawTransactionSync'];

// Blocks come only when a test makes them.
let money: Money;
let observer: Observer;

beforeAll(async () => {
  money = await Money.start({
    ethereum: { blockTime: 'never' },
    env: {
      ETHEREUM_FINALITY_DEPTH: String(FINALITY_DEPTH),
      TRANSFER_CONFIRM_WAIT_SECONDS: '0',
      TRANSFER_BUMP_AFTER_SECONDS: '60',
      TRANSFER_STUCK_AFTER_SECONDS: '600',
    },
  });
  observer = await Observer.of(money.app);
  await money.anvil.mine(FINALITY_DEPTH + 1);
});
afterAll(async () => {
  await observer?.close();
  await money?.stop();
});
afterEach(async () => {
  money.proxies.ethereum.fault = () => null;
  await priceGas(GWEI / 100n);
  await money.anvil.mine(FINALITY_DEPTH + 20);
});

/** Makes a block in which gas costs so much; in those after it about as much. */
async function priceGas(wei: bigint): Promise<void> {
  await money.anvil.call('anvil_setNextBlockBaseFeePerGas', `0x${wei.toString(16)}`);
  await money.anvil.mine();
}

/** A wallet that may pay 1 ether in an hour, and a payment of 0.9 ether. */
class Spending {
  private constructor(
    readonly payer: Payer,
    readonly id: string,
    /** A payment of 0.2 ether, which has no room beside it. */
    readonly rest: string,
  ) {}

  static async begin(): Promise<Spending> {
    const payer = await money.payer('ethereum');
    const policies = PolicyApp.at(money.app, payer.app);
    const match = { operations: ['transfer'], assets: ['ethereum'] };
    const rules = [{ id: 'pays', effect: 'allow', match, windows: [{ seconds: 3_600, max_amount: '1' }] }];
    await policies.activate(await policies.version({ rules }));
    const { id } = await money.created(payer, { source_amount: '0.9' });
    const rest = await money.created(payer, { source_amount: '0.2' });
    const { status, text } = await money.confirm(payer, id);
    if (status !== 200) throw new Error(text);
    return new Spending(payer, id, rest.id);
  }

  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- tests reach into answers as clients do
  when(is: (transfer: any) => boolean): Promise<any> {
    return eventually(async () => {
      await money.look();
      const transfer = await money.get(this.payer, this.id);
      if (!is(transfer)) throw new Error(`The transfer is ${JSON.stringify(transfer)}`);
      return transfer;
    });
  }

  isMined = (hash?: string) =>
    this.when(
      ({ stage, blockchain_tx_hash }) => stage === 'mined' && (hash === undefined || blockchain_tx_hash === hash),
    );

  /** Makes it stuck, cancels it, and returns the bytes of both ways in which it can end. The service sends nothing any more. */
  async cancelled(): Promise<Record<'payment' | 'cancellation', { hash: string; raw: Buffer }>> {
    await this.when(({ stage }) => stage === 'submitted');
    await priceGas(100n * GWEI);
    await observer.age(this.id, 601);
    await this.when(({ stuck_since }) => stuck_since > 0);
    await priceGas(5n * GWEI);
    const answer = await money.app.call('POST', `/v1/transfers/${this.id}/cancel`, { key: this.payer.app.secretKey });
    if (answer.status !== 200) throw new Error(answer.text);
    await money.withoutTracker(async () => {
      money.proxies.ethereum.fault = (method) => (SENDS.includes(method) ? 'request_lost' : null);
    });
    const signed = await observer.rows<{ kind: string; hash: string; raw: Buffer }>(
      'select kind, hash, raw from transfer_attempts where transfer_id = $1 order by ordinal',
      [this.id],
    );
    for (const { hash } of signed) await money.anvil.call('anvil_dropTransaction', hash);
    await priceGas(GWEI / 100n);
    return { payment: signed.findLast(({ kind }) => kind === 'payment')!, cancellation: signed.at(-1)! };
  }
}

async function expectCounted({ payer, rest }: Spending): Promise<void> {
  const { status, body } = await money.confirm(payer, rest);
  expect([status, body.reason]).toEqual([403, 'window_amount']);
}

/** Makes the event of a payment older than its window. */
async function age(id: string, ...columns: readonly string[]): Promise<void> {
  for (const column of columns)
    await observer.rows(
      `update spend_events set ${column} = ((${column} at time zone 'UTC') - interval '3601 seconds') at time zone 'UTC' where operation_id = $1`,
      [id],
    );
  await signRows(money.app, 'spend_events');
  await observer.rows('delete from spend_sums where app_id = (select app_id from transfers where id = $1)', [id]);
}

/** Puts signed bytes into a block, without the service. */
async function mine({ raw }: { readonly raw: Buffer }): Promise<void> {
  await money.anvil.call('eth_sendRawTransaction', `0x${raw.toString('hex')}`);
  await money.anvil.mine();
}

it('a payment whose block a reorganisation drops stays counted until it is paid, and then too', async () => {
  const spending = await Spending.begin();
  await spending.when(({ stage }) => stage === 'submitted');
  await money.anvil.mine();
  await spending.isMined();
  await expectCounted(spending);
  await money.anvil.reorganise(1);
  await spending.when(({ stage }) => stage === 'submitted');
  await expectCounted(spending);
  await eventually(async () => {
    await money.look();
    await money.anvil.mine();
    expect((await money.get(spending.payer, spending.id)).status).toBe('completed');
  });
  await expectCounted(spending);
});

it('a budget is given back when a reorganisation puts a cancellation in the place of the payment, once that is final', async () => {
  const spending = await Spending.begin();
  const { payment, cancellation } = await spending.cancelled();
  await mine(payment);
  await spending.isMined(payment.hash);
  await money.anvil.reorganise(1);
  await mine(cancellation);
  await spending.isMined(cancellation.hash);
  await expectCounted(spending);
  await money.anvil.mine(FINALITY_DEPTH);
  const failed = await spending.when(({ status }) => status === 'failed');
  expect(failed.confirmed_at).toBe(0);
  expect((await observer.events(spending.payer.app.id)).filter((type) => /confirmed|failed/.test(type))).toEqual([
    'transfer.unconfirmed',
    'transfer.unconfirmed',
    'transfer.confirmed',
    'transfer.unconfirmed_again',
    'transfer.failed',
  ]);
  money.proxies.ethereum.fault = () => null;
  const { id } = await money.created(spending.payer, { source_amount: '1' });
  expect((await money.confirm(spending.payer, id)).status).toBe(200);
  await expectCounted(spending);
});

it('a budget is not given back when a reorganisation puts the payment in the place of its cancellation', async () => {
  const spending = await Spending.begin();
  const { payment, cancellation } = await spending.cancelled();
  await mine(cancellation);
  await spending.isMined(cancellation.hash);
  await money.anvil.reorganise(1);
  await mine(payment);
  await spending.isMined(payment.hash);
  await money.anvil.mine(FINALITY_DEPTH);
  await spending.when(({ status }) => status === 'completed');
  await expectCounted(spending);
});

it('a completed payment stays counted when the chain loses its final block, and is sent again', async () => {
  const spending = await Spending.begin();
  await spending.when(({ stage }) => stage === 'submitted');
  await money.anvil.mine(FINALITY_DEPTH + 1);
  const { dest } = await spending.when(({ status }) => status === 'completed');
  const { id: next } = await money.created(spending.payer, { source_amount: '0.1' });
  await money.anvil.reorganise(FINALITY_DEPTH + 1);
  expect(await money.balance('ethereum', dest)).toBe(0n);
  expect((await money.confirm(spending.payer, next)).status).toBe(200);
  await expectCounted(spending);
  await observer.age(next, 61);
  await eventually(async () => {
    await money.look();
    await money.anvil.mine();
    expect((await money.get(spending.payer, next)).status).toBe('completed');
    expect(await money.balance('ethereum', dest)).toBe(9n * 10n ** 17n);
  });
  await expectCounted(spending);
});

it('a payment that was stuck for longer than its window makes no room when it is paid', async () => {
  const spending = await Spending.begin();
  const { payer, id, rest } = spending;
  await spending.when(({ stage }) => stage === 'submitted');
  await age(id, 'at');
  await expectCounted(spending);
  await money.anvil.mine(FINALITY_DEPTH + 1);
  await spending.when(({ status }) => status === 'completed');
  await expectCounted(spending);
  // The next spend moves the event.
  const { id: small } = await money.created(payer, { source_amount: '0.1' });
  expect((await money.confirm(payer, small)).status).toBe(200);
  await expectCounted(spending);
  await age(id, 'at', 'settled_at');
  expect((await money.confirm(payer, rest)).status).toBe(200);
  // The refusals were right by the times that the event had then.
  await observer.rows(`delete from policy_decisions where app_id = $1 and outcome = 'deny'`, [payer.app.id]);
});

it('the committed rows show that no budget was exceeded, lost or refused without cause', async () => {
  const histories = await checkBudgets((sql, parameters) => observer.rows(sql, parameters));
  expect(histories.flatMap(({ spends }) => spends)).toHaveLength(9);
});
