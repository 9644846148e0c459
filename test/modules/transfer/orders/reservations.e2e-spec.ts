import { parseEther } from 'ethers';
import { Client } from 'pg';
import { Chains } from '../../../../src/kernel/chain/chain.js';
import type { PreparedPayment } from '../../../../src/kernel/chain/payment.js';
import type { AppId, TransferId } from '../../../../src/kernel/ids.js';
import { Transactions } from '../../../../src/kernel/transactions.js';
import { ExpireTransfers } from '../../../../src/modules/transfer/tracking/application/expire-transfers.js';
import {
  TransferRepository,
  TransferStateRepository,
} from '../../../../src/modules/transfer/transfer/domain/transfer.repository.js';
import { Database } from '../../../../src/postgres/database.js';
import { type Answer, MANAGEMENT_KEY } from '../../../support/app.js';
import { eventually } from '../../../support/eventually.js';
import { Money, newAddress, type Payer } from '../../../support/money.js';
import { Observer } from '../../../support/observer.js';

// Blocks come only when a test makes them: what is confirmed stays open.
let money: Money;
let database: Client;

beforeAll(async () => {
  money = await Money.start({ ethereum: { blockTime: 'never' }, env: { TRANSFER_CONFIRM_WAIT_SECONDS: '0' } });
  database = new Client({ connectionString: money.app.databaseUrl });
  await database.connect();
});
afterAll(async () => {
  await database.end();
  await money.stop();
});

function refusal({ status, body }: Answer): unknown {
  return [status, body.error_type];
}

/** Confirms a transfer and has it stay open. */
async function confirmed(payer: Payer, id: string): Promise<void> {
  const { status, body } = await money.confirm(payer, id);
  expect([status, body.status]).toEqual([200, 'pending']);
}

/** Has the confirmation refused, with the transfer as it was. */
async function refused(payer: Payer, id: string, errorType: string): Promise<void> {
  const before = await money.get(payer, id);
  expect(refusal(await money.confirm(payer, id))).toEqual([409, errorType]);
  expect(await money.get(payer, id)).toEqual(before);
}

/** A wallet that holds a token, which its app pays with under the name coupon. */
async function tokenPayer(supply: bigint): Promise<Payer> {
  const payer = await money.payer('ethereum');
  const token = await money.anvil.deployToken(payer.address, supply, 6);
  await money.app.call('PATCH', `/management/v1/apps/${payer.app.id}`, {
    key: MANAGEMENT_KEY,
    body: { assets: [{ chain: 'ethereum', name: 'coupon', symbol: 'CPN', decimals: 6, token }] },
  });
  // Settings of an app are at most half a second old.
  await eventually(() => money.created(payer, coupons('0.000001')));
  return payer;
}

const coupons = (source_amount: string) => ({
  source_currency: 'coupon',
  dest_currency: 'coupon',
  source_amount,
  dest: newAddress('ethereum'),
});

describe('what open transfers of a wallet may still take', () => {
  it('includes their fees: two that the amounts alone would leave room for', async () => {
    const payer = await money.payer('ethereum');
    const [first, second] = [await money.created(payer), await money.created(payer)];
    const fee = parseEther(first.total_fees);
    // Both amounts and one and a half fees.
    await money.anvil.fund(payer.address, parseEther('1') + fee + fee / 2n);
    await confirmed(payer, first.id);
    await refused(payer, second.id, 'insufficient_funds');
    await money.anvil.fund(payer.address, parseEther('1') + parseEther(second.total_fees) + fee);
    await confirmed(payer, second.id);
  });

  it('is read by one plan, because its statement takes longer to plan than to run', async () => {
    const payer = await money.payer('ethereum');
    await money.anvil.fund(payer.address, parseEther('10'));
    const { id } = await money.created(payer);
    const service = <T>(of: abstract new (...parameters: never[]) => T): T => money.app.nest.get(of, { strict: false });
    const transfer = (await service(TransferRepository).find(payer.app.id as AppId, id as TransferId))!.transfer;
    const plans = await service(Transactions).run(async () => {
      await service(TransferStateRepository).lockForSigning(
        [transfer],
        1,
        async () => undefined,
        async () => undefined,
      );
      return service(Database).read(
        `select custom_plans::int as each, generic_plans > 0 as common from pg_prepared_statements where statement like $1`,
        ['%with other_transfers as%'],
      );
    });
    expect(plans).toEqual([{ each: 0, common: true }]);
  });

  it('includes the coin that the fees of a token payment need', async () => {
    const payer = await tokenPayer(1_000_000n);
    const [coins, tokens] = [await money.created(payer), await money.created(payer, coupons('0.5'))];
    const taken = parseEther('0.5') + parseEther(coins.total_fees);
    const fee = parseEther(tokens.total_fees);
    await money.anvil.fund(payer.address, taken + fee - 1n);
    await confirmed(payer, coins.id);
    await refused(payer, tokens.id, 'insufficient_funds');
    await money.anvil.fund(payer.address, taken + fee);
    await confirmed(payer, tokens.id);
  });

  it('includes the token itself: two payments of three fifths of it', async () => {
    const payer = await tokenPayer(1_000_000n);
    const [first, second] = [await money.created(payer, coupons('0.6')), await money.created(payer, coupons('0.6'))];
    await confirmed(payer, first.id);
    await refused(payer, second.id, 'insufficient_funds');
    const third = await money.created(payer, coupons('0.4'));
    await confirmed(payer, third.id);
  });
});

describe('what self-transfers of a wallet may still take', () => {
  const GWEI = 10n ** 9n;

  /** Makes a block in which gas costs so much. */
  async function priceGas(wei: bigint): Promise<void> {
    await money.anvil.call('anvil_setNextBlockBaseFeePerGas', `0x${wei.toString(16)}`);
    await money.anvil.mine();
  }

  async function stuck({ id }: { id: string }, seconds = 3600): Promise<void> {
    await database.query(
      `update transfers set confirmed_at = ((confirmed_at at time zone 'UTC') - make_interval(secs => $2)) at time zone 'UTC', next_check_at = now() where id = $1`,
      [id, seconds],
    );
    await database.query(
      `update transfer_attempts set created_at = ((created_at at time zone 'UTC') - make_interval(secs => $2)) at time zone 'UTC' where transfer_id = $1`,
      [id, seconds],
    );
  }

  /** Confirms a payment that needs one unit more than is free, and another that needs exactly that. */
  async function leaves(payer: Payer, reserved: bigint): Promise<void> {
    const [short, exact] = [await money.created(payer), await money.created(payer)];
    const needed = parseEther('0.5') + parseEther(exact.total_fees);
    expect(short.total_fees).toBe(exact.total_fees);
    await money.anvil.fund(payer.address, needed + reserved - 1n);
    await refused(payer, short.id, 'insufficient_funds');
    await money.anvil.fund(payer.address, needed + reserved);
    await confirmed(payer, exact.id);
  }

  afterEach(() => priceGas(GWEI / 100n));

  it('includes a cancellation that costs more than the payment it replaces', async () => {
    const payer = await tokenPayer(1_000_000n);
    const first = await money.created(payer, coupons('0.1'));
    await confirmed(payer, first.id);
    await priceGas(100n * GWEI);
    await stuck(first);
    await eventually(async () => {
      await money.look();
      expect((await money.get(payer, first.id)).stuck_since).toBeGreaterThan(0);
    });
    await priceGas(20n * GWEI);
    const { status, body } = await money.app.call('POST', `/v1/transfers/${first.id}/cancel`, {
      key: payer.app.secretKey,
    });
    expect(status).toBe(200);
    const dearest = parseEther(body.attempts.at(-1).max_fee);
    expect(dearest).toBeGreaterThan(parseEther(first.total_fees));
    await money.withoutTracker(() => leaves(payer, dearest));
  });

  it('includes those that close a gap, each nonce once, until a later nonce is in a block', async () => {
    const payer = await money.payer('ethereum');
    await database.query('update wallets set key_left_at = now() where id = $1', [payer.walletId]);
    await money.anvil.call('anvil_impersonateAccount', payer.address);
    const foreign = [];
    for (const _ of [0, 1]) {
      const to = newAddress('ethereum');
      const sent = { from: payer.address, to, value: '0x1' };
      foreign.push(await money.anvil.call<string>('eth_sendTransaction', sent));
    }
    const head = await money.created(payer);
    await confirmed(payer, head.id);
    for (const hash of foreign) await money.anvil.call('anvil_dropTransaction', hash);
    await stuck(head);
    const fees = () =>
      database.query(`select max_fee from transfer_attempts where address = $1 and kind = 'cancellation'`, [
        payer.address,
      ]);
    await eventually(async () => {
      await money.look();
      expect((await fees()).rows).toHaveLength(2);
    });
    await money.withoutTracker(async () => {
      const { rows } = await fees();
      const selfTransfers = rows.reduce((sum, { max_fee }) => sum + BigInt(max_fee), 0n);
      await leaves(payer, parseEther('0.5') + parseEther(head.total_fees) + selfTransfers);
    });
    await money.anvil.fund(payer.address, parseEther('10'));
    await eventually(async () => {
      await money.look();
      await money.anvil.mine();
      expect((await money.get(payer, head.id)).status).toBe('completed');
    });
    await money.withoutTracker(async () => {
      const open = await money.created(payer);
      await confirmed(payer, open.id);
      await leaves(payer, parseEther('0.5') + parseEther(open.total_fees));
    });
  });
});

describe('a signed payment', () => {
  it('whose fee is above the quote never leaves, and nothing of it is stored', async () => {
    const payer = await money.payer('ethereum');
    const { id } = await money.created(payer);
    const chain = money.app.nest.get(Chains, { strict: false }).named('ethereum');
    const prepareTogether = chain.prepareTogether.bind(chain);
    const sends = money.proxies.ethereum.calls.get('eth_sendRawTransaction') ?? 0;
    chain.prepareTogether =
      (payments) =>
      async (...terms): Promise<PreparedPayment> => {
        const prepared = await prepareTogether(payments)(...terms);
        const sign: PreparedPayment['sign'] = (signer, nonce) => ({
          ...prepared.sign(signer, nonce),
          maxFee: prepared.feeCap + 1n,
        });
        return { ...prepared, sign };
      };
    try {
      expect((await money.confirm(payer, id)).status).toBe(500);
    } finally {
      chain.prepareTogether = prepareTogether;
    }
    expect(await money.get(payer, id)).toMatchObject({ status: 'unconfirmed', attempts: [], blockchain_tx_hash: '' });
    expect(money.proxies.ethereum.calls.get('eth_sendRawTransaction') ?? 0).toBe(sends);
    await confirmed(payer, id);
  });

  it('is not made when the quote has run out while the confirmation waited for the lock', async () => {
    const payer = await money.payer('ethereum');
    const watcher = await Observer.of(money.app);
    try {
      // On a busy machine the quote may be over before the wait begins, or the wait too long: then once more.
      const { id, answer } = await eventually(() => confirmedTooLate(payer, watcher));
      expect(refusal(answer)).toEqual([409, 'transfer_expired']);
      await money.app.nest.get(ExpireTransfers, { strict: false }).execute();
      expect(await money.become(payer, id, 'expired')).toMatchObject({ attempts: [] });
    } finally {
      await watcher.close();
    }
  });

  /** Holds a transfer's lock until a confirmation that began in time is too late. Throws when it did not begin in time, or waited for too long. */
  async function confirmedTooLate(payer: Payer, watcher: Observer): Promise<{ id: string; answer: Answer }> {
    const { id } = await money.created(payer);
    const transfer = [payer.app.id, id];
    await database.query(
      `update transfers set expires_at = now() + interval '2 seconds' where app_id = $1 and id = $2`,
      transfer,
    );
    await database.query('begin');
    await database.query('select from transfers where app_id = $1 and id = $2 for update', transfer);
    const confirming = money.confirm(payer, id);
    const isOver = async (): Promise<boolean> => {
      const [row] = await watcher.rows<{ over: boolean }>(
        'select clock_timestamp() >= expires_at as over from transfers where id = $1',
        [id],
      );
      return row!.over;
    };
    let hasWaited = false;
    while (!(await isOver())) {
      hasWaited ||= (await watcher.waiting()) > 0;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    await database.query('commit');
    const answer = await confirming;
    if (!hasWaited) throw new Error('The confirmation did not begin in time.');
    if (answer.status === 503) throw new Error('The confirmation waited for longer than the service lets it.');
    return { id, answer };
  }
});
