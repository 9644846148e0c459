import { Example } from '../../../edge/openapi/plugin-schemas.js';
export class EventTypeResponse {
  @Example('user.created')
  readonly name!: string;
  /** The version of the schema, which increases if the schema changes incompatibly. */
  readonly version!: number;
  @Example('A user was created.')
  readonly description!: string;
  /** The JSON Schema of `data`. */
  readonly schema!: Readonly<Record<string, unknown>>;
}

export class ListEventTypesResponse {
  readonly event_types!: EventTypeResponse[];
}
