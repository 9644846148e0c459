import { Injectable } from '@nestjs/common';
import { type AppId, isId, timeOf } from '../../../kernel/ids.js';
import { type Cursor, EventFeed, type FeedFilter } from '../domain/event-feed.js';
import { CursorExpired, InvalidCursor } from '../domain/events.errors.js';
import type { FeedEvent } from '../domain/event.js';
import { requireKnownTypes } from './known-types.js';

export interface FeedRequest extends FeedFilter {
  /** An event id or a position; absent: from the oldest event. */
  readonly after?: string;
  readonly limit: number;
}

/** Reads the events of an app after a cursor, oldest first. */
@Injectable()
export class ReadFeed {
  constructor(private readonly feed: EventFeed) {}

  async execute(
    appId: AppId,
    { after, limit, types, userId }: FeedRequest,
  ): Promise<{ events: FeedEvent[]; hasMore: boolean }> {
    requireKnownTypes(types ?? []);
    const from = after === undefined ? { position: 0, since: null } : await this.resolve(appId, cursorIn(after));
    if (from === null) return { events: [], hasMore: false };
    const filter = { ...(types && { types }), ...(userId && { userId }) };
    const { events, droppedPosition } = await this.feed.page(appId, from, filter, limit + 1);
    // What follows the cursor was removed after it was found.
    if (after !== undefined && from.position < droppedPosition) throw new CursorExpired(droppedPosition + 1);
    return { events: events.slice(0, limit), hasMore: events.length > limit };
  }

  /** Null when no event follows the cursor. */
  private async resolve(appId: AppId, cursor: Cursor): Promise<{ position: number; since: Date | null } | null> {
    const { lastPosition, droppedPosition, position: found, since, keptSince } = await this.feed.locate(appId, cursor);
    const position = 'position' in cursor ? cursor.position : found;
    // By what the log has dropped, not by the retention, which an operator may have changed since.
    const isExpired = position === null ? isBefore(keptSince, cursor) : position < droppedPosition;
    if (isExpired) throw new CursorExpired(droppedPosition + 1);
    if (position === null || position > lastPosition) throw new InvalidCursor();
    return position === lastPosition ? null : { position, since };
  }
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
