import type { AppId } from './ids.js';

/** Something that happened in an app, told to webhooks, the event feed, the audit log and subscribers. Never carries secrets. */
export interface DomainEvent {
  /** Dotted lower-case name, e.g. `user.created`. */
  readonly type: string;
  readonly appId: AppId;
  /** JSON as published: snake_case, ids rather than copies. */
  readonly data: Readonly<Record<string, unknown>>;
}

export interface DomainEventClass<E extends DomainEvent> {
  readonly name: string;
  readonly prototype: E;
}
