import { Client } from 'pg';
import { Chains } from '../../../../src/kernel/chain/chain.js';
import type { AppId, TransferId } from '../../../../src/kernel/ids.js';
import { EventSequence } from '../../../../src/modules/events/index.js';
import { SetBackWatch } from '../../../../src/modules/events/set-back-watch.js';
import { ExpireTransfers } from '../../../../src/modules/transfer/tracking/application/expire-transfers.js';
import {
  type Reconciliation,
  ReconcileQueue,
} from '../../../../src/modules/transfer/reconciling/application/reconcile-queue.js';
import { TrackTransfer } from '../../../../src/modules/transfer/tracking/application/track-transfer.js';
import { SettleApproval } from '../../../../src/modules/transfer/orders/application/settle-approval.js';
import { TrackingRepository } from '../../../../src/modules/transfer/tracking/domain/tracking.repository.js';
import {
  type TimedTransfer,
  TransferRepository,
  TransferStateRepository,
} from '../../../../src/modules/transfer/transfer/domain/transfer.repository.js';
import { Transactions } from '../../../../src/kernel/transactions.js';
import { eventually } from '../../../support/eventually.js';
import { ETH, Money, newAddress, type Payer, SOL } from '../../../support/money.js';
import { backUpQueue, restoreQueue } from '../../../support/restored-books.js';
import { signRows } from '../../../support/row-macs.js';

// A volume is brought back to a snapshot: the history of the database stays, and only its server has started since. The key of the wallet
// may be used elsewhere, so its nonces prove nothing. The tracker is stopped: each test decides who looks at which transfer.
const BEHIND = { status: 'pending', stuck_reason: 'books_behind_chain' };
const AMOUNT = ETH / 2n;

let money: Money;
let database: Client;
beforeAll(async () => {
  money = await Money.start({
    ethereum: { blockTime: 'never' },
    env: { ROLE: 'api', ETHEREUM_FINALITY_DEPTH: '1', TRANSFER_CONFIRM_WAIT_SECONDS: '0' },
  });
  database = new Client({ connectionString: money.app.databaseUrl });
  await database.connect();
  await money.anvil.mine(2);
});
afterAll(async () => {
  await database.end();
  await money.stop();
});

async function importedPayer(): Promise<Payer> {
  const payer = await money.payer('ethereum');
  await database.query('update wallets set is_imported = true where id = $1', [payer.walletId]);
  await signRows(money.app, 'wallets');
  return payer;
}

/** Sends the coin from the wallet, as its key does elsewhere; the transaction waits for a block. */
async function sendElsewhere({ address: from }: Payer): Promise<string> {
  await money.anvil.call('anvil_impersonateAccount', from);
  return money.anvil.call<string>('eth_sendTransaction', { from, to: newAddress('ethereum'), value: '0x1' });
}

async function payElsewhere(payer: Payer): Promise<void> {
  await sendElsewhere(payer);
  await money.anvil.mine(3);
}

/** Uses nonces by code of the account, without a transaction of it. */
async function useNoncesByCode({ address }: Payer): Promise<void> {
  const code = newAddress('ethereum');
  await money.anvil.call('anvil_setCode', code, '0x600060006000f05000');
  await money.anvil.call('anvil_setCode', address, `0xef0100${code.slice(2)}`);
  for (let calls = 0; calls < 2; calls++) {
    const from = money.anvil.rich().address;
    await money.anvil.call('eth_sendTransaction', { from, to: address, gas: '0x30d40' });
  }
  await money.anvil.mine(3);
}

/** Makes a payment outside the transfers, in the form of this service. */
async function payBySigning(payer: Payer, nonce: number, to: string): Promise<void> {
  const eth_transaction = {
    to,
    value: String(AMOUNT),
    nonce,
    gas: 21_000,
    maxFeePerGas: '20000000000',
    maxPriorityFeePerGas: '1000000000',
    chainId: money.anvil.chainId,
  };
  const { body, text } = await money.app.call('POST', `/v1/wallets/${payer.walletId}/sign_transaction`, {
    key: payer.app.secretKey,
    body: { eth_transaction },
  });
  if (!body.signed_transaction) throw new Error(text);
  await money.anvil.call('eth_sendRawTransaction', body.signed_transaction);
  await money.anvil.mine(3);
}

async function look(payer: Payer, id: string): Promise<void> {
  await money.app.nest.get(TrackTransfer, { strict: false }).execute(payer.app.id as AppId, id as TransferId);
}

/** Looks at it until it has ended. */
// eslint-disable-next-line @typescript-eslint/no-explicit-any -- tests reach into answers as clients do
async function ended(payer: Payer, id: string): Promise<any> {
  for (let looks = 0; looks < 20; looks++) {
    const transfer = await money.get(payer, id);
    if (transfer.status !== 'pending') return transfer;
    await look(payer, id);
    await money.anvil.mine(3);
  }
  throw new Error(`The transfer has not ended: ${JSON.stringify(await money.get(payer, id))}`);
}

async function paid(payer: Payer, id: string): Promise<void> {
  const { status, text } = await money.confirm(payer, id);
  if (status !== 200) throw new Error(text);
  await money.anvil.mine(3);
}

/** Does `work`, and brings the rows of the wallet back to the state before, which a server has that started since. */
async function losing({ address }: Payer, work: () => Promise<void>): Promise<void> {
  const snapshot = await backUpQueue(database, address);
  await work();
  await restoreQueue(database, snapshot);
  await database.query(
    `update transfers set created_at = pg_postmaster_start_time() - interval '1 s' where source_address = $1`,
    [address],
  );
  await database.query(
    `update sender_queues set compared_start = pg_postmaster_start_time() - interval '1 h' where address = $1`,
    [address],
  );
  const { rows } = await database.query<{ at: Date }>('select pg_postmaster_start_time() as at');
  await database.query(`update sender_queues set held_in = replace(held_in, $2, '0') where address = $1`, [
    address,
    String(rows[0]!.at.getTime()),
  ]);
}

async function sequence(): Promise<void> {
  const events = money.app.nest.get(EventSequence, { strict: false });
  for (let after = '', hasMore = true; hasMore;) ({ after, hasMore } = await events.advance(after));
}

/**
 * Does `work`, and brings the rows of the wallet and the feed of its app back to the state before, as the snapshot of a machine with its
 * memory does: the server has not started since.
 */
async function losingWithMemory({ address, app }: Payer, work: () => Promise<void>): Promise<void> {
  await sequence();
  const snapshot = await backUpQueue(database, address);
  const { rows } = await database.query<{ position: string }>(
    'select last_position as position from event_positions where app_id = $1',
    [app.id],
  );
  await work();
  await sequence();
  await restoreQueue(database, snapshot);
  const before = [app.id, rows[0]!.position];
  await database.query('delete from event_log where app_id = $1 and position > $2', before);
  await database.query('update event_positions set last_position = $2 where app_id = $1', before);
}

/** As a node responds that does not show which transactions wait for a block. */
function withoutTransactions(result: unknown): unknown {
  if (result === null || !('transactions' in (result as object))) return null;
  return { ...(result as object), transactions: [] };
}

/** No payment of the app is allowed any more, and no process remembers that one was. */
async function refuseEverything({ app }: Payer): Promise<void> {
  const { status, text } = await money.app.call('PATCH', `/management/v1/apps/${app.id}`, {
    key: money.app.managementKey,
    body: { transfer_policy: { allowed_destinations: [newAddress('solana')] } },
  });
  if (status !== 200) throw new Error(text);
  await database.query(`update transfers set confirmed_at = now() - interval '10 s' where app_id = $1`, [app.id]);
  await signRows(money.app, 'transfers');
}

async function expire(id: string): Promise<void> {
  await database.query(`update transfers set expires_at = now() where id = $1 and status = 'unconfirmed'`, [id]);
  await money.app.nest.get(ExpireTransfers, { strict: false }).execute();
}

/** As a confirmation leaves it whose sender queue is full. */
async function queueUp(ids: readonly string[]): Promise<void> {
  await database.query(
    `update transfers set status = 'pending', stage = 'queued', confirmed_at = now() where id = any($1)`,
    [ids],
  );
  await signRows(money.app, 'transfers');
}

describe('a payment of an imported wallet that a volume snapshot has forgotten', () => {
  it('and that is queued is not made twice', async () => {
    const payer = await importedPayer();
    await payElsewhere(payer);
    const transfers = [await money.created(payer), await money.created(payer), await money.created(payer)];
    await losing(payer, async () => {
      for (const { id } of transfers) await paid(payer, id);
    });
    await queueUp(transfers.map(({ id }) => id));
    await Promise.all(transfers.flatMap(({ id }) => [look(payer, id), look(payer, id)]));
    for (const { id, dest } of transfers) {
      const completed = await ended(payer, id);
      expect(completed).toMatchObject({ status: 'completed', stuck_reason: '' });
      expect(completed.attempts).toHaveLength(1);
      expect(await money.balance('ethereum', dest)).toBe(AMOUNT);
    }
    const next = await money.created(payer);
    await paid(payer, next.id);
    expect(await ended(payer, next.id)).toMatchObject({ status: 'completed' });
  });

  it('and that is confirmed again is adopted', async () => {
    const payer = await importedPayer();
    const { id, dest } = await money.created(payer);
    await losing(payer, () => paid(payer, id));
    const answers = await Promise.all([money.confirm(payer, id), money.confirm(payer, id)]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    expect(await ended(payer, id)).toMatchObject({ status: 'completed' });
    expect(await money.balance('ethereum', dest)).toBe(AMOUNT);
  });

  it('does not expire', async () => {
    const payer = await importedPayer();
    const { id, dest } = await money.created(payer);
    await losing(payer, () => paid(payer, id));
    await database.query('update transfers set expires_at = now() where id = $1', [id]);
    for (let runs = 0; runs < 3; runs++) await money.app.nest.get(ExpireTransfers, { strict: false }).execute();
    expect(await ended(payer, id)).toMatchObject({ status: 'completed' });
    expect(await money.balance('ethereum', dest)).toBe(AMOUNT);
  });

  it('is not made twice when it is ordered again, and waits for the operator', async () => {
    const payer = await importedPayer();
    const first = await money.created(payer);
    await paid(payer, first.id);
    await ended(payer, first.id);
    const dest = newAddress('ethereum');
    await losing(payer, async () => paid(payer, (await money.created(payer, { dest, custom_id: 'order' })).id));
    const { id } = await money.created(payer, { dest, custom_id: 'order' });
    await database.query(`update transfers set created_at = now() + interval '5 min' where id = $1`, [id]);
    await paid(payer, id);
    for (let looks = 0; looks < 4; looks++) {
      await look(payer, id);
      await money.anvil.mine(3);
    }
    expect(await money.get(payer, id)).toMatchObject(BEHIND);
    expect(await money.balance('ethereum', dest)).toBe(AMOUNT);
  });

  it('and that a comparison before the restore has seen is not made twice once that comparison is stored', async () => {
    const payer = await importedPayer();
    const { id, dest } = await money.created(payer);
    const { nest } = money.app;
    const reconcileQueue = nest.get(ReconcileQueue, { strict: false });
    const chain = nest.get(Chains, { strict: false }).named('ethereum');
    const { transfer } = (await nest
      .get(TransferRepository, { strict: false })
      .find(payer.app.id as AppId, id as TransferId))!;
    let seen: Reconciliation | undefined;
    await losing(payer, async () => {
      await paid(payer, id);
      seen = await reconcileQueue.compare(transfer.senderQueue(), transfer, chain);
      seen = { ...seen, books: { ...seen.books, serverStart: '2026-01-01 00:00:00+00' } };
    });
    await reconcileQueue.settle(transfer.senderQueue(), seen!);
    await money.confirm(payer, id);
    expect(await ended(payer, id)).toMatchObject({ status: 'completed' });
    expect(await money.balance('ethereum', dest)).toBe(AMOUNT);
  });

  it('and that two replicas compare at once is not made twice', async () => {
    const replica = await money.replica();
    try {
      const payer = await importedPayer();
      const transfers = [await money.created(payer), await money.created(payer)];
      await losing(payer, async () => {
        for (const { id } of transfers) await paid(payer, id);
      });
      await Promise.all(
        transfers.flatMap(({ id }) => [money.confirm(payer, id), money.confirm(payer, id, {}, replica)]),
      );
      for (const { id, dest } of transfers) {
        expect(await ended(payer, id)).toMatchObject({ status: 'completed' });
        expect(await money.balance('ethereum', dest)).toBe(AMOUNT);
      }
    } finally {
      await replica.stop();
    }
  });

  it('and whose comparison ended after the first adoption is not made twice', async () => {
    const payer = await importedPayer();
    const transfers = [await money.created(payer), await money.created(payer)];
    await losing(payer, async () => {
      for (const { id } of transfers) await paid(payer, id);
    });
    const reconcileQueue = money.app.nest.get(ReconcileQueue, { strict: false });
    const chain = money.app.nest.get(Chains, { strict: false }).named('ethereum');
    const repository = money.app.nest.get(TransferRepository, { strict: false });
    const { transfer } = (await repository.find(payer.app.id as AppId, transfers[1].id as TransferId))!;
    const { books, adopted } = await reconcileQueue.compare(transfer.senderQueue(), transfer, chain);
    // The payment with the later nonce: the next nonce of the queue is then above that of the other one.
    const last = adopted.find(({ id }) => id === transfer.id)!;
    expect(await reconcileQueue.adopt(books, last.found, last.id)).toBe(true);
    await money.confirm(payer, transfers[0].id);
    for (const { id, dest } of transfers) {
      expect(await ended(payer, id)).toMatchObject({ status: 'completed' });
      expect(await money.balance('ethereum', dest)).toBe(AMOUNT);
    }
  });

  it('waits with the reason while the node lacks the block that shows it', async () => {
    const payer = await importedPayer();
    const { id, dest } = await money.created(payer);
    await losing(payer, () => paid(payer, id));
    // eslint-disable-next-line @typescript-eslint/no-explicit-any -- the answer of a node
    money.proxies.ethereum.change = (_, result: any) => (result?.transactions?.[0]?.hash ? null : result);
    try {
      await money.confirm(payer, id);
      await look(payer, id);
      expect(await money.get(payer, id)).toMatchObject({ status: 'pending', stuck_reason: 'node_lacks_history' });
    } finally {
      money.proxies.ethereum.change = null;
    }
    expect(await ended(payer, id)).toMatchObject({ status: 'completed', stuck_reason: '' });
    expect(await money.balance('ethereum', dest)).toBe(AMOUNT);
  });

  it('holds later payments, which say so at once, while the node lacks the block that shows it', async () => {
    const payer = await importedPayer();
    const [{ id }, next] = [await money.created(payer), await money.created(payer)];
    await losing(payer, () => paid(payer, id));
    await queueUp([id, next.id]);
    // eslint-disable-next-line @typescript-eslint/no-explicit-any -- the answer of a node
    money.proxies.ethereum.change = (_, result: any) => (result?.transactions?.[0]?.hash ? null : result);
    try {
      for (const each of [id, next.id]) await look(payer, each);
      expect(await money.get(payer, next.id)).toMatchObject({ status: 'pending', stuck_reason: 'node_lacks_history' });
    } finally {
      money.proxies.ethereum.change = null;
    }
    for (const each of [id, next.id])
      expect(await ended(payer, each)).toMatchObject({ status: 'completed', stuck_reason: '' });
  });

  it('and that waits for a block is not made twice', async () => {
    const payer = await importedPayer();
    const [first, second] = [await money.created(payer), await money.created(payer)];
    await losing(payer, async () => {
      for (const { id } of [first, second]) await money.confirm(payer, id);
    });
    expect((await money.confirm(payer, second.id)).body).toMatchObject({ ...BEHIND, attempts: [] });
    await queueUp([first.id]);
    await look(payer, first.id);
    expect(await money.get(payer, first.id)).toMatchObject({ ...BEHIND, attempts: [] });
    for (const { id, dest } of [first, second]) {
      expect(await ended(payer, id)).toMatchObject({ status: 'completed', stuck_reason: '' });
      expect(await money.balance('ethereum', dest)).toBe(AMOUNT);
    }
  });

  it('waits with the reason while the nodes count a transaction that they do not show', async () => {
    const payer = await importedPayer();
    const { id, dest } = await money.created(payer);
    await losing(payer, async () => void (await money.confirm(payer, id)));
    money.proxies.ethereum.change = (method, result) =>
      method === 'eth_getBlockByNumber' || method === 'eth_getTransactionBySenderAndNonce'
        ? withoutTransactions(result)
        : result;
    try {
      await money.confirm(payer, id);
      await look(payer, id);
      expect(await money.get(payer, id)).toMatchObject({
        status: 'pending',
        stuck_reason: 'node_lacks_history',
        attempts: [],
      });
    } finally {
      money.proxies.ethereum.change = null;
    }
    expect(await ended(payer, id)).toMatchObject({ status: 'completed', stuck_reason: '' });
    expect(await money.balance('ethereum', dest)).toBe(AMOUNT);
  });

  it('is not made twice although the node that was compared with lagged behind', async () => {
    const payer = await importedPayer();
    const { id, dest } = await money.created(payer);
    const other = await money.created(payer);
    let signed = '';
    await losing(payer, async () => {
      await money.confirm(payer, id);
      await money.anvil.call('anvil_dropAllTransactions');
      const { rows } = await database.query<{ raw: Buffer }>(
        'select raw from transfer_attempts where transfer_id = $1',
        [id],
      );
      signed = `0x${rows[0]!.raw.toString('hex')}`;
      // A use elsewhere has the nonce before, so that the comparison has something to compare.
    });
    await queueUp([id]);
    await money.anvil.call('eth_sendRawTransaction', signed);
    await money.anvil.mine(3);
    // The comparison saw none of it.
    await database.query(`update sender_queues set compared_start = pg_postmaster_start_time() where address = $1`, [
      payer.address,
    ]);
    expect(await ended(payer, id)).toMatchObject({ status: 'completed' });
    expect(await money.balance('ethereum', dest)).toBe(AMOUNT);
    await money.confirm(payer, other.id);
    expect(await ended(payer, other.id)).toMatchObject({ status: 'completed' });
  });
});

/** Makes what was seen a row that was read before the last start of the server. */
const ofFormerServer = <T extends TimedTransfer>(seen: T): T => ({ ...seen, serverStartedAt: new Date(0) });

/**
 * Lets a process read a transfer and ask the chain about it, and pauses it before it locks the transfer to store its conclusion; during
 * the pause `work` is done, and the server starts.
 */
async function pausedBeforeLock(
  id: string,
  conclude: () => Promise<unknown>,
  work: () => Promise<void>,
): Promise<void> {
  const { nest } = money.app;
  const [transfers, tracking, states] = [
    nest.get(TransferRepository, { strict: false }),
    nest.get(TrackingRepository, { strict: false }),
    nest.get(TransferStateRepository, { strict: false }),
  ];
  const { find } = transfers;
  const { overdueInDoubt } = tracking;
  const { lock } = states;
  let reach = (): void => undefined;
  let resume = (): void => undefined;
  const paused = new Promise<void>((resolve) => (reach = resolve));
  const resumed = new Promise<void>((resolve) => (resume = resolve));
  const finds = jest.spyOn(transfers, 'find').mockImplementation(async (...of) => {
    const seen = await find.apply(transfers, of);
    return seen && ofFormerServer(seen);
  });
  const doubts = jest
    .spyOn(tracking, 'overdueInDoubt')
    .mockImplementation(async (...of) =>
      (await overdueInDoubt.apply(tracking, of)).filter(({ transfer }) => transfer.id === id).map(ofFormerServer),
    );
  const locks = jest.spyOn(states, 'lock').mockImplementationOnce(async (transfer) => {
    for (const each of [finds, doubts]) each.mockRestore();
    reach();
    await resumed;
    return lock.call(states, transfer);
  });
  try {
    const concluded = conclude();
    const isPaused = await Promise.race([paused.then(() => true), concluded.then(() => false)]);
    if (!isPaused) throw new Error('It has locked nothing.');
    await work();
    resume();
    await concluded;
  } finally {
    for (const each of [finds, doubts, locks]) each.mockRestore();
  }
}

describe('a payment that was made, and forgotten by a volume snapshot, after a process had proven that it was not made', () => {
  const cancel = ({ app }: Payer, id: string) =>
    money.app.call('POST', `/v1/transfers/${id}/cancel`, { key: app.secretKey });

  it.each(['ethereum', 'solana'] as const)('is not cancelled on %s', async (chain) => {
    const payer = chain === 'ethereum' ? await importedPayer() : await money.payer(chain);
    const { id, dest } = await money.created(payer);
    let refused = '';
    await pausedBeforeLock(
      id,
      async () => (refused = (await cancel(payer, id)).body.error_type),
      () => losing(payer, () => paid(payer, id)),
    );
    expect(refused).toMatch(/books_behind_chain|transfer_already_confirmed/);
    for (let looks = 0; looks < 12; looks++) {
      money.solana.advance(40);
      await look(payer, id).catch(() => undefined);
      await cancel(payer, id);
    }
    expect(await ended(payer, id)).toMatchObject({ status: 'completed' });
    expect(await money.balance(chain, dest)).toBe(chain === 'ethereum' ? AMOUNT : SOL / 2n);
  });

  it.each(['ethereum', 'solana'] as const)('does not expire on %s', async (chain) => {
    const payer = chain === 'ethereum' ? await importedPayer() : await money.payer(chain);
    const { id, dest } = await money.created(payer);
    await losing(payer, async () => {});
    if (chain === 'solana') {
      // Until then the chain might carry out what was forgotten.
      await expire(id);
      money.solana.advance(250);
    }
    await pausedBeforeLock(
      id,
      () => expire(id),
      () =>
        losing(payer, async () => {
          await database.query(`update transfers set expires_at = now() + interval '1 h' where id = $1`, [id]);
          await paid(payer, id);
        }),
    );
    expect((await money.get(payer, id)).status).toBe('unconfirmed');
    for (let looks = 0; looks < 12; looks++) {
      money.solana.advance(40);
      await expire(id);
      await look(payer, id).catch(() => undefined);
    }
    expect(await ended(payer, id)).toMatchObject({ status: 'completed' });
    expect(await money.balance(chain, dest)).toBe(chain === 'ethereum' ? AMOUNT : SOL / 2n);
  });

  it('is not declared safe to repeat', async () => {
    const payer = await importedPayer();
    const { id, dest } = await money.created(payer);
    const policy = (transfer_policy: object) =>
      money.app.call('PATCH', `/management/v1/apps/${payer.app.id}`, {
        key: money.app.managementKey,
        body: { transfer_policy },
      });
    await queueUp([id]);
    await refuseEverything(payer);
    await pausedBeforeLock(
      id,
      () => look(payer, id),
      () =>
        losing(payer, async () => {
          expect((await policy({ allowed_destinations: [dest] })).status).toBe(200);
          await eventually(async () => {
            await look(payer, id);
            expect(await money.get(payer, id)).toMatchObject({ attempts: [expect.anything()] });
          });
          await money.anvil.mine(3);
          expect((await policy({ allowed_destinations: [newAddress('solana')] })).status).toBe(200);
        }),
    );
    expect((await money.get(payer, id)).status).toBe('pending');
    expect(await ended(payer, id)).toMatchObject({ status: 'completed' });
    expect(await money.balance('ethereum', dest)).toBe(AMOUNT);
  });

  it('is not rejected', async () => {
    const payer = await importedPayer();
    const { id } = await money.created(payer);
    await losing(payer, async () => {});
    await database.query(`update transfers set status = 'awaiting_approval' where id = $1`, [id]);
    await signRows(money.app, 'transfers');
    const settleApproval = money.app.nest.get(SettleApproval, { strict: false });
    const proof = await settleApproval.provenUnpaid(payer.app.id as AppId, id);
    const end = (of: typeof proof) =>
      money.app.nest.get(Transactions, { strict: false }).run(() =>
        settleApproval.end(payer.app.id as AppId, id, {
          status: 'rejected',
          code: 'rejected_by_approver',
          proof: of,
        }),
      );
    expect(await end({ serverStartedAt: new Date(0) })).toBe(false);
    expect((await money.get(payer, id)).status).toBe('awaiting_approval');
    expect(await end(proof)).toBe(true);
    expect((await money.get(payer, id)).status).toBe('rejected');
  });
});

describe('a payment on Solana that a volume snapshot has forgotten', () => {
  it('is not made twice while its forgotten transaction may still be carried out', async () => {
    const payer = await money.payer('solana');
    const { id, dest } = await money.created(payer);
    money.solana.fate = () => 'hold';
    await losing(payer, async () => void (await money.confirm(payer, id)));
    money.solana.fate = () => 'land';
    const { body } = await money.confirm(payer, id);
    money.solana.release();
    for (let looks = 0; looks < 12; looks++) {
      money.solana.advance(40);
      await look(payer, id).catch(() => undefined);
    }
    expect(await money.balance('solana', dest)).toBe(SOL / 2n);
    expect(body).toMatchObject({ ...BEHIND, attempts: [] });
    expect(await money.get(payer, id)).toMatchObject({ status: 'completed', attempts: [expect.anything()] });
  });

  it.each(['cancelled', 'expired', 'safe to repeat'])('is not %s before', async (end) => {
    const payer = await money.payer('solana');
    const { id, dest } = await money.created(payer);
    money.solana.fate = () => 'hold';
    await losing(payer, async () => void (await money.confirm(payer, id)));
    money.solana.fate = () => 'land';
    if (end === 'safe to repeat') {
      await queueUp([id]);
      await refuseEverything(payer);
    }
    const tryTo = async (): Promise<void> => {
      if (end === 'safe to repeat') return look(payer, id);
      if (end === 'expired') return expire(id);
      const { status, body } = await money.app.call('POST', `/v1/transfers/${id}/cancel`, { key: payer.app.secretKey });
      if (status !== 200) expect(body.error_type).toMatch(/books_behind_chain|transfer_already_confirmed/);
    };
    await tryTo();
    const before = await money.get(payer, id);
    // Later orders are paid meanwhile.
    const next = end === 'safe to repeat' ? null : await money.created(payer);
    if (next) expect((await money.confirm(payer, next.id)).body).toMatchObject({ stuck_reason: '' });
    money.solana.release();
    for (let looks = 0; looks < 12; looks++) {
      money.solana.advance(40);
      await tryTo();
      await look(payer, id).catch(() => undefined);
    }
    expect(await money.balance('solana', dest)).toBe(SOL / 2n);
    expect(before.status).toBe(end === 'safe to repeat' ? 'pending' : 'unconfirmed');
    expect(await money.get(payer, id)).toMatchObject({ status: 'completed', attempts: [expect.anything()] });
  });

  it('is not cancelled when it is carried out, and the wait ends, after the list of transactions was read', async () => {
    const payer = await money.payer('solana');
    const { id } = await money.created(payer);
    const cancel = () => money.app.call('POST', `/v1/transfers/${id}/cancel`, { key: payer.app.secretKey });
    money.solana.fate = () => 'hold';
    await losing(payer, async () => void (await money.confirm(payer, id)));
    money.solana.fate = () => 'land';
    expect((await cancel()).body.error_type).toBe('books_behind_chain');
    let lists = 0;
    money.proxies.solana.change = (method, result) => {
      // The answer to the comparison, after that to the search for the payment.
      if (method === 'getSignaturesForAddress' && ++lists === 2) {
        money.solana.release();
        money.solana.advance(250);
      }
      return result;
    };
    try {
      expect((await cancel()).body.error_type).toBe('books_behind_chain');
      expect(lists).toBe(2);
    } finally {
      money.proxies.solana.change = null;
    }
    await cancel();
    await look(payer, id);
    expect(await money.get(payer, id)).toMatchObject({ status: 'completed', attempts: [expect.anything()] });
  });

  it.each(['cancelled', 'expired', 'failed'])(
    'and that was never signed is %s once the forgotten one could have been carried out',
    async (end) => {
      const payer = await money.payer('solana');
      const { id } = await money.created(payer);
      await losing(payer, async () => {});
      if (end === 'failed') {
        await queueUp([id]);
        await refuseEverything(payer);
      }
      const tryTo = async (): Promise<unknown> => {
        if (end === 'failed') return look(payer, id);
        if (end === 'expired') return expire(id);
        return money.app.call('POST', `/v1/transfers/${id}/cancel`, { key: payer.app.secretKey });
      };
      await tryTo();
      expect((await money.get(payer, id)).status).toBe(end === 'failed' ? 'pending' : 'unconfirmed');
      money.solana.advance(250);
      await tryTo();
      const failure = end === 'failed' ? { failure: { code: 'destination_not_allowed', retry_safe: true } } : {};
      expect(await money.get(payer, id)).toMatchObject({ status: end, ...failure });
    },
  );

  it('lets other wallets go on: of the quotes of many wallets, many of one are compared as one', async () => {
    const [busy, other] = [await money.payer('solana'), await money.payer('solana')];
    const quotes: { id: string }[] = [];
    for (let count = 0; count < 60; count++) quotes.push(await money.created(busy));
    const { id } = await money.created(other);
    for (const payer of [busy, other]) {
      await losing(payer, async () => {});
      await database.query('update transfers set expires_at = now() where source_address = $1', [payer.address]);
    }
    await expire(id);
    money.solana.advance(250);
    let calls = 0;
    money.proxies.solana.change = (_, result) => {
      calls++;
      return result;
    };
    try {
      await expire(id);
    } finally {
      money.proxies.solana.change = null;
    }
    const statuses = await Promise.all([
      ...quotes.map(async (quote) => (await money.get(busy, quote.id)).status),
      (async () => (await money.get(other, id)).status)(),
    ]);
    expect(new Set(statuses)).toEqual(new Set(['expired']));
    expect(calls).toBeLessThan(60);
  });

  it('and that was never signed is made once the forgotten one could have been carried out', async () => {
    const payer = await money.payer('solana');
    const { id, dest } = await money.created(payer);
    await losing(payer, async () => {});
    expect((await money.confirm(payer, id)).body).toMatchObject({ ...BEHIND, attempts: [] });
    for (let looks = 0; looks < 12; looks++) {
      money.solana.advance(40);
      await look(payer, id).catch(() => undefined);
    }
    expect(await money.get(payer, id)).toMatchObject({ status: 'completed', stuck_reason: '' });
    expect(await money.balance('solana', dest)).toBe(SOL / 2n);
    const next = await money.created(payer);
    expect((await money.confirm(payer, next.id)).body).toMatchObject({ stuck_reason: '' });
  });
});

describe('a payment that the snapshot of a machine with its memory has forgotten', () => {
  const notice = () => money.app.nest.get(SetBackWatch, { strict: false }).look();
  const found = async () => (await database.query('select from set_backs')).rowCount;
  // For the other tests the server has started last.
  afterEach(() => database.query('delete from set_backs'));

  it('is not made twice on Solana once a process notices it, which has seen a later event', async () => {
    const payer = await money.payer('solana');
    const { id, dest } = await money.created(payer);
    money.solana.fate = () => 'hold';
    await losingWithMemory(payer, async () => void (await money.confirm(payer, id)));
    money.solana.fate = () => 'land';
    const before = await found();
    await notice();
    expect(await found()).toBe(before! + 1);
    const { body } = await money.confirm(payer, id);
    money.solana.release();
    for (let looks = 0; looks < 12; looks++) {
      money.solana.advance(40);
      await look(payer, id).catch(() => undefined);
    }
    expect(await money.balance('solana', dest)).toBe(SOL / 2n);
    expect(body).toMatchObject({ ...BEHIND, attempts: [] });
    expect(await money.get(payer, id)).toMatchObject({ status: 'completed', attempts: [expect.anything()] });
  });

  it('is noticed by a process that only serves calls', async () => {
    const payer = await money.payer('ethereum');
    await money.created(payer);
    const moveFeed = (positions: number) =>
      database.query(
        `insert into event_positions (app_id, last_position) values ($1, 9)
         on conflict (app_id) do update set last_position = event_positions.last_position + $2`,
        [payer.app.id, positions],
      );
    await moveFeed(9);
    await notice();
    const before = await found();
    await moveFeed(-1);
    await notice();
    expect(await found()).toBe(before! + 1);
  });

  it('does not expire on Ethereum, and neither is it cancelled', async () => {
    const payer = await importedPayer();
    const transfers = [await money.created(payer), await money.created(payer)];
    await losingWithMemory(payer, async () => {
      for (const { id } of transfers) await paid(payer, id);
    });
    await notice();
    await expire(transfers[0].id);
    const { body } = await money.app.call('POST', `/v1/transfers/${transfers[1].id}/cancel`, {
      key: payer.app.secretKey,
    });
    expect(body.error_type).toMatch(/books_behind_chain|transfer_already_confirmed/);
    for (const { id, dest } of transfers) {
      expect(await ended(payer, id)).toMatchObject({ status: 'completed' });
      expect(await money.balance('ethereum', dest)).toBe(AMOUNT);
    }
  });

  it('is noticed once, and nothing is while the feeds only go on', async () => {
    const payer = await money.payer('ethereum');
    const confirmed = async () => void (await money.confirm(payer, (await money.created(payer)).id));
    await losingWithMemory(payer, confirmed);
    await notice();
    const before = await found();
    await notice();
    await confirmed();
    await sequence();
    await notice();
    expect(await found()).toBe(before);
  });
});

describe('a payment on Solana that a second volume snapshot has forgotten, which was taken while the queue was held', () => {
  it('is not made twice', async () => {
    const payer = await money.payer('solana');
    const { id, dest } = await money.created(payer);
    await losing(payer, async () => {});
    expect((await money.confirm(payer, id)).body).toMatchObject({ ...BEHIND, attempts: [] });
    await look(payer, id);
    money.solana.fate = () => 'hold';
    await losing(payer, async () => {
      for (let looks = 0; looks < 12 && (await money.get(payer, id)).attempts.length === 0; looks++) {
        money.solana.advance(40);
        await look(payer, id);
      }
      expect(await money.get(payer, id)).toMatchObject({ attempts: [expect.anything()] });
    });
    money.solana.fate = () => 'land';
    await look(payer, id);
    const again = await money.get(payer, id);
    money.solana.release();
    for (let looks = 0; looks < 12; looks++) {
      money.solana.advance(40);
      await look(payer, id).catch(() => undefined);
    }
    expect(await money.balance('solana', dest)).toBe(SOL / 2n);
    expect(again).toMatchObject({ ...BEHIND, attempts: [] });
    expect(await money.get(payer, id)).toMatchObject({ status: 'completed', attempts: [expect.anything()] });
  });
});

describe('an imported wallet whose key was used elsewhere before a start of the server', () => {
  it('pays at once, also where a payment from elsewhere before the last comparison is the same', async () => {
    const payer = await importedPayer();
    const dest = newAddress('ethereum');
    await payBySigning(payer, 0, dest);
    await payBySigning(payer, 1, dest);
    await database.query(`update wallets set created_at = now() + interval '2 h' where id = $1`, [payer.walletId]);
    const { id } = await money.created(payer, { dest });
    const { body } = await money.confirm(payer, id);
    expect(body).toMatchObject({ status: 'pending', stuck_reason: '' });
    expect(await ended(payer, id)).toMatchObject({ status: 'completed' });
    expect(await money.balance('ethereum', dest)).toBe(3n * AMOUNT);
  });

  it('pays beside a transaction from elsewhere that waits for a block, and fills its nonce when the nodes drop it', async () => {
    const payer = await importedPayer();
    const { id, dest } = await money.created(payer);
    await losing(payer, async () => {});
    const foreign = await sendElsewhere(payer);
    const { body } = await money.confirm(payer, id);
    expect(body).toMatchObject({ status: 'pending', stuck_reason: '', attempts: [{ nonce: 1 }] });
    await money.anvil.call('anvil_dropTransaction', foreign);
    await database.query(
      `update transfer_attempts set created_at = created_at - interval '10 min' where transfer_id = $1`,
      [id],
    );
    expect(await ended(payer, id)).toMatchObject({ status: 'completed' });
    expect(await money.balance('ethereum', dest)).toBe(AMOUNT);
  });

  it('pays at once although code of the account used its nonces', async () => {
    const payer = await importedPayer();
    const { id, dest } = await money.created(payer);
    await losing(payer, async () => {});
    await payElsewhere(payer);
    await useNoncesByCode(payer);
    const { body } = await money.confirm(payer, id);
    expect(body).toMatchObject({ status: 'pending', stuck_reason: '', attempts: [{ nonce: 3 }] });
    expect(await ended(payer, id)).toMatchObject({ status: 'completed' });
    expect(await money.balance('ethereum', dest)).toBe(AMOUNT);
  });

  it('is held where two payments from elsewhere during the transfer are the same', async () => {
    const payer = await importedPayer();
    const { id, dest } = await money.created(payer);
    await payBySigning(payer, 0, dest);
    await payBySigning(payer, 1, dest);
    const { body } = await money.confirm(payer, id);
    expect(body).toMatchObject(BEHIND);
    expect(await money.balance('ethereum', dest)).toBe(2n * AMOUNT);
  });
});
