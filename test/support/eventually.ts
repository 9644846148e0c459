import { setTimeout as pause } from 'node:timers/promises';

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
