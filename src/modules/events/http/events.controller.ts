import { Controller, Get, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { AuthenticatedApp } from '../../../edge/auth/credential.js';
import { App, SecretKey } from '../../../edge/auth/credentials.js';
import { Refuses } from '../../../edge/errors/error-catalogue.js';
import { PathId } from '../../../edge/http/path-id.js';
import { eventTypes } from '../../../kernel/event-types.js';
import type { EventId } from '../../../kernel/ids.js';
import { GetEvent } from '../application/get-event.js';
import { ReadFeed } from '../application/read-feed.js';
import { CursorExpired, EventNotFound, FeedWasReset, InvalidCursor } from '../domain/events.errors.js';
import { EventResponse } from './event.dto.js';
import { ListEventTypesResponse } from './event-types.dto.js';
import { ListEventsRequest, ListEventsResponse } from './list-events.dto.js';

@ApiTags('events')
@Controller('v1')
export class EventsController {
  constructor(
    private readonly readFeed: ReadFeed,
    private readonly getEvent: GetEvent,
  ) {}

  /**
   * List the events of the app
   *
   * @remarks The feed contains every event of the app, oldest first. Call it with `after` set to the last event that was handled.
   * Positions are dense: the feed skips no event and shows none twice, however many calls or webhooks were missed meanwhile.
   */
  @Get('events')
  @SecretKey()
  @Refuses(InvalidCursor, CursorExpired, FeedWasReset)
  async list(@App() app: AuthenticatedApp, @Query() query: ListEventsRequest): Promise<ListEventsResponse> {
    const { after, feed_id, types, user_id, limit } = query;
    const { events, hasMore, feedId } = await this.readFeed.execute(app.id, {
      limit,
      ...(after !== undefined && { after }),
      ...(feed_id !== undefined && { feedId: feed_id }),
      ...(types !== undefined && { types: types.split(',') }),
      ...(user_id !== undefined && { userId: user_id }),
    });
    return { events, has_more: hasMore, feed_id: feedId };
  }

  /**
   * Get an event
   *
   * @remarks Returns one event of the feed.
   */
  @Get('events/:event_id')
  @SecretKey()
  @Refuses(EventNotFound)
  get(
    @App() app: AuthenticatedApp,
    @PathId('event_id', 'event', EventNotFound) eventId: EventId,
  ): Promise<EventResponse> {
    return this.getEvent.execute(app.id, eventId);
  }

  /**
   * List the types of events
   *
   * @remarks Returns every type of event with its description and the JSON schema of its data.
   */
  @Get('event_types')
  @SecretKey()
  listTypes(): ListEventTypesResponse {
    return { event_types: [...eventTypes()] };
  }
}
