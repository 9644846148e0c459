import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Transactions } from '../../kernel/transactions.js';
import { currentTransaction, OpenTransaction, runIn } from './current-transaction.js';
import { withClient } from './pool.js';

/** Transactions carried by AsyncLocalStorage: whatever runs inside uses the same connection, nested runs join. */
@Injectable()
export class PostgresTransactions extends Transactions {
  constructor(private readonly dataSource: DataSource) {
    super();
  }

  async run<T>(work: () => Promise<T>): Promise<T> {
    const open = currentTransaction();
    if (open) return open.joined(work);
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.runOnce(work);
      } catch (error) {
        if (attempt === MAX_ATTEMPTS || !isLostToAnother(error)) throw error;
      }
    }
  }

  private async runOnce<T>(work: () => Promise<T>): Promise<T> {
    let transaction: OpenTransaction | undefined;
    try {
      return await withClient(this.dataSource, async (client, giveUp) => {
        transaction = new OpenTransaction(client, this.dataSource);
        try {
          const result = await runIn(transaction, work);
          await transaction.commit();
          return result;
        } catch (error) {
          // A connection that cannot even roll back is thrown away, and the server rolls back by itself.
          await transaction.rollback().catch(giveUp);
          throw error;
        }
      });
    } finally {
      transaction?.announceCommit();
    }
  }
}

const MAX_ATTEMPTS = 4;

/** PostgreSQL ended this transaction so that another could go on (deadlock, serialisation): run anew, it finds what that one left. */
function isLostToAnother(error: unknown): boolean {
  const { code } = ((error as { driverError?: unknown }).driverError ?? error) as { code?: unknown };
  return code === '40P01' || code === '40001';
}
