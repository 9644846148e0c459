import { DatabaseUnavailable } from './errors.js';

/** The transaction runs again without its locks on rows that are not those it needs: locking the right rows as well could deadlock. */
export class LockedRowsChanged extends DatabaseUnavailable {}

/** The transaction runs again after `makeReady`, which needs its locks for longer than it may hold them. */
export class LockedRowsBehind extends DatabaseUnavailable {
  constructor(
    /** Call it outside a transaction. */
    readonly makeReady: () => Promise<void>,
  ) {
    super();
  }
}

export interface TransactionOptions {
  /**
   * For a transaction that stores signed bytes, ends a transfer, or deletes a user or app. The commit is on disk when `run` resolves. The
   * server ends the transaction after 1.5 s of silence and refuses a lock that is not free within 4 s, so a paused process blocks others
   * only briefly. It must be the outermost one: an outer transaction could roll back bytes that were already sent.
   */
  readonly signs?: boolean;
}

export abstract class Transactions {
  /**
   * Nested calls join the outer transaction. Nothing inside may wait for the network. After a deadlock, `LockedRowsChanged`, `LockedRowsBehind`
   * or `KeyNotReady` (once they are ready) `work` runs again (`isAgain`), at most four times in all: its effects outside the database
   * must be repeatable.
   */
  abstract run<T>(work: (isAgain: boolean) => Promise<T>, options?: TransactionOptions): Promise<T>;
}
