import type { SignedAttempt } from '../../../kernel/chain/payment.js';
import type { AppId, TransferId } from '../../../kernel/ids.js';
import type { Transfer } from './transfer.js';

/** A signed transaction as it is stored. It is never deleted. */
export interface Attempt extends SignedAttempt {
  readonly appId: AppId;
  /** Null for a self-transfer on a nonce that no transfer has. */
  readonly transferId: TransferId | null;
  /** The kind; a `cancellation` is a zero-value self-transfer. */
  readonly kind: 'payment' | 'cancellation';
  /** Counts the attempts of a transfer from 0. It is unique, so that only one of two workers can store the next one. */
  readonly ordinal: number;
  /** The address that signs. */
  readonly address: string;
  readonly createdAt: Date;
  /** Stored with the bytes, before the first packet leaves: from then on any node may have them. */
  readonly firstBroadcastStartedAt: Date;
  /** When a node was first seen to hold them. */
  readonly acceptedAt: Date | null;
}

/** The attempt as it is once this state of its transfer, which may say that a node holds it, has been stored. */
export function asStoredWith(transfer: Transfer, attempt: Attempt): Attempt {
  const isHeld = transfer.heldHash() === attempt.hash;
  return isHeld ? { ...attempt, acceptedAt: attempt.acceptedAt ?? transfer.updatedAt } : attempt;
}

/** Whether the payment may be signed again once these attempts are dead: only on chains without nonces. */
export function maySignAgain(attempts: readonly SignedAttempt[]): boolean {
  return attempts.every(({ nonce }) => nonce === null);
}

/** Whether the last of these attempts has waited so long for a block that a replacement with higher fees is due. */
export function isOverdue(attempts: readonly Attempt[], now: Date, afterSeconds: number): boolean {
  return now.getTime() - attempts.at(-1)!.createdAt.getTime() >= afterSeconds * 1000;
}
