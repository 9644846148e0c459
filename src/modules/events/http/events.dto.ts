import { ApiSchema } from '@nestjs/swagger';
import { IdOf, Text, WholeNumber } from '../../../edge/http/fields.js';
import { ManagementListQuery, pageIn } from '../../../edge/http/list.dto.js';
import { Example } from '../../../edge/openapi/plugin-schemas.js';
import { exampleId } from '../../../kernel/examples.js';
import type { EventId, UserId } from '../../../kernel/ids.js';
import type { Page } from '../../../kernel/paging.js';
import type { LatestEventsRequest } from '../application/read-feed.js';

@ApiSchema({ description: 'An event of the app. A webhook delivers the same object.' })
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
  /** The id of the request that caused the event, as in its header `X-Request-Id`. Absent if no request did. */
  @Example('3f1b6c1e-0c5d-4a44-9f57-8a1f0a6f2f11')
  readonly request_id?: string;
  /** The ids and states of the event; the schema of the type describes them. */
  @Example({ user_id: exampleId('user') })
  readonly data!: Readonly<Record<string, unknown>>;
}

export class ListEventsRequest {
  /** The id or the position of the last event that the caller has handled. If it is absent, the list begins with the oldest event. */
  @Text({ optional: true, max: 64 })
  readonly after?: string;

  /**
   * The `feed_id` of the response in which the caller found its position. If the feed is another one now, because the database was
   * restored to an earlier state, the response is a 409 that names the last position that both feeds have.
   */
  @Text({ optional: true, max: 1_024 })
  readonly feed_id?: string;

  /** The types of the listed events, separated by commas. All types if it is absent. */
  @Text({ optional: true, max: 4_096 })
  readonly types?: string;

  /** Lists only events about this user. */
  @IdOf('user', { optional: true })
  readonly user_id?: UserId;

  /** The maximum number of items. `has_more` says whether there are more. */
  @WholeNumber({ min: 1, max: 1_000, unit: 'events' })
  readonly limit: number = 100;
}

@ApiSchema({ description: 'The events after the given one.' })
export class ListEventsResponse {
  /** The events, oldest first, in the order of their positions. */
  readonly events!: EventResponse[];
  /** Whether more events follow the last one of the list. */
  readonly has_more!: boolean;
  /** The feed that the positions belong to. Another id means that the database was restored to an earlier state. */
  @Example('feed_0a1b2c3d4e5f.0')
  readonly feed_id!: string;
}

export class ListManagedEventsQuery extends ManagementListQuery {
  /** The types of the listed events, separated by commas. All types if it is absent. */
  @Text({ optional: true, max: 4_096 })
  readonly types?: string;

  /** The id of the last event of the previous page. */
  @IdOf('event', { optional: true })
  readonly starting_after?: EventId;

  static request({ types, ...page }: ListManagedEventsQuery): LatestEventsRequest {
    return { ...pageIn(page), ...(types !== undefined && { types: types.split(',') }) };
  }
}

@ApiSchema({ description: 'A page of events.' })
export class ListManagedEventsResponse {
  /** The events, newest first, in the reverse order of their positions. */
  readonly events!: EventResponse[];
  /** Whether more events follow the last one of the list. */
  readonly has_more!: boolean;

  static of({ items, hasMore }: Page<EventResponse>): ListManagedEventsResponse {
    return { events: [...items], has_more: hasMore };
  }
}

export class EventTypeResponse {
  /** The name of the type, as events have it in `type`. */
  @Example('user.created')
  readonly name!: string;
  /** The version of the schema, which increases if the schema changes incompatibly. */
  readonly version!: number;
  /** The change that events of this type report. */
  @Example('A user was created.')
  readonly description!: string;
  /** The JSON Schema of `data`. */
  readonly schema!: Readonly<Record<string, unknown>>;
}

@ApiSchema({ description: 'All types of events with their schemas.' })
export class ListEventTypesResponse {
  /** All types of events, sorted by name. */
  readonly event_types!: EventTypeResponse[];
}
