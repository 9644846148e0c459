/** Runs work atomically. */
export abstract class Transactions {
  /**
   * Runs `work` in one database transaction and commits when it resolves; rolls back when it throws. Nested calls join
   * the outer transaction. Nothing inside may wait for the network, and statements run one after another. When PostgreSQL
   * ends it in favour of another (a deadlock), `work` is run again from its start: what it does outside the database must
   * bear that. A statement may say that it is the last one: the transaction is committed with it, and nothing may be asked
   * for, published or refused after that.
   */
  abstract run<T>(work: () => Promise<T>): Promise<T>;
}
