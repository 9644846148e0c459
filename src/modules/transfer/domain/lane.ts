import type { AppId } from '../../../kernel/ids.js';
import type { Balances, Nonces } from './chain.js';

/** At most so many signed transfers of one address are open at a time; nodes keep few more in order. */
export const LANE_CAPACITY = 16;

/** The transactions of one address on one network, which the chain carries out one after another. */
export interface LaneId {
  readonly appId: AppId;
  readonly network: string;
  readonly address: string;
}

/** A lane while its lock is held. */
export interface Lane extends LaneId {
  /** Null before its first use, and on chains that have no nonces. */
  readonly nextNonce: number | null;
  /** Signed transfers that are not final. */
  readonly open: number;
  /** What open transfers may still take from the balances. */
  readonly reserved: Balances;
}

export function isFull({ open }: Lane): boolean {
  return open >= LANE_CAPACITY;
}

/**
 * The nonce to sign with. While transfers are open only this service hands out nonces; an idle lane follows the chain,
 * where the wallet's owner may have used some elsewhere. Never one that was handed out before.
 */
export function nonceFor({ nextNonce, open }: Lane, chain: Nonces | null): number | null {
  if (chain === null) return null;
  if (nextNonce !== null && open > 0) return nextNonce;
  return Math.max(nextNonce ?? 0, chain.latest, chain.pending);
}
