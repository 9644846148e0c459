import { Body, Controller, Delete, Get, HttpCode, Post, Query } from '@nestjs/common';
import { ApiBody, ApiTags } from '@nestjs/swagger';
import { type AuthenticatedApp, bindingOf, type RestrictedCaller } from '../../../edge/http/authenticated-request.js';
import {
  App,
  ManagementKey,
  RequestedBy,
  requireScope,
  RestrictedKey,
  SecretKey,
} from '../../../edge/auth/credentials.js';
import { Refuses } from '../../../edge/errors/error-catalogue.js';
import { pageIn } from '../../../edge/http/list.dto.js';
import { ChangesNothing, RunsAgainWith, SignsIn } from '../../../edge/idempotency/post-routes.js';
import { InvalidRequest } from '../../../kernel/errors.js';
import { UserNotFound } from '../../identity/index.js';
import { ManageSessions } from '../application/manage-sessions.js';
import type { SessionSecret } from '../application/session-secrets.js';
import { VerifySession } from '../application/verify-session.js';
import { InvalidSession } from '../../../kernel/errors.js';
import { SessionMismatch, SessionNotFound, SigningKeyUnavailable } from '../domain/session.errors.js';
import {
  DeleteSessionQuery,
  DeleteSessionRequest,
  DeleteSessionResponse,
  ListSessionsRequest,
  ListSessionsResponse,
  VerifySessionRequest,
  VerifySessionResponse,
  EndedSessionResponse,
  EndedSessionsResponse,
  ListManagedSessionsQuery,
  ManagedSession,
  ManagedSessionListResponse,
} from './session.dto.js';
import { SessionFieldsResponse } from './exported-session.dto.js';
import { PathId } from '../../../edge/http/path-id.js';
import type { AppId, SessionId, UserId } from '../../../kernel/ids.js';
import type { Requester } from '../../../kernel/requester.js';
import { AppNotFound } from '../../apps/index.js';

@ApiTags('sessions')
@Controller('v1/auth/sessions')
export class SessionController {
  constructor(
    private readonly manage: ManageSessions,
    private readonly verifySession: VerifySession,
  ) {}

  /**
   * List a user's active sessions
   *
   * @remarks Returns the live sessions of the user, the newest first, without their tokens.
   */
  @Get('list')
  @SecretKey({ scopes: 'sessions:read', keepsBinding: true })
  @Refuses(UserNotFound)
  async list(@App() app: AuthenticatedApp, @Query() query: ListSessionsRequest): Promise<ListSessionsResponse> {
    const { items, hasMore } = await this.manage.list(app.id, query.user_id, pageIn(query));
    return { sessions: [...items], has_more: hasMore };
  }

  /**
   * Verify a session
   *
   * @remarks Finds a live session by its token or JWT and returns its current state, with a JWT for the next minutes.
   * A JWT can also be verified without calling the service, against the app's JWKS; only this call knows at once that a
   * session was deleted. A session that does not meet `require` is refused and is neither extended nor active by the call. A restricted
   * key sends `session_expires_in` only with the scope `sessions:write` too.
   */
  @Post('verify')
  @HttpCode(200)
  @ChangesNothing({ unless: 'session_expires_in' })
  @RunsAgainWith('require')
  @SignsIn()
  @SecretKey({ scopes: 'sessions:read', keepsBinding: true })
  @Refuses(VerifySession)
  async verify(
    @App() app: AuthenticatedApp,
    @RestrictedKey() key: RestrictedCaller | null,
    @Body() body: VerifySessionRequest,
  ): Promise<VerifySessionResponse> {
    if (body.session_expires_in !== undefined) requireScope(key, 'sessions:write');
    const { max_age_seconds: maxAgeSeconds, factors } = body.require ?? {};
    const required = body.require && { maxAgeSeconds, factors };
    const options = { minutes: body.session_expires_in, required, binding: bindingOf(app) };
    const issued = await this.verifySession.execute(app.id, secretsOf(body), options);
    return SessionFieldsResponse.fieldsOf(issued);
  }

  /**
   * Delete a session
   *
   * @remarks Ends a live session at once. An identifier of no live session of the app, such as a deleted one, is refused: an id as not
   * found, a token or JWT as invalid. Several identifiers must name the same session. A JWT that is verified without calling the service
   * stays valid for up to five minutes.
   */
  @Delete('delete')
  @SecretKey({ scopes: 'sessions:write', keepsBinding: true })
  @Refuses(InvalidSession, SessionNotFound, SessionMismatch, SigningKeyUnavailable)
  @ApiBody({ type: DeleteSessionRequest, required: false })
  async delete(
    @App() app: AuthenticatedApp,
    @Query() query: DeleteSessionQuery,
    @Body() body: DeleteSessionRequest,
  ): Promise<DeleteSessionResponse> {
    const ids = [query.session_id, body.session_id].filter((id) => id !== undefined);
    const secrets = secretsOf(body);
    if (ids.length + secrets.length === 0) {
      const message = 'is one of session_id, session_token, session_jwt, of which at least one must be given';
      throw new InvalidRequest([{ field: 'session_id', rule: 'at_least_one_of', message }]);
    }
    await this.manage.delete(app.id, ids, secrets, bindingOf(app));
    return { message: 'The session was deleted.' };
  }
}

/** The secrets of a request. The class of a verify request has made sure that there is one. */
function secretsOf(body: { session_token?: string; session_jwt?: string }): [SessionSecret, ...SessionSecret[]] {
  const { session_token: token, session_jwt: jwt } = body;
  return [...(token === undefined ? [] : [{ token }]), ...(jwt === undefined ? [] : [{ jwt }])] as [SessionSecret];
}

/** An app's sessions, for operators. */
@ApiTags('management: sessions')
@Controller('management/v1/apps/:app_id')
export class ManagedSessionsController {
  constructor(private readonly manage: ManageSessions) {}

  /**
   * List an app's sessions
   *
   * @remarks Returns the sessions of the app, the newest first, without their tokens: also those that have expired or were revoked. With
   * `user_id` it returns only the live sessions of the user.
   */
  @Get('sessions')
  @ManagementKey('auditor')
  @Refuses(UserNotFound)
  async list(
    @PathId('app_id', 'app', AppNotFound) appId: AppId,
    @Query() query: ListManagedSessionsQuery,
  ): Promise<ManagedSessionListResponse> {
    const { items, hasMore } = await this.manage.listForOperators(appId, pageIn(query), query.user_id);
    return { sessions: items.map(ManagedSession.of), has_more: hasMore };
  }

  /**
   * End a session
   *
   * @remarks Ends the session at once on every replica. A JWT that is verified without calling the service stays valid for up to five
   * minutes.
   */
  @Delete('sessions/:sess_id')
  @ManagementKey('support')
  async end(
    @RequestedBy() by: Requester,
    @PathId('app_id', 'app', AppNotFound) appId: AppId,
    @PathId('sess_id', 'session', SessionNotFound) sessionId: SessionId,
  ): Promise<EndedSessionResponse> {
    await this.manage.end(by, appId, sessionId);
    return { id: sessionId, message: 'The session has ended.' };
  }

  /**
   * End all sessions of a user
   *
   * @remarks The user can sign in again. To prevent that, deactivate the user.
   */
  @Delete('users/:user_id/sessions')
  @ManagementKey('support')
  async endAll(
    @RequestedBy() by: Requester,
    @PathId('app_id', 'app', AppNotFound) appId: AppId,
    @PathId('user_id', 'user', UserNotFound) userId: UserId,
  ): Promise<EndedSessionsResponse> {
    await this.manage.endAllOf(by, appId, userId);
    return { user_id: userId, message: 'The sessions have ended.' };
  }
}
