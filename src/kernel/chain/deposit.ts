import type { BlockPlace } from './payment.js';

/** Its hash names it and every block before it. */
export type FinalBlock = BlockPlace & { readonly hash: string };

export interface DepositSearch {
  /** The next block must follow it by its hash. */
  readonly after: FinalBlock;
  readonly blocks: number;
  /** Contracts or mints; the chain's coin is searched for always. */
  readonly tokens: readonly string[];
  /** Returns the addresses that wallets have. All are canonical. */
  readonly among: (addresses: readonly string[]) => Promise<ReadonlySet<string>>;
}

export interface IncomingPayment {
  /** Ethereum: the transaction's hash. Solana: its signature in base58. */
  readonly hash: string;
  /** A log's index, or -1 for the coin; on Solana the index of the account that received. */
  readonly position: number;
  readonly token: string | null;
  readonly from: string;
  readonly to: string;
  /** Smallest units, above zero. */
  readonly amount: bigint;
  readonly block: number;
  readonly at: Date | null;
}

export function nothingFound(after: FinalBlock, newest: number): FoundDeposits {
  return { upTo: after, newest, payments: [], isBroken: false, hasMore: false };
}

export interface FoundDeposits {
  readonly upTo: FinalBlock;
  readonly newest: number;
  readonly payments: readonly IncomingPayment[];
  /** No endpoint that responded has the block `after` in its final chain. */
  readonly isBroken: boolean;
  readonly hasMore: boolean;
}
