import type { AppId, EventId } from './ids.js';
import { type DataFields, type DataOf, type JsonSchema, optional, schemaOf, text } from './event-data.js';
import { Registry } from './registry.js';

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

/** The declaration of an event class. The type of its data, its schema and its documentation are made from it. */
interface EventDeclaration<F extends DataFields = DataFields> {
  /** Dotted lower-case name, e.g. `user.created`. */
  readonly name: string;
  /** Increases when the data change incompatibly. 1 by default. */
  readonly version?: number;
  /** Describes the event in one or two sentences for the readers of webhooks. */
  readonly description: string;
  readonly data: F;
}

/** A type of events as readers see it. */
export interface EventType {
  readonly name: string;
  readonly version: number;
  readonly description: string;
  /** The JSON Schema of the event's data. */
  readonly schema: JsonSchema;
}

/** Added to the events of a restricted key's call. */
const ACTOR = { actor: optional(text('The restricted key whose call it was.')) };

const declared = new Registry<EventType>('The event type');

/**
 * Declares a type of events and returns the base class of its events. Call it while a module is loaded: the API document contains the types
 * that are declared then.
 */
export function eventOf<const F extends DataFields>({ name, version = 1, description, data }: EventDeclaration<F>) {
  declared.add(name, { name, version, description, schema: schemaOf({ ...data, ...ACTOR }) });
  return class DeclaredEvent implements DomainEvent {
    readonly type = name;
    constructor(
      readonly appId: AppId,
      readonly data: DataOf<F>,
    ) {}
  };
}

export function isEventType(name: string): boolean {
  return declared.has(name);
}

/** All types that are declared, by name. */
export function eventTypes(): readonly EventType[] {
  return [...declared.values()].toSorted((one, other) => (one.name < other.name ? -1 : 1));
}
