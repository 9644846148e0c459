import type { SignedAttempt } from '../../../kernel/chain/payment.js';
import type { TransferId } from '../../../kernel/ids.js';
import type { Attempt } from './attempt.js';
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

  /** Locks the queue until the transaction ends. Throws `AppNotFound` when the app has been deleted. */
  abstract lock(id: SenderQueueId): Promise<void>;

  /** Gives the transfers, attempts and queues of a network, over all apps, another name. Returns the number of its pending transfers. */
  abstract setAside(network: string, name: string): Promise<number>;

  /** Stores a self-transfer of a locked queue. From the commit on its bytes may be sent at any time. */
  abstract storeSelfTransfer(id: SenderQueueId, attempt: SignedAttempt, ordinal: number): void;
}
