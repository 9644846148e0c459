/** The start time of a replica on an idle machine, in milliseconds. */
const USUAL_START_MS = 2_000;
/** A start that is slower than this factor includes a crash. */
const MOST = 10;

/**
 * How many times slower than an idle machine this one is. It stretches the clocks of the chains and the pauses between
 * faults: otherwise a busy machine would only recover, and the result would depend on its speed.
 */
export class Pace {
  factor = 1;

  /** Measures it by the start of a replica. */
  async measure<T>(start: Promise<T>): Promise<T> {
    const began = performance.now();
    const started = await start;
    this.factor = Math.min(MOST, Math.max(1, (performance.now() - began) / USUAL_START_MS));
    return started;
  }
}
