import { Controller, Get, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { type AuthenticatedApp, bindingOf } from '../../../edge/http/authenticated-request.js';
import { App, ManagementKey, SecretKey } from '../../../edge/auth/credentials.js';
import { Refuses } from '../../../edge/errors/error-catalogue.js';
import { PathId } from '../../../edge/http/path-id.js';
import { eventTypes } from '../../../kernel/event-types.js';
import type { AppId, EventId, UserId } from '../../../kernel/ids.js';
import { OutsideBinding } from '../../../kernel/key-restriction.js';
import { AppNotFound } from '../../apps/index.js';
import { UserNotFound } from '../../identity/index.js';
import { ReadFeed } from '../application/read-feed.js';
import { ReadStatistics } from '../application/read-statistics.js';
import { EventFeed } from '../domain/event-feed.js';
import { EventNotFound, InvalidCursor } from '../domain/events.errors.js';
import {
  EventResponse,
  ListEventsRequest,
  ListEventsResponse,
  ListEventTypesResponse,
  ListManagedEventsQuery,
  ListManagedEventsResponse,
} from './events.dto.js';
import { StatisticResponse, StatisticsRequest, StatisticsResponse } from './statistics.dto.js';

@ApiTags('events')
@Controller('v1')
export class EventsController {
  constructor(
    private readonly readFeed: ReadFeed,
    private readonly feed: EventFeed,
  ) {}

  /**
   * List the events of the app
   *
   * @remarks The feed contains every event of the app, oldest first. Call it with `after` set to the last event that was handled.
   * Positions are dense: the feed skips no event and shows none twice, however many calls or webhooks were missed meanwhile.
   */
  @Get('events')
  @SecretKey({ scopes: 'events:read', keepsBinding: true })
  @Refuses(ReadFeed)
  async list(@App() app: AuthenticatedApp, @Query() query: ListEventsRequest): Promise<ListEventsResponse> {
    const { after, feed_id, types, limit } = query;
    const binding = bindingOf(app);
    // The feed is indexed by user, so events of wallets alone cannot be found.
    if (binding?.userId === null) throw new OutsideBinding();
    const userId = query.user_id ?? binding?.userId;
    const { events, hasMore, feedId } = await this.readFeed.execute(app.id, {
      limit,
      ...(after !== undefined && { after }),
      ...(feed_id !== undefined && { feedId: feed_id }),
      ...(types !== undefined && { types: types.split(',') }),
      ...(userId !== undefined && { userId }),
      ...(binding?.walletIds && { walletIds: binding.walletIds }),
    });
    return { events, has_more: hasMore, feed_id: feedId };
  }

  /**
   * Get an event
   *
   * @remarks Returns one event of the feed.
   */
  @Get('events/:event_id')
  @SecretKey({ scopes: 'events:read', keepsBinding: true })
  async get(
    @App() app: AuthenticatedApp,
    @PathId('event_id', 'event', EventNotFound) eventId: EventId,
  ): Promise<EventResponse> {
    const event = await this.feed.find(app.id, eventId);
    if (!event) throw new EventNotFound();
    return event;
  }

  /**
   * List the types of events
   *
   * @remarks Returns every type of event with its description and the JSON schema of its data.
   */
  @Get('event_types')
  @SecretKey({ scopes: 'events:read', keepsBinding: true })
  listTypes(): ListEventTypesResponse {
    return { event_types: [...eventTypes()] };
  }
}

@ApiTags('management: events')
@Controller('management/v1/apps/:app_id')
export class ManagedEventsController {
  constructor(private readonly readFeed: ReadFeed) {}

  /**
   * List the latest events of an app
   *
   * @remarks Returns the events of the app with their data, newest first. A program that handles each event reads `GET /v1/events` instead.
   */
  @Get('events')
  @ManagementKey('auditor')
  @Refuses(InvalidCursor)
  async latest(
    @PathId('app_id', 'app', AppNotFound) appId: AppId,
    @Query() query: ListManagedEventsQuery,
  ): Promise<ListManagedEventsResponse> {
    return ListManagedEventsResponse.of(await this.readFeed.latest(appId, ListManagedEventsQuery.request(query)));
  }

  /**
   * List the events of a user
   *
   * @remarks Returns the events of a user, also of a deleted one, as long as events are kept.
   */
  @Get('users/:user_id/events')
  @ManagementKey('auditor')
  @Refuses(InvalidCursor)
  async list(
    @PathId('app_id', 'app', AppNotFound) appId: AppId,
    @PathId('user_id', 'user', UserNotFound) userId: UserId,
    @Query() query: ListManagedEventsQuery,
  ): Promise<ListManagedEventsResponse> {
    return ListManagedEventsResponse.of(
      await this.readFeed.ofUser(appId, userId, ListManagedEventsQuery.request(query)),
    );
  }
}

@ApiTags('management: events')
@Controller('management/v1/apps/:app_id/statistics')
export class StatisticsController {
  constructor(private readonly readStatistics: ReadStatistics) {}

  /**
   * Get statistics of an app
   *
   * @remarks Counts the sessions that began (`logins`), refused proofs, mails and SMS that were accepted, signatures, and the states that
   * transfers reached.
   */
  @Get()
  @ManagementKey('auditor')
  async list(
    @PathId('app_id', 'app', AppNotFound) appId: AppId,
    @Query() query: StatisticsRequest,
  ): Promise<StatisticsResponse> {
    return { statistics: (await this.readStatistics.execute(appId, query)).map(StatisticResponse.of) };
  }
}
