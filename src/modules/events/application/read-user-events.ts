import { Injectable } from '@nestjs/common';
import { type AppId, type EventId, timeOf, type UserId } from '../../../kernel/ids.js';
import { type Page, pageFrom, type PageRequest } from '../../../kernel/paging.js';
import { AppsFacade } from '../../apps/index.js';
import { UserNotFound } from '../../identity/index.js';
import type { FeedEvent } from '../domain/event.js';
import { EventFeed } from '../domain/event-feed.js';
import { InvalidCursor } from '../domain/events.errors.js';
import { requireKnownTypes } from './known-types.js';

export interface UserEventsRequest extends PageRequest<EventId> {
  /** The types that are listed; all types if it is absent. */
  readonly types?: readonly string[];
}

/** The events about a user, newest first, as long as they are kept: also those of a user who was deleted. */
@Injectable()
export class ReadUserEvents {
  constructor(
    private readonly feed: EventFeed,
    private readonly apps: AppsFacade,
  ) {}

  /** Throws `AppNotFound`, `UserNotFound`, or `InvalidCursor` for an event that the log of this app does not have. */
  async execute(
    appId: AppId,
    userId: UserId,
    { limit, startingAfter, types }: UserEventsRequest,
  ): Promise<Page<FeedEvent>> {
    requireKnownTypes(types ?? []);
    await this.apps.requireLive(appId);
    const before = startingAfter === undefined ? null : await this.positionOf(appId, startingAfter);
    if (before === 'none') return pageFrom([], limit);
    const events = await this.feed.latestOf(appId, { userId, ...(types && { types }) }, limit + 1, before);
    if (!events) throw new UserNotFound();
    return pageFrom(events, limit);
  }

  /** `none` if the event was removed by its age: then all events before it were removed too. */
  private async positionOf(appId: AppId, eventId: EventId): Promise<number | 'none'> {
    const { position, keptSince } = await this.feed.locate(appId, { eventId });
    if (position !== null) return position;
    if (keptSince !== null && timeOf(eventId) < keptSince) return 'none';
    throw new InvalidCursor();
  }
}
