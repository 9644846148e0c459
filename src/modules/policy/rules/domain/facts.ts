import type { AssetOnNetwork, Operation } from './policy.js';

/** A fact that cannot be read from the bytes is `missing`. */
export type Known<T> = T | 'missing';

/** An operation may lack a fact, as a message has no destination. */
export type Fact<T> = Known<T> | 'not_applicable';

export interface Move {
  readonly asset: Known<AssetOnNetwork>;
  /** The account that receives it, or that may take it, in canonical form. */
  readonly destination: Known<string>;
  /** The smallest units; `unlimited` for the largest value of its field, which stands for no limit. */
  readonly amount: Known<bigint | 'unlimited'>;
}

/** Rules judge only these, read from the bytes that will be signed. */
export interface Facts {
  readonly operation: Operation;
  readonly network: Fact<string>;
  /** Empty: it is known to move nothing. Bytes that cannot be read whole have a move of only `missing` members, beside the known moves. */
  readonly moves: Fact<readonly Move[]>;
  readonly moreMoves?: number;
  /**
   * A known signature by which another account takes value or acts for the signer (permit, authorisation, order, user operation). A rule
   * allows it only if its `operations` names the operation.
   */
  readonly isDelegation: boolean;
}

export const UNREADABLE: Move = { asset: 'missing', destination: 'missing', amount: 'missing' };

/** Moves that cannot be read are one move, of which nothing is known. */
export function movesIn(moves: Facts['moves']): readonly Move[] {
  if (moves === 'missing') return [UNREADABLE];
  return moves === 'not_applicable' ? [] : moves;
}

/** Contracts take 2^160 - 1 (Permit2) and everything from 2^255 up for no limit. */
export function allowanceOf(value: bigint): bigint | 'unlimited' {
  return value >= 1n << 255n || value === (1n << 160n) - 1n ? 'unlimited' : value;
}

/** Takes an Ethereum address in lower case. Its checksum needs Keccak, which a domain does not have. */
export type CanonicalAddress = (lowerCase: string) => string;
