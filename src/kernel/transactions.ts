import { DatabaseUnavailable } from './errors.js';

/**
 * Thrown in a transaction that holds locks on rows which no longer are those it needs, because another transaction changed them
 * during the wait. It runs again without those locks: to lock the right rows as well could deadlock.
 */
export class LockedRowsChanged extends DatabaseUnavailable {}

export interface TransactionOptions {
  /**
   * Use it for a transaction that stores signed bytes, ends a transfer, or deletes a user or app. The commit is on disk when `run`
   * resolves, with every default of the server. The server ends the transaction when this process is silent for 1.5 s, and refuses a lock
   * that is not free within 4 s, so that a paused process blocks transfers of other processes only briefly. It must be the outermost
   * transaction: an outer transaction could roll back bytes that were already sent.
   */
  readonly signs?: boolean;
}

/** Runs work atomically. */
export abstract class Transactions {
  /**
   * Runs `work` in one database transaction. Commits when it resolves, rolls back when it throws. Nested calls join the outer
   * transaction. Nothing inside may wait for the network, and statements run one after another. When PostgreSQL ends the
   * transaction because of a deadlock, or `work` throws `LockedRowsChanged` or `KeyNotReady`, it is rolled back and `work` runs again, at
   * most four times in all; after `KeyNotReady` once the key is in memory. Its effects outside the database must be repeatable.
   */
  abstract run<T>(work: () => Promise<T>, options?: TransactionOptions): Promise<T>;
}
