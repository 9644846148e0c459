import type { ChainName } from '../../../kernel/chain/chain-name.js';
import type { ProofProgress } from '../../../kernel/chain/payment.js';
import type { AppId } from '../../../kernel/ids.js';
import type { SenderQueueId } from './sender-queue.js';
import type { Transfer } from './transfer.js';
import type { TimedTransfer } from './transfer.repository.js';

export type DueTransfer = Pick<Transfer, 'appId' | 'id'>;

export type DoubtedQueue = SenderQueueId & Pick<Transfer, 'chain'>;

/** Selects the transfers that background work is due for. */
export abstract class TrackingRepository {
  /**
   * Pending transfers of a chain that are due, over all apps. First come those of the apps that have the fewest under way, then the
   * longest due. Each is returned to one caller, and is due again after a delay that grows with its age, so that a killed
   * process loses nothing.
   *
   * @param underWay the app of each transfer that the caller tracks now.
   */
  abstract claimDue(chain: ChainName, limit: number, underWay: readonly AppId[]): Promise<DueTransfer[]>;

  /** The number of pending transfers of each network besides these. No process with these networks tracks them. */
  abstract pendingElsewhere(
    networks: readonly ChainName[],
  ): Promise<{ readonly network: ChainName; readonly transfers: number }[]>;

  /**
   * Pending transfers of other networks than these that no process has claimed for a while, so none has their network, and that are not
   * marked so. Locks nothing.
   */
  abstract unserved(networks: readonly ChainName[], limit: number): Promise<DueTransfer[]>;

  /**
   * Stores how far the proof of a pending transfer's end has come, and makes the transfer due at once. Without a lock: of two
   * processes the last one wins, and each progress is valid by itself.
   */
  abstract storeProgress(transfer: Transfer, progress: ProofProgress | null): Promise<void>;

  /** Makes a pending transfer due at once: the search for its payment goes on. */
  abstract makeDue(transfer: Transfer): Promise<void>;

  /**
   * Claims up to `limit` unconfirmed transfers that have expired, longest expired first, and skips locked ones and those in
   * doubt.
   */
  abstract claimOverdue(limit: number): Promise<TimedTransfer[]>;

  /**
   * Sender queues, in no order, with unconfirmed transfers that have expired and may have been paid in a state that the database has
   * forgotten: of another history than the database, or older than its server. Locks nothing.
   */
  abstract queuesInDoubt(limit: number): Promise<DoubtedQueue[]>;

  /** Such transfers of a queue, longest expired first. Locks nothing. */
  abstract overdueInDoubt(queue: SenderQueueId, limit: number): Promise<TimedTransfer[]>;
}
