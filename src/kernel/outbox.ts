import type { DomainEvent, DomainEventClass } from './domain-event.js';

/**
 * Where domain events go. An event is stored in the transaction of the change it tells of, so either both are there
 * or neither is.
 */
export abstract class DomainEvents {
  /**
   * Runs the in-transaction subscribers now and stores the event with the transaction's next flush (at the latest just
   * before COMMIT). Must be called inside `Transactions.run`.
   */
  abstract publish(event: DomainEvent): Promise<void>;

  /** Stores an event that tells of no change in the database, such as a signature: one statement of its own. Nothing subscribes to such. */
  abstract record(event: DomainEvent): Promise<void>;

  /** Registers what must happen in the same transaction as the event. A subscriber that throws undoes the change. */
  abstract subscribe<E extends DomainEvent>(type: DomainEventClass<E>, handler: (event: E) => Promise<void>): void;
}
