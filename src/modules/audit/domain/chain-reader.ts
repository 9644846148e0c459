import type { ChainHead } from './chain-check.js';
import type { ChainLink } from './chain-link.js';
import type { Checkpoint, Cut } from './checkpoint.js';

/** The rows of a chain at one moment. */
export interface StoredChain {
  readonly head: ChainHead | null;
  readonly lastNumber: number;
  readonly lastCheckpoint: number;
  readonly unchained: number;
  /** The number of rows with a number that no link can have. */
  readonly misplaced: number;
}

export abstract class ChainReader {
  /** The apps that must have a chain, and those that have one, in order. Empty text stands for the chain of no app. */
  abstract chains(): AsyncGenerator<string>;

  abstract heads(): AsyncGenerator<ChainHead & { readonly appId: string }>;

  abstract find(appId: string): Promise<StoredChain>;

  abstract links(appId: string, after: number): AsyncGenerator<ChainLink>;

  /** The checkpoints over `from` links or more. */
  abstract checkpoints(appId: string, from: number): AsyncGenerator<Checkpoint>;

  abstract cuts(appId: string, after: number): AsyncGenerator<Cut>;

  abstract hashAt(appId: string, number: number): Promise<Uint8Array | null>;
}
