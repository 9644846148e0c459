import type { AppId, EventId } from './ids.js';

/** Something that happened in an app. It goes to webhooks, the event feed and subscribers, and contains no secret. */
export interface DomainEvent {
  /** Dotted lower-case name, e.g. `user.created`. */
  readonly type: string;
  readonly appId: AppId;
  /** Only of an event that is named elsewhere; every other event gets a new id when it is stored. */
  readonly id?: EventId;
  /** JSON as published: names in snake_case, ids instead of copies. */
  readonly data: Readonly<Record<string, unknown>>;
}

export interface DomainEventClass<E extends DomainEvent> {
  readonly name: string;
  readonly prototype: E;
}
