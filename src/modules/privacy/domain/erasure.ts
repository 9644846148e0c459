import type { AppId, UserId } from '../../../kernel/ids.js';

export interface Erasure {
  readonly userId: UserId;
  readonly requestedAt: Date;
  readonly finishedAt: Date | null;
  /** The keys are the names of the kinds of rows. */
  readonly counts: Readonly<Record<string, number>>;
  readonly done: readonly string[];
  /** The kind that is being erased and the key of its last row; null between two kinds. */
  readonly cursor: readonly string[] | null;
}

/** Erasures are kept for good: each is the receipt of what was done. */
export abstract class ErasureRepository {
  abstract find(appId: AppId, userId: UserId): Promise<Erasure | null>;

  abstract begin(appId: AppId, userId: UserId, counts: Erasure['counts']): Promise<boolean>;

  /** Waits for another portion of the same erasure. */
  abstract lock(appId: AppId, userId: UserId): Promise<Erasure | null>;

  abstract store(appId: AppId, erasure: Erasure): void;

  abstract finish(appId: AppId, userId: UserId): void;

  abstract reopen(appId: AppId, userId: UserId): void;
}
