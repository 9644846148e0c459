/** An event of the feed. Webhooks send the same text. */
export interface FeedEvent {
  readonly id: string;
  readonly type: string;
  /** Epoch seconds. */
  readonly created_at: number;
  readonly app_id: string;
  /** Dense in the app, from 1. If one change waited for another, its position is higher. */
  readonly position: number;
  /** `created_at` in ISO 8601, with milliseconds. */
  readonly timestamp: string;
  readonly data: Readonly<Record<string, unknown>>;
}
