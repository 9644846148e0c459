import { Injectable } from '@nestjs/common';
import { InvalidRequest } from '../../../kernel/errors.js';
import { isEventType } from '../../../kernel/event-types.js';
import { type AppId, type EventId, isId, timeOf, type UserId } from '../../../kernel/ids.js';
import { type Page, pageFrom, type PageRequest } from '../../../kernel/paging.js';
import { AppsFacade } from '../../apps/index.js';
import { UserNotFound } from '../../identity/index.js';
import {
  type Cursor,
  type CursorState,
  EventFeed,
  type FeedEvent,
  type FeedFilter,
  feedIdOf,
  lastCommonPosition,
} from '../domain/event-feed.js';
import { CursorExpired, FeedWasReset, InvalidCursor } from '../domain/events.errors.js';

export interface FeedRequest extends FeedFilter {
  /** An event id or a position; if absent, the feed is read from the oldest event. */
  readonly after?: string;
  /** The id of the response in which the caller found the cursor. */
  readonly feedId?: string;
  readonly limit: number;
}

export interface LatestEventsRequest extends PageRequest<EventId> {
  readonly types?: readonly string[];
}

@Injectable()
export class ReadFeed {
  static readonly refusals = [InvalidCursor, CursorExpired, FeedWasReset];

  constructor(
    private readonly feed: EventFeed,
    private readonly apps: AppsFacade,
  ) {}

  async execute(
    appId: AppId,
    { after, feedId: wantedId, limit, types, userId, walletIds }: FeedRequest,
  ): Promise<{ events: FeedEvent[]; hasMore: boolean; feedId: string }> {
    requireKnownTypes(types ?? []);
    const cursor = after === undefined ? { position: 0 } : cursorIn(after);
    const state = await this.feed.locate(appId, cursor);
    const feedId = feedIdOf(state.histories);
    if (wantedId !== undefined) requireSame(state, wantedId, cursor);
    const from = after === undefined ? { position: 0, since: null } : resolve(state, cursor);
    if (from === null) return { events: [], hasMore: false, feedId };
    const filter = { ...(types && { types }), ...(userId && { userId }), ...(walletIds && { walletIds }) };
    const { events, droppedPosition } = await this.feed.page(appId, from, filter, limit + 1);
    // The events that follow the cursor were removed after it was found.
    if (after !== undefined && from.position < droppedPosition) throw new CursorExpired(droppedPosition + 1);
    return { events: events.slice(0, limit), hasMore: events.length > limit, feedId };
  }

  async latest(appId: AppId, request: LatestEventsRequest): Promise<Page<FeedEvent>> {
    return (await this.newestFirst(appId, request, (filter, ...of) => this.feed.latest(appId, filter, ...of)))!;
  }

  async ofUser(appId: AppId, userId: UserId, request: LatestEventsRequest): Promise<Page<FeedEvent>> {
    const page = await this.newestFirst(appId, request, (filter, ...of) =>
      this.feed.latestOf(appId, { ...filter, userId }, ...of),
    );
    if (!page) throw new UserNotFound();
    return page;
  }

  private async newestFirst(
    appId: AppId,
    { limit, startingAfter, types }: LatestEventsRequest,
    read: (filter: Pick<FeedFilter, 'types'>, limit: number, before: number | null) => Promise<FeedEvent[] | null>,
  ): Promise<Page<FeedEvent> | null> {
    requireKnownTypes(types ?? []);
    await this.apps.requireLive(appId);
    const before = startingAfter === undefined ? null : await this.positionOf(appId, startingAfter);
    if (before === 'none') return pageFrom([], limit);
    const events = await read(types ? { types } : {}, limit + 1, before);
    return events && pageFrom(events, limit);
  }

  /** `none` if the event was removed by its age: then all events before it were removed too. */
  private async positionOf(appId: AppId, eventId: EventId): Promise<number | 'none'> {
    const { position, keptSince } = await this.feed.locate(appId, { eventId });
    if (position !== null) return position;
    if (keptSince !== null && timeOf(eventId) < keptSince) return 'none';
    throw new InvalidCursor();
  }
}

function requireKnownTypes(types: readonly string[]): void {
  const unknown = types.filter((type) => !isEventType(type));
  if (unknown.length === 0) return;
  throw new InvalidRequest(
    unknown.map((type) => ({
      field: 'types',
      rule: 'exists',
      message: `names ${JSON.stringify(type)}, which is not an event type; GET /v1/event_types lists them`,
    })),
  );
}

/** A position above the last one was given before the database was brought back. */
function requireSame({ histories, lastPosition }: CursorState, feedId: string, cursor: Cursor): void {
  const isLost = 'position' in cursor && cursor.position > lastPosition;
  if (feedId !== feedIdOf(histories) || isLost)
    throw new FeedWasReset(lastCommonPosition(histories, feedId, lastPosition));
}

function resolve(state: CursorState, cursor: Cursor): { position: number; since: Date | null } | null {
  const { lastPosition, droppedPosition, position: found, since, keptSince } = state;
  const position = 'position' in cursor ? cursor.position : found;
  // The events that the log has dropped decide, not the retention, which an operator may have changed since.
  const isExpired = position === null ? isBefore(keptSince, cursor) : position < droppedPosition;
  if (isExpired) throw new CursorExpired(droppedPosition + 1);
  if (position === null || position > lastPosition) throw new InvalidCursor();
  return position === lastPosition ? null : { position, since };
}

function isBefore(time: Date | null, cursor: Cursor): boolean {
  return time !== null && 'eventId' in cursor && timeOf(cursor.eventId) < time;
}

const POSITION = /^(?:0|[1-9][0-9]{0,14})$/;

function cursorIn(text: string): Cursor {
  if (POSITION.test(text)) return { position: Number(text) };
  if (isId('event', text)) return { eventId: text };
  throw new InvalidCursor();
}
