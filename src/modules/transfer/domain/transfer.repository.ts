import type { AppId, TransferId, UserId, WalletId } from '../../../kernel/ids.js';
import type { Attempt } from './attempt.js';
import type { SignedAttempt } from '../../../kernel/chain/payment.js';
import type { ProofProgress } from '../../../kernel/chain/payment-status.js';
import type { Asset } from '../../../kernel/chain/asset.js';
import type { ChainName } from '../../../kernel/chain/chain-name.js';
import type { Transfer } from './transfer.js';

/** A transfer with the time of the database, by which expiry is decided. */
export interface TimedTransfer {
  readonly transfer: Transfer;
  readonly now: Date;
}

export interface LockedTransfer extends TimedTransfer {
  readonly attempts: number;
}

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
  readonly customId: string | null;
  readonly notes: string;
}

/** What callers may know of an attempt. */
export type AttemptView = Pick<
  Attempt,
  'hash' | 'kind' | 'nonce' | 'blockhash' | 'maxFee' | 'createdAt' | 'acceptedAt'
>;

/** A transfer as callers see it, expiry as of now. */
export interface TransferView {
  readonly transfer: Transfer;
  readonly attempts: readonly AttemptView[];
}

export interface TransferQuery {
  readonly userId?: UserId;
  readonly source?: WalletId;
  readonly limit: number;
  readonly offset: number;
}

export interface TransferPage {
  readonly transfers: readonly TransferView[];
  /** How many transfers there are on all pages: exact up to 10,000, an estimate beyond. */
  readonly count: number;
  readonly isEstimated: boolean;
}

/** Keeps transfers and everything ever signed for them. */
export abstract class TransferRepository {
  /** Stores an unconfirmed transfer; when another has its custom id, stores nothing and returns that one's id. */
  abstract add(transfer: NewTransfer): Promise<Transfer | TransferId>;

  abstract find(appId: AppId, id: TransferId): Promise<TimedTransfer | null>;

  /**
   * The transfer, which is never deleted, as it is now, locked until the transaction ends, with the number of its attempts. Until
   * then neither its app nor its user can be deleted (`refuseNewPayments` waits); one of them deleted before is found by
   * whoever reads them after this.
   */
  abstract lock(transfer: Transfer): Promise<LockedTransfer>;

  /** Likewise; null when it is not pending or has not so many attempts: what was found out about it is out of date. */
  async lockUnchanged(transfer: Transfer, attempts: number): Promise<LockedTransfer | null> {
    const locked = await this.lock(transfer);
    return locked.transfer.status === 'pending' && locked.attempts === attempts ? locked : null;
  }

  /** Stores the state of a locked transfer, with the events published so far: like all that is stored, by COMMIT at the latest. */
  abstract store(transfer: Transfer): void;

  /** Stores the request to cancel a locked transfer, and has the transfer looked at again at once. */
  abstract storeCancelRequest(transfer: Transfer): void;

  /**
   * Stores how far the proof of a pending transfer's end has come, and has it looked at again at once. Without a lock: of two
   * processes the last one wins, and what either stores holds by itself.
   */
  abstract storeProgress(transfer: Transfer, progress: ProofProgress | null): Promise<void>;

  /**
   * Stores what was just signed for a locked transfer in its locked lane: the state, the attempt as the `ordinal`-th, a
   * payment unless told, and the lane's next nonce, with the events published so far. Answers the attempt; from the commit on
   * its bytes may leave the house at any time.
   */
  abstract storeSigned(transfer: Transfer, bytes: SignedAttempt, ordinal: number, kind?: Attempt['kind']): Attempt;

  /** Everything ever signed for it, oldest first. */
  abstract attempts(appId: AppId, id: TransferId): Promise<Attempt[]>;

  abstract view(appId: AppId, id: TransferId): Promise<TransferView | null>;

  /** Newest first. Throws `ListTooBroad` when it takes longer than 2 s. */
  abstract list(appId: AppId, query: TransferQuery): Promise<TransferPage>;

  /**
   * Pending transfers of a chain whose turn to be looked at has come, over all apps, longest due first. Each is given to
   * one caller, and again after a while that grows with its age: whoever was killed meanwhile loses nothing.
   */
  abstract claimDue(chain: ChainName, limit: number): Promise<{ readonly appId: AppId; readonly id: TransferId }[]>;

  /** Locks up to `limit` unconfirmed transfers past their time, longest past first, leaving out those others hold. */
  abstract lockOverdue(limit: number): Promise<TimedTransfer[]>;

  /**
   * Whether the app, or one user of it, has a pending transfer. Waits for transactions that hold `lock`, and keeps new
   * ones out until this transaction ends.
   */
  abstract refuseNewPayments(appId: AppId, userId?: UserId): Promise<boolean>;
}
