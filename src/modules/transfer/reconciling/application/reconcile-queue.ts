import { Injectable } from '@nestjs/common';
import { Clock } from '../../../../kernel/clock.js';
import { type Chain, Chains, type Nonces } from '../../../../kernel/chain/chain.js';
import type { FoundTransaction, Payment } from '../../../../kernel/chain/payment.js';
import type { TransferId } from '../../../../kernel/ids.js';
import { DomainEvents } from '../../../../kernel/domain-events.js';
import { SharedRuns } from '../../../../kernel/shared-runs.js';
import { Transactions } from '../../../../kernel/transactions.js';
import { Gate } from '../../../policy/index.js';
import { WalletsFacade } from '../../../wallet/index.js';
import { TransferStateRepository } from '../../transfer/domain/transfer.repository.js';
import type { Attempt, Transfer } from '../../transfer/domain/transfer.js';
import {
  areExplained,
  compare,
  type Comparison,
  type Explained,
  firstNonceOf,
  heldSince,
  mayBeCopiedSince,
  mayHaveLost,
  type OpenTransfer,
  type QueueBooks,
  type QueueState,
  runOf,
} from '../../transfer/domain/books.js';
import {
  booksStateOf,
  HELD,
  isAhead,
  isWaiting,
  keyOf,
  type SenderQueueId,
} from '../../transfer/domain/sender-queue.js';
import { SenderQueueRepository } from '../../transfer/domain/sender-queue.repository.js';
import { TransferEvent } from '../../transfer/domain/transfer.events.js';
import { assertOnNetwork } from '../../transfer/application/pending-payment.js';

export type HeldReason = 'books_behind_chain' | 'node_lacks_history';

export interface ComparedNow {
  readonly reason: HeldReason;
  /** Null where the queue is held, or a payment was adopted. */
  readonly explained: Explained | null;
}

export interface Reconciliation extends Comparison {
  readonly books: QueueBooks;
  /** Whether every transaction in question could be read. */
  readonly isRead: boolean;
  /** False too while that cannot be known yet. */
  readonly agrees: boolean;
  /** Why they do not agree, for people; empty if they do. */
  readonly reason: string;
  /** Why nothing is signed until they agree. */
  readonly stuckReason: HeldReason;
  readonly nonces: Nonces | null;
  /** The chain's answer before its transactions were read: what was carried out after that may be missing among them. */
  readonly expiry: Awaited<ReturnType<Chain['expiry']>>;
}

/** Transactions that a queue remembers because no transfer explained them. */
const MOST_UNEXPLAINED = 500;

type Wallet = Pick<Transfer, 'source'>;

/**
 * Compares the books of a sender queue with the chain after commits may have been lost: adopts payments that the database has forgotten,
 * and lets the queue sign again once nothing is unknown. Any process may do this at any time.
 */
@Injectable()
export class ReconcileQueue {
  /** Each transfer of a held queue asks for the same comparison, several at a time. */
  private readonly comparisons = new SharedRuns<ComparedNow>();

  constructor(
    private readonly queues: SenderQueueRepository,
    private readonly transfers: TransferStateRepository,
    private readonly chains: Chains,
    private readonly wallets: WalletsFacade,
    private readonly gate: Gate,
    private readonly transactions: Transactions,
    private readonly events: DomainEvents,
    private readonly clock: Clock,
  ) {}

  /** If the history of the database has changed, or the queue is held, the queue is compared with the chain first. */
  async mayPay(transfer: Transfer): Promise<boolean> {
    return (await this.reasonHeld(transfer)) === null;
  }

  /** Null if the queue may sign. */
  async reasonHeld(transfer: Transfer): Promise<HeldReason | null> {
    if (await this.isCurrent(transfer)) return null;
    const { reason } = await this.compareNow(transfer);
    return (await this.isCurrent(transfer)) ? null : reason;
  }

  async compareNow(transfer: Transfer): Promise<ComparedNow> {
    const queue = transfer.senderQueue();
    const chain = this.chains.named(transfer.chain);
    await assertOnNetwork(transfer, chain);
    return this.comparisons.join(keyOf(queue), async () => {
      const found = await this.compare(queue, transfer, chain);
      const { adopted, nonces, books, stuckReason: reason } = found;
      const isReleased = await this.settle(queue, found);
      const isExplained = isReleased && nonces !== null && adopted.length === 0;
      const { serverStartedAt } = books;
      return {
        reason,
        explained: isExplained ? { below: Math.max(nonces.latest, nonces.pending), serverStartedAt } : null,
      };
    });
  }

  /** Reads the database alone. */
  async isCurrent(transfer: Transfer): Promise<boolean> {
    return isCurrentIn(await this.queues.state(transfer.senderQueue()), transfer);
  }

  /** Narrower than `isCurrent`: a copied data directory or a restored snapshot keeps its history, but its server has started since. */
  async isCertain(transfer: Transfer): Promise<boolean> {
    const state = await this.queues.state(transfer.senderQueue());
    return isCurrentIn(state, transfer) && !mayBeCopiedSince(transfer.createdAt, state);
  }

  /** Reads the chain anew. The caller must check under the lock that the transfer is unchanged before it concludes anything. */
  isUnpaid(transfer: Transfer, attempts: readonly Attempt[]): Promise<boolean> {
    return this.areUnpaid([transfer], attempts);
  }

  /** The transfers are of one sender queue. False if one of them may have been paid. */
  async areUnpaid(transfers: readonly Transfer[], attempts: readonly Attempt[] = []): Promise<boolean> {
    const ofEachHistory = new Map(transfers.map((transfer) => [transfer.history, transfer])).values();
    for (const transfer of ofEachHistory) if (!(await this.mayPay(transfer))) return false;
    const oldest = transfers.reduce((a, b) => (b.createdAt < a.createdAt ? b : a));
    const chain = this.chains.named(oldest.chain);
    await assertOnNetwork(oldest, chain);
    const queue = oldest.senderQueue();
    const payments = transfers.map((transfer) => transfer.payment());
    const isContradicted = await this.isContradicted(oldest, payments, attempts, chain);
    if (isContradicted) await this.markHeld(queue, null);
    else if (isContradicted !== null || !(await this.mayBeUnderWay(oldest))) return true;
    const found = await this.compare(queue, oldest, chain);
    const isReleased = await this.settle(queue, found, { holds: isContradicted !== null });
    return isReleased && !found.adopted.some(({ id }) => transfers.some((transfer) => transfer.id === id));
  }

  /**
   * Whether only the attempts, which are proven dead, may have paid. With nonces another transaction has used theirs: one of this service,
   * which the database has forgotten, unless the key is used elsewhere too.
   */
  async isUnpaidBy({ transfer, attempts }: OpenTransfer, isUsedByTransaction: boolean): Promise<boolean> {
    const nonce = attempts[0]?.nonce ?? null;
    if (nonce === null) return this.isUnpaid(transfer, attempts);
    if (!isUsedByTransaction) return true;
    const { appId, source, chain: name } = transfer;
    if ((await this.isCurrent(transfer)) && (await this.wallets.usedElsewhere(appId, source))) return true;
    const [queue, chain] = [transfer.senderQueue(), this.chains.named(name)];
    await this.markHeld(queue, nonce);
    const found = await this.compare(queue, transfer, chain);
    await this.settle(queue, found);
    // Once it is read whole, the user of the nonce is no payment of this transfer: its end is proven, even if the database lacks more.
    return found.isRead && !found.adopted.some(({ id }) => id === transfer.id);
  }

  /** Holds the queue unless it or another user of the key has assigned these nonces; compares them if the database may be old. */
  async explains(transfer: Transfer, seen: Nonces): Promise<boolean> {
    const { appId, source, createdAt } = transfer;
    const queue = transfer.senderQueue();
    const state = await this.queues.state(queue);
    if (!isAhead(seen, state.nextNonce)) return true;
    const key = await this.wallets.usedElsewhere(appId, source);
    const isDoubted = state.isDoubted || mayBeCopiedSince(createdAt, state);
    if (key && !mayHaveLost({ ...state, isDoubted }, key)) return true;
    if (key && areExplained(seen, (await this.compareNow(transfer)).explained, state)) return true;
    await this.markHeld(queue, null);
    return false;
  }

  private markHeld(queue: SenderQueueId, from: number | null, heldIn?: string): Promise<void> {
    return this.transactions.run(() => this.queues.markHeld(queue, from, heldIn), { signs: true });
  }

  /** Null on a chain without nonces: it shows no payment, and might only once that is in a block. */
  private async isContradicted(
    oldest: Transfer,
    payments: readonly Payment[],
    attempts: readonly Attempt[],
    chain: Chain,
  ): Promise<boolean | null> {
    const search = {
      since: oldest.createdAt,
      known: attempts.map(({ hash }) => hash),
      progress: this.queues.searchProgress(oldest.senderQueue()),
    };
    if (await chain.isMade(payments, search, true)) return true;
    const first = await chain.nonces(oldest.sourceAddress);
    // One endpoint may lag behind.
    const seen = first && (await chain.nonces(oldest.sourceAddress, first));
    return seen && !(await this.explains(oldest, seen));
  }

  /** The chain may still carry out bytes that a snapshot has forgotten. */
  private async mayBeUnderWay(transfer: Transfer): Promise<boolean> {
    const state = await this.queues.state(transfer.senderQueue());
    return state.isUncompared && mayBeCopiedSince(transfer.createdAt, state);
  }

  /** Changes nothing. `readsAll` is for an operator; without it, books of more than a bounded number never agree. */
  async compare(queue: SenderQueueId, { source }: Wallet, chain: Chain, readsAll = false): Promise<Reconciliation> {
    const books = await this.queues.books(queue, readsAll);
    const { open } = books;
    const expiry = await chain.expiry(heldSince(books));
    const seen = await chain.nonces(queue.address);
    const nonces = seen && (await chain.nonces(queue.address, seen));
    const fromNonce = firstNonceOf(books);
    const payments = open.map(({ transfer }) => transfer.payment());
    const since = new Date(
      Math.min(...open.map(({ transfer }) => transfer.createdAt.getTime()), this.clock.now().getTime()),
    );
    const attempts = await this.queues.hashesFrom(queue, nonces ? fromNonce : null);
    const key = await this.wallets.usedElsewhere(queue.appId, source);
    const notBefore = readsAll || key === null ? null : oldestLost(books.comparedAt ?? key.createdAt);
    // A waiting transaction may be a payment that the database has forgotten. Its content shows whether another user of the key made it.
    const range = nonces && {
      from: fromNonce,
      to: nonces.latest,
      waitingTo: key === null ? nonces.latest : nonces.pending,
      isBounded: !readsAll,
      notBefore,
    };
    const lost = books.lostSince && {
      since: books.lostSince,
      among: (ids: readonly TransferId[]) => this.queues.lostAmong(queue.appId, ids),
    };
    const progress = this.queues.searchProgress(queue);
    const search = { since, lost, known: attempts, nonces: range, progress };
    const found = await chain.transactionsOf(queue.address, payments, search);
    const result = { books, nonces, expiry, isRead: found.isComplete, ...compare(found.of, open, key !== null) };
    const reason = this.differenceIn(result, key !== null);
    const stuckReason = found.lacking === undefined ? 'books_behind_chain' : 'node_lacks_history';
    return { ...result, agrees: reason === '', reason: found.lacking ?? reason, stuckReason };
  }

  private isSameAs(summaries: readonly string[], transfer: Transfer): boolean {
    if (summaries.length === 0) return false;
    const summary = this.chains.named(transfer.chain).summaryOf(transfer.payment());
    return summary !== null && summaries.includes(summary);
  }

  /** Empty when the database and the chain agree. */
  private differenceIn(
    { books, nonces, ambiguous, unknown, isRead }: Omit<Reconciliation, 'agrees' | 'reason' | 'stuckReason'>,
    isUsedElsewhere: boolean,
  ): string {
    if (books.hasMore) return 'The queue has more open transfers than are compared at a time.';
    if (!isRead) return 'The nodes do not have all transactions of the account, or some are not final yet.';
    if (ambiguous.length > 0) return 'Equal transfers and transactions cannot be distinguished.';
    if (
      books.open.some(({ transfer, attempts }) => attempts.length === 0 && this.isSameAs(books.unexplained, transfer))
    )
      return 'A transaction that the database does not know may have made the payment of a transfer.';
    if (isUsedElsewhere) return '';
    if (nonces && isWaiting(nonces, books.nextNonce))
      return 'A transaction that the database does not know waits for a block.';
    if (unknown.length > 0) return 'The account has transactions that make no open transfer of the database.';
    return '';
  }

  /**
   * `accepts`: the operator accepts the unknown transactions. Returns whether the queue may sign; until then it is held, and if the books
   * agree only if it `holds`.
   */
  async settle(
    queue: SenderQueueId,
    { books: compared, adopted, selfTransfers, agrees, nonces, expiry, unknown }: Reconciliation,
    { accepts = false, holds = true } = {},
  ): Promise<boolean> {
    let isUnchanged = true;
    for (const { found, id } of adopted) isUnchanged = (await this.adopt(compared, found, id)) && isUnchanged;
    for (const found of selfTransfers) await this.adoptSelfTransfer(queue, found);
    // Another process was faster: the compared state is out of date.
    if (!isUnchanged) return false;
    const books = nonces !== null && adopted.length > 0 ? heldFrom(compared) : compared;
    const { since, isOver } = expiry;
    if (!isOver || (!agrees && !accepts)) {
      if (nonces !== null) await this.markHeld(queue, null);
      else if (holds || !agrees) await this.markHeld(queue, since, runOf(books));
      else await this.queues.markWaiting(queue, since, runOf(books));
      return false;
    }
    // The operator has seen them.
    const unexplained = accepts || nonces === null ? [] : unexplainedOf(books, unknown);
    const next = nonces?.latest ?? null;
    return this.transactions.run(() => this.queues.release(queue, books, next, unexplained), { signs: true });
  }

  /** An adopted attempt raises the queue's next nonce. It is held at the first compared nonce, so that none in between is overlooked. */
  async adopt(books: QueueBooks, { attempt }: FoundTransaction, id: TransferId): Promise<boolean> {
    const { transfer, attempts } = books.open.find((each) => each.transfer.id === id)!;
    return this.transactions.run(
      async () => {
        const locked = await this.transfers.lock(transfer);
        const isOpen = ['unconfirmed', 'awaiting_approval', 'pending'].includes(locked.transfer.status);
        if (!isOpen || locked.attempts !== attempts.length || attempt === null) return false;
        // A payment that was made is neither approved nor rejected any more.
        if (locked.transfer.approvalId !== null) await this.gate.withdraw(transfer.appId, id);
        await this.queues.lock(transfer.senderQueue());
        if (attempt.nonce !== null) await this.queues.markHeld(transfer.senderQueue(), firstNonceOf(books));
        const adopted = locked.transfer.adopt(attempt.hash, locked.now);
        await this.events.publish(...TransferEvent.ofChange(locked.transfer, adopted));
        this.transfers.storeSigned(adopted, attempt, attempts.length);
        return true;
      },
      { signs: true },
    );
  }

  private async adoptSelfTransfer(queue: SenderQueueId, { attempt }: FoundTransaction): Promise<void> {
    await this.transactions.run(
      async () => {
        await this.queues.lock(queue);
        const earlier = await this.queues.attemptsAt(queue, attempt!.nonce!);
        if (earlier.some(({ hash }) => hash === attempt!.hash)) return;
        this.queues.storeSelfTransfer(queue, attempt!, earlier.length);
      },
      { signs: true },
    );
  }
}

function unexplainedOf({ unexplained }: QueueBooks, unknown: readonly FoundTransaction[]): string[] {
  const summaries = unknown.filter(({ attempt }) => attempt !== null).map(({ summary }) => summary);
  return [...new Set([...summaries, ...unexplained])].slice(0, MOST_UNEXPLAINED);
}

/** A node may have lagged behind for an hour when the queue was compared. */
function oldestLost(comparedAt: Date): Date {
  return new Date(comparedAt.getTime() - 3_600_000);
}

function heldFrom(books: QueueBooks): QueueBooks {
  return { ...books, comparedFrom: firstNonceOf(books), histories: { ...books.histories, ofQueue: HELD } };
}

function isCurrentIn({ histories }: Pick<QueueState, 'histories'>, { history }: Transfer): boolean {
  return booksStateOf({ ...histories, ofTransfer: history }) === 'current';
}
