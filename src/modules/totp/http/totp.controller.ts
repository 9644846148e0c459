import { Body, Controller, Delete, HttpCode, Post, Query } from '@nestjs/common';
import { ApiBody, ApiTags } from '@nestjs/swagger';
import type { AppId, TotpId, UserId } from '../../../kernel/ids.js';
import { type AuthenticatedApp, bindingOf } from '../../../edge/http/authenticated-request.js';
import { App, ManagementKey, RequestedBy, SecretKey } from '../../../edge/auth/credentials.js';
import { Refuses } from '../../../edge/errors/error-catalogue.js';
import { TooManyRequests } from '../../../kernel/errors.js';
import { PathId } from '../../../edge/http/path-id.js';
import { Beta } from '../../../edge/http/stability.js';
import { ChangesNothing, SafeToRepeat, SignsIn } from '../../../edge/idempotency/post-routes.js';
import type { Requester } from '../../../kernel/requester.js';
import { AppNotFound, AppsFacade } from '../../apps/index.js';
import {
  CallerSessions,
  LastWayToSignIn,
  RemovalQuery,
  RemovalRequest,
  removerOf,
  StepUpRequired,
  UserInactive,
  UserNotFound,
} from '../../identity/index.js';
import { SessionFacade, InvalidSession, SessionArgumentsRequest, SigningKeyUnavailable } from '../../session/index.js';
import { ManageTotps } from '../application/manage-totps.js';
import { SignInWithTotp } from '../application/sign-in-with-totp.js';
import { ActiveTotpExists, InvalidRecoveryCode, InvalidTotp, TotpNotFound } from '../domain/totp.errors.js';
import {
  CreateTotpRequest,
  CreateTotpResponse,
  TotpDeletionResponse,
  ListRecoveryCodesRequest,
  ListRecoveryCodesResponse,
  VerifiedTotpResponse,
  VerifyRecoveryCodeRequest,
  VerifyTotpRequest,
} from './totp.dto.js';
import { RefusedAsPrefilled } from '../../../edge/openapi/examples.js';

@ApiTags('totps')
@Controller('v1/auth')
export class TotpController {
  constructor(
    private readonly manage: ManageTotps,
    private readonly signIn: SignInWithTotp,
    private readonly sessions: CallerSessions,
  ) {}

  /**
   * Create a TOTP
   *
   * @remarks Begins the enrolment of an authenticator app, and replaces a pending enrolment. Show the QR code and the recovery
   * codes to the user, and verify a first code before the enrolment expires.
   */
  @Post('totps/create')
  @HttpCode(200)
  @SafeToRepeat()
  @SecretKey({ scopes: 'login:write', keepsBinding: true })
  @Beta()
  @Refuses(UserNotFound, UserInactive, ActiveTotpExists)
  async create(@App() app: AuthenticatedApp, @Body() body: CreateTotpRequest): Promise<CreateTotpResponse> {
    return CreateTotpResponse.of(await this.manage.create(app, body.user_id, body.expires_in));
  }

  /**
   * Verify a TOTP
   *
   * @remarks Accepts the code of the current, the previous or the next 30 seconds, each once. The first code completes the
   * enrolment. After 5 consecutive wrong codes no code is checked for 90 seconds. By default, 20 wrong tries within
   * an hour lock all codes of the user for 15 minutes; the `limits` of the app change that. If the user has a verified sign-in method and the
   * call carries a session, the enrolment is completed only in a fresh one.
   */
  @Post('totps/verify')
  @RefusedAsPrefilled('The code of an authenticator changes every 30 seconds.')
  @HttpCode(200)
  @SignsIn()
  @SecretKey({ scopes: 'login:write', keepsBinding: true })
  @Beta()
  @Refuses(InvalidTotp, SessionFacade, TooManyRequests, StepUpRequired)
  async verify(@App() app: AuthenticatedApp, @Body() body: VerifyTotpRequest): Promise<VerifiedTotpResponse> {
    const sessionArguments = SessionArgumentsRequest.argumentsOf(body, app);
    return VerifiedTotpResponse.of(
      await this.signIn.execute(app.id, body.user_id, { code: body.totp }, sessionArguments),
    );
  }

  /**
   * Verify a recovery code
   *
   * @remarks Replaces a code of the authenticator when it is lost. Each recovery code works once. Wrong tries count like wrong
   * codes of the authenticator.
   */
  @Post('totps/recovery')
  @HttpCode(200)
  @SignsIn()
  @SecretKey({ scopes: 'login:write', keepsBinding: true })
  @Beta()
  @Refuses(InvalidRecoveryCode, SessionFacade, TooManyRequests)
  async recover(@App() app: AuthenticatedApp, @Body() body: VerifyRecoveryCodeRequest): Promise<VerifiedTotpResponse> {
    const sessionArguments = SessionArgumentsRequest.argumentsOf(body, app);
    // AtLeastOneOf on the request class guarantees one of them.
    const recoveryCode = (body.recovery_code ?? body.totp)!;
    return VerifiedTotpResponse.of(await this.signIn.execute(app.id, body.user_id, { recoveryCode }, sessionArguments));
  }

  /**
   * List unused recovery codes
   *
   * @remarks Returns the recovery codes of the user's authenticator that are not spent. If the call carries a session, it must be fresh. For
   * `step_up_method_age_hours` after the call a recovery code makes no session fresh.
   */
  @Post('totps/recovery_codes')
  @HttpCode(200)
  @ChangesNothing()
  @SecretKey({ scopes: 'login:write', keepsBinding: true })
  @Beta()
  @Refuses(UserNotFound, StepUpRequired, InvalidSession, SigningKeyUnavailable)
  async recoveryCodes(
    @App() app: AuthenticatedApp,
    @Body() { user_id: userId, session_token: token, session_jwt: jwt }: ListRecoveryCodesRequest,
  ): Promise<ListRecoveryCodesResponse> {
    const session = await this.sessions.carried(app.id, { token, jwt, binding: bindingOf(app) });
    return ListRecoveryCodesResponse.of(userId, await this.manage.recoveryCodes(app.id, userId, session));
  }

  /**
   * Delete a TOTP
   *
   * @remarks Deletes the authenticator and its recovery codes, unless it is the last sign-in method of the user. If the call carries a session,
   * a completed enrolment is deleted only in a fresh one.
   */
  @Delete('users/totps/:totp_id/delete')
  @SecretKey({ scopes: 'users:write', keepsBinding: true })
  @Refuses(UserNotFound, LastWayToSignIn, StepUpRequired, InvalidSession, SigningKeyUnavailable)
  @ApiBody({ type: RemovalRequest, required: false })
  async delete(
    @App() app: AuthenticatedApp,
    @PathId('totp_id', 'totp', TotpNotFound) totpId: TotpId,
    @Query() query: RemovalQuery,
    @Body() body: RemovalRequest,
  ): Promise<TotpDeletionResponse> {
    const userId = await this.manage.delete(app.id, totpId, await removerOf(this.sessions, app, query, body));
    return { user_id: userId, message: 'The authenticator was deleted.' };
  }
}

/** The authenticators of a user, for operators. */
@ApiTags('management: users')
@Controller('management/v1/apps/:app_id/users/:user_id/totps')
export class ManagedTotpsController {
  constructor(
    private readonly apps: AppsFacade,
    private readonly manage: ManageTotps,
  ) {}

  /**
   * Remove an authenticator from a user
   *
   * @remarks Deletes the authenticator, such as a lost one, and its recovery codes. The last verified sign-in method of a user cannot be
   * removed.
   */
  @Delete(':totp_id')
  @ManagementKey('support')
  @Refuses(LastWayToSignIn)
  async remove(
    @RequestedBy() by: Requester,
    @PathId('app_id', 'app', AppNotFound) appId: AppId,
    @PathId('user_id', 'user', UserNotFound) userId: UserId,
    @PathId('totp_id', 'totp', TotpNotFound) totpId: TotpId,
  ): Promise<TotpDeletionResponse> {
    await this.apps.audited({ by, appId, action: 'totp.removed', target: totpId }, () =>
      this.manage.delete(appId, totpId, 'operator', userId),
    );
    return { user_id: userId, message: 'The authenticator was deleted.' };
  }
}
