import { Injectable } from '@nestjs/common';
import { Transactions } from '../../../kernel/transactions.js';
import { keyOf, type SenderQueueId } from '../domain/sender-queue.js';

/** One transaction that holds the lock, and one that waits for it in the database. */
const CONCURRENCY = 2;

/** After this long a caller stops queueing in memory and goes straight to the database lock; the lock timeout then decides. */
const MAX_WAIT_MS = 5_000;

interface Waiting {
  running: number;
  /** Starts the callers that wait, in their order. */
  readonly starts: (() => void)[];
}

/**
 * Limits how many transactions of this process request the lock of one sender queue. Each holds a connection while it
 * waits, so without a limit one busy wallet could occupy the whole pool. Only the database lock keeps payments apart.
 */
@Injectable()
export class SenderQueueLimiter {
  private readonly queues = new Map<string, Waiting>();

  constructor(private readonly transactions: Transactions) {}

  /** Runs `work` in a signing transaction once fewer than the limit are running, or when the longest wait is over. */
  async run<T>(id: SenderQueueId, work: () => Promise<T>): Promise<T> {
    const key = keyOf(id);
    const queue = this.queues.get(key) ?? { running: 0, starts: [] };
    this.queues.set(key, queue);
    const isCounted = queue.running < CONCURRENCY ? ++queue.running > 0 : await isStarted(queue);
    try {
      return await this.transactions.run(work, { signs: true });
    } finally {
      const next = isCounted && queue.starts.shift();
      if (next) next();
      else if (isCounted && --queue.running === 0) this.queues.delete(key);
    }
  }
}

/** True when another caller's end starts this one, false after the longest wait. */
function isStarted({ starts }: Waiting): Promise<boolean> {
  return new Promise((resolve) => {
    const start = (): void => {
      clearTimeout(timer);
      resolve(true);
    };
    const timer = setTimeout(() => {
      starts.splice(starts.indexOf(start), 1);
      resolve(false);
    }, MAX_WAIT_MS);
    starts.push(start);
  });
}
