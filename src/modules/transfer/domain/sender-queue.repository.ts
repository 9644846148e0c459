import type { SearchProgress } from '../../../kernel/chain/chain.js';
import type { Balances, SignedAttempt } from '../../../kernel/chain/payment.js';
import type { AppId, TransferId, WalletId } from '../../../kernel/ids.js';
import type { Attempt } from './transfer.js';
import type { ListedQueue, QueueBooks, QueueState } from './books.js';
import type { SenderQueueId } from './sender-queue.js';

/** Reads sender queues, and stores self-transfers that close gaps between their nonces. */
export abstract class SenderQueueRepository {
  /**
   * Pending transfers that are in no block, in order: the signed ones by nonce, then the queued ones as they were confirmed.
   * At most as many as the queue's capacity.
   */
  abstract unminedTransfers(id: SenderQueueId): Promise<TransferId[]>;

  /** Whether any transfer of the queue is signed and not final. */
  abstract hasOpenTransfers(id: SenderQueueId): Promise<boolean>;

  /** Whether a self-transfer of the last hour is among the newest 200 signatures of the queue. */
  abstract hasRecentSelfTransfers(id: SenderQueueId): Promise<boolean>;

  /** Everything ever signed with the nonce, oldest first. */
  abstract attemptsAt(id: SenderQueueId, nonce: number): Promise<Attempt[]>;

  /** The books for a comparison with the chain. `readsAll`: every open transfer; otherwise a bounded number. */
  abstract books(id: SenderQueueId, readsAll: boolean): Promise<QueueBooks>;

  abstract state(id: SenderQueueId): Promise<QueueState>;

  /**
   * The amounts that open transfers and self-transfers may still take from the balances of the block `balancesAt`: of the coin, and of the
   * token; null: of the coin only.
   */
  abstract reserved(id: SenderQueueId, token: string | null, balancesAt: number): Promise<Balances>;

  /** Those of the ids of which the app has no transfer. */
  abstract lostAmong(appId: AppId, ids: readonly TransferId[]): Promise<TransferId[]>;

  /** Everything ever signed with this nonce or a higher one; null: on a chain without nonces, everything of the open transfers. */
  abstract hashesFrom(id: SenderQueueId, nonce: number | null): Promise<string[]>;

  /**
   * Marks the queue held: nothing is signed in it. `from`: the lowest nonce in doubt; or the height since which it is held, and `heldIn` the
   * run of the database server in which it was read. An earlier one stays, but no height of another run.
   */
  abstract markHeld(id: SenderQueueId, from: number | null, heldIn?: string | null): Promise<void>;

  /** Remembers the height as `markHeld` does. The queue signs what cannot have been signed before. */
  abstract markWaiting(id: SenderQueueId, from: number, heldIn: string): Promise<void>;

  /**
   * Lets the queue sign again, unless it has changed since `books` was read. The chain's nonce becomes the next one if it is higher.
   * `unexplained`: see `QueueState`. False if it has changed, or the server has started since.
   */
  abstract release(
    id: SenderQueueId,
    books: QueueBooks,
    nonce: number | null,
    unexplained: readonly string[],
  ): Promise<boolean>;

  /**
   * Sender queues that are held, or whose open transfers are of another history than the database, of all apps or one. Of one wallet:
   * all with open transfers, and that of its newest transfer.
   */
  abstract suspects(appId: AppId | null, wallet: WalletId | null, limit: number): Promise<ListedQueue[]>;

  /** Sender queues of all apps, or of one, that have paid, those with the highest blocks first. */
  abstract lastUsed(appId: AppId | null, limit: number): Promise<ListedQueue[]>;

  /** How far the transactions that name the queue's address were read, for `PaymentSearch`. Stored at once, without a lock. */
  abstract searchProgress(id: SenderQueueId): SearchProgress;

  /** The number of held queues of all apps. */
  abstract countHeld(): Promise<number>;

  /** Locks the queue until the transaction ends. Throws `AppNotFound` when the app has been deleted. */
  abstract lock(id: SenderQueueId): Promise<void>;

  /** Gives the transfers, attempts and queues of a network, over all apps, another name. Returns the number of its pending transfers. */
  abstract setAside(network: string, name: string): Promise<number>;

  /** Records that the database was brought back to an earlier state. It counts as a start of its server: see `QueueState`. */
  abstract recordSetBack(): Promise<void>;

  /** Stores a self-transfer of a locked queue. From the commit on its bytes may be sent at any time. */
  abstract storeSelfTransfer(id: SenderQueueId, attempt: SignedAttempt, ordinal: number): void;
}
