import { Injectable } from '@nestjs/common';
import type { DomainEvent, DomainEventClass } from '../../kernel/domain-event.js';
import { DomainEvents } from '../../kernel/outbox.js';
import { currentTransaction } from '../../postgres/current-transaction.js';
import { Database } from '../../postgres/database.js';
import { insertOf } from '../../postgres/event-log.js';

/** Stores domain events with their transaction: subscribers run at once, the rows are written before COMMIT. */
@Injectable()
export class TransactionalEvents extends DomainEvents {
  private readonly subscribers = new Map<unknown, ((event: never) => Promise<void> | void)[]>();

  constructor(private readonly database: Database) {
    super();
  }

  async publish(event: DomainEvent): Promise<void> {
    const transaction = currentTransaction();
    if (!transaction) throw new Error(`${event.type} was published outside a transaction.`);
    transaction.addEvent(event);
    for (const handler of this.subscribers.get(event.constructor) ?? []) await handler(event as never);
  }

  async record(event: DomainEvent): Promise<void> {
    const { sql, parameters } = insertOf([event]);
    await this.database.write(sql, parameters);
  }

  subscribe<E extends DomainEvent>(type: DomainEventClass<E>, handler: (event: E) => Promise<void> | void): void {
    this.subscribers.set(type, [...(this.subscribers.get(type) ?? []), handler]);
  }
}
