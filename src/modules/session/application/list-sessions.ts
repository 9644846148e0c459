import { Injectable } from '@nestjs/common';
import type { AppId, SessionId, UserId } from '../../../kernel/ids.js';
import { UserNotFound } from '../../identity/index.js';
import { SessionRepository } from '../domain/session.repository.js';
import { type SessionDocument, sessionDocument } from '../domain/session.js';

/** One page of a user's live sessions, newest first. */
@Injectable()
export class ListSessions {
  constructor(private readonly sessions: SessionRepository) {}

  async execute(
    appId: AppId,
    userId: UserId,
    limit: number,
    startingAfter: SessionId | null,
  ): Promise<{ sessions: SessionDocument[]; hasMore: boolean }> {
    // One more row than requested shows whether there is a next page.
    const found = await this.sessions.listOf(appId, userId, limit + 1, startingAfter);
    if (!found) throw new UserNotFound();
    return { sessions: found.slice(0, limit).map(sessionDocument), hasMore: found.length > limit };
  }
}
