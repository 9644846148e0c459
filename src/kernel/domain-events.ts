import type { DomainEvent } from './event-types.js';

export interface SubscribedClass<E extends object> {
  readonly name: string;
  readonly prototype: E;
}

/** An event and the change that it describes are stored in one transaction. */
export abstract class DomainEvents {
  /** Events are stored with COMMIT, when all locks are granted: those of a transaction that waited for another one come after. */
  abstract publish(...events: readonly DomainEvent[]): Promise<void>;

  /** No reader of events learns of a signal. */
  abstract signal(signal: object): Promise<void>;

  /** Runs in the transaction of the event, beside other handlers without waiting for them. When it throws, the change is rolled back. */
  abstract subscribe<E extends object>(type: SubscribedClass<E>, handler: (event: E) => Promise<void> | void): void;
}
