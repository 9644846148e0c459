import { IdOf, Text, WholeNumber } from '../../../edge/http/fields.js';
import { ManagementListQuery } from '../../../edge/http/list.dto.js';
import type { EventId, UserId } from '../../../kernel/ids.js';
import { Example } from '../../../edge/openapi/plugin-schemas.js';
import { EventResponse } from './event.dto.js';

const EXAMPLE_FEED_ID = 'feed_0a1b2c3d4e5f.0';

export class ListEventsRequest {
  /** The id or the position of the last event that the caller has handled. If it is absent, the list begins with the oldest event. */
  @Text({ optional: true, max: 64 })
  readonly after?: string;

  /**
   * The `feed_id` of the response in which the caller found its position. If the feed is another one now, because the database was
   * restored to an earlier state, the response is a 409 that names the last position that both feeds have.
   */
  @Text({ optional: true, max: 1_024, example: EXAMPLE_FEED_ID })
  readonly feed_id?: string;

  /** The types of the listed events, separated by commas. All types if it is absent. */
  @Text({ optional: true, max: 4_096 })
  readonly types?: string;

  /** Lists only events about this user. */
  @IdOf('user', { optional: true })
  readonly user_id?: UserId;

  /** The maximum number of items. `has_more` says whether there are more. */
  @WholeNumber({ min: 1, max: 1_000 })
  readonly limit: number = 100;
}

export class ListEventsResponse {
  /** The events, oldest first, in the order of their positions. */
  readonly events!: EventResponse[];
  /** Whether more events follow the last one of the list. */
  readonly has_more!: boolean;
  /** The feed that the positions belong to. Another id means that the database was restored to an earlier state. */
  @Example(EXAMPLE_FEED_ID)
  readonly feed_id!: string;
}

export class ListUserEventsQuery extends ManagementListQuery {
  /** The types of the listed events, separated by commas. All types if it is absent. */
  @Text({ optional: true, max: 4_096 })
  readonly types?: string;

  /** The id of the last event of the previous page. */
  @IdOf('event', { optional: true })
  readonly starting_after?: EventId;
}

export class ListUserEventsResponse {
  /** The events, newest first, in the reverse order of their positions. */
  readonly events!: EventResponse[];
  /** Whether more events follow the last one of the list. */
  readonly has_more!: boolean;
}
