import type { Checkpoint, Cut } from './checkpoint.js';
import type { KnownHead, ServiceHead } from './service-head.js';
import type { BrokenLink } from './chain-check.js';

export interface NewCheckpoint extends Checkpoint {
  readonly appId: string;
}

/** The facts by which a new database differs from one whose heads are missing. */
export interface AuditHistory {
  readonly hasApps: boolean;
  readonly hasLinks: boolean;
  readonly hasNamed: boolean;
  /** A checkpoint of the release before keyed links, or null. */
  readonly former: NewCheckpoint | null;
}

export abstract class AuditHeads {
  abstract last(): Promise<KnownHead | null>;

  /** The newest head as it is kept outside the audit tables. Throws `BrokenLink` if it cannot be read. */
  abstract newest(): Promise<ServiceHead | null>;

  abstract from(seq: number): AsyncGenerator<ServiceHead>;

  abstract history(): Promise<AuditHistory>;

  /** Stores the head also outside the audit tables. Returns false if another process has stored this head. Needs a transaction. */
  abstract store(head: KnownHead, checkpoints: readonly NewCheckpoint[]): Promise<boolean>;

  /** Counted from when an entry of a refused call was chained. */
  abstract readonly refusalsKeptDays: number;

  /** Removes the entries with their personal data. The cut replaces those that it extends. */
  abstract storeCut(appId: string, cut: Cut): Promise<void>;
}

export interface ChainedBatch {
  readonly sequenced: number;
  readonly hasMore: boolean;
  /** The app after which the next batch begins, so that every app is reached; null: the first app. */
  readonly after: string;
}

export abstract class AuditChain {
  /** Appends in the order of the ids. A crash leaves all of the batch or nothing. An app whose chain another caller extends is skipped. */
  abstract advance(after: string): Promise<ChainedBatch>;

  abstract hasWaiting(): Promise<boolean>;
}

export abstract class SigningAlarm {
  /** @param appId empty for the chain of no app, `head` for the head of the service. */
  abstract raise(appId: string, fault: BrokenLink): void;
}
