import { setTimeout as pause } from 'node:timers/promises';

/**
 * Repeats `check` until it resolves, and returns its result; after the last attempt, its error. The limit is high,
 * because the machine may be busy.
 */
export async function eventually<T>(check: () => T | Promise<T>, seconds = 20): Promise<T> {
  for (const deadline = Date.now() + seconds * 1_000; ;) {
    try {
      return await check();
    } catch (error) {
      if (Date.now() > deadline) throw error;
      await pause(20);
    }
  }
}
