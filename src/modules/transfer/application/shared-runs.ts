/**
 * Carries out one task for each key at a time. Callers that come while one runs share the next, which begins after their call: it
 * sees what they have seen.
 */
export class SharedRuns {
  private readonly running = new Map<string, Promise<void>>();
  private readonly next = new Map<string, Promise<void>>();

  run(key: string, task: () => Promise<void>): Promise<void> {
    const [running, waiting] = [this.running.get(key), this.next.get(key)];
    if (waiting) return waiting;
    if (!running) return this.begin(key, task);
    const follow = (): Promise<void> => {
      this.next.delete(key);
      return this.begin(key, task);
    };
    const next = running.then(follow, follow);
    this.next.set(key, next);
    return next;
  }

  private begin(key: string, task: () => Promise<void>): Promise<void> {
    const run = task().finally(() => {
      if (this.running.get(key) === run) this.running.delete(key);
    });
    this.running.set(key, run);
    return run;
  }
}
