import type { Chain } from '../../../kernel/chain/chain.js';
import type { StuckReason } from '../../../kernel/chain/payment.js';
import type { Attempt } from '../domain/attempt.js';
import type { Transfer } from '../domain/transfer.js';
import type { TimedTransfer } from '../domain/transfer.repository.js';

/** A pending transfer as it was read, with everything ever signed for it. */
export interface PendingPayment extends TimedTransfer {
  readonly attempts: readonly Attempt[];
  readonly chain: Chain;
}

/** A transfer after one step of tracking. */
export interface Step {
  readonly transfer: Transfer;
  /** The reason that blocks it, where the chain's status does not say so. */
  readonly stuckReason?: StuckReason;
}
