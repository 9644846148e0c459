import { setTimeout as pause } from 'node:timers/promises';
import { isDatabaseUnavailable } from '../../src/postgres/database-unavailable.js';

/** Below the time limit of a test, so that the check's own error is reported. */
const LONGEST_MS = 120_000;

/**
 * Repeats `check` until it resolves, and returns its result; after the last attempt, its error. One limit for all, and a
 * high one, because the machine may be busy.
 */
export async function eventually<T>(check: () => T | Promise<T>): Promise<T> {
  for (const deadline = Date.now() + LONGEST_MS; ;) {
    try {
      return await check();
    } catch (error) {
      if (Date.now() > deadline) throw error;
      await pause(20);
    }
  }
}

/**
 * Repeats `work` while the database ends its transaction, as the loops of the service do: a sequencer's may be idle for 1.5 s, and
 * this process may be paused for longer. Any other error is final.
 */
export async function untilAvailable<T>(work: () => Promise<T>): Promise<T> {
  for (const deadline = Date.now() + LONGEST_MS; ;) {
    try {
      return await work();
    } catch (error) {
      if (!isDatabaseUnavailable(error) || Date.now() > deadline) throw error;
      await pause(20);
    }
  }
}
