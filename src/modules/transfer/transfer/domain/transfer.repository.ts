import type { Asset } from '../../../../kernel/chain/asset.js';
import type { DataFees, SignedAttempt } from '../../../../kernel/chain/payment.js';
import type { AppId, BatchId, TransferId, UserId, WalletId } from '../../../../kernel/ids.js';
import type { Page, PageRequest } from '../../../../kernel/paging.js';
import type { BooksState, SenderQueue } from './sender-queue.js';
import type { Attempt, Transfer, TransferStatus } from './transfer.js';

/** A transfer with the time of the database, by which expiry is decided. */
export interface TimedTransfer {
  readonly transfer: Transfer;
  readonly now: Date;
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
  readonly quoteSeconds: number;
  readonly batchId: BatchId | null;
  readonly customId: string | null;
  readonly notes: string;
  readonly namesUser: boolean;
}

export type AttemptView = Pick<
  Attempt,
  'hash' | 'kind' | 'nonce' | 'blockhash' | 'maxFee' | 'createdAt' | 'acceptedAt'
>;

export interface TransferView {
  readonly transfer: Transfer;
  readonly attempts: readonly AttemptView[];
}

export interface TransferQuery {
  readonly userId?: UserId;
  readonly source?: WalletId;
  readonly sources?: readonly WalletId[];
  readonly limit: number;
  readonly offset: number;
}

export interface TransferPage {
  readonly transfers: readonly TransferView[];
  /** Exact up to 10,000, an estimate beyond. */
  readonly count: number;
  readonly isEstimated: boolean;
}

export interface ManagedTransfer extends TransferView {
  /** When the service looks at it next; null when it waits for a caller, or has ended. */
  readonly nextCheckAt: Date | null;
}

export interface ManagedTransferQuery extends PageRequest<TransferId> {
  readonly userId?: UserId;
  readonly source?: WalletId;
  /** The stored status: an expired quote is `unconfirmed` until the service has marked it. */
  readonly status?: TransferStatus;
  readonly hash?: string;
  readonly stuck?: true;
}

/** Creates and reads transfers and their attempts. No method locks a row. */
export abstract class TransferRepository {
  /** Stores an unconfirmed transfer; null when a committed one has its custom id. */
  abstract add(transfer: NewTransfer): Promise<Transfer | null>;

  abstract withCustomId(appId: AppId, customId: string): Promise<Transfer | null>;

  abstract find(appId: AppId, id: TransferId): Promise<TimedTransfer | null>;

  /** Transfers in the order of their items; empty if there is no such batch. */
  abstract batch(appId: AppId, id: BatchId): Promise<readonly (TransferView & TimedTransfer)[]>;

  /** Everything ever signed for it, oldest first. */
  abstract attempts(appId: AppId, id: TransferId): Promise<Attempt[]>;

  abstract view(appId: AppId, id: TransferId): Promise<TransferView>;

  /** Transfers, newest first. Throws `ListTooBroad` when it takes longer than 2 s. */
  abstract list(appId: AppId, query: TransferQuery): Promise<TransferPage>;

  abstract getManaged(appId: AppId, id: TransferId): Promise<ManagedTransfer>;

  abstract listManaged(appId: AppId, query: ManagedTransferQuery): Promise<Page<ManagedTransfer>>;
}

export interface LockedTransfer extends TimedTransfer {
  readonly attempts: number;
  readonly books: BooksState;
  readonly history: string;
  /** Whether the server has started since the transfer was created, as that of a copied data directory has. */
  readonly mayBeCopied: boolean;
  /** As `mayBeCopied`, and its sender queue was not compared since. */
  readonly isUncompared: boolean;
  /**
   * Whether the database may have been brought back to a snapshot since the queue was compared, or nodes may still lag after a start. Then
   * nonces that the queue has not assigned are compared before a signature, even if the key may be used elsewhere.
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

/** Locks transfers and stores their next states, in the lock order of rule 9 in the README. */
export abstract class TransferStateRepository {
  abstract lock(transfer: Transfer): Promise<LockedTransfer>;

  /** Null unless `isUnchanged`: the observation is out of date. */
  async lockUnchanged(seen: SeenTransfer, attempts: number): Promise<LockedTransfer | null> {
    const locked = await this.lock(seen.transfer);
    return isUnchanged(locked, seen, attempts) ? locked : null;
  }

  /**
   * Locks the transfers, calls `countWindows`, locks the sender queue, calls `holdWallet`, and reads under these locks, in one round trip:
   * both calls must send their statements at once. Several transfers are an unconfirmed batch. `balancesAt` is the block of the balances
   * that the queue's `reserved` is compared with.
   */
  abstract lockForSigning<Counted, Wallet>(
    transfers: readonly Transfer[],
    balancesAt: number,
    countWindows: () => Promise<Counted>,
    holdWallet: () => Promise<Wallet>,
  ): Promise<{ readonly locked: LockedForSigning; readonly counted: Counted; readonly wallet: Wallet }>;

  /** Writes the state, with the events published so far, by COMMIT at the latest. */
  abstract store(transfer: Transfer): void;

  /** Also advances the next nonce of the sender queue. From the commit on the bytes may be sent at any time. */
  abstract storeSigned(transfer: Transfer, bytes: SignedAttempt, ordinal: number, kind?: Attempt['kind']): Attempt;

  /** Nothing is signed in the locked sender queue until its books are compared with the chain, from this nonce on if it has nonces. */
  abstract markQueueHeld(transfer: Transfer, fromNonce: number | null): void;

  abstract storeCompared(transfer: Transfer, history: string): void;

  /** Also makes the transfer due for tracking at once. */
  abstract storeCancelRequest(transfer: Transfer): void;

  /** Final if the caller has locked the app or the user's wallets: earlier confirmations have committed, and the next ones wait. */
  abstract hasPending(appId: AppId, userId?: UserId): Promise<boolean>;
}

/** After a start of the server the database may have forgotten some of the attempts that were read, and have others. */
export function isUnchanged(locked: LockedTransfer, seen: SeenTransfer, attemptsRead: number): boolean {
  const { transfer, attempts } = locked;
  return transfer.status === 'pending' && attempts === attemptsRead && !hasStartedBetween(seen, locked);
}

/** A restarted server may have an earlier state: what the first read and the chain showed together proves nothing about the second. */
export function hasStartedBetween(
  seen: Pick<SeenTransfer, 'serverStartedAt'>,
  locked: Pick<SeenTransfer, 'serverStartedAt'>,
): boolean {
  return seen.serverStartedAt.getTime() !== locked.serverStartedAt.getTime();
}

/** The server has started since the transfer was read: the chain must be asked again before anything is concluded. */
export class ProofOutdated extends Error {}
