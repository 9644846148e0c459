import type { ChainName } from '../../../../kernel/chain/chain-name.js';
import type { ProofProgress } from '../../../../kernel/chain/payment.js';
import type { AppId } from '../../../../kernel/ids.js';
import type { SenderQueueId } from '../../transfer/domain/sender-queue.js';
import type { Transfer } from '../../transfer/domain/transfer.js';
import type { TimedTransfer } from '../../transfer/domain/transfer.repository.js';

export type DueTransfer = Pick<Transfer, 'appId' | 'id'>;

export type DoubtedQueue = SenderQueueId & Pick<Transfer, 'chain'>;

export abstract class TrackingRepository {
  /**
   * First the apps with the fewest transfers under way (`underWay`: the app of each), then the longest due. A claimed transfer is due again
   * after a delay that grows with its age, so that a killed process loses nothing.
   */
  abstract claimDue(chain: ChainName, limit: number, underWay: readonly AppId[]): Promise<DueTransfer[]>;

  /** Counts transfers that no process with `networks` tracks. */
  abstract pendingElsewhere(
    networks: readonly ChainName[],
  ): Promise<{ readonly network: ChainName; readonly transfers: number }[]>;

  /** Transfers that are not marked so, and that no process has claimed for a while: none has their network. Locks nothing. */
  abstract unserved(networks: readonly ChainName[], limit: number): Promise<DueTransfer[]>;

  /** Makes it due at once. Needs no lock: the last of two processes wins, and each progress is valid by itself. */
  abstract storeProgress(transfer: Transfer, progress: ProofProgress | null): Promise<void>;

  /** The search for its payment goes on. */
  abstract makeDue(transfer: Transfer): Promise<void>;

  /** Unconfirmed transfers that have expired, longest expired first. Skips locked ones and those in doubt. */
  abstract claimOverdue(limit: number): Promise<TimedTransfer[]>;

  /** Queues with expired unconfirmed transfers that may have been paid in a state that the database has forgotten. Locks nothing. */
  abstract queuesInDoubt(limit: number): Promise<DoubtedQueue[]>;

  /** Longest expired first. Locks nothing. */
  abstract overdueInDoubt(queue: SenderQueueId, limit: number): Promise<TimedTransfer[]>;
}
