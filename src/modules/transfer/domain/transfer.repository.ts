import type { Asset } from '../../../kernel/chain/asset.js';
import type { DataFees } from '../../../kernel/chain/payment.js';
import type { AppId, BatchId, TransferId, UserId, WalletId } from '../../../kernel/ids.js';
import type { Page, PageRequest } from '../../../kernel/paging.js';
import type { Attempt } from './attempt.js';
import type { Transfer, TransferStatus } from './transfer.js';

/** A transfer with the time of the database, by which expiry is decided. */
export interface TimedTransfer {
  readonly transfer: Transfer;
  readonly now: Date;
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

/** Creates and reads transfers and their attempts. Nothing here locks a row. */
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
