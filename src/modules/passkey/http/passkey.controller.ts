import { Body, Controller, Delete, Get, HttpCode, Post, Query } from '@nestjs/common';
import { ApiBody, ApiTags } from '@nestjs/swagger';
import type { AuthenticatedApp } from '../../../edge/http/authenticated-request.js';
import { App, ManagementKey, RequestedBy, SecretKey } from '../../../edge/auth/credentials.js';
import { Refuses } from '../../../edge/errors/error-catalogue.js';
import { SafeToRepeat, SignsIn } from '../../../edge/idempotency/post-routes.js';
import { PathId } from '../../../edge/http/path-id.js';
import { Beta } from '../../../edge/http/stability.js';
import type { AppId, UserId } from '../../../kernel/ids.js';
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
  UserProfiles,
} from '../../identity/index.js';
import { SessionFacade, InvalidSession, SessionArgumentsRequest, SigningKeyUnavailable } from '../../session/index.js';
import { ManagePasskeys } from '../application/manage-passkeys.js';
import { SignInWithPasskey } from '../application/sign-in-with-passkey.js';
import {
  DuplicatePasskey,
  InvalidPasskey,
  TooManyPasskeys,
  PasskeyNotFound,
  PasskeysNotConfigured,
} from '../domain/passkey.errors.js';
import type { PasskeyId } from '../domain/passkey.js';
import {
  BeginPasskeySignInRequest,
  VerifyPasskeyRequest,
  BeginPasskeyRegistrationRequest,
  BegunPasskeyRegistrationResponse,
  RegisterPasskeyRequest,
  VerifiedPasskeyResponse,
} from './ceremony.dto.js';
import { BegunPasskeySignInResponse } from './exported-ceremony.dto.js';
import { ListPasskeysQuery, PasskeyDeletionResponse, PasskeyListResponse } from './passkeys.dto.js';
import { RefusedAsPrefilled } from '../../../edge/openapi/examples.js';
import { OperationGroup } from '../../../edge/openapi/tags.js';

@OperationGroup({ name: 'webauthn', description: 'Login by passkey.', after: 'totps' })
@Controller('v1/auth')
export class PasskeyController {
  constructor(
    private readonly manage: ManagePasskeys,
    private readonly signIn: SignInWithPasskey,
    private readonly profiles: UserProfiles,
    private readonly sessions: CallerSessions,
  ) {}

  /**
   * Begin the registration of a passkey
   *
   * @remarks Returns the options for `navigator.credentials.create` on a page of the app. They serve once, within 5 minutes.
   */
  @Post('webauthn/registrations/begin')
  @HttpCode(200)
  @SafeToRepeat()
  @SecretKey({ scopes: 'login:write', keepsBinding: true })
  @Beta()
  @Refuses(PasskeysNotConfigured, UserNotFound, UserInactive)
  async beginRegistration(
    @App() app: AuthenticatedApp,
    @Body() body: BeginPasskeyRegistrationRequest,
  ): Promise<BegunPasskeyRegistrationResponse> {
    const begun = await this.manage.begin(app.id, body.user_id, body.domain);
    return BegunPasskeyRegistrationResponse.of(begun, app.name, body.authenticator_type);
  }

  /**
   * Register a passkey
   *
   * @remarks If the user has a proved sign-in method, the call needs `session_token` or `session_jwt` of a fresh session of the user: in the
   * last 10 minutes it saw a proof of a method that was first proved at least `step_up_method_age_hours` ago, or of the method with which the
   * account began. Only the first sign-in method of a user needs no session.
   */
  @Post('webauthn/registrations/create')
  @RefusedAsPrefilled('The credential answers a challenge that is valid once.')
  @HttpCode(200)
  @SignsIn()
  @SecretKey({ scopes: 'login:write', keepsBinding: true })
  @Beta()
  @Refuses(StepUpRequired, SessionFacade, InvalidPasskey, DuplicatePasskey, TooManyPasskeys, PasskeysNotConfigured)
  async createRegistration(
    @App() app: AuthenticatedApp,
    @Body() body: RegisterPasskeyRequest,
  ): Promise<VerifiedPasskeyResponse> {
    const registered = { credential: body.public_key_credential, name: body.name };
    const sessionArguments = SessionArgumentsRequest.argumentsOf(body, app);
    return VerifiedPasskeyResponse.of(await this.manage.register(app.id, body.user_id, registered, sessionArguments));
  }

  /**
   * Begin a sign-in with a passkey
   *
   * @remarks Returns the options for `navigator.credentials.get` on a page of the app. They serve once, within 5 minutes. The response
   * does not show whether the user exists or has a passkey.
   */
  @Post('webauthn/authentication/begin')
  @HttpCode(200)
  @SafeToRepeat()
  @SecretKey({ scopes: 'login:write', keepsBinding: true })
  @Beta()
  @Refuses(PasskeysNotConfigured)
  async beginAuthentication(
    @App() app: AuthenticatedApp,
    @Body() { user_id: userId }: BeginPasskeySignInRequest,
  ): Promise<BegunPasskeySignInResponse> {
    return BegunPasskeySignInResponse.of(userId, await this.signIn.begin(app.id, userId ?? null));
  }

  /**
   * Verify a passkey
   *
   * @remarks Signs in the user whose passkey signed the challenge. If the signature counter does not rise
   * and is not always 0, or the backup eligibility has changed, `factor.suspicious` is published and the call still succeeds.
   */
  @Post('webauthn/verify')
  @RefusedAsPrefilled('The credential answers a challenge that is valid once.')
  @HttpCode(200)
  @SignsIn()
  @SecretKey({ scopes: 'login:write', keepsBinding: true })
  @Beta()
  @Refuses(SignInWithPasskey)
  async verify(@App() app: AuthenticatedApp, @Body() body: VerifyPasskeyRequest): Promise<VerifiedPasskeyResponse> {
    const sessionArguments = SessionArgumentsRequest.argumentsOf(body, app);
    return VerifiedPasskeyResponse.of(await this.signIn.execute(app.id, body.public_key_credential, sessionArguments));
  }

  /**
   * List the passkeys of a user
   *
   * @remarks Returns the user's passkeys, which are in the user object too.
   */
  @Get('webauthn/credentials')
  @SecretKey({ scopes: 'users:read', keepsBinding: true })
  @Beta()
  @Refuses(UserNotFound)
  async list(
    @App() app: AuthenticatedApp,
    @Query() { user_id: userId }: ListPasskeysQuery,
  ): Promise<PasskeyListResponse> {
    return PasskeyListResponse.of(await this.profiles.get(app.id, userId));
  }

  /**
   * Delete a passkey
   *
   * @remarks Removes the passkey, unless it is the last sign-in method of the user. If the call carries a session, it must be fresh.
   */
  @Delete('users/webauthn_credentials/:webauthn_credential_id/delete')
  @SecretKey({ scopes: 'users:write', keepsBinding: true })
  @Beta()
  @Refuses(UserNotFound, LastWayToSignIn, StepUpRequired, InvalidSession, SigningKeyUnavailable)
  @ApiBody({ type: RemovalRequest, required: false })
  async delete(
    @App() app: AuthenticatedApp,
    @PathId('webauthn_credential_id', 'passkey', PasskeyNotFound) id: PasskeyId,
    @Query() query: RemovalQuery,
    @Body() body: RemovalRequest,
  ): Promise<PasskeyDeletionResponse> {
    const userId = await this.manage.delete(app.id, id, await removerOf(this.sessions, app, query, body));
    return { user_id: userId, message: 'The passkey was deleted.' };
  }
}

/** The passkeys of a user, for operators. */
@ApiTags('management: users')
@Controller('management/v1/apps/:app_id/users/:user_id/webauthn_credentials')
export class ManagedPasskeysController {
  constructor(
    private readonly apps: AppsFacade,
    private readonly manage: ManagePasskeys,
  ) {}

  /**
   * Remove a passkey from a user
   *
   * @remarks Deletes the passkey, such as one of a lost device. The last verified sign-in method of a user cannot be removed.
   */
  @Delete(':webauthn_credential_id')
  @ManagementKey('support')
  @Refuses(LastWayToSignIn)
  async remove(
    @RequestedBy() by: Requester,
    @PathId('app_id', 'app', AppNotFound) appId: AppId,
    @PathId('user_id', 'user', UserNotFound) userId: UserId,
    @PathId('webauthn_credential_id', 'passkey', PasskeyNotFound) id: PasskeyId,
  ): Promise<PasskeyDeletionResponse> {
    await this.apps.audited({ by, appId, action: 'webauthn_credential.removed', target: id }, () =>
      this.manage.delete(appId, id, 'operator', userId),
    );
    return { user_id: userId, message: 'The passkey was deleted.' };
  }
}
