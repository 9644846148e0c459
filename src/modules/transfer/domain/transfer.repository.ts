import type { Asset } from '../../../kernel/chain/asset.js';
import type { DataFees, SignedAttempt } from '../../../kernel/chain/payment.js';
import type { AppId, BatchId, TransferId, UserId, WalletId } from '../../../kernel/ids.js';
import type { Page, PageRequest } from '../../../kernel/paging.js';
import type { BooksState, SenderQueue } from './sender-queue.js';
import type { Attempt, Transfer, TransferStatus } from './transfer.js';

/** A transfer with the time of the database, by which expiry is decided. */
export interface TimedTransfer {
  readonly transfer: Transfer;
  readonly now: Date;
  /** See `QueueState`. */
  readonly serverStartedAt: Date;
}

/** A transfer as it was read before the chain was asked about it. */
export type SeenTransfer = Pick<TimedTransfer, 'transfer' | 'serverStartedAt'>;

export interface NewTransfer {
  readonly appId: AppId;
  readonly id: TransferId;
  readonly userId: UserId;
  readonly source: WalletId;
  readonly sourceAddress: string;
  readonly dest: string;
  readonly network: string;
  readonly asset: Asset;
  readonly amount: bigint;
  readonly feeCap: bigint;
  readonly dataFees: DataFees;
  /** How long it may be confirmed. */
  readonly quoteSeconds: number;
  readonly batchId: BatchId | null;
  readonly customId: string | null;
  readonly notes: string;
  readonly namesUser: boolean;
}

/** The fields of an attempt that callers may see. */
export type AttemptView = Pick<
  Attempt,
  'hash' | 'kind' | 'nonce' | 'blockhash' | 'maxFee' | 'createdAt' | 'acceptedAt'
>;

/** A transfer as callers see it: as it is stored. */
export interface TransferView {
  readonly transfer: Transfer;
  readonly attempts: readonly AttemptView[];
}

export interface TransferQuery {
  readonly userId?: UserId;
  readonly source?: WalletId;
  /** The wallets of which transfers are listed at most; absent if of any. */
  readonly sources?: readonly WalletId[];
  readonly limit: number;
  readonly offset: number;
}

export interface TransferPage {
  readonly transfers: readonly TransferView[];
  /** The number of transfers on all pages: exact up to 10,000, an estimate beyond. */
  readonly count: number;
  readonly isEstimated: boolean;
}

/** A transfer as operators see it. */
export interface ManagedTransfer extends TransferView {
  /** When the service looks at it next; null when it waits for a caller, or has ended. */
  readonly nextCheckAt: Date | null;
}

export interface ManagedTransferQuery extends PageRequest<TransferId> {
  readonly userId?: UserId;
  readonly source?: WalletId;
  /** As stored: a quote that was not confirmed in time is `unconfirmed` until the service has marked it. */
  readonly status?: TransferStatus;
  /** Only the transfer of which a transaction has this hash. */
  readonly hash?: string;
  /** Only transfers that are marked stuck. */
  readonly stuck?: true;
}

/** Creates and reads transfers and their attempts. No method locks a row. */
export abstract class TransferRepository {
  /** Stores an unconfirmed transfer. Null when another one, which is committed, has its custom id: then nothing is stored. */
  abstract add(transfer: NewTransfer): Promise<Transfer | null>;

  abstract withCustomId(appId: AppId, customId: string): Promise<Transfer | null>;

  abstract find(appId: AppId, id: TransferId): Promise<TimedTransfer | null>;

  /** The transfers of a batch in the order of its items; none if there is no such batch. */
  abstract batch(appId: AppId, id: BatchId): Promise<readonly (TransferView & TimedTransfer)[]>;

  /** Everything ever signed for it, oldest first. */
  abstract attempts(appId: AppId, id: TransferId): Promise<Attempt[]>;

  /** Throws `TransferNotFound`. */
  abstract view(appId: AppId, id: TransferId): Promise<TransferView>;

  /** Lists transfers newest first. Throws `ListTooBroad` when it takes longer than 2 s. */
  abstract list(appId: AppId, query: TransferQuery): Promise<TransferPage>;

  /** Throws `TransferNotFound`. */
  abstract getManaged(appId: AppId, id: TransferId): Promise<ManagedTransfer>;

  /** Lists transfers newest first. */
  abstract listManaged(appId: AppId, query: ManagedTransferQuery): Promise<Page<ManagedTransfer>>;
}

export interface LockedTransfer extends TimedTransfer {
  /** The number of its attempts. */
  readonly attempts: number;
  /** Whether its sender queue may sign for it. */
  readonly books: BooksState;
  /** The history that the database is on. */
  readonly history: string;
  /** Whether the database server has started since the transfer was created, as that of a copied data directory has. */
  readonly mayBeCopied: boolean;
  /** As `mayBeCopied`, and its sender queue was not compared since. */
  readonly isUncompared: boolean;
  /**
   * Whether the database may have been brought back to a snapshot since its sender queue was compared. Then nonces that the queue has not
   * assigned are compared before a signature, even if the key may be used elsewhere. So they are for an hour after a start of the server,
   * because nodes may lag behind, and for a transfer from before it as long as it is open.
   */
  readonly isDoubted: boolean;
  /** See `QueueState.unexplained`. */
  readonly unexplained: readonly string[];
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

  /** Locks as `lock` does; null unless `isUnchanged`, since otherwise the observation is out of date. */
  async lockUnchanged(seen: SeenTransfer, attempts: number): Promise<LockedTransfer | null> {
    const locked = await this.lock(seen.transfer);
    return isUnchanged(locked, seen, attempts) ? locked : null;
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

/**
 * Whether the transfer is still the pending one that was read with this number of attempts. After a start of the server the database may
 * have forgotten some of these and have others.
 */
export function isUnchanged(locked: LockedTransfer, seen: SeenTransfer, attemptsRead: number): boolean {
  const { transfer, attempts } = locked;
  return transfer.status === 'pending' && attempts === attemptsRead && !hasStartedBetween(seen, locked);
}

/**
 * Whether the database server has started between two reads. It may have been brought back to an earlier state: what the first read and the
 * chain showed together proves nothing about the second.
 */
export function hasStartedBetween(
  seen: Pick<SeenTransfer, 'serverStartedAt'>,
  locked: Pick<SeenTransfer, 'serverStartedAt'>,
): boolean {
  return seen.serverStartedAt.getTime() !== locked.serverStartedAt.getTime();
}

/** The database server has started since the transfer was read: the chain must be asked again before anything is concluded. */
export class ProofOutdated extends Error {}
