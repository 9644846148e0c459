import { Injectable } from '@nestjs/common';
import type { AppId, SessionId, UserId } from '../../../kernel/ids.js';
import type { Page, PageRequest } from '../../../kernel/paging.js';
import { AppsFacade } from '../../apps/index.js';
import { UserNotFound } from '../../identity/index.js';
import { SessionRepository } from '../domain/session.repository.js';
import { type KeptSession, type LiveSession, type SessionDocument, sessionDocument } from '../domain/session.js';

/** One page of sessions, newest first. */
@Injectable()
export class ListSessions {
  constructor(
    private readonly sessions: SessionRepository,
    private readonly apps: AppsFacade,
  ) {}

  /** Live sessions of a user. Throws `UserNotFound`. */
  async execute(appId: AppId, userId: UserId, page: PageRequest<SessionId>): Promise<Page<SessionDocument>> {
    const { items, hasMore } = await this.ofUser(appId, userId, page);
    return { items: items.map(sessionDocument), hasMore };
  }

  /** All sessions of the app, or the live ones of a user. Throws `AppNotFound`, `UserNotFound`. */
  async forOperators(appId: AppId, page: PageRequest<SessionId>, userId?: UserId): Promise<Page<KeptSession>> {
    await this.apps.requireLive(appId);
    if (userId === undefined) return this.sessions.list(appId, page);
    const { items, hasMore } = await this.ofUser(appId, userId, page);
    return { items: items.map((session) => ({ ...session, revokedAt: null })), hasMore };
  }

  private async ofUser(appId: AppId, userId: UserId, page: PageRequest<SessionId>): Promise<Page<LiveSession>> {
    const found = await this.sessions.listOf(appId, userId, page);
    if (!found) throw new UserNotFound();
    return found;
  }
}
