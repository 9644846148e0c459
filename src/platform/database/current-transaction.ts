import { AsyncLocalStorage } from 'node:async_hooks';
import type { ClientBase } from 'pg';
import type { EntityManager } from 'typeorm';
import type { DomainEvent } from '../../kernel/domain-event.js';

/** What belongs to one open transaction. */
export class OpenTransaction {
  private events: DomainEvent[] = [];
  private readonly committed: (() => void)[] = [];

  constructor(
    readonly client: ClientBase,
    readonly manager: EntityManager,
  ) {}

  addEvent(event: DomainEvent): void {
    this.events.push(event);
  }

  /** The events not yet written, which become the caller's to write. */
  takeEvents(): DomainEvent[] {
    const taken = this.events;
    this.events = [];
    return taken;
  }

  /** Runs `action` once the transaction has committed; not at all when it rolls back. */
  onCommit(action: () => void): void {
    this.committed.push(action);
  }

  announceCommit(): void {
    for (const action of this.committed) action();
  }
}

const storage = new AsyncLocalStorage<OpenTransaction | undefined>();

export function currentTransaction(): OpenTransaction | undefined {
  return storage.getStore();
}

export function runIn<T>(transaction: OpenTransaction | undefined, work: () => Promise<T>): Promise<T> {
  return storage.run(transaction, work);
}
