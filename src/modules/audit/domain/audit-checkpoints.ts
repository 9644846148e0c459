import type { Checkpoint, CheckpointKind } from './checkpoint.js';

/** The end of a chain that is to be signed. */
export interface DueChain {
  readonly appId: string;
  readonly kind: CheckpointKind;
  readonly lastNumber: number;
  readonly lastHash: Uint8Array;
  readonly lastCheckpoint: number;
  /** The database's clock. */
  readonly now: Date;
}

export interface NewCheckpoint extends Checkpoint {
  readonly appId: string;
}

/** The signed checkpoints of all chains. */
export abstract class AuditCheckpoints {
  /** Creates the chain of no app, which has a checkpoint every hour even without entries. */
  abstract prepare(): Promise<void>;

  /**
   * Locks up to `limit` chains with entries that no checkpoint of this hour, or of this day, covers. A chain that another caller holds
   * is skipped. Needs a transaction.
   */
  abstract lockDue(limit: number): Promise<DueChain[]>;

  /** Stores the checkpoints of chains that this transaction has locked. */
  abstract store(checkpoints: readonly NewCheckpoint[]): Promise<void>;
}
