import { setTimeout as pause } from 'node:timers/promises';

/** Gathers items that come within a short time, or while the batch before is under way. */
export class Batches<T> {
  private items: T[] = [];
  private next: Promise<void> | undefined;
  private last: Promise<void> = Promise.resolve();
  private hurry = new AbortController();

  constructor(
    private readonly gatherMs: number,
    private readonly carryOut: (items: readonly T[]) => Promise<void>,
  ) {}

  add(item: T): Promise<void> {
    this.items.push(item);
    return (this.next ??= this.gather());
  }

  alone(item: T): Promise<void> {
    return this.begin([item]);
  }

  async flush(): Promise<void> {
    this.hurry.abort();
    this.hurry = new AbortController();
    await this.next?.catch(() => undefined);
    await this.last;
  }

  private async gather(): Promise<void> {
    await pause(this.gatherMs, undefined, { signal: this.hurry.signal }).catch(() => undefined);
    await this.last;
    const items = this.items;
    this.items = [];
    this.next = undefined;
    return this.begin(items);
  }

  /** All batches together need one connection, because they run one at a time. */
  private begin(items: readonly T[]): Promise<void> {
    const done = this.last.then(() => this.carryOut(items));
    this.last = done.catch(() => undefined);
    return done;
  }
}
