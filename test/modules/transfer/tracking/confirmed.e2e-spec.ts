import { TransferRepository } from '../../../../src/modules/transfer/transfer/domain/transfer.repository.js';
import { TrackTransfer } from '../../../../src/modules/transfer/tracking/application/track-transfer.js';
import type { AppId, TransferId } from '../../../../src/kernel/ids.js';
import { MANAGEMENT_KEY, type TestApp } from '../../../support/app.js';
import { forgetSettings } from '../../../support/background.js';
import { eventually } from '../../../support/eventually.js';
import { Money, type Payer } from '../../../support/money.js';
import { Observer } from '../../../support/observer.js';

const FINALITY_DEPTH = 3;
const SOLANA_FINALIZED_AFTER = 8;

// Blocks come only when a test makes them, and the tracker of the service is stopped: only the tests look.
let money: Money;
let observer: Observer;

beforeAll(async () => {
  money = await Money.start({
    ethereum: { blockTime: 'never' },
    solana: { slotMs: undefined, finalizedAfter: SOLANA_FINALIZED_AFTER },
    env: { ETHEREUM_FINALITY_DEPTH: String(FINALITY_DEPTH), TRANSFER_CONFIRM_WAIT_SECONDS: '0', ROLE: 'api' },
  });
  observer = await Observer.of(money.app);
  await money.anvil.mine(FINALITY_DEPTH + 1);
});
afterAll(async () => {
  await observer?.close();
  await money?.stop();
});
afterEach(async () => {
  money.proxies.ethereum.answer = () => undefined;
  money.proxies.ethereum.change = null;
  money.solana.fate = () => 'land';
  await money.anvil.mine(FINALITY_DEPTH + 1);
});

class Payment {
  constructor(
    readonly payer: Payer,
    readonly id: string,
  ) {}

  /** A confirmed payment that its chain holds in no block. */
  static async made(chain: 'ethereum' | 'solana' = 'ethereum'): Promise<Payment> {
    const payer = await money.payer(chain);
    const { id } = await money.created(payer);
    const { status, text } = await money.confirm(payer, id);
    if (status !== 200) throw new Error(text);
    return new Payment(payer, id);
  }

  read(app: TestApp = money.app) {
    return app.nest.get(TransferRepository, { strict: false }).find(this.payer.app.id as AppId, this.id as TransferId);
  }

  /** One look of a tracker, by default at the transfer as it is stored. */
  async look(app: TestApp = money.app, seen = this.read(app)): Promise<void> {
    const { nest } = app;
    const attempts = await nest
      .get(TransferRepository, { strict: false })
      .attempts(this.payer.app.id as AppId, this.id as TransferId);
    await nest.get(TrackTransfer, { strict: false }).track((await seen)!, attempts);
  }

  /** The transfer after a look. */
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- tests reach into answers as clients do
  async looked(): Promise<any> {
    await this.look();
    return money.get(this.payer, this.id);
  }

  /** The events after the confirmation by the caller, with the status that each names. */
  async events(): Promise<string[]> {
    const rows = await observer.rows<{ type: string; status: string }>(
      `select type, data->>'status' as status from stored_events
        where app_id = $1 and data->>'transfer_id' = $2 order by position, seq`,
      [this.payer.app.id, this.id],
    );
    return rows.slice(2).map(({ type, status }) => `${type} (${status})`);
  }
}

async function timeOfNewestBlock(): Promise<number> {
  return (await money.anvil.provider.getBlock('latest'))!.timestamp;
}

const CONFIRMED = 'transfer.confirmed (pending)';
const UNCONFIRMED_AGAIN = 'transfer.unconfirmed_again (pending)';
const COMPLETED = 'transfer.completed (completed)';

describe('a payment on ethereum', () => {
  it('has the time of its first block, loses it in a reorganisation, and has that of its next block until it is final', async () => {
    const payment = await Payment.made();
    expect(await payment.looked()).toMatchObject({ stage: 'submitted', confirmed_at: 0 });
    await money.anvil.mine();
    expect(await payment.looked()).toMatchObject({
      status: 'pending',
      stage: 'mined',
      confirmed_at: await timeOfNewestBlock(),
      completed_at: 0,
    });
    await payment.look();
    expect(await payment.events()).toEqual([CONFIRMED]);

    await money.anvil.reorganise(1);
    // The look also sends the payment again.
    expect(await payment.looked()).toMatchObject({ status: 'pending', stage: 'submitted', confirmed_at: 0 });
    await payment.look();
    expect(await payment.events()).toEqual([CONFIRMED, UNCONFIRMED_AGAIN]);

    await money.anvil.call('evm_increaseTime', 1_000);
    await money.anvil.mine();
    const second = await timeOfNewestBlock();
    expect(await payment.looked()).toMatchObject({ stage: 'mined', confirmed_at: second, completed_at: 0 });
    await money.anvil.mine(FINALITY_DEPTH);
    expect(await payment.looked()).toMatchObject({ status: 'completed', stage: '', confirmed_at: second });
    expect(await payment.events()).toEqual([CONFIRMED, UNCONFIRMED_AGAIN, CONFIRMED, COMPLETED]);
  });

  it('is confirmed before it is completed also when it is first seen in a final block', async () => {
    const payment = await Payment.made();
    await money.anvil.mine();
    const confirmed_at = await timeOfNewestBlock();
    await money.anvil.mine(FINALITY_DEPTH);
    expect(await payment.looked()).toMatchObject({ status: 'completed', confirmed_at });
    expect(await payment.events()).toEqual([CONFIRMED, COMPLETED]);
  });

  it('stays confirmed when a reorganisation moves it to another block before any look, with the time of that block', async () => {
    const payment = await Payment.made();
    await money.anvil.mine();
    await payment.look();
    const { raw } = (
      await observer.rows<{ raw: Buffer }>('select raw from transfer_attempts where transfer_id = $1', [payment.id])
    )[0]!;
    await money.anvil.reorganise(1);
    await money.anvil.call('eth_sendRawTransaction', `0x${raw.toString('hex')}`);
    await money.anvil.call('evm_increaseTime', 1_000);
    await money.anvil.mine();
    expect(await payment.looked()).toMatchObject({ stage: 'mined', confirmed_at: await timeOfNewestBlock() });
    expect(await payment.events()).toEqual([CONFIRMED]);
  });

  it('stays confirmed while an endpoint lags behind its block', async () => {
    const payment = await Payment.made();
    const height = await money.anvil.provider.getBlockNumber();
    await money.anvil.mine();
    const { confirmed_at } = await payment.looked();
    money.proxies.ethereum.answer = (method, [block]) => {
      if (method === 'eth_getTransactionReceipt' || method === 'eth_getTransactionByHash') return null;
      if (method === 'eth_getTransactionCount') return '0x0';
      return method === 'eth_getBlockByNumber' && Number(block) > height ? null : undefined;
    };
    expect(await payment.looked()).toMatchObject({ stage: 'mined', confirmed_at });
    expect(await payment.events()).toEqual([CONFIRMED]);
  });

  it('is not confirmed by a block in which it was reverted', async () => {
    const payment = await Payment.made();
    await money.anvil.mine();
    money.proxies.ethereum.change = (method, result) =>
      method === 'eth_getTransactionReceipt' ? { ...(result as object), status: '0x0' } : result;
    expect(await payment.looked()).toMatchObject({ stage: 'mined', confirmed_at: 0 });
    expect(await payment.events()).toEqual([]);
  });

  it('has one event of a change that two trackers have observed at the same time', async () => {
    const replica = await money.replica();
    try {
      const payment = await Payment.made();
      await money.anvil.mine();
      const seen = payment.read();
      await seen;
      const looks = [money.app, replica].map((app) => () => payment.look(app, seen));
      await locked(payment, looks);
      expect(await payment.events()).toEqual([CONFIRMED]);
      await money.anvil.reorganise(1);
      const mined = payment.read();
      await mined;
      await locked(
        payment,
        [money.app, replica].map((app) => () => payment.look(app, mined)),
      );
      expect(await payment.events()).toEqual([CONFIRMED, UNCONFIRMED_AGAIN]);
    } finally {
      await replica.stop();
    }
  });

  /** Lets each look observe the chain, and stores nothing before all have. */
  async function locked({ id, payer }: Payment, looks: readonly (() => Promise<void>)[]): Promise<void> {
    await observer.rows('begin');
    await observer.rows('select from transfers where app_id = $1 and id = $2 for update', [payer.app.id, id]);
    const ends = Promise.all(looks.map((look) => look()));
    await observer.untilWaiting('transfers', () => looks.length);
    await observer.rows('commit');
    await ends;
  }

  it('is not confirmed by an observation that is older than its stored state', async () => {
    const payment = await Payment.made();
    await payment.look();
    const seen = payment.read();
    const { hash } = (await seen)!.transfer;
    await money.anvil.mine();
    await payment.look();
    const receipt = await money.anvil.call<{ blockNumber: string }>('eth_getTransactionReceipt', hash);
    const block = await money.anvil.call('eth_getBlockByNumber', receipt.blockNumber, false);
    await money.anvil.reorganise(1);
    await payment.look();
    // A tracker that has read the transfer first was paused after it had observed the block.
    money.proxies.ethereum.answer = (method, [number]) => {
      if (method === 'eth_getTransactionReceipt') return receipt;
      return method === 'eth_getBlockByNumber' && number === receipt.blockNumber ? block : undefined;
    };
    await payment.look(money.app, seen);
    expect(await payment.events()).toEqual([CONFIRMED, UNCONFIRMED_AGAIN]);
    // It is the observation that counts: on the current state it does.
    await payment.look();
    expect(await payment.events()).toEqual([CONFIRMED, UNCONFIRMED_AGAIN, CONFIRMED]);
  });

  it('has neither the time nor the event when the process ends before the commit, and both after the next look', async () => {
    const payment = await Payment.made();
    await money.anvil.mine();
    // As after a SIGKILL, the session ends when everything is stored but the commit.
    await observer.rows(`
      create function end_session() returns trigger language plpgsql as
        $$ begin perform pg_terminate_backend(pg_backend_pid()); perform pg_sleep(10); return null; end $$`);
    await observer.rows(
      `create constraint trigger end_session after update of included_at on transfers initially deferred
         for each row when (new.id = '${payment.id}') execute function end_session()`,
    );
    try {
      await expect(payment.look()).rejects.toThrow();
    } finally {
      await observer.rows('drop function end_session() cascade');
    }
    expect(await money.get(payment.payer, payment.id)).toMatchObject({ status: 'pending', confirmed_at: 0 });
    expect(await payment.events()).toEqual([]);
    expect((await payment.looked()).confirmed_at).toBe(await timeOfNewestBlock());
    expect(await payment.events()).toEqual([CONFIRMED]);
  });
});

describe('a payment on solana', () => {
  it('is confirmed by its first block, loses it on another fork, and is confirmed and completed there', async () => {
    const payment = await Payment.made('solana');
    expect(await payment.looked()).toMatchObject({ stage: 'submitted', confirmed_at: 0 });
    money.solana.advance(2);
    const { confirmed_at } = await payment.looked();
    expect(confirmed_at).toBeGreaterThan(0);
    expect(await payment.events()).toEqual([CONFIRMED]);

    money.solana.fork(5);
    money.solana.fate = () => 'forget';
    // Until the slot of the block is final, an endpoint may only lag behind.
    expect(await payment.looked()).toMatchObject({ stage: 'mined', confirmed_at });
    money.solana.advance(SOLANA_FINALIZED_AFTER);
    expect(await payment.looked()).toMatchObject({ stage: 'submitted', confirmed_at: 0 });
    expect(await payment.events()).toEqual([CONFIRMED, UNCONFIRMED_AGAIN]);

    money.solana.fate = () => 'land';
    await payment.look();
    money.solana.advance(2);
    expect((await payment.looked()).confirmed_at).toBeGreaterThan(0);
    money.solana.advance(SOLANA_FINALIZED_AFTER);
    expect(await payment.looked()).toMatchObject({ status: 'completed' });
    expect(await payment.events()).toEqual([CONFIRMED, UNCONFIRMED_AGAIN, CONFIRMED, COMPLETED]);
  });

  it('stays confirmed when its node was restarted from a snapshot without the block', async () => {
    const payment = await Payment.made('solana');
    money.solana.advance(2);
    const { confirmed_at } = await payment.looked();
    money.solana.restartFromSnapshot(3);
    money.solana.advance(SOLANA_FINALIZED_AFTER);
    try {
      expect(await payment.looked()).toMatchObject({ stage: 'mined', confirmed_at });
    } finally {
      money.solana.fillHoles();
    }
    expect(await payment.looked()).toMatchObject({ status: 'completed', confirmed_at });
    expect(await payment.events()).toEqual([CONFIRMED, COMPLETED]);
  });
});

describe('a confirmation of an app that accepts payments in a block', () => {
  let replica: TestApp;
  beforeAll(async () => {
    replica = await money.replica({ TRANSFER_CONFIRM_WAIT_SECONDS: '120' });
  });
  afterAll(() => replica?.stop());

  it('returns at the first block up to the largest accepted payment, and above it at finality', async () => {
    const payer = await money.payer('ethereum');
    const other = await money.payer('ethereum', 10n, payer.app);
    const { status } = await money.app.call('PATCH', `/management/v1/apps/${payer.app.id}`, {
      key: MANAGEMENT_KEY,
      body: { accept_confirmed: [{ currency: 'ETH', max_amount: '0.5' }] },
    });
    expect(status).toBe(200);
    forgetSettings(money.app, replica);
    const small = await money.created(payer, { source_amount: '0.5' });
    const large = await money.created(other, { source_amount: '0.500000000000000001' });
    let isLargeAnswered = false;
    const accepted = money.confirm(payer, small.id, {}, replica);
    const final = money.confirm(other, large.id, {}, replica).finally(() => (isLargeAnswered = true));
    await eventually(async () => {
      for (const { id } of [small, large]) expect((await money.get(payer, id)).stage).toBe('submitted');
    });
    await money.anvil.mine();
    expect((await accepted).body).toMatchObject({ id: small.id, status: 'pending', stage: 'mined', completed_at: 0 });
    expect((await accepted).body.confirmed_at).toBe(await timeOfNewestBlock());
    await eventually(async () => expect((await money.get(payer, large.id)).confirmed_at).toBeGreaterThan(0));
    expect(isLargeAnswered).toBe(false);
    await money.anvil.mine(FINALITY_DEPTH);
    expect((await final).body).toMatchObject({ id: large.id, status: 'completed' });
    // The payment that was accepted early is tracked like any other.
    expect(await new Payment(payer, small.id).looked()).toMatchObject({ status: 'completed' });
  });
});
