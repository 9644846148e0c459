import type { DomainEvent } from './event-types.js';

/** A class of events or signals. */
export interface SubscribedClass<E extends object> {
  readonly name: string;
  readonly prototype: E;
}

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

  /** Runs the in-transaction subscribers of a signal now. A signal stays inside the service: no reader of events learns of it. */
  abstract signal(signal: object): Promise<void>;

  /**
   * Registers a handler that runs in the transaction of the event or signal, beside its other handlers: none waits for another. When it
   * throws, the change is rolled back.
   */
  abstract subscribe<E extends object>(type: SubscribedClass<E>, handler: (event: E) => Promise<void> | void): void;
}
