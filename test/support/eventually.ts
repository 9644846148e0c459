import { setTimeout as pause } from 'node:timers/promises';

/** What `check` resolves with, as soon as it does; the error of its last attempt when it never does. Generous, as the machine may be busy. */
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
