import type { Checkpoint } from './checkpoint.js';
import type { Cut } from './cut.js';
import type { KnownHead, ServiceHead } from './service-head.js';

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

  /** The heads from a number on, in their order. */
  abstract from(seq: number): AsyncGenerator<ServiceHead>;

  abstract history(): Promise<AuditHistory>;

  /** Stores a head and the checkpoints that it names. Returns false when another process has stored this head. Needs a transaction. */
  abstract store(head: KnownHead, checkpoints: readonly NewCheckpoint[]): Promise<boolean>;

  /** How long an entry of a refused call is kept after it was chained. */
  abstract readonly refusalsKeptDays: number;

  /** Removes the entries that the cut stands for, with their personal data, and stores the cut instead of those that it extends. */
  abstract storeCut(appId: string, cut: Cut): Promise<void>;
}
