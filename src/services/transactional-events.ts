import { Injectable } from '@nestjs/common';
import { type DomainEvent, isEventType } from '../kernel/event-types.js';
import { DomainEvents, type SubscribedClass } from '../kernel/domain-events.js';
import { actingKey } from '../kernel/acting-key.js';
import { EventStore } from '../postgres/event-store.js';

/** Subscribers run at once, the rows are written before COMMIT. */
@Injectable()
export class TransactionalEvents extends DomainEvents {
  private readonly subscribers = new Map<unknown, ((event: never) => Promise<void> | void)[]>();

  constructor(private readonly store: EventStore) {
    super();
  }

  async publish(...events: readonly DomainEvent[]): Promise<void> {
    for (const event of events) await this.publishOne(event);
  }

  private async publishOne(event: DomainEvent): Promise<void> {
    if (!isEventType(event.type)) throw new Error(`The event type ${event.type} is not declared.`);
    const actor = actingKey();
    this.store.add(actor === undefined ? event : { ...event, data: { ...event.data, actor } });
    await this.signal(event);
  }

  async signal(signal: object): Promise<void> {
    // Side by side, so that their statements share round trips.
    const handlers = this.subscribers.get(signal.constructor) ?? [];
    await Promise.all(handlers.map(async (handler) => handler(signal as never)));
  }

  subscribe<E extends object>(type: SubscribedClass<E>, handler: (event: E) => Promise<void> | void): void {
    this.subscribers.set(type, [...(this.subscribers.get(type) ?? []), handler]);
  }
}
