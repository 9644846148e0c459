/** An event of the feed. Webhooks send the same text. */
export interface FeedEvent {
  readonly id: string;
  readonly type: string;
  /** The time of the event, in epoch seconds. */
  readonly created_at: number;
  readonly app_id: string;
  /** The position of the event in its app, dense from 1. If one change waited for another, its position is higher. */
  readonly position: number;
  /** The time in `created_at`, in ISO 8601 with milliseconds. */
  readonly timestamp: string;
  readonly data: Readonly<Record<string, unknown>>;
}
