import type { AppId } from '../../../kernel/ids.js';
import type { Nonces } from '../../../kernel/chain/chain.js';
import type { Balances } from '../../../kernel/chain/payment.js';

/**
 * At most so many signed transfers of one address wait for a block at a time: as many as every node keeps. A reorganisation
 * may leave more for a moment; then nothing is signed, and what a node has no room for is sent again once those before it
 * are in a block.
 */
export const LANE_CAPACITY = 16;

/** The transactions of one address on one network, which the chain carries out one after another. */
export interface SenderQueueId {
  readonly appId: AppId;
  readonly network: string;
  readonly address: string;
}

/** A lane while its lock is held. */
export interface SenderQueue extends SenderQueueId {
  /** Null before its first use, and on chains that have no nonces. */
  readonly nextNonce: number | null;
  /** Signed transfers that are in no block. */
  readonly open: number;
  /** Those that wait for a place and were confirmed before the transfer the lane was locked for. */
  readonly queuedBefore: number;
  /** What other transfers may still take from the balances. */
  readonly reserved: Balances;
}

/** Whether every place is taken, or due to somebody who was confirmed before. */
export function isFull({ open, queuedBefore }: SenderQueue): boolean {
  return open + queuedBefore >= LANE_CAPACITY;
}

/**
 * The nonce to sign with. While transfers wait for a block only this service hands out nonces; else the lane follows the
 * chain, where the wallet's owner may have used some elsewhere. Never one that was handed out before.
 */
export function nonceFor({ nextNonce, open }: SenderQueue, chain: Nonces | null): number | null {
  if (chain === null) return null;
  if (nextNonce !== null && open > 0) return nextNonce;
  return Math.max(nextNonce ?? 0, chain.latest, chain.pending);
}
