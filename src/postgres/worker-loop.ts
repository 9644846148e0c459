import { setTimeout as pause } from 'node:timers/promises';

export interface Worker<T> {
  readonly slots: number;
  /** The longest time between two claims while a slot is free. */
  readonly pollMs: number;
  /** The shortest time between two claims; default: none. */
  readonly pauseMs?: number;
  /** The pause after a failed claim; default: `pollMs`. */
  readonly retryMs?: number;
  /** The longest time that `stop` waits for running tasks. */
  readonly drainMs: number;
  /** `underWay` are the tasks that this process carries out. */
  claim(limit: number, underWay: readonly T[]): Promise<readonly T[]>;
  /** Must not reject. The slot is free once `freeSlot` is called, at the latest when it resolves. */
  perform(task: T, freeSlot: () => void): Promise<void>;
  /** It is called for the first of several failures of `claim` in a row. */
  report(error: unknown): void;
}

/** Claims at its start, when it is woken, when a slot becomes free while more tasks may wait, and after each poll. */
export class WorkerLoop<T> {
  private readonly running = new Map<T, Promise<void>>();
  private usedSlots = 0;
  /** The last claim may have left tasks unclaimed. */
  private hasMore = false;
  private isAwake = false;
  private isFailing = false;
  private isStopping = false;
  private endSleep: (() => void) | undefined;
  private readonly loop: Promise<void>;

  constructor(private readonly worker: Worker<T>) {
    this.loop = this.run();
  }

  get tasks(): readonly T[] {
    return [...this.running.keys()];
  }

  /** Claims at once, or after the pause when the last claim failed. */
  wake(): void {
    this.isAwake = true;
    if (!this.isFailing) this.endSleep?.();
  }

  async stop(): Promise<void> {
    this.isStopping = true;
    this.endSleep?.();
    await this.loop;
    const drained = new AbortController();
    await Promise.race([
      Promise.all(this.running.values()).then(() => drained.abort()),
      pause(this.worker.drainMs, undefined, { signal: drained.signal }).catch(() => undefined),
    ]);
  }

  private async run(): Promise<void> {
    while (!this.isStopping) {
      const free = this.worker.slots - this.usedSlots;
      const claimed = free > 0 ? await this.claim(free) : [];
      this.hasMore = claimed.length === free;
      for (const task of claimed) this.begin(task);
      await Promise.all([this.sleep(), this.worker.pauseMs && pause(this.worker.pauseMs)]);
      this.isAwake = false;
    }
  }

  private async claim(limit: number): Promise<readonly T[]> {
    try {
      const claimed = await this.worker.claim(limit, this.tasks);
      this.isFailing = false;
      return claimed;
    } catch (error) {
      if (!this.isFailing) this.worker.report(error);
      this.isFailing = true;
      return [];
    }
  }

  private begin(task: T): void {
    let isHeld = true;
    this.usedSlots++;
    const freeSlot = (): void => {
      if (!isHeld) return;
      isHeld = false;
      this.usedSlots--;
      if (this.hasMore) this.wake();
    };
    const ended = this.worker.perform(task, freeSlot).then(() => {
      freeSlot();
      this.running.delete(task);
    });
    this.running.set(task, ended);
  }

  private async sleep(): Promise<void> {
    if (!this.isStopping && (this.isFailing || !this.isAwake)) {
      await new Promise<void>((resolve) => {
        const { pollMs, retryMs = pollMs } = this.worker;
        const timer = setTimeout(resolve, this.isFailing ? retryMs : pollMs);
        this.endSleep = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
  }
}
