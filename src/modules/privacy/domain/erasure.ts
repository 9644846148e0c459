import type { AppId, UserId } from '../../../kernel/ids.js';

/** The erasure of a person: how far it is, and what became of the rows. */
export interface Erasure {
  readonly userId: UserId;
  readonly requestedAt: Date;
  /** Null while it goes on. */
  readonly finishedAt: Date | null;
  /** The number of rows so far, by the name of what the rows are. */
  readonly counts: Readonly<Record<string, number>>;
  /** The names of what is erased from end to end. */
  readonly done: readonly string[];
  /** The name of what is being erased, and the key of its last row; null between two. */
  readonly cursor: readonly string[] | null;
}

/** Keeps the erasures for good: each is the receipt of what was done. */
export abstract class ErasureRepository {
  abstract find(appId: AppId, userId: UserId): Promise<Erasure | null>;

  /** False if the erasure has begun before. */
  abstract begin(appId: AppId, userId: UserId, counts: Erasure['counts']): Promise<boolean>;

  /** Waits for another portion of the same erasure. */
  abstract lock(appId: AppId, userId: UserId): Promise<Erasure | null>;

  abstract store(appId: AppId, erasure: Erasure): void;

  abstract finish(appId: AppId, userId: UserId): void;

  /** The erasure goes on after its end. */
  abstract reopen(appId: AppId, userId: UserId): void;
}
