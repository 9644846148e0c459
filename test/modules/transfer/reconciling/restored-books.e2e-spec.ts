import { Client } from 'pg';
import { runCommand } from '../../../../src/cli/run-command.js';
import type { WalletType } from '../../../../src/kernel/chain/chain-name.js';
import type { AppId, TransferId } from '../../../../src/kernel/ids.js';
import { Approvals } from '../../../../src/modules/policy/approvals/application/approvals.js';
import { Chains } from '../../../../src/kernel/chain/chain.js';
import { ExpireTransfers } from '../../../../src/modules/transfer/tracking/application/expire-transfers.js';
import { ReconcileQueue } from '../../../../src/modules/transfer/reconciling/application/reconcile-queue.js';
import { TrackTransfer } from '../../../../src/modules/transfer/tracking/application/track-transfer.js';
import { TransferRepository } from '../../../../src/modules/transfer/transfer/domain/transfer.repository.js';
import { ETH, Money, newAddress, type Payer, SOL } from '../../../support/money.js';
import { signRows } from '../../../support/row-macs.js';
import { Observer } from '../../../support/observer.js';
import { keyPair } from '../../../support/hpke-peer.js';
import { payingWallet } from '../../chain/paying-wallet.js';
import { type Holder, refusal } from '../../passkey/passkeys.js';
import { asking } from '../../policy/policies.js';
import { Treasury } from '../../policy/treasury.js';
import { messageOf } from '../../../../src/modules/chain/infrastructure/solana/solana-transaction.js';
import { NATIVE_ASSETS } from '../../../support/native-assets.js';
import { withSystemTransaction } from '../../../support/system-transaction.js';
import { backUpQueue, type QueueBackup, restoreQueue } from '../../../support/restored-books.js';

// A backup of a sender queue is put back after payments were made, as after a restore or a failover that lost commits. The tracker
// is stopped: each test decides who looks at which transfer.
const CHAINS: readonly WalletType[] = ['ethereum', 'solana'];
const BEHIND = { status: 'pending', stuck_reason: 'books_behind_chain' };

let money: Money;
let database: Client;
let observer: Observer;
beforeAll(async () => {
  money = await Money.start({
    ethereum: { blockTime: 'never' },
    solana: { slotMs: undefined, finalizedAfter: 8 },
    env: { ROLE: 'api', ETHEREUM_FINALITY_DEPTH: '1', TRANSFER_CONFIRM_WAIT_SECONDS: '0' },
  });
  database = new Client({ connectionString: money.app.databaseUrl });
  await database.connect();
  observer = await Observer.of(money.app);
  await money.anvil.mine(2);
  money.solana.advance(2);
});
afterAll(async () => {
  await observer.close();
  await database.end();
  await money.stop();
});
afterEach(() => {
  money.solana.fate = () => 'land';
  money.proxies.ethereum.change = null;
  for (const proxy of Object.values(money.proxies)) proxy.fault = () => null;
});

/** Makes blocks, so that what was sent is final. */
async function finalize(): Promise<void> {
  await money.anvil.mine(3);
  money.solana.advance(12);
}

async function look(payer: Payer, id: string): Promise<void> {
  await money.app.nest.get(TrackTransfer, { strict: false }).execute(payer.app.id as AppId, id as TransferId);
}

/** Looks at it until it has ended, on a moving chain. */
// eslint-disable-next-line @typescript-eslint/no-explicit-any -- tests reach into answers as clients do
async function ended(payer: Payer, id: string): Promise<any> {
  for (let looks = 0; looks < 40; looks++) {
    const transfer = await money.get(payer, id);
    if (transfer.status !== 'pending') return transfer;
    await look(payer, id);
    await finalize();
    // Enough blocks for the expiry of everything that was signed before.
    if (payer.chain === 'solana') money.solana.advance(40);
  }
  throw new Error(`The transfer has not ended: ${JSON.stringify(await money.get(payer, id))}`);
}

const spending = (chain: WalletType) => (group: string) => [
  {
    ...asking(group),
    match: { operations: ['transfer'], assets: [chain] },
    windows: [{ seconds: 3_600, max_amount: '1000' }],
  },
];

const endApprovals = (): Promise<void> => money.app.nest.get(Approvals, { strict: false }).endDue();

/** A call that ends a transfer which awaits its approval, as soon as that may end; it returns the status of the transfer then. */
async function ending(
  treasury: Treasury,
  { id, approval }: { readonly id: string; readonly approval: string },
  end: string,
): Promise<() => Promise<string>> {
  const rejecter = treasury.members[1]!;
  const credential = await treasury.assertion(approval, rejecter, 'reject');
  if (end === 'expired') await database.query('update approvals set expires_at = now() where id = $1', [approval]);
  if (end === 'made void') await treasury.policies.activate(await treasury.policies.version());
  if (end === 'rejected') await treasury.send(approval, rejecter, credential, 'reject');
  return async () => {
    if (end === 'cancelled') await treasury.call('POST', `/transfers/${id}/cancel`, {});
    else await endApprovals();
    return (await money.get(treasury.payer, id)).status;
  };
}

const backUp = ({ address }: Payer): Promise<QueueBackup> => backUpQueue(database, address);
const restore = (backup: QueueBackup, settings?: { former: boolean }): Promise<void> =>
  restoreQueue(database, backup, settings);

/** The server of a copied data directory has started since the transfers of the wallet were created. */
async function startServerAfter({ address }: Payer): Promise<void> {
  await database.query(
    `update transfers set created_at = pg_postmaster_start_time() - interval '1 s' where source_address = $1`,
    [address],
  );
}

/** Puts the approvals of the app back as they were before the first vote. */
async function forgetVotes({ app }: Payer): Promise<void> {
  await database.query('delete from approval_votes where app_id = $1', [app.id]);
  await database.query(`update approvals set state = 'waiting', reason = null, ended_at = null where app_id = $1`, [
    app.id,
  ]);
}

/** As a confirmation leaves it whose sender queue is full. */
async function queueUp(id: string): Promise<void> {
  await database.query(
    `update transfers set status = 'pending', stage = 'queued', confirmed_at = now() where id = $1`,
    [id],
  );
  await signRows(money.app, 'transfers');
}

async function paid(payer: Payer, id: string): Promise<void> {
  const { status, text } = await money.confirm(payer, id);
  if (status !== 200) throw new Error(text);
  await finalize();
}

const amountOf = (chain: WalletType): bigint => (chain === 'ethereum' ? ETH : SOL) / 2n;

/** Sends the coin from the wallet, as its key does elsewhere. */
async function payElsewhere(payer: Payer): Promise<void> {
  await money.anvil.call('anvil_impersonateAccount', payer.address);
  await money.anvil.call('eth_sendTransaction', { from: payer.address, to: newAddress('ethereum'), value: '0x1' });
  await finalize();
}

/** Another account pays the wallet a lamport, and names a transfer of the wallet in the memo. */
async function nameTransfer(payer: Payer, transferId: string): Promise<void> {
  const stranger = await payingWallet('solana');
  money.solana.fund(stranger.address, SOL);
  const call = async (method: string, params: unknown[]) => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
    // eslint-disable-next-line @typescript-eslint/no-explicit-any -- the answer of a node
    return ((await (await fetch(money.solana.url, { method: 'POST', body })).json()) as any).result;
  };
  const { value: lifetime } = await call('getLatestBlockhash', [{ commitment: 'confirmed' }]);
  const asset = NATIVE_ASSETS.solana;
  const payment = {
    transferId: transferId as TransferId,
    asset,
    source: stranger.address,
    dest: payer.address,
    amount: 1n,
  };
  const message = messageOf({ payment, tokens: null, lifetime, budget: { units: 100_000, microLamports: 0n } });
  const signature = stranger.signTransaction(message as Uint8Array);
  const raw = Buffer.concat([Uint8Array.of(1), signature, message as Uint8Array]);
  const landed = money.solana.landedCount;
  await call('sendTransaction', [raw.toString('base64'), { encoding: 'base64' }]);
  expect(money.solana.landedCount).toBe(landed + 1);
  money.solana.advance(2);
}

/** Runs an operator command on the database of the test. */
async function cli(...args: string[]): Promise<{ status: number; text: string }> {
  let text = '';
  const write = (part: string): void => void (text += part);
  const env = { NODE_ENV: 'test', ...money.env, DATABASE_URL: money.app.databaseUrl };
  const status = await runCommand(args, { env, terminal: { out: write, err: write } });
  return { status, text };
}

describe.each(CHAINS)('a %s transfer that was paid after the backup', (chain) => {
  it.each([
    ['queued', false],
    ['queued', true],
    ['unconfirmed and confirmed again', false],
    ['unconfirmed and confirmed again', true],
  ])('is paid once when it is %s in the restored database (another history: %s)', async (state, former) => {
    const payer = await money.payer(chain);
    const { id, dest } = await money.created(payer);
    const backup = await backUp(payer);
    await paid(payer, id);
    const { blockchain_tx_hash: hash } = await money.get(payer, id);
    await restore(backup, { former });
    if (state === 'queued') {
      await queueUp(id);
      await Promise.all([look(payer, id), look(payer, id), look(payer, id)]);
    } else {
      const answers = await Promise.all([money.confirm(payer, id), money.confirm(payer, id)]);
      expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    }
    await finalize();
    const completed = await ended(payer, id);
    expect(completed).toMatchObject({ status: 'completed', blockchain_tx_hash: hash, stuck_reason: '' });
    expect(completed.attempts).toHaveLength(1);
    expect(await money.balance(chain, dest)).toBe(amountOf(chain));

    // The queue signs again.
    const next = await money.created(payer);
    await paid(payer, next.id);
    expect(await ended(payer, next.id)).toMatchObject({ status: 'completed' });
  });

  it.each(['another history of the database', 'a copied data directory'])(
    'is shown neither as expired nor as cancelled in %s',
    async (restored) => {
      const payer = await money.payer(chain);
      const [first, second] = [await money.created(payer), await money.created(payer)];
      const backup = await backUp(payer);
      await paid(payer, first.id);
      await paid(payer, second.id);
      const isCopied = restored === 'a copied data directory';
      await restore(backup, { former: !isCopied });
      if (isCopied) await startServerAfter(payer);
      const { status, body } = await money.app.call('POST', `/v1/transfers/${second.id}/cancel`, {
        key: payer.app.secretKey,
      });
      // On Ethereum the comparison is complete at once, and finds the payment.
      const refusal = chain === 'ethereum' && !isCopied ? 'transfer_already_confirmed' : 'books_behind_chain';
      expect([status, body.error_type]).toEqual([409, refusal]);
      await database.query(`update transfers set expires_at = now() where id = $1 and status = 'unconfirmed'`, [
        first.id,
      ]);
      await money.app.nest.get(ExpireTransfers, { strict: false }).execute();
      for (const { id, dest } of [first, second]) {
        expect(await ended(payer, id)).toMatchObject({ status: 'completed' });
        expect(await money.balance(chain, dest)).toBe(amountOf(chain));
      }
    },
  );

  it.each([
    ['rejected', 'another history of the database'],
    ['rejected', 'a copied data directory'],
    ['expired', 'another history of the database'],
    ['expired', 'a copied data directory'],
    ['made void', 'a copied data directory'],
    ['cancelled', 'a copied data directory'],
  ])('and awaits its approval again is not %s in %s', async (end, restored) => {
    const treasury = await Treasury.of(money, observer, { chain });
    const { payer } = treasury;
    const [voter] = treasury.members;
    const dest = newAddress(chain);
    const { id, approval } = await treasury.awaiting({ dest });
    const backup = await backUp(payer);
    await treasury.vote(approval, voter!);
    await look(payer, id);
    await finalize();
    const isCopied = restored === 'a copied data directory';
    await restore(backup, { former: !isCopied });
    await forgetVotes(payer);
    if (isCopied) await startServerAfter(payer);

    const tryTo = await ending(treasury, { id, approval }, end);
    while ((await tryTo()) === 'awaiting_approval') {
      await finalize();
      if (chain === 'solana') money.solana.advance(40);
    }
    const { state, ended_at } = await treasury.approval(approval);
    expect([state, ended_at > 0]).toEqual([end === 'rejected' ? 'rejected' : 'void', true]);
    expect(await ended(payer, id)).toMatchObject({ status: 'completed' });
    expect(await money.balance(chain, dest)).toBe(amountOf(chain));
  });

  it('and was put to approvers after the comparison is not left with an open approval', async () => {
    const treasury = await Treasury.of(money, observer, { chain });
    const { payer } = treasury;
    const { id } = await money.created(payer);
    const unconfirmed = await backUp(payer);
    const approval = (await money.confirm(payer, id)).body.approval_id as string;
    const awaiting = await backUp(payer);
    await treasury.vote(approval, treasury.members[0]!);
    await look(payer, id);
    await finalize();
    await restore(unconfirmed, { former: true });
    const { nest } = money.app;
    const repository = nest.get(TransferRepository, { strict: false });
    const { transfer } = (await repository.find(payer.app.id as AppId, id as TransferId))!;
    const reconcileQueue = nest.get(ReconcileQueue, { strict: false });
    const named = nest.get(Chains, { strict: false }).named(chain);
    const { books, adopted } = await reconcileQueue.compare(transfer.senderQueue(), transfer, named);
    await restore(awaiting, { former: true });
    await forgetVotes(payer);
    expect(await reconcileQueue.adopt(books, adopted[0]!.found, transfer.id)).toBe(true);
    expect(await treasury.approval(approval)).toMatchObject({ state: 'void', reason: 'transfer_ended' });
  });

  it('and was approved before is not rejected for a policy that has changed, in a copied data directory', async () => {
    const treasury = await Treasury.of(money, observer, { chain });
    const { payer } = treasury;
    const dest = newAddress(chain);
    const { id, approval } = await treasury.awaiting({ dest });
    await treasury.vote(approval, treasury.members[0]!);
    const backup = await backUp(payer);
    await look(payer, id);
    await finalize();
    await restore(backup);
    await startServerAfter(payer);
    await database.query(`update approvals set state = 'approved', ended_at = null where id = $1`, [approval]);
    await treasury.policies.activate(await treasury.policies.version());
    expect(await ended(payer, id)).toMatchObject({ status: 'completed' });
    expect(await money.balance(chain, dest)).toBe(amountOf(chain));
  });

  it('does not fail as safe to repeat because the balance that it took is missing', async () => {
    const payer = await money.payer(chain, 1n);
    const { id, dest } = await money.created(payer, { source_amount: '0.9' });
    const backup = await backUp(payer);
    await paid(payer, id);
    await restore(backup);
    await queueUp(id);
    expect(await ended(payer, id)).toMatchObject({ status: 'completed' });
    expect(await money.balance(chain, dest)).toBe((amountOf(chain) * 18n) / 10n);
  });

  it('that was never paid is paid once, and an expired one expires, in another history of the database', async () => {
    const payer = await money.payer(chain);
    const [kept, left] = [await money.created(payer), await money.created(payer)];
    await restore(await backUp(payer), { former: true });
    await paid(payer, kept.id);
    expect(await ended(payer, kept.id)).toMatchObject({ status: 'completed' });
    expect(await money.balance(chain, kept.dest)).toBe(amountOf(chain));
    await database.query(`update transfers set expires_at = now() where id = $1`, [left.id]);
    await money.app.nest.get(ExpireTransfers, { strict: false }).execute();
    expect(await money.get(payer, left.id)).toMatchObject({ status: 'expired' });
  });
});

describe.each(CHAINS)(
  'a %s transfer that awaits its approval, was never paid and is older than the server',
  (chain) => {
    it.each(['rejected', 'expired', 'cancelled', 'made void'])('is %s once its chain is asked', async (end) => {
      const treasury = await Treasury.of(money, observer, { chain });
      const { payer } = treasury;
      const { id, approval } = await treasury.awaiting();
      await startServerAfter(payer);
      money.proxies[chain].fault = () => 'unavailable';
      const tryTo = await ending(treasury, { id, approval }, end);
      expect(await tryTo()).toBe('awaiting_approval');
      money.proxies[chain].fault = () => null;
      // On Solana, bytes that a snapshot has forgotten may land until then.
      if (chain === 'solana') expect(await tryTo()).toBe('awaiting_approval');
      money.solana.advance(250);
      expect(await tryTo()).toBe(end === 'made void' ? 'rejected' : end);
    });

    it('is rejected by one approver while its chain is unavailable, and holds its budget until it ends', async () => {
      const treasury = await Treasury.of(money, observer, { chain, rules: spending(chain) });
      const [approver, rejecter] = treasury.members as [Holder, Holder];
      const { id, approval } = await treasury.awaiting();
      await startServerAfter(treasury.payer);
      const approving = await treasury.assertion(approval, approver);
      const rejecting = await treasury.assertion(approval, rejecter, 'reject');
      money.proxies[chain].fault = () => 'unavailable';
      const { status, body } = await treasury.send(approval, rejecter, rejecting, 'reject');
      expect([status, body.state, body.votes]).toEqual([
        200,
        'rejected',
        [expect.objectContaining({ decision: 'reject' })],
      ]);
      expect(refusal(await treasury.send(approval, approver, approving))).toEqual([409, 'approval_ended']);
      await endApprovals();
      expect((await treasury.approval(approval)).ended_at).toBe(0);
      expect(await money.get(treasury.payer, id)).toMatchObject({ status: 'awaiting_approval' });
      expect(await treasury.held()).toBe(1);
      money.proxies[chain].fault = () => null;
      await endApprovals();
      // On Solana, bytes that a snapshot has forgotten may land until then.
      money.solana.advance(250);
      await endApprovals();
      const failure = { code: 'rejected_by_approver', retry_safe: true };
      expect(await money.get(treasury.payer, id)).toMatchObject({ status: 'rejected', failure });
      expect(await treasury.held()).toBe(0);
      const { state, reason, ended_at } = await treasury.approval(approval);
      expect([state, reason, ended_at > 0]).toEqual(['rejected', '', true]);
      const published = `select type from stored_events where app_id = $1 and data->>'approval_id' = $2 order by id`;
      const types = (await observer.rows<{ type: string }>(published, [treasury.app.id, approval])).map(
        ({ type }) => type,
      );
      expect(types).toEqual(['approval.requested', 'approval.rejected']);
    });

    it.each(['a looser version', 'none'])(
      'and was approved is not signed once its policy is replaced by %s while its chain was unavailable',
      async (replacement) => {
        const treasury = await Treasury.of(money, observer, { chain });
        const { payer, policies } = treasury;
        const { id, approval } = await treasury.awaiting();
        await treasury.vote(approval, treasury.members[0]!);
        await startServerAfter(payer);
        if (replacement === 'none') await policies.retire(treasury.version);
        else await policies.activate(await policies.version());
        money.proxies[chain].fault = () => 'unavailable';
        await endApprovals();
        expect(await treasury.approval(approval)).toMatchObject({ state: 'void', reason: 'policy_changed' });
        expect(await money.get(payer, id)).toMatchObject({ status: 'pending' });
        money.proxies[chain].fault = () => null;
        await look(payer, id);
        // On Solana, bytes that a snapshot has forgotten may land until then.
        for (let looks = 0; looks < 3; looks++) {
          money.solana.expireBlockhashes();
          money.solana.advance(20);
          await look(payer, id);
        }
        expect(await money.get(payer, id)).toMatchObject({ status: 'rejected', failure: { code: 'policy_changed' } });
        expect(await treasury.attemptsOf(id)).toEqual([]);
      },
    );
  },
);

describe('a solana transfer', () => {
  it('that was signed again after the backup is not signed a third time', async () => {
    const payer = await money.payer('solana');
    const { id, dest } = await money.created(payer);
    money.solana.fate = () => 'forget';
    await money.confirm(payer, id);
    const backup = await backUp(payer);
    money.solana.fate = () => 'land';
    money.solana.expireBlockhashes();
    const isSignedAgain = async () => (await money.get(payer, id)).attempts.length === 2;
    while (!(await isSignedAgain())) await look(payer, id);
    await finalize();
    const landed = money.solana.landedCount;
    await restore(backup);
    const completed = await ended(payer, id);
    expect(completed.attempts).toHaveLength(2);
    expect(money.solana.landedCount).toBe(landed);
    expect(await money.balance('solana', dest)).toBe(SOL / 2n);
  });

  it('waits in another history until nothing that was signed before can be carried out any more', async () => {
    const payer = await money.payer('solana');
    const { id, dest } = await money.created(payer);
    const backup = await backUp(payer);
    money.solana.fate = () => 'hold';
    await money.confirm(payer, id);
    await restore(backup, { former: true });
    money.solana.fate = () => 'land';
    await money.confirm(payer, id);
    for (let looks = 0; looks < 3; looks++) await look(payer, id);
    expect(await money.get(payer, id)).toMatchObject({ ...BEHIND, attempts: [] });
    // The forgotten bytes reach a block only now.
    money.solana.release();
    expect(await ended(payer, id)).toMatchObject({ status: 'completed' });
    expect(await money.balance('solana', dest)).toBe(SOL / 2n);
  });
});

describe('a solana transfer whose sender queue is held', () => {
  /** Makes as many final blocks as a hold lasts. */
  const endHolds = (): void => {
    money.solana.expireBlockhashes();
    money.solana.advance(20);
  };

  it('waits once more when the database comes to another history during the hold', async () => {
    const payer = await money.payer('solana');
    const { id, dest } = await money.created(payer);
    await restore(await backUp(payer), { former: true });
    await money.confirm(payer, id);
    await look(payer, id);
    const held = await backUp(payer);
    endHolds();
    money.solana.fate = () => 'hold';
    await look(payer, id);
    expect((await money.get(payer, id)).attempts).toHaveLength(1);
    await restore(held, { former: true });
    money.solana.fate = () => 'land';
    for (let looks = 0; looks < 3; looks++) await look(payer, id);
    expect(await money.get(payer, id)).toMatchObject({ ...BEHIND, attempts: [] });
    // The bytes that were forgotten last reach a block only now.
    money.solana.release();
    expect(await ended(payer, id)).toMatchObject({ status: 'completed' });
    expect(await money.balance('solana', dest)).toBe(SOL / 2n);
  });

  it.each([
    ['an open transfer, in another history', true],
    ['no open transfer, in another history', true],
    ['no open transfer, in a copied data directory', false],
  ])('names a payment whose transfer was lost whole to the operator: %s', async (state, former) => {
    const payer = await money.payer('solana');
    const earlier = await money.created(payer);
    await paid(payer, earlier.id);
    await ended(payer, earlier.id);
    const open = state.startsWith('an open') ? await money.created(payer) : null;
    const backup = await backUp(payer);
    const lost = await money.created(payer);
    await paid(payer, lost.id);
    await restore(backup, { former });
    const which = former ? ['--app', payer.app.id] : ['--wallet', payer.walletId];
    if (!former)
      await database.query(`update transfers set created_at = pg_postmaster_start_time() where source_address = $1`, [
        payer.address,
      ]);
    if (open) await money.confirm(payer, open.id);
    const listed = await cli('transfers', 'reconcile', ...which, '--apply');
    expect(listed.text).toMatch(new RegExp(`paid, no transfer: .*${SOL / 2n} lamports to ${lost.dest}.*${lost.id}`));
    expect(listed.text).not.toContain(earlier.id);
    if (!former) return;
    endHolds();
    if (open) {
      await look(payer, open.id);
      expect(await money.get(payer, open.id)).toMatchObject({ ...BEHIND, attempts: [] });
    }
    const released = await cli('transfers', 'reconcile', ...which, '--release', '--reason', 'The app knows.');
    expect(released.text).toMatch(/(?<!not )released/);
    expect((await cli('transfers', 'reconcile', ...which)).text).not.toContain(lost.id);
    if (open) expect(await ended(payer, open.id)).toMatchObject({ status: 'completed' });
  });
});

describe('a solana transfer and what its nodes list', () => {
  it('is not held for a transaction of another account that names it in a memo', async () => {
    const payer = await money.payer('solana');
    const { id, dest } = await money.created(payer);
    await nameTransfer(payer, id);
    expect((await money.confirm(payer, id)).body).toMatchObject({ status: 'pending', stuck_reason: '' });
    expect(await ended(payer, id)).toMatchObject({ status: 'completed' });
    expect(await money.balance('solana', dest)).toBe(SOL / 2n);
    // Nor is a queue that is held for another reason.
    const next = await money.created(payer);
    await nameTransfer(payer, next.id);
    await restore(await backUp(payer), { former: true });
    await money.confirm(payer, next.id);
    expect(await ended(payer, next.id)).toMatchObject({ status: 'completed' });
  });

  it('is not paid again when the nodes have deleted the signatures since its creation', async () => {
    const payer = await money.payer('solana');
    const { id, dest } = await money.created(payer);
    const backup = await backUp(payer);
    await paid(payer, id);
    const { blockchain_tx_hash: hash } = await money.get(payer, id);
    await restore(backup, { former: true });
    await queueUp(id);
    money.solana.expireBlockhashes();
    money.solana.forgetHistory();
    try {
      for (let looks = 0; looks < 6; looks++) {
        await look(payer, id);
        money.solana.expireBlockhashes();
      }
      expect(await money.get(payer, id)).toMatchObject({ status: 'pending', attempts: [] });
    } finally {
      money.solana.forgetHistory(0);
    }
    expect(await ended(payer, id)).toMatchObject({ status: 'completed', blockchain_tx_hash: hash });
    expect(await money.balance('solana', dest)).toBe(SOL / 2n);
  });
});

it('a table of transfers that was put back by a dump begins another history of the database', async () => {
  const history = async () =>
    (await database.query<{ history: string }>('select database_history() as history')).rows[0]!.history;
  const former = await history();
  await database.query('begin');
  try {
    await database.query('alter table transfers rename to former_transfers');
    await database.query('create table transfers (like former_transfers including all)');
    expect(await history()).not.toBe(former);
  } finally {
    await database.query('rollback');
  }
  expect(await history()).toBe(former);
});

describe('a sender queue on ethereum', () => {
  const reason = ['--reason', 'restored from the backup of Monday'];

  it('is not released while a transaction that the database does not know waits for a block', async () => {
    const payer = await money.payer('ethereum');
    const { id, dest } = await money.created(payer);
    const backup = await backUp(payer);
    await money.confirm(payer, id);
    await restore(backup);
    await queueUp(id);
    await look(payer, id);
    expect(await money.get(payer, id)).toMatchObject(BEHIND);
    const released = await cli('transfers', 'reconcile', '--wallet', payer.walletId, '--release', ...reason);
    expect(released.text).toContain('not released');
    await look(payer, id);
    await finalize();
    expect(await ended(payer, id)).toMatchObject({ status: 'completed' });
    expect(await money.balance('ethereum', dest)).toBe(ETH / 2n);
  });

  it('with more unknown transactions and open transfers than one look reads is read whole for the operator', async () => {
    const payer = await money.payer('ethereum', 1_000n);
    const [{ id, dest }, next] = [await money.created(payer), await money.created(payer)];
    const backup = await backUp(payer);
    await paid(payer, id);
    await restore(backup);
    // Listed before it: their ids are lower, and they pay another address.
    await database.query(
      `insert into transfers select (jsonb_populate_record(t, jsonb_build_object(
         'id', overlay(t.id placing lpad(n::text, 10, '0') from 10), 'dest', $2::text))).*
         from transfers t cross join generate_series(1, 501) n where t.id = $1`,
      [id, newAddress('ethereum')],
    );
    await money.anvil.call('anvil_impersonateAccount', payer.address);
    const sent = (nonce: number) => ({
      from: payer.address,
      to: newAddress('ethereum'),
      value: '0x1',
      gas: '0x5208',
      nonce: `0x${nonce.toString(16)}`,
    });
    await Promise.all(Array.from({ length: 260 }, (_, n) => money.anvil.call('eth_sendTransaction', sent(n + 1))));
    await finalize();
    expect((await money.confirm(payer, next.id)).body).toMatchObject(BEHIND);
    await look(payer, next.id);
    const wallet = ['--wallet', payer.walletId];
    const listed = await cli('transfers', 'reconcile', ...wallet);
    expect(listed.text).toContain(`makes ${id}`);
    expect(listed.text).toMatch(/makes no open transfer, nonce 260/);
    const released = await cli('transfers', 'reconcile', ...wallet, '--release', '--used-elsewhere', ...reason);
    expect(released.text).toMatch(/(?<!not )released/);
    for (const each of [id, next.id]) expect(await ended(payer, each)).toMatchObject({ status: 'completed' });
    expect(await money.balance('ethereum', dest)).toBe(ETH / 2n);
  });

  it('is held while the chain has a transaction that no open transfer explains', async () => {
    const payer = await money.payer('ethereum');
    const waiting = await money.created(payer);
    const backup = await backUp(payer);
    await paid(payer, (await money.created(payer)).id);
    await restore(backup);
    expect((await money.confirm(payer, waiting.id)).body).toMatchObject(BEHIND);
    await look(payer, waiting.id);
    expect(await money.get(payer, waiting.id)).toMatchObject({ ...BEHIND, attempts: [] });
    const { rows } = await database.query(
      `select from stored_events where type = 'transfer.stuck' and data->>'transfer_id' = $1`,
      [waiting.id],
    );
    expect(rows).toHaveLength(1);
  });

  it('stays held where equal payments cannot be distinguished and a later one is adopted', async () => {
    const payer = await money.payer('ethereum');
    const dest = newAddress('ethereum');
    const equal = [await money.created(payer, { dest }), await money.created(payer, { dest })];
    const later = await money.created(payer);
    const backup = await backUp(payer);
    await paid(payer, equal[0].id);
    await paid(payer, later.id);
    await restore(backup, { former: true });
    for (const { id } of [...equal, later]) await queueUp(id);
    expect(await ended(payer, later.id)).toMatchObject({ status: 'completed' });
    for (let looks = 0; looks < 3; looks++) for (const { id } of equal) await look(payer, id);
    for (const { id } of equal) expect(await money.get(payer, id)).toMatchObject({ ...BEHIND, attempts: [] });
    await finalize();
    expect(await money.balance('ethereum', dest)).toBe(ETH / 2n);
  });

  it('is held where equal payments cannot be distinguished', async () => {
    const payer = await money.payer('ethereum');
    const dest = newAddress('ethereum');
    const [first, second] = [await money.created(payer, { dest }), await money.created(payer, { dest })];
    const backup = await backUp(payer);
    await paid(payer, first.id);
    await restore(backup);
    await queueUp(first.id);
    await money.confirm(payer, second.id);
    for (const { id } of [first, second]) await look(payer, id);
    for (const { id } of [first, second]) expect(await money.get(payer, id)).toMatchObject({ ...BEHIND, attempts: [] });
    await finalize();
    expect(await money.balance('ethereum', dest)).toBe(ETH / 2n);
  });

  it('is compared once for all its transfers, and stays held with the reason while the node limits the rate of calls', async () => {
    const payer = await money.payer('ethereum', 100n);
    const waiting = await Promise.all(Array.from({ length: 8 }, () => money.created(payer)));
    const backup = await backUp(payer);
    await paid(payer, (await money.created(payer)).id);
    await restore(backup);
    for (const { id } of waiting) await queueUp(id);
    const { ethereum: proxy } = money.proxies;
    const callsOf = async (work: () => Promise<unknown>): Promise<number> => {
      const before = proxy.calls.get('eth_getTransactionCount') ?? 0;
      await work();
      return proxy.calls.get('eth_getTransactionCount')! - before;
    };
    const [{ id }] = waiting;
    await look(payer, id);
    const [appId, network] = [payer.app.id as AppId, `eip155:${money.anvil.chainId}`];
    const once = await callsOf(() => look(payer, id));
    const queue = { appId, network, address: payer.address };
    const tracked = () => money.app.nest.get(TrackTransfer, { strict: false }).executeQueue(queue);
    // Only a transfer whose look begins after the comparison has ended begins another.
    expect(await callsOf(tracked)).toBeLessThanOrEqual(3 * once);
    for (const fault of ['limited', 'unavailable'] as const) {
      proxy.fault = (method) => (method === 'eth_getTransactionCount' ? fault : null);
      await tracked();
      const { text } = await cli('transfers', 'reconcile', '--wallet', payer.walletId);
      proxy.fault = () => null;
      expect(text).toMatch(fault === 'limited' ? /The node limits the rate of calls/ : /HTTP status 503/);
      for (const each of waiting) expect(await money.get(payer, each.id)).toMatchObject({ ...BEHIND, attempts: [] });
    }
  });

  it('is compared on a network whose blocks contain system transactions without a nonce', async () => {
    const payer = await money.payer('ethereum');
    const { id } = await money.created(payer);
    const backup = await backUp(payer);
    await paid(payer, id);
    await restore(backup);
    await queueUp(id);
    money.proxies.ethereum.change = (_, result) => withSystemTransaction(result);
    expect(await ended(payer, id)).toMatchObject({ status: 'completed' });
  });

  it('is released, when no transfer is open, although a nonce was used by no transaction', async () => {
    const payer = await money.payer('ethereum');
    const earlier = await money.created(payer);
    await paid(payer, earlier.id);
    await ended(payer, earlier.id);
    const [pending, unconfirmed] = [await money.created(payer), await money.created(payer)];
    // As code of the account does that creates a contract.
    await money.anvil.call('anvil_setNonce', payer.address, '0x2');
    await finalize();
    expect((await money.confirm(payer, pending.id)).body).toMatchObject(BEHIND);
    const release = async () =>
      (await cli('transfers', 'reconcile', '--wallet', payer.walletId, '--release', '--used-elsewhere', ...reason))
        .text;
    for (const { id } of [pending, unconfirmed]) {
      expect(await release()).toContain('not released');
      expect((await cli('transfers', 'close', id, '--app', payer.app.id, ...reason)).status).toBe(0);
    }
    expect(await release()).toMatch(/(?<!not )released/);
    const { id } = await money.created(payer);
    await paid(payer, id);
    expect(await ended(payer, id)).toMatchObject({ status: 'completed' });
  });

  it('is listed, adopted by hand, released and closed by the operator, with the reason in the audit log', async () => {
    const [payer, dest] = [await money.payer('ethereum'), newAddress('ethereum')];
    const equal = [await money.created(payer, { dest }), await money.created(payer, { dest })];
    const other = await money.created(payer);
    const backup = await backUp(payer);
    await paid(payer, equal[0].id);
    const { blockchain_tx_hash: hash } = await money.get(payer, equal[0].id);
    await paid(payer, (await money.created(payer)).id);
    await restore(backup);
    for (const { id } of equal) await queueUp(id);
    expect((await money.confirm(payer, other.id)).body).toMatchObject(BEHIND);
    expect(await (await fetch(`${money.app.url}/metrics`)).text()).toMatch(/^sender_queues_held [1-9]/m);

    const wallet = ['--wallet', payer.walletId];
    const listed = await cli('transfers', 'reconcile', ...wallet);
    expect(listed.text).toContain(hash);
    expect(listed.text).toMatch(/makes one of .*transfer_.*, transfer_/);
    expect(listed.text).toMatch(/makes no open transfer, nonce 1/);
    expect((await cli('doctor')).text).toMatch(/holds \d+ sender queues.* transfers reconcile/);
    expect((await cli('doctor', '--chains')).text).toMatch(/does not know.* transfers reconcile/);
    expect((await cli('transfers', 'reconcile', ...wallet, '--release', ...reason)).text).toContain('not released');
    expect((await cli('transfers', 'reconcile', ...wallet, '--adopt', hash, '--transfer', equal[0].id)).status).toBe(
      64,
    );
    const adopted = await cli(
      'transfers',
      'reconcile',
      ...wallet,
      '--adopt',
      hash,
      '--transfer',
      equal[0].id,
      ...reason,
    );
    expect(adopted).toMatchObject({ status: 0 });
    expect((await cli('transfers', 'close', equal[1].id, '--app', payer.app.id, ...reason)).status).toBe(0);
    expect((await cli('transfers', 'reconcile', ...wallet, '--release', ...reason)).text).toContain('released');
    expect(await ended(payer, equal[0].id)).toMatchObject({ status: 'completed', blockchain_tx_hash: hash });
    expect(await ended(payer, other.id)).toMatchObject({ status: 'completed' });
    expect(await money.get(payer, equal[1].id)).toMatchObject({
      status: 'failed',
      failure: { code: 'closed_by_operator', retry_safe: false },
    });
    expect(await money.balance('ethereum', dest)).toBe(ETH / 2n);
    const { rows } = await database.query<{ action: string; fields: string[] }>(
      `select action, fields from audit_log where app_id = $1 and actor = 'cli' order by id`,
      [payer.app.id],
    );
    const fields = ['reason: restored from the backup of Monday'];
    expect(rows).toEqual(
      ['transfer.adopted', 'transfer.closed', 'sender_queue.released'].map((action) => ({ action, fields })),
    );
  });

  it('is not held for a transaction of a key that may be used elsewhere, also in another history', async () => {
    const payer = await money.payer('ethereum');
    const { id } = await money.created(payer);
    await database.query('update wallets set key_left_at = now() where id = $1', [payer.walletId]);
    await payElsewhere(payer);
    await paid(payer, id);
    expect(await ended(payer, id)).toMatchObject({ status: 'completed' });
    const next = await money.created(payer);
    const backup = await backUp(payer);
    const lost = await money.created(payer);
    await paid(payer, lost.id);
    await restore(backup, { former: true });
    await payElsewhere(payer);
    await paid(payer, next.id);
    expect(await ended(payer, next.id)).toMatchObject({ status: 'completed' });
    // The operator sees the payment that was forgotten, although the queue has gone on.
    const { text } = await cli('transfers', 'reconcile', '--wallet', payer.walletId);
    expect(text).toMatch(new RegExp(`made no transfer \\(1\\) .* wei to ${lost.dest}`));
  });

  it('is held when a nonce that it has assigned was used by a payment that the database has forgotten', async () => {
    const payer = await money.payer('ethereum');
    const [lost, other] = [await money.created(payer), await money.created(payer)];
    const backup = await backUp(payer);
    // Only a node that the service does not ask has the forgotten bytes.
    await money.confirm(payer, lost.id);
    await money.anvil.call('anvil_dropAllTransactions');
    const { rows } = await database.query<{ raw: Buffer }>('select raw from transfer_attempts where transfer_id = $1', [
      lost.id,
    ]);
    await restore(backup);
    await money.confirm(payer, other.id);
    await money.anvil.call('anvil_dropAllTransactions');
    await money.anvil.call('eth_sendRawTransaction', `0x${rows[0]!.raw.toString('hex')}`);
    await queueUp(lost.id);
    await finalize();
    for (let looks = 0; looks < 4; looks++) {
      await look(payer, other.id);
      await look(payer, lost.id);
      await finalize();
    }
    expect(await money.get(payer, other.id)).toMatchObject({ status: 'failed' });
    expect(await money.get(payer, lost.id)).toMatchObject({ status: 'completed' });
    expect(await money.balance('ethereum', lost.dest)).toBe(ETH / 2n);
  });

  it.each(['export', 'sign_transaction'])('learns from %s that its key may be used elsewhere', async (call) => {
    const payer = await money.payer('ethereum');
    const leftAt = async () =>
      (
        await database.query<{ at: Date | null }>('select key_left_at as at from wallets where id = $1', [
          payer.walletId,
        ])
      ).rows[0]!.at;
    expect(await leftAt()).toBeNull();
    const eth_transaction = {
      to: newAddress('ethereum'),
      value: '1',
      nonce: 0,
      gas: 21_000,
      maxFeePerGas: '1',
      maxPriorityFeePerGas: '1',
      chainId: money.anvil.chainId,
    };
    const body = call === 'export' ? { encryption_public_key: keyPair().getPublicKey('base64') } : { eth_transaction };
    const { status } = await money.app.call('POST', `/v1/wallets/${payer.walletId}/${call}`, {
      key: payer.app.secretKey,
      body,
    });
    expect(status).toBe(200);
    expect(await leftAt()).not.toBeNull();
  });
});
