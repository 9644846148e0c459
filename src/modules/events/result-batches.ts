import { setTimeout as pause } from 'node:timers/promises';
import { Batches } from '../../kernel/batches.js';
import { isDatabaseUnavailable } from '../../postgres/database-unavailable.js';
import type { DeliveryQueue, EndedAttempt, Recorded } from './domain/delivery-queue.js';

/** The pause is short compared with an attempt, because the events of results that a killed process has not stored are sent again. */
const BATCH_MS = 10;
const RETRY_MS = 1_000;
/** The tries together last about as long as a lease; then another process attempts the deliveries again. */
const MOST_TRIES = 30;

/** Stores the results that end within a few milliseconds, or while the previous batch is stored, by one statement. */
export class ResultBatches {
  private readonly batches: Batches<EndedAttempt>;

  constructor(queue: Pick<DeliveryQueue, 'record'>, onRecorded: (recorded: Recorded) => Promise<void>) {
    this.batches = new Batches(BATCH_MS, async (results) => onRecorded(await queue.record(results)));
  }

  /**
   * Resolves when the result is stored. Rejects when the database refused it, or was unavailable for about as long as a lease; then the
   * delivery is attempted again. One result that the database never takes must not cost the results of its batch.
   */
  async record(result: EndedAttempt): Promise<void> {
    let isAlone = false;
    for (let tries = 1; ; tries++) {
      try {
        return await (isAlone ? this.batches.alone(result) : this.batches.add(result));
      } catch (error) {
        const isUnavailable = isDatabaseUnavailable(error);
        if (tries === MOST_TRIES || (isAlone && !isUnavailable)) throw error;
        if (isUnavailable) await pause(RETRY_MS);
        else isAlone = true;
      }
    }
  }
}
