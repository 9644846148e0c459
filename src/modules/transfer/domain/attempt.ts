import type { AppId, TransferId } from '../../../kernel/ids.js';
import type { SignedAttempt } from '../../../kernel/chain/payment.js';
import type { Transfer } from './transfer.js';

/** Signed bytes as they are kept, for ever. */
export interface Attempt extends SignedAttempt {
  readonly appId: AppId;
  /** Null when it only uses up a nonce that no payment has. */
  readonly transferId: TransferId | null;
  /** `cancellation`: a transaction of nothing to oneself. */
  readonly kind: 'payment' | 'cancellation';
  /** Counts the attempts of a transfer from 0; two workers cannot both make the next one. */
  readonly ordinal: number;
  /** The address it is signed by. */
  readonly address: string;
  readonly createdAt: Date;
  /** Stored with the bytes, before the first packet leaves: from then on anybody may have them. */
  readonly firstBroadcastStartedAt: Date;
  /** When a node was first seen to hold them. */
  readonly acceptedAt: Date | null;
}

/** The attempt as it is when this state of its transfer has been stored, which may tell that a node holds it. */
export function asStoredWith(transfer: Transfer, attempt: Attempt): Attempt {
  const isHeld = transfer.heldHash() === attempt.hash;
  return isHeld ? { ...attempt, acceptedAt: attempt.acceptedAt ?? transfer.updatedAt } : attempt;
}

/** Whether a dead attempt binds nothing any more, so that the payment may be signed anew: on chains without nonces. */
export function mayBeSignedAnew(attempts: readonly SignedAttempt[]): boolean {
  return attempts.every(({ nonce }) => nonce === null);
}
