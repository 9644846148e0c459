import { Controller, Delete, Get, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { ManagementKey } from '../../../edge/auth/credentials.js';
import { RequestedBy } from '../../../edge/auth/requested-by.js';
import { Refuses } from '../../../edge/errors/error-catalogue.js';
import { PathId } from '../../../edge/http/path-id.js';
import type { AppId, SessionId, UserId } from '../../../kernel/ids.js';
import type { Requester } from '../../../kernel/requester.js';
import { AppNotFound } from '../../apps/index.js';
import { UserNotFound } from '../../identity/index.js';
import { EndSessions } from '../application/end-sessions.js';
import { ListSessions } from '../application/list-sessions.js';
import { SessionNotFound } from '../domain/session.errors.js';
import {
  EndedSessionResponse,
  EndedSessionsResponse,
  ListManagedSessionsQuery,
  ManagedSession,
  ManagedSessionListResponse,
} from './managed-sessions.dto.js';

/** An app's sessions, for operators. */
@ApiTags('management')
@Controller('management/v1/apps/:app_id')
export class ManagedSessionsController {
  constructor(
    private readonly listSessions: ListSessions,
    private readonly endSessions: EndSessions,
  ) {}

  /**
   * List an app's sessions
   *
   * @remarks Returns the sessions of the app, the newest first, without their tokens: also those that have expired or were revoked. With
   * `user_id` only the live sessions of the user.
   */
  @Get('sessions')
  @ManagementKey('auditor')
  @Refuses(AppNotFound, UserNotFound)
  async list(
    @PathId('app_id', 'app', AppNotFound) appId: AppId,
    @Query() { limit, starting_after, user_id }: ListManagedSessionsQuery,
  ): Promise<ManagedSessionListResponse> {
    const { sessions, hasMore } = await this.listSessions.forOperators(appId, limit, starting_after ?? null, user_id);
    return { sessions: sessions.map(ManagedSession.of), has_more: hasMore };
  }

  /**
   * End a session
   *
   * @remarks At once on every replica. A JWT verified without calling the service stays valid for up to five minutes.
   */
  @Delete('sessions/:sess_id')
  @ManagementKey('operator')
  @Refuses(AppNotFound, SessionNotFound)
  async end(
    @RequestedBy() by: Requester,
    @PathId('app_id', 'app', AppNotFound) appId: AppId,
    @PathId('sess_id', 'session', SessionNotFound) sessionId: SessionId,
  ): Promise<EndedSessionResponse> {
    await this.endSessions.one(by, appId, sessionId);
    return { id: sessionId, message: 'The session has ended.' };
  }

  /**
   * End all sessions of a user
   *
   * @remarks The user can sign in again. To prevent that, deactivate the user.
   */
  @Delete('users/:user_id/sessions')
  @ManagementKey('operator')
  @Refuses(AppNotFound, UserNotFound)
  async endAll(
    @RequestedBy() by: Requester,
    @PathId('app_id', 'app', AppNotFound) appId: AppId,
    @PathId('user_id', 'user', UserNotFound) userId: UserId,
  ): Promise<EndedSessionsResponse> {
    await this.endSessions.allOf(by, appId, userId);
    return { user_id: userId, message: 'The sessions have ended.' };
  }
}
