import type { AppId, EventId } from './ids.js';
import { type DataFields, type DataOf, type JsonSchema, optional, schemaOf, text } from './event-data.js';
import { Registry } from './registry.js';

/** Goes to webhooks, the event feed and subscribers, and contains no secret. */
export interface DomainEvent {
  readonly type: string;
  readonly appId: AppId;
  /** An event that is named elsewhere has an id; every other one gets a new id when it is stored. */
  readonly id?: EventId;
  /** Names are in snake_case, and objects are named by their ids. */
  readonly data: Readonly<Record<string, unknown>>;
}

export interface DomainEventClass<E extends DomainEvent> {
  readonly name: string;
  readonly prototype: E;
}

/** The type of the data, its schema and its documentation are made from it. */
interface EventDeclaration<F extends DataFields = DataFields> {
  readonly name: string;
  /** Increases when the data change incompatibly. 1 by default. */
  readonly version?: number;
  readonly description: string;
  readonly data: F;
}

export interface EventType {
  readonly name: string;
  readonly version: number;
  readonly description: string;
  readonly schema: JsonSchema;
}

const ACTOR = { actor: optional(text('The restricted key whose call it was.')) };

const declared = new Registry<EventType>('The event type');

/** Call it while a module is loaded: the API document contains the types that are declared then. */
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

export function eventTypes(): readonly EventType[] {
  return [...declared.values()].toSorted((one, other) => (one.name < other.name ? -1 : 1));
}
