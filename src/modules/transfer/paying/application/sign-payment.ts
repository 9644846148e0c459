import { Injectable } from '@nestjs/common';
import { Bulkhead } from '../../../../kernel/bulkhead.js';
import type { Asset } from '../../../../kernel/chain/asset.js';
import type { Chain, Nonces, SearchProgress } from '../../../../kernel/chain/chain.js';
import {
  HistoryTooLong,
  NetworkChanged,
  ChainNotConfigured,
  ChainUnavailable,
  FeeTooHigh,
  InsufficientFunds,
  BelowRentMinimum,
  PaymentRefusedByChain,
  FeesAboveQuote,
} from '../../../../kernel/chain/chain.errors.js';
import type { Ask } from '../../../../kernel/chain/node-calls.js';
import type { PreparedPayment } from '../../../../kernel/chain/payment.js';
import { DomainEvents } from '../../../../kernel/domain-events.js';
import { namedItem, onEachItem, onlyItem } from '../../../../kernel/items.js';
import { assertUnaltered } from '../../../../kernel/row-macs.js';
import { Transactions } from '../../../../kernel/transactions.js';
import {
  type Decided,
  Gate,
  type SigningRequest,
  DestinationNotAllowed,
  TransferLimitExceeded,
  FeeLimitExceeded,
  PolicyDenied,
  AppFrozen,
  WalletFrozen,
} from '../../../policy/index.js';
import {
  type PayingWallet,
  WalletsFacade,
  WalletNotFound,
  WalletNotOwnedByUser,
  WalletReadOnly,
} from '../../../wallet/index.js';
import {
  type LockedForSigning,
  type LockedTransfer,
  type TimedTransfer,
  TransferStateRepository,
} from '../../transfer/domain/transfer.repository.js';
import type { Attempt, Transfer } from '../../transfer/domain/transfer.js';
import {
  assertCovered,
  isAhead,
  isFull,
  keyOf,
  nonceFor,
  NoncesDoubted,
  queueAfter,
  SENDER_QUEUE_CAPACITY,
  type SenderQueue,
  type SenderQueueId,
} from '../../transfer/domain/sender-queue.js';
import { SenderQueueRepository } from '../../transfer/domain/sender-queue.repository.js';
import { TransferEvent } from '../../transfer/domain/transfer.events.js';
import { areExplained, mayHaveLost } from '../../transfer/domain/books.js';
import { type ComparedNow, ReconcileQueue } from '../../reconciling/application/reconcile-queue.js';
import { AppNotFound } from '../../../apps/index.js';
import { UserInactive } from '../../../identity/index.js';

export interface SignedPayment extends TimedTransfer {
  /** Null if the queue is full or held, or the transfer awaits an approval or has ended. */
  readonly attempt: Attempt | null;
  /** The queue is held until its books are compared with the chain. */
  readonly isHeld: boolean;
}

/** How a transfer was confirmed. */
export interface Confirmation {
  /** The app's key; null if it is not known. */
  readonly keyId: string | null;
  /** The call, or the one that made the transfer, named the owner of the source. */
  readonly namesUser: boolean;
}

export function confirmationOf({ confirmedBy, namesUser }: Transfer): Confirmation {
  return { keyId: confirmedBy, namesUser };
}

interface Terms {
  /** The payments for which the sender queue may have a place. */
  readonly prepared: readonly PreparedPayment[];
  readonly nonces: Nonces | null;
  readonly coin: Asset;
  /** The chain shows a payment for one of the transfers that is none of its attempts. */
  readonly isMade: boolean;
  /** Null if the books were not compared for this signature. */
  readonly compared: ComparedNow | null;
  /** The history of the account is too long to be read in a confirmation. */
  readonly isUnread: boolean;
}

/** A use of the key elsewhere does not explain its nonces: the books must be compared first. */
class BooksDoubted extends Error {}

/** Payments of one source that are signed together, or a single one. */
export interface SigningOrder {
  readonly transfers: readonly Transfer[];
  readonly chain: Chain;
  /** The attempts of the only transfer; several transfers have none. */
  readonly earlier: readonly Attempt[];
  readonly confirmation: Confirmation;
  /** A batch waits for no approvers, and its refusals name the item. */
  readonly isBatch: boolean;
  readonly maySign: (locked: readonly LockedTransfer[]) => boolean | Promise<boolean>;
  /** Runs the reads of the chain, outside the transaction. */
  readonly ask?: Ask;
}

/** One transaction holds the lock, and one waits for it. After the longest wait the lock timeout of the database decides. */
const QUEUE_BOUNDS = { perApp: 2, inAll: Infinity, waitingPerApp: Infinity, longestWaitMs: 5_000 };
const LONG_WAIT = new Error('The sender queue is busy.');

/** A transaction that waits for the lock holds a connection: one busy wallet could occupy the pool. The lock alone keeps payments apart. */
@Injectable()
export class SenderQueueLimiter {
  private readonly queues = new Bulkhead(QUEUE_BOUNDS, { busyApp: () => LONG_WAIT, busyService: () => LONG_WAIT });

  constructor(private readonly transactions: Transactions) {}

  async run<T>(id: SenderQueueId, work: (isAgain: boolean) => Promise<T>): Promise<T> {
    const sign = (): Promise<T> => this.transactions.run(work, { signs: true });
    try {
      return await this.queues.run(keyOf(id), sign);
    } catch (error) {
      if (error !== LONG_WAIT) throw error;
      return sign();
    }
  }
}

/** A payment is covered, numbered, signed and stored in one transaction, or not at all. */
@Injectable()
export class SignPayment {
  static readonly refusals = [
    ChainNotConfigured,
    ChainUnavailable,
    DestinationNotAllowed,
    TransferLimitExceeded,
    FeeLimitExceeded,
    FeeTooHigh,
    PolicyDenied,
    AppFrozen,
    WalletFrozen,
    InsufficientFunds,
    BelowRentMinimum,
    PaymentRefusedByChain,
    FeesAboveQuote,
    NetworkChanged,
    AppNotFound,
    WalletNotFound,
    WalletNotOwnedByUser,
    WalletReadOnly,
    UserInactive,
  ];

  constructor(
    private readonly transfers: TransferStateRepository,
    private readonly queues: SenderQueueRepository,
    private readonly limiter: SenderQueueLimiter,
    private readonly wallets: WalletsFacade,
    private readonly gate: Gate,
    private readonly events: DomainEvents,
    private readonly reconcileQueue: ReconcileQueue,
  ) {}

  /**
   * Signs the first payments, as far as the queue has places; the rest wait in the queue. Null when `maySign` refuses. Then nothing has
   * changed, as after every error.
   */
  async execute(order: SigningOrder): Promise<readonly SignedPayment[] | null> {
    const { transfers, chain, ask = (reads) => reads() } = order;
    const [first] = transfers as [Transfer];
    const agreed = (seen: Nonces): Promise<Nonces | null> => chain.nonces(first.sourceAddress, seen);
    let terms = await ask(() => termsOf(order, this.queues.searchProgress(first.senderQueue())));
    for (;;) {
      try {
        return await this.signOn(terms, order);
      } catch (error) {
        const { nonces } = terms;
        if (error instanceof NoncesDoubted && !nonces?.areAgreed) {
          terms = { ...terms, nonces: await ask(() => agreed(error.seen)) };
        } else if (error instanceof BooksDoubted && !terms.compared) {
          terms = { ...terms, compared: await ask(() => this.reconcileQueue.compareNow(first)) };
        } else throw error;
      }
    }
  }

  private signOn(
    terms: Terms,
    { transfers, chain, earlier, confirmation, isBatch, maySign }: SigningOrder,
  ): Promise<readonly SignedPayment[] | null> {
    const [{ appId, source, userId }] = transfers as [Transfer];
    const onItem = isBatch ? namedItem : onlyItem;
    return this.limiter.run(transfers[0]!.senderQueue(), async (isAgain) => {
      const requests = transfers.map((transfer) => requestOf(transfer, chain, confirmation));
      const passes = isBatch
        ? await this.gate.openBatch(requests, isAgain)
        : [await this.gate.open(requests[0]!, isAgain)];
      const { locked, counted, wallet } = await this.transfers.lockForSigning(
        transfers,
        terms.prepared[0]!.balancesAt,
        () => this.gate.count(passes),
        () => this.wallets.holdPaying(appId, source, userId, passes[0]!),
      );
      if (!(await maySign(locked.transfers))) return null;
      for (const { transfer } of locked.transfers) assertUnaltered(transfer);
      wallet.assertMaySign();
      if (areBooksBehind(locked, wallet, terms, chain)) {
        // It is judged when it is signed, by the same key.
        const confirmed = locked.transfers.map((each) => ({
          ...each,
          transfer: each.transfer.allow(confirmation, null),
        }));
        const waiting = await this.wait(confirmed, 'books_behind_chain');
        this.transfers.markQueueHeld(waiting[0]!.transfer, terms.nonces && (locked.queue.nextNonce ?? 0));
        return waiting;
      }
      const [first] = locked.transfers as [LockedTransfer];
      // The tracker tries until there is a place; then it is decided.
      if (first.transfer.stage === 'queued' && isFull(locked.queue)) return [unsigned(first, first.transfer)];
      const signed: SignedPayment[] = [];
      let { queue } = locked;
      for (const [index, each] of locked.transfers.entries()) {
        const pass = passes[index]!;
        const payment = await onItem(index, async () => {
          const decided = await this.gate.decide(pass, counted);
          const transfer = each.transfer.allow(confirmation, decided.decisionId);
          if (decided.is !== 'use') return this.withhold(each, transfer, decided);
          const one = await this.sign({ ...each, transfer }, queue, wallet, terms, index, earlier.length);
          if (one.attempt) this.gate.useUp(pass, decided);
          return one;
        });
        queue = queueAfter(queue, each.transfer.payment(), each.transfer.feeCap, payment.attempt);
        signed.push(payment);
      }
      return signed;
    });
  }

  private async sign(
    locked: LockedTransfer,
    queue: SenderQueue,
    wallet: PayingWallet,
    { prepared, nonces, coin, isUnread }: Terms,
    index: number,
    ordinal: number,
  ): Promise<SignedPayment> {
    const { transfer, now, serverStartedAt, books, history } = locked;
    // The balances are those of one block, that of which the queue's reservations were read.
    assertCovered(transfer.payment(), { ...prepared[0]!, feeCap: transfer.feeCap }, queue.reserved, coin);
    if (isUnread) return (await this.wait([locked], 'history_too_long'))[0]!;
    if (isFull(queue)) {
      const queued = transfer.queue(now);
      await this.events.publish(...TransferEvent.ofChange(transfer, queued));
      this.transfers.store(queued);
      return unsigned(locked, queued);
    }
    const bytes = prepared[index]!.sign(wallet.signer, nonceFor(queue, nonces));
    if (bytes.network !== transfer.network || bytes.maxFee > transfer.feeCap) {
      throw new Error(`The transaction signed for ${transfer.id} is not within its quote.`);
    }
    const signed = transfer.sign(bytes.hash, now);
    await this.events.publish(...TransferEvent.ofChange(transfer, signed));
    // Every endpoint that responds says that the chain has nothing that the books lack.
    if (books === 'unchecked') this.transfers.storeCompared(signed, history);
    const attempt = this.transfers.storeSigned(signed, bytes, ordinal);
    return { transfer: signed, attempt, isHeld: false, now, serverStartedAt };
  }

  /** The payment must be approved first, or its approval has ended. */
  private async withhold(
    locked: LockedTransfer,
    transfer: Transfer,
    decided: Exclude<Decided, { is: 'use' }>,
  ): Promise<SignedPayment> {
    const { now } = locked;
    const withheld =
      decided.is === 'end'
        ? transfer.refuse(decided.end.status, decided.end.code, now)
        : transfer.awaitApproval(decided.approvalId, now);
    await this.events.publish(...TransferEvent.ofChange(transfer, withheld));
    this.transfers.store(withheld);
    return unsigned(locked, withheld);
  }

  /** The payments wait until the books are compared, or the tracker has read the history of the account to its end. */
  private async wait(
    locked: readonly LockedTransfer[],
    reason: 'books_behind_chain' | 'history_too_long',
  ): Promise<SignedPayment[]> {
    const held: SignedPayment[] = [];
    for (const each of locked) {
      const { transfer, now } = each;
      const waiting = transfer.status === 'pending' ? transfer : transfer.queue(now);
      const stuck = waiting.markStuck(reason, now);
      if (transfer.status !== 'pending') await this.events.publish(TransferEvent.of(waiting));
      if (transfer.stuckSince === null) await this.events.publish(TransferEvent.stuck(stuck));
      this.transfers.store(stuck);
      held.push(unsigned(each, stuck, reason === 'books_behind_chain'));
    }
    return held;
  }
}

function unsigned({ now, serverStartedAt }: LockedTransfer, transfer: Transfer, isHeld = false): SignedPayment {
  return { transfer, attempt: null, isHeld, now, serverStartedAt };
}

/**
 * Whether the database has lost, or may have lost, transactions of the queue: the chain shows a payment that names a transfer, or nonces
 * that the queue has not assigned, of a key that nothing else uses or while a snapshot may have been brought back. Throws `NoncesDoubted`
 * if one response does not suffice, `BooksDoubted` if a comparison may explain them.
 */
function areBooksBehind(
  { transfers, queue }: LockedForSigning,
  { mayBeUsedElsewhere, wallet }: PayingWallet,
  { nonces, isMade, compared }: Terms,
  chain: Chain,
): boolean {
  const isUnchecked = transfers.some(({ books }) => books === 'unchecked');
  if (isMade || transfers.some(({ books }) => books === 'behind')) return true;
  const isUnexplainedHere = ({ transfer, unexplained, attempts }: LockedTransfer): boolean =>
    attempts === 0 && unexplained.length > 0 && unexplained.includes(chain.summaryOf(transfer.payment())!);
  if (mayBeUsedElsewhere && transfers.some(isUnexplainedHere)) return true;
  // Without nonces nothing shows a transaction that the database forgot and that may still be carried out. Only the start of the server
  // shows that a snapshot was brought back.
  if (nonces === null) return isUnchecked || transfers.some(({ isUncompared }) => isUncompared);
  const isLost = (each: LockedTransfer): boolean =>
    mayHaveLost(each, wallet) && !areExplained(nonces, compared?.explained ?? null, each);
  const isUnexplained =
    isAhead(nonces, queue.nextNonce) && (isUnchecked || !mayBeUsedElsewhere || transfers.some(isLost));
  if ((isUnexplained || isUnchecked) && !nonces.areAgreed) throw new NoncesDoubted(nonces);
  if (isUnexplained && mayBeUsedElsewhere && !isUnchecked && !compared) throw new BooksDoubted();
  return isUnexplained;
}

async function termsOf({ transfers, chain, earlier, isBatch }: SigningOrder, progress: SearchProgress): Promise<Terms> {
  const onItem = isBatch ? namedItem : onlyItem;
  const [first] = transfers as [Transfer];
  const search = { since: first.createdAt, known: earlier.map(({ hash }) => hash), progress };
  const isConfirmed = first.status === 'pending';
  const payments = transfers.map((transfer) => transfer.payment());
  const prepare = chain.prepareTogether(payments);
  const [network, prepared, nonces, made] = await Promise.all([
    chain.network(),
    onEachItem(transfers.slice(0, SENDER_QUEUE_CAPACITY), (transfer, index) =>
      onItem(index, () => prepare(transfer.payment(), transfer.feeCap, earlier, transfer.dataFees())),
    ),
    chain.nonces(first.sourceAddress),
    // If nothing was signed before, one endpoint is asked, at the same time: its response may lag behind.
    chain.isMade(payments, search, isConfirmed).catch((error: unknown) => {
      if (error instanceof HistoryTooLong && !isConfirmed) return null;
      throw error;
    }),
  ]);
  if (network !== first.network) throw new NetworkChanged(first.network, network);
  return { prepared, nonces, coin: chain.native, isMade: made === true, isUnread: made === null, compared: null };
}

export function requestOf(
  transfer: Transfer,
  { native }: Pick<Chain, 'native'>,
  { keyId, namesUser }: Confirmation,
): SigningRequest {
  const { appId, id, source, userId, network, sourceAddress, approvalId } = transfer;
  const { asset, dest, amount } = transfer.payment();
  return {
    appId,
    wallet: { id: source, userId },
    keyId,
    namesUser,
    transferId: id,
    isTracked: transfer.status === 'pending',
    approvalId,
    use: {
      operation: 'transfer',
      asset,
      dest,
      amount,
      source: sourceAddress,
      network,
      fee: { asset: native, amount: transfer.feeCap },
    },
  };
}
