import type { BlockPlace } from './payment.js';

/** A final block. Its hash names it and every block before it. */
export type FinalBlock = BlockPlace & { readonly hash: string };

/** A part of the search for payments to wallets, which reads the final blocks one after another. */
export interface DepositSearch {
  /** The last block that was searched. The next one must follow it by its hash. */
  readonly after: FinalBlock;
  /** The most blocks that are searched. */
  readonly blocks: number;
  /** The contracts or mints whose payments are searched for, besides those of the chain's coin. */
  readonly tokens: readonly string[];
  /** Those of the addresses that wallets have. All are in their canonical form. */
  readonly among: (addresses: readonly string[]) => Promise<ReadonlySet<string>>;
}

/** A payment in a final block that arrived at a wallet. */
export interface IncomingPayment {
  /** Ethereum: the transaction's hash. Solana: its signature in base58. */
  readonly hash: string;
  /** The place in the transaction: a log's index, or -1 for the coin; on Solana the index of the account that received. */
  readonly position: number;
  /** Null for the chain's coin. */
  readonly token: string | null;
  /** Empty when the chain does not show one sender. */
  readonly from: string;
  readonly to: string;
  /** The amount is in smallest units, above zero. */
  readonly amount: bigint;
  readonly block: number;
  /** The time of the block; null when the node does not have it. */
  readonly at: Date | null;
}

/** The result of a search that has searched no block. */
export function nothingFound(after: FinalBlock, newest: number): FoundDeposits {
  return { upTo: after, newest, payments: [], isBroken: false, hasMore: false };
}

export interface FoundDeposits {
  /** The last block that was searched now; `after` when none was. */
  readonly upTo: FinalBlock;
  /** The number of the newest final block. */
  readonly newest: number;
  /** The payments are in the order of the chain. */
  readonly payments: readonly IncomingPayment[];
  /** Whether no endpoint that responded has the block `after` in its final chain. */
  readonly isBroken: boolean;
  /** Whether the search may go on at once. */
  readonly hasMore: boolean;
}
