import type { DomainEvent, DomainEventClass } from '../../../src/kernel/domain-event.js';
import { DomainEvents } from '../../../src/kernel/outbox.js';
import type { InMemoryTransactions, Rows } from './in-memory-transactions.js';

/** Keeps the stored events. A rolled back transaction stores none. */
export class InMemoryEvents extends DomainEvents {
  private readonly stored: Rows<DomainEvent>;
  private readonly handlers: {
    readonly type: DomainEventClass<DomainEvent>;
    handle(event: DomainEvent): Promise<void>;
  }[] = [];

  constructor(transactions: InMemoryTransactions) {
    super();
    this.stored = transactions.rows<DomainEvent>();
  }

  /** The types of the stored events, first one first. */
  get types(): string[] {
    return this.stored.where(() => true).map(({ type }) => type);
  }

  async publish(event: DomainEvent): Promise<void> {
    this.stored.add(event);
    for (const { type, handle } of this.handlers) if (type.prototype.isPrototypeOf(event)) await handle(event);
  }

  async record(event: DomainEvent): Promise<void> {
    this.stored.add(event);
  }

  subscribe<E extends DomainEvent>(type: DomainEventClass<E>, handler: (event: E) => Promise<void>): void {
    this.handlers.push({ type, handle: (event) => handler(event as E) });
  }
}
