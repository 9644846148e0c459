import { setTimeout as pause } from 'node:timers/promises';
import { isDatabaseUnavailable } from '../../src/postgres/database-unavailable.js';

/** Below the time limit of a test, so that the check's own error is reported. */
const LONGEST_MS = 120_000;

/** A check costs what it waits for processor time, so the longer it has waited, the longer it pauses: by a seventh. */
const pauseAfter = (begun: number): Promise<void> => pause(Math.min(Math.max((Date.now() - begun) / 7, 10), 250));

/**
 * Repeats `check` until it resolves, and returns its result; after the last attempt, its error. One limit for all, and a
 * high one, because the machine may be busy.
 */
export async function eventually<T>(check: () => T | Promise<T>): Promise<T> {
  for (const begun = Date.now(); ;) {
    try {
      return await check();
    } catch (error) {
      if (Date.now() > begun + LONGEST_MS) throw error;
      await pauseAfter(begun);
    }
  }
}

/**
 * Repeats `work` while the database ends its transaction, as the loops of the service do: a sequencer's may be idle for 1.5 s, and
 * this process may be paused for longer. Any other error is final.
 */
export async function untilAvailable<T>(work: () => Promise<T>): Promise<T> {
  for (const begun = Date.now(); ;) {
    try {
      return await work();
    } catch (error) {
      if (!isDatabaseUnavailable(error) || Date.now() > begun + LONGEST_MS) throw error;
      await pauseAfter(begun);
    }
  }
}

/** The shortest time for which the service lets a statement or a call of a node wait before it responds with 503. */
const SHORTEST_WAIT_MS = 1_000;
const BUSY = new Set(['service_unavailable', 'chain_unavailable']);
const isBusy = (answer: unknown): boolean => BUSY.has(Object(Object(answer).body).error_type);

/**
 * Repeats a call, as its client does, while the service has waited for the database or a node for as long as it may: simultaneous calls
 * wait for each other, and on a busy machine the first one may take that long. A 503 that comes sooner has another cause and is returned.
 */
export async function patiently<T>(call: () => Promise<T>): Promise<T> {
  for (const deadline = Date.now() + LONGEST_MS; ;) {
    const began = performance.now();
    const answer = await call();
    const hasWaited = performance.now() - began >= SHORTEST_WAIT_MS;
    if (!isBusy(answer) || !hasWaited || Date.now() > deadline) return answer;
  }
}
