export interface BulkheadBounds {
  readonly perApp: number;
  readonly inAll: number;
  readonly waitingPerApp: number;
  readonly longestWaitMs: number;
}

export interface BulkheadRefusals {
  readonly busyApp: () => Error;
  readonly busyService: () => Error;
}

/** A free slot goes to the app with the fewest running tasks: queues of busy apps do not delay another app's first task. */
export class Bulkhead {
  private readonly running = new Map<string, number>();
  /** Apps are in the order in which they began to wait or last received a slot. */
  private readonly waiting = new Map<string, (() => void)[]>();
  private total = 0;

  constructor(
    private readonly bounds: BulkheadBounds,
    private readonly refusals: BulkheadRefusals,
  ) {}

  /** Throws a refusal without starting the task when no slot becomes free in time or too many tasks of the app wait. */
  async run<T>(appId: string, task: () => Promise<T>): Promise<T> {
    await this.enter(appId);
    try {
      return await task();
    } finally {
      this.leave(appId);
    }
  }

  private enter(appId: string): Promise<void> {
    if (this.hasSlotFor(appId)) {
      this.take(appId);
      return Promise.resolve();
    }
    const { waitingPerApp, longestWaitMs } = this.bounds;
    const queue = this.waiting.get(appId) ?? [];
    if (queue.length >= waitingPerApp) return Promise.reject(this.refusal(appId));
    this.waiting.set(appId, queue);
    return new Promise((resolve, reject) => {
      const giveUp = setTimeout(() => {
        queue.splice(queue.indexOf(start), 1);
        if (queue.length === 0) this.waiting.delete(appId);
        reject(this.refusal(appId));
      }, longestWaitMs);
      const start = (): void => {
        clearTimeout(giveUp);
        resolve();
      };
      queue.push(start);
    });
  }

  private leave(appId: string): void {
    this.total--;
    const left = this.runningOf(appId) - 1;
    if (left > 0) this.running.set(appId, left);
    else this.running.delete(appId);
    this.startNext();
  }

  /** Looks at each app that waits, not at each task: one app may have hundreds. */
  private startNext(): void {
    let next: string | undefined;
    for (const appId of this.waiting.keys())
      if (this.hasSlotFor(appId) && (next === undefined || this.runningOf(appId) < this.runningOf(next))) next = appId;
    if (next === undefined) return;
    const queue = this.waiting.get(next)!;
    const start = queue.shift()!;
    this.waiting.delete(next);
    if (queue.length > 0) this.waiting.set(next, queue);
    this.take(next);
    start();
  }

  private hasSlotFor(appId: string): boolean {
    return this.total < this.bounds.inAll && this.runningOf(appId) < this.bounds.perApp;
  }

  private runningOf(appId: string): number {
    return this.running.get(appId) ?? 0;
  }

  private take(appId: string): void {
    this.total++;
    this.running.set(appId, this.runningOf(appId) + 1);
  }

  private refusal(appId: string): Error {
    const { busyApp, busyService } = this.refusals;
    return this.runningOf(appId) < this.bounds.perApp ? busyService() : busyApp();
  }
}
