import type { SignedAttempt } from '../../../kernel/chain/payment.js';
import type { AppId, UserId } from '../../../kernel/ids.js';
import type { Attempt } from './attempt.js';
import type { BooksState } from './books.js';
import type { SenderQueue } from './sender-queue.js';
import type { Transfer } from './transfer.js';
import type { TimedTransfer } from './transfer.repository.js';

export interface LockedTransfer extends TimedTransfer {
  /** The number of its attempts. */
  readonly attempts: number;
  /** Whether its sender queue may sign for it. */
  readonly books: BooksState;
  /** The history that the database is on. */
  readonly history: string;
  /** Whether the database server has started since the transfer was created, as that of a copied data directory has. */
  readonly mayBeCopied: boolean;
}

/** Transfers of one sender queue, in the order of their ids, and that queue, while the locks of all are held. */
export interface LockedForSigning {
  readonly transfers: readonly LockedTransfer[];
  /** As the first of them sees it. None of them is counted. */
  readonly queue: SenderQueue;
}

/** Locks transfers and stores their next states. The order of locks is that of rule 9 in the README. */
export abstract class TransferStateRepository {
  /** The transfer as it is now, locked until the transaction ends. */
  abstract lock(transfer: Transfer): Promise<LockedTransfer>;

  /**
   * Locks as `lock` does; null unless it is pending with exactly this number of attempts, since otherwise the observation is out of date.
   */
  async lockUnchanged(transfer: Transfer, attempts: number): Promise<LockedTransfer | null> {
    const locked = await this.lock(transfer);
    return isUnchanged(locked, attempts) ? locked : null;
  }

  /**
   * Locks the transfers, calls `countWindows`, locks the sender queue, calls `holdWallet`, and reads transfers and queue under these locks, all
   * in one round trip: both calls must send their statements at once. Several transfers are a batch that has not been confirmed. `balancesAt`
   * is the block of the balances that the queue's `reserved` is compared with: they do not include later blocks.
   */
  abstract lockForSigning<Counted, Wallet>(
    transfers: readonly Transfer[],
    balancesAt: number,
    countWindows: () => Promise<Counted>,
    holdWallet: () => Promise<Wallet>,
  ): Promise<{ readonly locked: LockedForSigning; readonly counted: Counted; readonly wallet: Wallet }>;

  /** Stores the state of a locked transfer, with the events published so far, by COMMIT at the latest. */
  abstract store(transfer: Transfer): void;

  /**
   * Stores the new attempt of a locked transfer: its state, the attempt, and the next nonce of its sender queue, with the events published
   * so far. From the commit on the bytes may be sent at any time.
   */
  abstract storeSigned(transfer: Transfer, bytes: SignedAttempt, ordinal: number, kind?: Attempt['kind']): Attempt;

  /**
   * Marks held the sender queue that `lockForSigning` has locked: nothing is signed in it until its books are compared with the chain, on a
   * chain with nonces from this one on.
   */
  abstract markQueueHeld(transfer: Transfer, fromNonce: number | null): void;

  /** Records that the books of the locked sender queue agree with the chain in this history of the database. */
  abstract storeCompared(transfer: Transfer, history: string): void;

  /** Stores the request to cancel a locked transfer, and makes the transfer due for tracking at once. */
  abstract storeCancelRequest(transfer: Transfer): void;

  /**
   * Whether the app, or one user of it, has a pending transfer. Final if the caller's transaction has locked the app, or the
   * wallets of the user: a confirmation that held them has committed, and the next ones wait.
   */
  abstract hasPending(appId: AppId, userId?: UserId): Promise<boolean>;
}

/** Whether the transfer is still the pending one that was read with this number of attempts. */
export function isUnchanged({ transfer, attempts }: LockedTransfer, attemptsRead: number): boolean {
  return transfer.status === 'pending' && attempts === attemptsRead;
}
