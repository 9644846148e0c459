import { setTimeout as pause } from 'node:timers/promises';
import type { DeliveryQueue, EndedAttempt, Recorded } from './domain/delivery-queue.js';

/** Short compared with an attempt: the events of results that a killed process has not stored are sent again. */
const BATCH_MS = 10;
const RETRY_MS = 1_000;
/** Together about as long as a lease; then another process attempts the deliveries again. */
const MOST_TRIES = 30;

/** Stores the results that end within a few milliseconds, or while the batch before is stored, by one statement. */
export class ResultBatches {
  private ended: EndedAttempt[] = [];
  private next: Promise<Recorded> | undefined;
  private last: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly queue: Pick<DeliveryQueue, 'record'>,
    private readonly onRecorded: (recorded: Recorded) => Promise<void>,
  ) {}

  /** Resolves when the result is stored. Rejects when the database was unavailable for about as long as a lease. */
  async record(result: EndedAttempt): Promise<void> {
    this.ended.push(result);
    await (this.next ??= this.recordAll());
  }

  private async recordAll(): Promise<Recorded> {
    await Promise.all([pause(BATCH_MS), this.last]);
    const results = this.ended;
    this.ended = [];
    this.next = undefined;
    const recorded = this.attempt(results);
    this.last = recorded.catch(() => undefined);
    const done = await recorded;
    await this.onRecorded(done);
    return done;
  }

  private async attempt(results: readonly EndedAttempt[]): Promise<Recorded> {
    for (let tries = 1; ; tries++) {
      try {
        return await this.queue.record(results);
      } catch (error) {
        if (tries === MOST_TRIES) throw error;
        await pause(RETRY_MS);
      }
    }
  }
}
