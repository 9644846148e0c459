import { AsyncLocalStorage } from 'node:async_hooks';
import { LockedRowsChanged, Transactions } from '../../../src/kernel/transactions.js';

const MAX_ATTEMPTS = 4;

/** Runs transactions one after another, so every lock is free, and undoes all changes of rows when one throws. */
export class InMemoryTransactions extends Transactions {
  private readonly tables: Rows<unknown>[] = [];
  private readonly current = new AsyncLocalStorage<boolean>();
  private previous: Promise<unknown> = Promise.resolve();

  /** A table whose changes roll back with the transaction. */
  rows<T>(): Rows<T> {
    const rows = new Rows<T>(() => this.isOpen);
    this.tables.push(rows as Rows<unknown>);
    return rows;
  }

  /** Whether the caller runs inside a transaction. */
  get isOpen(): boolean {
    return this.current.getStore() === true;
  }

  /** Runs work whose changes of rows stay when the transaction of the caller rolls back, like work on a connection of its own. */
  separately<T>(work: () => T): T {
    return this.current.run(false, work);
  }

  run<T>(work: (isAgain: boolean) => Promise<T>): Promise<T> {
    if (this.isOpen) return work(false);
    const result = this.previous.then(() => this.current.run(true, () => this.untilDone(work)));
    this.previous = result.catch(() => undefined);
    return result;
  }

  private async untilDone<T>(work: (isAgain: boolean) => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.atomically(() => work(attempt > 1));
      } catch (error) {
        if (attempt === MAX_ATTEMPTS || !(error instanceof LockedRowsChanged)) throw error;
      }
    }
  }

  private async atomically<T>(work: () => Promise<T>): Promise<T> {
    for (const rows of this.tables) rows.begin();
    try {
      const result = await work();
      for (const rows of this.tables) rows.commit();
      return result;
    } catch (error) {
      for (const rows of this.tables) rows.rollBack();
      throw error;
    }
  }
}

/** The rows of one table. Rows are immutable values: a change replaces the row. */
export class Rows<T> {
  private rows: readonly T[] = [];
  /** While a transaction is open: the rows without its changes. */
  private committed: readonly T[] | null = null;

  constructor(private readonly isInTransaction: () => boolean) {}

  /** The matching rows, in the order in which they were added. */
  where(matches: (row: T) => boolean): T[] {
    return this.rows.filter(matches);
  }

  one(matches: (row: T) => boolean): T | null {
    return this.rows.find(matches) ?? null;
  }

  add(...rows: readonly T[]): void {
    this.apply((before) => [...before, ...rows]);
  }

  /** Replaces the matching rows and returns how many there were. */
  change(matches: (row: T) => boolean, next: (row: T) => T): number {
    const count = this.where(matches).length;
    this.apply((before) => before.map((row) => (matches(row) ? next(row) : row)));
    return count;
  }

  /** Removes the matching rows and returns how many there were. */
  remove(matches: (row: T) => boolean): number {
    const count = this.where(matches).length;
    this.apply((before) => before.filter((row) => !matches(row)));
    return count;
  }

  begin(): void {
    this.committed = this.rows;
  }

  commit(): void {
    this.committed = null;
  }

  rollBack(): void {
    this.rows = this.committed ?? this.rows;
    this.committed = null;
  }

  /** A change of a caller outside the open transaction stays when that one rolls back. */
  private apply(change: (rows: readonly T[]) => readonly T[]): void {
    this.rows = change(this.rows);
    if (this.committed && !this.isInTransaction()) this.committed = change(this.committed);
  }
}
