import { Injectable } from '@nestjs/common';
import type { AppId, SessionId, UserId } from '../../../kernel/ids.js';
import { AppsFacade } from '../../apps/index.js';
import { UserNotFound } from '../../identity/index.js';
import { SessionRepository } from '../domain/session.repository.js';
import { type KeptSession, type LiveSession, type SessionDocument, sessionDocument } from '../domain/session.js';

interface Page<T> {
  readonly sessions: T[];
  readonly hasMore: boolean;
}

/** One page of sessions, newest first. */
@Injectable()
export class ListSessions {
  constructor(
    private readonly sessions: SessionRepository,
    private readonly apps: AppsFacade,
  ) {}

  /** Live sessions of a user. Throws `UserNotFound`. */
  async execute(
    appId: AppId,
    userId: UserId,
    limit: number,
    startingAfter: SessionId | null,
  ): Promise<Page<SessionDocument>> {
    const { sessions, hasMore } = await this.ofUser(appId, userId, limit, startingAfter);
    return { sessions: sessions.map(sessionDocument), hasMore };
  }

  /** All sessions of the app, or the live ones of a user. Throws `AppNotFound`, `UserNotFound`. */
  async forOperators(
    appId: AppId,
    limit: number,
    startingAfter: SessionId | null,
    userId?: UserId,
  ): Promise<Page<KeptSession>> {
    await this.apps.requireLive(appId);
    if (userId === undefined) return pageOf(await this.sessions.list(appId, limit + 1, startingAfter), limit);
    const { sessions, hasMore } = await this.ofUser(appId, userId, limit, startingAfter);
    return { sessions: sessions.map((session) => ({ ...session, revokedAt: null })), hasMore };
  }

  private async ofUser(
    appId: AppId,
    userId: UserId,
    limit: number,
    startingAfter: SessionId | null,
  ): Promise<Page<LiveSession>> {
    const found = await this.sessions.listOf(appId, userId, limit + 1, startingAfter);
    if (!found) throw new UserNotFound();
    return pageOf(found, limit);
  }
}

/** One more row than requested shows whether there is a next page. */
function pageOf<T>(rows: readonly T[], limit: number): Page<T> {
  return { sessions: rows.slice(0, limit), hasMore: rows.length > limit };
}
