import type { ChainHead } from './chain-check.js';
import type { ChainLink } from './chain-link.js';
import type { Checkpoint, Cut } from './checkpoint.js';

/** The rows of a chain at one moment. */
export interface StoredChain {
  /** The head of the chain; null if it has none. */
  readonly head: ChainHead | null;
  /** The number of the last chained entry; 0 if there is none. */
  readonly lastNumber: number;
  /** The last checkpoint; 0 if there is none. */
  readonly lastCheckpoint: number;
  readonly unchained: number;
  /** The number of rows with a number that no link can have. */
  readonly misplaced: number;
}

/** Reads chains page by page, for checks and exports. */
export abstract class ChainReader {
  /** The apps that must have a chain, and those that have one, in order. Empty text stands for the chain of no app. */
  abstract chains(): AsyncGenerator<string>;

  /** The heads of all chains. */
  abstract heads(): AsyncGenerator<ChainHead & { readonly appId: string }>;

  abstract find(appId: string): Promise<StoredChain>;

  /** The links after a number, in their order. */
  abstract links(appId: string, after: number): AsyncGenerator<ChainLink>;

  /** The checkpoints of a number of links or more, in their order. */
  abstract checkpoints(appId: string, from: number): AsyncGenerator<Checkpoint>;

  /** The cuts that begin after a number, in their order. */
  abstract cuts(appId: string, after: number): AsyncGenerator<Cut>;

  /** The hash of a link, or null. */
  abstract hashAt(appId: string, number: number): Promise<Uint8Array | null>;
}
