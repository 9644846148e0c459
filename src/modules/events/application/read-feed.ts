import { Injectable } from '@nestjs/common';
import { type AppId, isId, timeOf } from '../../../kernel/ids.js';
import { type Cursor, type CursorState, EventFeed, type FeedFilter } from '../domain/event-feed.js';
import { feedIdOf, lastCommonPosition } from '../domain/feed-id.js';
import { CursorExpired, FeedWasReset, InvalidCursor } from '../domain/events.errors.js';
import type { FeedEvent } from '../domain/event.js';
import { requireKnownTypes } from './known-types.js';

export interface FeedRequest extends FeedFilter {
  /** An event id or a position. If it is absent, the feed is read from the oldest event. */
  readonly after?: string;
  /** The id in the response in which the caller found the cursor. */
  readonly feedId?: string;
  readonly limit: number;
}

/** Reads the events of an app after a cursor, oldest first. */
@Injectable()
export class ReadFeed {
  constructor(private readonly feed: EventFeed) {}

  async execute(
    appId: AppId,
    { after, feedId: wantedId, limit, types, userId }: FeedRequest,
  ): Promise<{ events: FeedEvent[]; hasMore: boolean; feedId: string }> {
    requireKnownTypes(types ?? []);
    const cursor = after === undefined ? { position: 0 } : cursorIn(after);
    const state = await this.feed.locate(appId, cursor);
    const feedId = feedIdOf(state.histories);
    if (wantedId !== undefined) requireSame(state, wantedId, cursor);
    const from = after === undefined ? { position: 0, since: null } : resolve(state, cursor);
    if (from === null) return { events: [], hasMore: false, feedId };
    const filter = { ...(types && { types }), ...(userId && { userId }) };
    const { events, droppedPosition } = await this.feed.page(appId, from, filter, limit + 1);
    // The events that follow the cursor were removed after it was found.
    if (after !== undefined && from.position < droppedPosition) throw new CursorExpired(droppedPosition + 1);
    return { events: events.slice(0, limit), hasMore: events.length > limit, feedId };
  }
}

/** A position above the last one was given before the database was brought back, and is not given again yet. */
function requireSame({ histories, lastPosition }: CursorState, feedId: string, cursor: Cursor): void {
  const isLost = 'position' in cursor && cursor.position > lastPosition;
  if (feedId !== feedIdOf(histories) || isLost)
    throw new FeedWasReset(lastCommonPosition(histories, feedId, lastPosition));
}

/** Null when no event follows the cursor. */
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
