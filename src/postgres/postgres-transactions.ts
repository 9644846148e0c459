import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import {
  OpenTransaction,
  runIn,
  type TransactionContext,
  currentContext,
  currentTransaction,
} from './current-transaction.js';
import { beforeActingCommit } from '../kernel/acting-key.js';
import { KeyNotReady } from '../kernel/app-keys.js';
import { KeysUnavailable } from '../kernel/errors.js';
import { LockedRowsBehind, LockedRowsChanged, type TransactionOptions, Transactions } from '../kernel/transactions.js';
import { causeOf } from './database-unavailable.js';
import { spoilsConnection, withClient } from './pool.js';

interface Kept {
  readonly transaction: OpenTransaction;
  proceed(failure?: { readonly error: unknown }): void;
  ended(): Promise<unknown>;
}

/** A request's last transaction commits with its response. Code under a hold must not wait for the network after it: it holds its locks. */
class CommitHold implements TransactionContext {
  private kept: Kept | undefined;
  /** False once the response is stored: background work is not part of the transaction. */
  isActive = true;

  /** Statements that join the transaction that waits for COMMIT find its effects. */
  get transaction(): OpenTransaction | undefined {
    return this.kept?.transaction;
  }

  /** Rejects when the transaction is to roll back. */
  async keep(transaction: OpenTransaction, done: () => void, ended: () => Promise<unknown>): Promise<void> {
    await this.release();
    if (!this.isActive) return;
    await new Promise<void>((resolve, reject) => {
      const proceed: Kept['proceed'] = (failure) => (failure ? reject(failure.error as Error) : resolve());
      this.kept = { transaction, proceed, ended };
      done();
    });
  }

  /** Rolls the kept transaction back when `work` throws. */
  async conclude(work: () => Promise<void>): Promise<void> {
    const { kept } = this;
    if (!kept) return work();
    try {
      await runIn(kept.transaction, work);
    } catch (error) {
      this.kept = undefined;
      kept.proceed({ error });
      await kept.ended().catch(() => undefined);
      if (!(error instanceof KeyNotReady)) throw error;
      // The transaction of `work` cannot run again here. The caller's next try finds the key.
      await error.makeReady();
      throw new KeysUnavailable({ cause: error });
    }
  }

  async release(): Promise<void> {
    const { kept } = this;
    this.kept = undefined;
    kept?.proceed();
    await kept?.ended();
  }

  end(): Promise<void> {
    this.isActive = false;
    return this.release();
  }
}

/** Everything inside uses the same connection (AsyncLocalStorage), and nested runs join. */
@Injectable()
export class PostgresTransactions extends Transactions {
  constructor(private readonly dataSource: DataSource) {
    super();
  }

  async run<T>(work: (isAgain: boolean) => Promise<T>, { signs = false }: TransactionOptions = {}): Promise<T> {
    if (signs && currentTransaction()) throw new Error('A transaction that signs must not be part of another.');
    const context = currentContext();
    if (context instanceof OpenTransaction) return work(false);
    // The bytes are sent as soon as this resolves, so it never waits for the response of its request.
    if (signs) return this.runOutermost(work, signs);
    const hold = context instanceof CommitHold && context.isActive ? context : undefined;
    // A transaction of the same request may only wait for COMMIT; this one must find its effects.
    await hold?.release();
    return this.runOutermost(work, signs, hold);
  }

  /** The last transaction of `work` and the writes of `conclude` commit together or not at all. */
  async concluding<T>(work: () => Promise<T>, conclude: (result: T) => Promise<void>): Promise<T> {
    const hold = new CommitHold();
    try {
      const result = await runIn(hold, work);
      await hold.conclude(() => conclude(result));
      return result;
    } finally {
      await hold.end();
    }
  }

  private async runOutermost<T>(work: (isAgain: boolean) => Promise<T>, signs: boolean, hold?: CommitHold): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.runOnce(() => work(attempt > 1), signs, hold);
      } catch (error) {
        const cause: Error = causeOf(error);
        if (attempt === MAX_ATTEMPTS) throw cause instanceof KeyNotReady ? new KeysUnavailable({ cause }) : error;
        // The rollback comes first, so that no lock and no connection is held meanwhile.
        if (cause instanceof KeyNotReady || cause instanceof LockedRowsBehind) await cause.makeReady();
        else if (!isLostToAnother(error)) throw error;
      }
    }
  }

  /** A hold lets this resolve before COMMIT, for which the hold's owner then waits. */
  private runOnce<T>(work: () => Promise<T>, signs: boolean, hold: CommitHold | undefined): Promise<T> {
    return new Promise((resolve, reject) => {
      let transaction: OpenTransaction | undefined;
      const carriedOut = withClient(this.dataSource, async (client, giveUp) => {
        const opened = (transaction = new OpenTransaction(client, this.dataSource, signs));
        try {
          const result = await runIn(opened, async () => {
            const done = await work();
            beforeActingCommit();
            return done;
          });
          if (hold) {
            // A deadlock of the work's own writes must run it again; a later failure under the hold ends the transaction without a retry.
            await opened.flush();
            await hold.keep(
              opened,
              () => resolve(result),
              () => ended,
            );
          }
          await opened.commit();
          return result;
        } catch (error) {
          // The server rolls back a closed connection. Without a response, waiting for a rollback would double the time of the call.
          if (spoilsConnection(error)) giveUp(opened.abandon(error as Error));
          else await opened.rollback().catch(giveUp);
          throw error;
        }
      });
      const ended = (async () => {
        try {
          return await carriedOut;
        } finally {
          await runIn(undefined, async () => transaction?.announceCommit());
        }
      })();
      ended.then(resolve, reject);
    });
  }
}

const MAX_ATTEMPTS = 4;

/** Run anew, this transaction finds the effects of the other one. */
function isLostToAnother(error: unknown): boolean {
  if (error instanceof LockedRowsChanged) return true;
  const { code } = causeOf(error);
  return code === '40P01' || code === '40001';
}
