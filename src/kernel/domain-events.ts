import type { DomainEvent, DomainEventClass } from './event-types.js';

/**
 * Publishes domain events. An event is stored in the transaction of the change that it describes, so either both are stored or
 * neither is.
 */
export abstract class DomainEvents {
  /**
   * Runs the in-transaction subscribers now, for one event after the other, and stores the events together with COMMIT, when all locks are
   * granted: if this transaction waited for another, its events come after those of the other. Must be called inside `Transactions.run`.
   */
  abstract publish(...events: readonly DomainEvent[]): Promise<void>;

  /** Registers a handler that runs in the transaction of the event. When it throws, the change is rolled back. */
  abstract subscribe<E extends DomainEvent>(
    type: DomainEventClass<E>,
    handler: (event: E) => Promise<void> | void,
  ): void;
}
