import { Injectable } from '@nestjs/common';
import type { AppId, EventId } from '../../../kernel/ids.js';
import { EventFeed } from '../domain/event-feed.js';
import { EventNotFound } from '../domain/events.errors.js';
import type { FeedEvent } from '../domain/event.js';

@Injectable()
export class GetEvent {
  constructor(private readonly feed: EventFeed) {}

  /** Throws `EventNotFound` also for an event that has no position yet. */
  async execute(appId: AppId, id: EventId): Promise<FeedEvent> {
    const event = await this.feed.find(appId, id);
    if (!event) throw new EventNotFound();
    return event;
  }
}
