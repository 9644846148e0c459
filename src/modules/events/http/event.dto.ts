import { Example } from '../../../edge/openapi/plugin-schemas.js';
import { exampleId } from '../../../kernel/examples.js';
/** An event of the app. A webhook delivers the same object. */
export class EventResponse {
  @Example(exampleId('event'))
  readonly id!: string;
  /** The name of its type, as in `GET /v1/event_types`. */
  @Example('user.created')
  readonly type!: string;
  readonly created_at!: number;
  readonly app_id!: string;
  /** The position of the event in its app: 1, 2, 3, … If one change waited for another, its position is higher. */
  readonly position!: number;
  /** The time in `created_at`, in ISO 8601 with milliseconds. */
  @Example('2026-01-01T00:00:00.000Z')
  readonly timestamp!: string;
  /** The ids and states of the event; the schema of the type describes them. */
  @Example({ user_id: exampleId('user') })
  readonly data!: Readonly<Record<string, unknown>>;
}
