import type { SearchProgress } from '../../../../kernel/chain/chain.js';
import type { Balances, SignedAttempt } from '../../../../kernel/chain/payment.js';
import type { AppId, TransferId, WalletId } from '../../../../kernel/ids.js';
import type { Attempt } from './transfer.js';
import type { ListedQueue, QueueBooks, QueueState } from './books.js';
import type { SenderQueueId } from './sender-queue.js';

/** Reads sender queues, and stores self-transfers that close gaps between their nonces. */
export abstract class SenderQueueRepository {
  /** Pending transfers in no block: the signed ones by nonce, then the queued ones in order of confirmation, up to the capacity. */
  abstract unminedTransfers(id: SenderQueueId): Promise<TransferId[]>;

  abstract hasOpenTransfers(id: SenderQueueId): Promise<boolean>;

  /** Whether a self-transfer of the last hour is among the newest 200 signatures of the queue. */
  abstract hasRecentSelfTransfers(id: SenderQueueId): Promise<boolean>;

  abstract attemptsAt(id: SenderQueueId, nonce: number): Promise<Attempt[]>;

  /** `readsAll`: every open transfer; otherwise a bounded number. */
  abstract books(id: SenderQueueId, readsAll: boolean): Promise<QueueBooks>;

  abstract state(id: SenderQueueId): Promise<QueueState>;

  /** What open transfers and self-transfers may still take from the balances of this block; of the coin only if `token` is null. */
  abstract reserved(id: SenderQueueId, token: string | null, balancesAt: number): Promise<Balances>;

  abstract lostAmong(appId: AppId, ids: readonly TransferId[]): Promise<TransferId[]>;

  /** Everything signed with this nonce or a higher one; null: on a chain without nonces, everything of the open transfers. */
  abstract hashesFrom(id: SenderQueueId, nonce: number | null): Promise<string[]>;

  /**
   * Nothing is signed in a held queue. `from`: the lowest nonce in doubt, or the height since which it is held, read in run `heldIn`. An
   * earlier one stays, but no height of another run.
   */
  abstract markHeld(id: SenderQueueId, from: number | null, heldIn?: string | null): Promise<void>;

  /** Stores the height as `markHeld` does, but the queue still signs what cannot have been signed before. */
  abstract markWaiting(id: SenderQueueId, from: number, heldIn: string): Promise<void>;

  /** False if the queue has changed or the server has started since. A higher `nonce` of the chain becomes the next one. */
  abstract release(
    id: SenderQueueId,
    books: QueueBooks,
    nonce: number | null,
    unexplained: readonly string[],
  ): Promise<boolean>;

  /** Held queues, and those whose open transfers are of another history. For one wallet: all its open queues, and its newest one. */
  abstract suspects(appId: AppId | null, wallet: WalletId | null, limit: number): Promise<ListedQueue[]>;

  /** Those that have paid, highest blocks first. */
  abstract lastUsed(appId: AppId | null, limit: number): Promise<ListedQueue[]>;

  /** How far transactions that name the address were read. Stored at once, without a lock. */
  abstract searchProgress(id: SenderQueueId): SearchProgress;

  abstract countHeld(): Promise<number>;

  /** Throws `AppNotFound` when the app has been deleted. */
  abstract lock(id: SenderQueueId): Promise<void>;

  /** Renames the network of all its transfers, attempts and queues. Returns the number of its pending transfers. */
  abstract setAside(network: string, name: string): Promise<number>;

  /** Counts as a start of the server: see `QueueState`. */
  abstract recordSetBack(): Promise<void>;

  /** From the commit on the bytes may be sent at any time. */
  abstract storeSelfTransfer(id: SenderQueueId, attempt: SignedAttempt, ordinal: number): void;
}
