/** Something that happened in the app. A webhook delivers the same object. */
export class EventResponse {
  readonly id: string;
  /** The name of its type, as in `GET /v1/event_types`. */
  readonly type: string;
  readonly created_at: number;
  readonly app_id: string;
  /** Its place among the events of the app: 1, 2, 3, … If one change waited for another, its position is higher. */
  readonly position: number;
  /** `created_at` in ISO 8601, with milliseconds. */
  readonly timestamp: string;
  /** Ids and states; its schema is that of the type. */
  readonly data: Readonly<Record<string, unknown>>;
}
