import { Injectable } from '@nestjs/common';
import { type AppId, isId, timeOf } from '../../../kernel/ids.js';
import { Clock } from '../../../kernel/clock.js';
import { type Cursor, EventFeed, type FeedFilter } from '../domain/event-feed.js';
import { EventsSettings } from '../domain/events-settings.js';
import { CursorExpired, InvalidCursor } from '../domain/events.errors.js';
import type { FeedEvent } from '../domain/event.js';
import { requireKnownTypes } from './known-types.js';

export interface FeedRequest extends FeedFilter {
  /** An event id or a position; absent: from the oldest event. */
  readonly after?: string;
  readonly limit: number;
}

const DAY_MS = 86_400_000;

/** Reads the events of an app after a cursor, oldest first. */
@Injectable()
export class ReadFeed {
  constructor(
    private readonly feed: EventFeed,
    private readonly clock: Clock,
    private readonly settings: EventsSettings,
  ) {}

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
    const { lastPosition, droppedPosition, position: found, since } = await this.feed.locate(appId, cursor);
    const position = 'position' in cursor ? cursor.position : found;
    // While nothing of the app has been dropped, an unknown id is none of its events, of whatever time it is.
    const isExpired = position === null ? droppedPosition > 0 && this.isOld(cursor) : position < droppedPosition;
    if (isExpired) throw new CursorExpired(droppedPosition + 1);
    if (position === null || position > lastPosition) throw new InvalidCursor();
    return position === lastPosition ? null : { position, since };
  }

  private isOld(cursor: Cursor): boolean {
    if ('position' in cursor) return false;
    return timeOf(cursor.eventId).getTime() < this.clock.now().getTime() - this.settings.eventRetentionDays * DAY_MS;
  }
}

const POSITION = /^(?:0|[1-9][0-9]{0,14})$/;

function cursorIn(text: string): Cursor {
  if (POSITION.test(text)) return { position: Number(text) };
  if (isId('event', text)) return { eventId: text };
  throw new InvalidCursor();
}
