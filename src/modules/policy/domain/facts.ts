import type { AssetOnNetwork, Operation } from './policy.js';

/** A fact that the request has. It is `missing` if it cannot be read from the bytes. */
export type Known<T> = T | 'missing';

/** A fact that the operation may not have (`not_applicable`), as a message has no destination. */
export type Fact<T> = Known<T> | 'not_applicable';

/** Value that the signature moves, or lets another account move. */
export interface Move {
  readonly asset: Known<AssetOnNetwork>;
  /** The account that receives it, or that may take it, in its canonical form. */
  readonly destination: Known<string>;
  /** The amount in smallest units; `unlimited` for the largest value of its field, which stands for no limit. */
  readonly amount: Known<bigint | 'unlimited'>;
}

/** All that rules judge, read from the bytes that will be signed. */
export interface Facts {
  readonly operation: Operation;
  /** The name of a configured network, or a CAIP-2 id. */
  readonly network: Fact<string>;
  /**
   * Every move of the request. Empty: it is known to move nothing. Of bytes that cannot be read whole it has a move whose members are all
   * `missing`, beside those that are known.
   */
  readonly moves: Fact<readonly Move[]>;
  /** The number of further moves, which a stored decision does not show. */
  readonly moreMoves?: number;
  /**
   * Whether it is one of the known signatures by which another account takes value or acts for the signer (permits, authorisations,
   * orders, user operations). A rule allows it only if its `operations` names the operation.
   */
  readonly isDelegation: boolean;
}

/** The move of bytes that cannot be read. */
export const UNREADABLE: Move = { asset: 'missing', destination: 'missing', amount: 'missing' };

/** The moves of a request. Those that cannot be read are one move, of which nothing is known. */
export function movesIn(moves: Facts['moves']): readonly Move[] {
  if (moves === 'missing') return [UNREADABLE];
  return moves === 'not_applicable' ? [] : moves;
}

/**
 * The amount of an allowance as contracts take it: the largest value of a field, 2^160 - 1 in Permit2, and everything from 2^255 up stand
 * for no limit.
 */
export function allowanceOf(value: bigint): bigint | 'unlimited' {
  return value >= 1n << 255n || value === (1n << 160n) - 1n ? 'unlimited' : value;
}

/** The canonical form of an Ethereum address that is given in lower case. Its checksum needs Keccak, which a domain does not have. */
export type CanonicalAddress = (lowerCase: string) => string;
