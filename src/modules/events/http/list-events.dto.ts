import { IdOf, Text, WholeNumber } from '../../../edge/http/fields.js';
import { ManagementListQuery } from '../../../edge/http/management-list.dto.js';
import type { EventId, UserId } from '../../../kernel/ids.js';
import { Example } from '../../../edge/openapi/plugin-schemas.js';
import { EventResponse } from './event.dto.js';

const EXAMPLE_FEED_ID = 'feed_0a1b2c3d4e5f.0';

export class ListEventsRequest {
  /** The id or the position of the last event that the caller has handled. Without it the list begins with the oldest event. */
  @Text({ optional: true, max: 64 })
  readonly after?: string;

  /**
   * The `feed_id` of the answer in which the caller found its position. When the feed is another one now, because the database was
   * brought back to an older state, the call is a 409 that names the last position that both feeds have.
   */
  @Text({ optional: true, max: 1_024, example: EXAMPLE_FEED_ID })
  readonly feed_id?: string;

  /** Types of events, separated by commas. All when absent. */
  @Text({ optional: true, max: 4_096 })
  readonly types?: string;

  /** Only events about this user. */
  @IdOf('user', { optional: true })
  readonly user_id?: UserId;

  /** The maximum number of items. `has_more` says whether there are more. */
  @WholeNumber({ min: 1, max: 1_000 })
  readonly limit: number = 100;
}

export class ListEventsResponse {
  /** Oldest first, in the order of their positions. */
  readonly events!: EventResponse[];
  /** Whether there are more after the last of these. */
  readonly has_more!: boolean;
  /** The feed that the positions belong to. Another id means that the database was brought back to an older state. */
  @Example(EXAMPLE_FEED_ID)
  readonly feed_id!: string;
}

export class ListUserEventsQuery extends ManagementListQuery {
  /** Types of events, separated by commas. All when absent. */
  @Text({ optional: true, max: 4_096 })
  readonly types?: string;

  /** The id of the last event of the previous page. */
  @IdOf('event', { optional: true })
  readonly starting_after?: EventId;
}

export class ListUserEventsResponse {
  /** Newest first, in the reverse order of their positions. */
  readonly events!: EventResponse[];
  /** Whether there are more after the last of these. */
  readonly has_more!: boolean;
}
