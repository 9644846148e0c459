import { Controller, Delete, Get, HttpCode, Post, Req, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import type { ManagementCaller } from '../../../../edge/http/authenticated-request.js';
import type { KeyId } from '../../../../kernel/ids.js';
import type { Requester } from '../../../../kernel/requester.js';
import { Caller, ManagementKey, RequestedBy } from '../../../../edge/auth/credentials.js';
import { ManagementCookie } from '../../../../edge/auth/management-cookie.js';
import { ManagementSessions } from '../../application/management-keys.js';
import { MANAGEMENT_SESSION_SECONDS } from '../../domain/management-key.repository.js';
import {
  EndedManagementSessionResponse,
  ListedManagementSession,
  ManagementSessionListResponse,
  ManagementSessionResponse,
} from './management-session.dto.js';

@ApiTags('management: sign-in')
@Controller('management/v1/session')
export class ManagementSessionController {
  constructor(
    private readonly sessions: ManagementSessions,
    private readonly cookie: ManagementCookie,
  ) {}

  /**
   * Sign a browser in
   *
   * @remarks Sets a cookie that stands for the management key for 8 hours, so that no script keeps the key. The cookie is accepted
   * from pages of this service only, and ends with the key, and after an hour without a call. A call that also carries a key is made with the
   * key. Keys are created, and wallets thawed, by the cookie only within 10 minutes after this call: repeat it, which ends the cookie's
   * former session.
   */
  @Post()
  @HttpCode(200)
  @ManagementKey('auditor', { isSignIn: true })
  async begin(
    @RequestedBy() by: Requester,
    @Caller() caller: ManagementCaller,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<ManagementSessionResponse> {
    const former = this.cookie.tokenIn(request);
    if (former !== undefined) await this.sessions.end(by, former);
    const { token, expiresAt, provedAt } = await this.sessions.begin(by, caller.keyId as KeyId);
    this.cookie.set(response, token, MANAGEMENT_SESSION_SECONDS);
    return ManagementSessionResponse.of({ ...caller, expiresAt, session: { provedAt, provedSecondsAgo: 0 } });
  }

  /**
   * Get the current session
   *
   * @remarks Returns the role and the end of the browser session, or of the management key that the call carries.
   */
  @Get()
  @ManagementKey('auditor')
  get(@Caller() caller: ManagementCaller): ManagementSessionResponse {
    return ManagementSessionResponse.of(caller);
  }

  /**
   * Sign a browser out
   *
   * @remarks Ends the session of the cookie on every replica within a second.
   */
  @Delete()
  @ManagementKey('auditor')
  async end(
    @RequestedBy() by: Requester,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<EndedManagementSessionResponse> {
    const token = this.cookie.tokenIn(request);
    if (token !== undefined) await this.sessions.end(by, token);
    this.cookie.clear(response);
    return { message: 'The session has ended.' };
  }
}

@ApiTags('management: sign-in')
@Controller('management/v1/sessions')
export class ManagementSessionsController {
  constructor(private readonly sessions: ManagementSessions) {}

  /**
   * List the browser sessions of operators
   *
   * @remarks Returns the live sessions, the newest first, at most 1,000. A session ends with its key, after 8 hours, and after an hour without a
   * call.
   */
  @Get()
  @ManagementKey('auditor')
  async list(): Promise<ManagementSessionListResponse> {
    return { sessions: (await this.sessions.list()).map(ListedManagementSession.of) };
  }
}
