export class EventTypeResponse {
  readonly name: string;
  /** Increases when the schema changes incompatibly. */
  readonly version: number;
  readonly description: string;
  /** JSON Schema of `data`. */
  readonly schema: Readonly<Record<string, unknown>>;
}

export class ListEventTypesResponse {
  readonly event_types: EventTypeResponse[];
}
