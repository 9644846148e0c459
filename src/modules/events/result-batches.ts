import { setTimeout as pause } from 'node:timers/promises';
import { isDatabaseUnavailable } from '../../postgres/database-unavailable.js';
import type { DeliveryQueue, EndedAttempt, Recorded } from './domain/delivery-queue.js';

/** Short compared with an attempt: the events of results that a killed process has not stored are sent again. */
const BATCH_MS = 10;
const RETRY_MS = 1_000;
/** Together about as long as a lease; then another process attempts the deliveries again. */
const MOST_TRIES = 30;

/** What the statements for a batch returned, and which results were not stored. */
interface Stored {
  readonly recorded: readonly Recorded[];
  readonly failures: ReadonlyMap<EndedAttempt, unknown>;
}

/** Stores the results that end within a few milliseconds, or while the batch before is stored, by one statement. */
export class ResultBatches {
  private ended: EndedAttempt[] = [];
  private next: Promise<Stored['failures']> | undefined;
  private last: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly queue: Pick<DeliveryQueue, 'record'>,
    private readonly onRecorded: (recorded: Recorded) => Promise<void>,
  ) {}

  /**
   * Resolves when the result is stored. Rejects when the database refused it, or was unavailable for about as long as a lease; then the
   * delivery is attempted again.
   */
  async record(result: EndedAttempt): Promise<void> {
    this.ended.push(result);
    const failures = await (this.next ??= this.recordAll());
    if (failures.has(result)) throw failures.get(result);
  }

  private async recordAll(): Promise<Stored['failures']> {
    await Promise.all([pause(BATCH_MS), this.last]);
    const results = this.ended;
    this.ended = [];
    this.next = undefined;
    const stored = this.store(results);
    this.last = stored;
    const { recorded, failures } = await stored;
    for (const each of recorded) await this.onRecorded(each);
    return failures;
  }

  private async store(results: readonly EndedAttempt[]): Promise<Stored> {
    try {
      return { recorded: [await this.attempt(results)], failures: new Map() };
    } catch (error) {
      if (!isDatabaseUnavailable(error)) return this.storeEach(results);
      return { recorded: [], failures: new Map(results.map((result) => [result, error])) };
    }
  }

  /** After a refusal: one result that the database never takes must not cost the results of its batch. */
  private async storeEach(results: readonly EndedAttempt[]): Promise<Stored> {
    const recorded: Recorded[] = [];
    const failures = new Map<EndedAttempt, unknown>();
    for (const [index, result] of results.entries()) {
      try {
        recorded.push(await this.attempt([result]));
      } catch (error) {
        failures.set(result, error);
        if (!isDatabaseUnavailable(error)) continue;
        for (const later of results.slice(index + 1)) failures.set(later, error);
        break;
      }
    }
    return { recorded, failures };
  }

  private async attempt(results: readonly EndedAttempt[]): Promise<Recorded> {
    for (let tries = 1; ; tries++) {
      try {
        return await this.queue.record(results);
      } catch (error) {
        if (tries === MOST_TRIES || !isDatabaseUnavailable(error)) throw error;
        await pause(RETRY_MS);
      }
    }
  }
}
