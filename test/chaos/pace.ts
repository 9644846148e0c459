import { availableParallelism, loadavg } from 'node:os';

/** The start time of a replica on an idle machine, in milliseconds. */
const USUAL_START_MS = 2_000;
/** A start that is slower than this factor includes a crash, and a run that is stretched by more does not end within its limit. */
const MOST = 5;

/** How many processes share a processor, in the last minute. */
const shared = (): number => Math.max(1, loadavg()[0]! / availableParallelism());

/**
 * How many times slower than an idle machine this one is. It stretches the clocks of the chains and the pauses between
 * faults: otherwise a busy machine would only recover, and the result would depend on its speed. Between starts it follows the load:
 * what ran beside the start may have ended.
 */
export class Pace {
  private slowness = 1;

  get factor(): number {
    return Math.min(MOST, Math.max(1, this.slowness * shared()));
  }

  /** Measures it by the start of a replica. */
  async measure<T>(start: Promise<T>): Promise<T> {
    const began = performance.now();
    const started = await start;
    this.slowness = (performance.now() - began) / USUAL_START_MS / shared();
    return started;
  }
}
