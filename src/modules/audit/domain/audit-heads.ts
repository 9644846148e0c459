import type { Checkpoint, Cut } from './checkpoint.js';
import type { KnownHead, ServiceHead } from './service-head.js';
import type { BrokenLink } from './chain-check.js';

export interface NewCheckpoint extends Checkpoint {
  readonly appId: string;
}

/** The facts of the other tables by which a new database differs from one whose heads are missing. */
export interface AuditHistory {
  readonly hasApps: boolean;
  readonly hasLinks: boolean;
  /** Whether a checkpoint names a head. */
  readonly hasNamed: boolean;
  /** A checkpoint of the release before keyed links, or null. */
  readonly former: NewCheckpoint | null;
}

/** The repository of all that the signer stores: heads of the service, checkpoints and cuts. */
export abstract class AuditHeads {
  /** The last head with the ends that are stored beside it; null if there is none. */
  abstract last(): Promise<KnownHead | null>;

  /** The newest head as it is kept outside the audit tables; null if none was. Throws `BrokenLink` if it cannot be read. */
  abstract newest(): Promise<ServiceHead | null>;

  /** The heads from a number on, in their order. */
  abstract from(seq: number): AsyncGenerator<ServiceHead>;

  abstract history(): Promise<AuditHistory>;

  /** Stores a head, also outside the audit tables, and the checkpoints that it names. Returns false when another process has stored this head. Needs a transaction. */
  abstract store(head: KnownHead, checkpoints: readonly NewCheckpoint[]): Promise<boolean>;

  /** How long an entry of a refused call is kept after it was chained. */
  abstract readonly refusalsKeptDays: number;

  /** Removes the entries that the cut stands for, with their personal data, and stores the cut instead of those that it extends. */
  abstract storeCut(appId: string, cut: Cut): Promise<void>;
}

/** The result of one batch, and the app after which the next one begins. */
export interface ChainedBatch {
  /** The number of entries that were chained. */
  readonly sequenced: number;
  /** Whether entries that this batch saw still wait. */
  readonly hasMore: boolean;
  /** The app after which the next batch begins, so that every app is reached; null: the first app. */
  readonly after: string;
}

/** Appends committed entries to the chains of their apps. */
export abstract class AuditChain {
  /**
   * Appends a batch of waiting entries, in the order of their ids. A crash leaves all of it or nothing. An app whose chain another
   * caller extends now is skipped.
   */
  abstract advance(after: string): Promise<ChainedBatch>;

  /** Whether any entry waits. Costs less than a batch. */
  abstract hasWaiting(): Promise<boolean>;
}

/** Reports that the signer refuses to sign. */
export abstract class SigningAlarm {
  /** @param appId empty for the chain of no app, `head` for the head of the service. */
  abstract raise(appId: string, fault: BrokenLink): void;
}
