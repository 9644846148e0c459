import { Injectable } from '@nestjs/common';
import type { ClientBase } from 'pg';
import { DataSource } from 'typeorm';
import { Transactions } from '../../kernel/transactions.js';
import { currentTransaction, OpenTransaction, runIn } from './current-transaction.js';
import { flushEvents } from './event-log.js';

/** Transactions carried by AsyncLocalStorage: whatever runs inside uses the same connection, nested runs join. */
@Injectable()
export class TypeormTransactions extends Transactions {
  constructor(private readonly dataSource: DataSource) {
    super();
  }

  async run<T>(work: () => Promise<T>): Promise<T> {
    if (currentTransaction()) return work();
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.runOnce(work);
      } catch (error) {
        if (attempt === MAX_ATTEMPTS || !isLostToAnother(error)) throw error;
      }
    }
  }

  private async runOnce<T>(work: () => Promise<T>): Promise<T> {
    const runner = this.dataSource.createQueryRunner();
    let transaction: OpenTransaction;
    let result: T;
    try {
      transaction = new OpenTransaction((await runner.connect()) as ClientBase, runner.manager);
      await runner.startTransaction();
      result = await runIn(transaction, work);
      const pending = transaction.takeEvents();
      if (pending.length > 0) {
        const { sql, parameters } = flushEvents(pending);
        await transaction.client.query({ name: 'flush_events', text: sql, values: parameters });
      }
      await runner.commitTransaction();
    } catch (error) {
      // A connection that cannot even roll back is broken: the pool drops it and the server rolls back by itself.
      if (runner.isTransactionActive) await runner.rollbackTransaction().catch(() => undefined);
      throw error;
    } finally {
      await runner.release();
    }
    transaction.announceCommit();
    return result;
  }
}

const MAX_ATTEMPTS = 4;

/** PostgreSQL ended this transaction so that another could go on (deadlock, serialisation): run anew, it finds what that one left. */
function isLostToAnother(error: unknown): boolean {
  const { code } = ((error as { driverError?: unknown }).driverError ?? error) as { code?: unknown };
  return code === '40P01' || code === '40001';
}
