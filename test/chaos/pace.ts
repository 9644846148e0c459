/** What a replica takes to start on a machine that does nothing else, in milliseconds. */
const USUAL_START_MS = 2_000;
/** A start that took longer than this many times that met a crash besides. */
const MOST = 10;

/**
 * How many times slower than a machine that does nothing else this one is now. The clocks of the chains and the pauses between
 * troubles are stretched by it: otherwise a busy machine does nothing but recover, and what a run shows depends on its speed.
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
