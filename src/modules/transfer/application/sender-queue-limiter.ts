import { Injectable } from '@nestjs/common';
import { Bulkhead } from '../../../kernel/bulkhead.js';
import { Transactions } from '../../../kernel/transactions.js';
import { keyOf, type SenderQueueId } from '../domain/sender-queue.js';

/** One transaction that holds the lock, and one that waits for it in the database. */
const CONCURRENCY = 2;

/** After this long a caller stops queueing in memory and goes straight to the database lock; the lock timeout then decides. */
const MAX_WAIT_MS = 5_000;

const BOUNDS = { perApp: CONCURRENCY, inAll: Infinity, waitingPerApp: Infinity, longestWaitMs: MAX_WAIT_MS };
const LONG_WAIT = new Error('The sender queue is busy.');

/**
 * Limits how many transactions of this process request the lock of one sender queue. Each holds a connection while it
 * waits, so without a limit one busy wallet could occupy the whole pool. Only the database lock keeps payments apart.
 */
@Injectable()
export class SenderQueueLimiter {
  private readonly queues = new Bulkhead(BOUNDS, { busyApp: () => LONG_WAIT, busyService: () => LONG_WAIT });

  constructor(private readonly transactions: Transactions) {}

  /** Runs `work` in a signing transaction once fewer than the limit are running, or when the longest wait is over. */
  async run<T>(id: SenderQueueId, work: () => Promise<T>): Promise<T> {
    const sign = (): Promise<T> => this.transactions.run(work, { signs: true });
    try {
      return await this.queues.run(keyOf(id), sign);
    } catch (error) {
      if (error !== LONG_WAIT) throw error;
      return sign();
    }
  }
}
