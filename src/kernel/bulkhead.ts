export interface BulkheadBounds {
  /** Tasks of one app at a time. */
  readonly perApp: number;
  /** Tasks of all apps at a time. */
  readonly inAll: number;
  /** Tasks of one app that may wait for a slot. */
  readonly waitingPerApp: number;
  readonly longestWaitMs: number;
}

/** The error of a task that gets no slot. */
export interface BulkheadRefusals {
  /** The app's own tasks take all its slots. */
  readonly busyApp: () => Error;
  /** The tasks of other apps take all slots. */
  readonly busyService: () => Error;
}

interface Waiting {
  readonly appId: string;
  readonly start: () => void;
}

/**
 * Bounds how many tasks run at a time, for each app and in all. A task that finds no slot waits. A free slot goes to the
 * app with the fewest running tasks, then by arrival: the queues of busy apps do not delay another app's first task.
 */
export class Bulkhead {
  private readonly running = new Map<string, number>();
  private waiting: Waiting[] = [];
  private total = 0;

  constructor(
    private readonly bounds: BulkheadBounds,
    private readonly refusals: BulkheadRefusals,
  ) {}

  /** Throws one of the refusals, and does not start the task, when it finds no slot in time or too many tasks of the app wait. */
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
    if (this.waiting.filter((other) => other.appId === appId).length >= waitingPerApp)
      return Promise.reject(this.refusal(appId));
    return new Promise((resolve, reject) => {
      const giveUp = setTimeout(() => {
        this.waiting = this.waiting.filter((other) => other !== waiting);
        reject(this.refusal(appId));
      }, longestWaitMs);
      const waiting: Waiting = {
        appId,
        start: () => {
          clearTimeout(giveUp);
          resolve();
        },
      };
      this.waiting.push(waiting);
    });
  }

  private leave(appId: string): void {
    this.total--;
    const left = this.runningOf(appId) - 1;
    if (left > 0) this.running.set(appId, left);
    else this.running.delete(appId);
    const [next] = this.waiting
      .filter((waiting) => this.hasSlotFor(waiting.appId))
      .toSorted((one, other) => this.runningOf(one.appId) - this.runningOf(other.appId));
    if (!next) return;
    this.waiting = this.waiting.filter((other) => other !== next);
    this.take(next.appId);
    next.start();
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
