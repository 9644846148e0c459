import type { TransferId } from '../../../kernel/ids.js';
import type { Attempt } from './attempt.js';
import type { SignedAttempt } from '../../../kernel/chain/payment.js';
import type { SenderQueue, SenderQueueId } from './sender-queue.js';
import type { Transfer } from './transfer.js';

/** Keeps lanes: who may sign next in the name of an address, and with which nonce. */
export abstract class SenderQueueRepository {
  /**
   * Locks the lane until the transaction ends and tells how it is for a transfer, leaving that one out. `balancesAt` is
   * the block of the balances that `reserved` is held against: of what is in a later one they do not tell.
   * Throws `AppNotFound` when the app has been deleted.
   */
  abstract lock(
    id: SenderQueueId,
    transfer: Pick<Transfer, 'id' | 'token' | 'confirmedAt'>,
    balancesAt: number,
  ): Promise<SenderQueue>;

  /**
   * Pending transfers that are in no block, in the order of their turn: the signed ones as the chain takes them, then the
   * queued ones as they were confirmed. As many as there are places in a lane.
   */
  abstract line(id: SenderQueueId): Promise<TransferId[]>;

  /** Whether any transfer of the lane is signed and not final. */
  abstract isOpen(id: SenderQueueId): Promise<boolean>;

  /** Everything ever signed with the nonce, oldest first. */
  abstract attemptsAt(id: SenderQueueId, nonce: number): Promise<Attempt[]>;

  /** Stores a transaction that only uses up a nonce of a locked lane. */
  abstract storeCancellation(id: SenderQueueId, attempt: SignedAttempt, ordinal: number): void;
}
