import type { TransferId } from '../../../kernel/ids.js';
import type { Attempt } from './attempt.js';
import type { SignedAttempt } from './chain.js';
import type { Lane, LaneId } from './lane.js';
import type { Transfer } from './transfer.js';

/** Keeps lanes: who may sign next in the name of an address, and with which nonce. */
export abstract class LaneRepository {
  /**
   * Locks the lane until the transaction ends and tells how it is for a transfer, leaving that one out. `balancesAt` is
   * when the balances were asked for that `reserved` is held against: what was mined later they may not tell of yet.
   * Throws `AppNotFound` and `WalletNotFound` when one of them has been deleted.
   */
  abstract lock(id: LaneId, transfer: Pick<Transfer, 'id' | 'source' | 'token'>, balancesAt: Date): Promise<Lane>;

  /** Whether the transfer is the first in its lane that is signed and not final. */
  abstract isHead(id: LaneId, transferId: TransferId): Promise<boolean>;

  /** Whether any transfer of the lane is signed and not final. */
  abstract isOpen(id: LaneId): Promise<boolean>;

  /** Everything ever signed with the nonce, oldest first. */
  abstract attemptsAt(id: LaneId, nonce: number): Promise<Attempt[]>;

  /** Stores a transaction that only uses up a nonce of a locked lane. */
  abstract storeCancellation(id: LaneId, attempt: SignedAttempt, ordinal: number): void;
}
