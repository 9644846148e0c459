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

  /**
   * As `run`, for signed bytes that are sent once it resolves, and for what ends a transfer, on which its app acts. The
   * commit is then on disk, whatever the server's default. The server ends the transaction when this process falls silent
   * for 1.5 s, and refuses a lock that is not free within 4 s, so that a paused process blocks its sender's other transfers
   * only for a moment. It must be the outermost transaction: what an outer one could still roll back must not be sent.
   */
  abstract runSigning<T>(work: () => Promise<T>): Promise<T>;
}
