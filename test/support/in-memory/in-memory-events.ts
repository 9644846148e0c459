import { type DomainEvent, isEventType } from '../../../src/kernel/event-types.js';
import { DomainEvents, type SubscribedClass } from '../../../src/kernel/domain-events.js';
import type { InMemoryTransactions, Rows } from './in-memory-transactions.js';

/** Keeps the stored events. A rolled back transaction stores none. */
export class InMemoryEvents extends DomainEvents {
  private readonly stored: Rows<DomainEvent>;
  private readonly subscribers: {
    readonly type: unknown;
    handle(event: object): Promise<void> | void;
  }[] = [];

  constructor(private readonly transactions: InMemoryTransactions) {
    super();
    this.stored = transactions.rows<DomainEvent>();
  }

  /** The types of the stored events, first one first. */
  get types(): string[] {
    return this.typesOf(() => true);
  }

  typesOf(matches: (event: DomainEvent) => boolean): string[] {
    return this.stored.where(matches).map(({ type }) => type);
  }

  async publish(...events: readonly DomainEvent[]): Promise<void> {
    for (const event of events) await this.publishOne(event);
  }

  private async publishOne(event: DomainEvent): Promise<void> {
    if (!this.transactions.isOpen) throw new Error(`${event.type} was published outside a transaction.`);
    if (!isEventType(event.type)) throw new Error(`The event type ${event.type} is not declared.`);
    this.stored.add(event);
    await this.signal(event);
  }

  async signal(signal: object): Promise<void> {
    for (const { type, handle } of this.subscribers) if (type === signal.constructor) await handle(signal);
  }

  subscribe<E extends object>(type: SubscribedClass<E>, handler: (event: E) => Promise<void> | void): void {
    this.subscribers.push({ type, handle: (event) => handler(event as E) });
  }
}
