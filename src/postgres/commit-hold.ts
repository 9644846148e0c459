import { type OpenTransaction, runIn, type TransactionContext } from './current-transaction.js';

interface Kept {
  readonly transaction: OpenTransaction;
  /** Lets it commit, or roll back because of the failure. */
  proceed(failure?: { readonly error: unknown }): void;
  /** Settles when it has ended. */
  ended(): Promise<unknown>;
}

/**
 * Keeps the last transaction of a request open until the request's response is known, so that both commit together. Code that runs under a
 * hold must not wait for the network after its last transaction, which still holds its locks.
 */
export class CommitHold implements TransactionContext {
  private kept: Kept | undefined;
  private hasEnded = false;

  /** The transaction that waits for COMMIT. Statements that join it find its effects. */
  get transaction(): OpenTransaction | undefined {
    return this.kept?.transaction;
  }

  /** False once the response is stored: work that still runs in the background is not part of the transaction. */
  get isActive(): boolean {
    return !this.hasEnded;
  }

  /** Called by a transaction whose work is done. Resolves when it is to commit, rejects when it is to roll back. */
  async keep(transaction: OpenTransaction, done: () => void, ended: () => Promise<unknown>): Promise<void> {
    await this.release();
    if (this.hasEnded) return;
    await new Promise<void>((resolve, reject) => {
      const proceed: Kept['proceed'] = (failure) => (failure ? reject(failure.error as Error) : resolve());
      this.kept = { transaction, proceed, ended };
      done();
    });
  }

  /** Runs `work` in the kept transaction, if there is one, and rolls that back when `work` throws. */
  async conclude(work: () => Promise<void>): Promise<void> {
    const { kept } = this;
    if (!kept) return work();
    try {
      await runIn(kept.transaction, work);
    } catch (error) {
      this.kept = undefined;
      kept.proceed({ error });
      await kept.ended().catch(() => undefined);
      throw error;
    }
  }

  /** Commits the kept transaction. Throws the error of a failed COMMIT. */
  async release(): Promise<void> {
    const { kept } = this;
    this.kept = undefined;
    kept?.proceed();
    await kept?.ended();
  }

  /** Commits the kept transaction and keeps none after it. */
  end(): Promise<void> {
    this.hasEnded = true;
    return this.release();
  }
}
