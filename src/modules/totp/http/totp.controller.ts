import { Body, Controller, Delete, HttpCode, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { TotpId } from '../../../kernel/ids.js';
import type { AuthenticatedApp } from '../../../edge/auth/app-authenticator.js';
import { App, SecretKey } from '../../../edge/auth/credentials.js';
import { Refuses } from '../../../edge/http/error-catalogue.js';
import { TooManyRequests } from '../../../kernel/errors.js';
import { PathId } from '../../../edge/http/path-id.js';
import { Beta } from '../../../edge/http/stability.js';
import { LastWayToSignIn, UserInactive, UserNotFound } from '../../identity/index.js';
import { InvalidSession, SessionArgumentsRequest, SigningKeyUnavailable } from '../../session/index.js';
import { CreateTotp } from '../application/create-totp.js';
import { DeleteTotp } from '../application/delete-totp.js';
import { ListRecoveryCodes } from '../application/list-recovery-codes.js';
import { VerifyRecoveryCode } from '../application/verify-recovery-code.js';
import { VerifyTotp } from '../application/verify-totp.js';
import { ActiveTotpExists, InvalidRecoveryCode, InvalidTotp, TotpNotFound } from '../domain/totp.errors.js';
import { CreateTotpRequest, CreateTotpResponse } from './create-totp.dto.js';
import { TotpDeletionResponse } from './delete-totp.dto.js';
import { ListRecoveryCodesRequest, ListRecoveryCodesResponse } from './list-recovery-codes.dto.js';
import { VerifiedTotpResponse, VerifyRecoveryCodeRequest, VerifyTotpRequest } from './verify-totp.dto.js';

@ApiTags('totps')
@Controller('v1/auth')
export class TotpController {
  constructor(
    private readonly createTotp: CreateTotp,
    private readonly verifyTotp: VerifyTotp,
    private readonly verifyRecoveryCode: VerifyRecoveryCode,
    private readonly listRecoveryCodes: ListRecoveryCodes,
    private readonly deleteTotp: DeleteTotp,
  ) {}

  /**
   * Create a TOTP
   *
   * @remarks Begins the enrolment of an authenticator app, in place of one that was not verified yet. Show the QR code and the
   * recovery codes to the user, and verify a first code before the enrolment expires.
   */
  @Post('totps/create')
  @HttpCode(200)
  @SecretKey()
  @Beta()
  @Refuses(UserNotFound, UserInactive, ActiveTotpExists)
  async create(@App() app: AuthenticatedApp, @Body() body: CreateTotpRequest): Promise<CreateTotpResponse> {
    return CreateTotpResponse.of(await this.createTotp.execute(app, body.user_id, body.expires_in));
  }

  /**
   * Verify a TOTP
   *
   * @remarks Accepts the code the authenticator app shows, of this half minute, the one before or the next, each once. The first
   * one completes the enrolment. After five wrong codes in a row none is looked at for 90 seconds; too many in an hour lock the
   * user's codes for longer.
   */
  @Post('totps/verify')
  @HttpCode(200)
  @SecretKey()
  @Beta()
  @Refuses(InvalidTotp, InvalidSession, SigningKeyUnavailable, UserInactive, UserNotFound, TooManyRequests)
  async verify(@App() app: AuthenticatedApp, @Body() body: VerifyTotpRequest): Promise<VerifiedTotpResponse> {
    const asked = SessionArgumentsRequest.argumentsOf(body);
    return VerifiedTotpResponse.of(await this.verifyTotp.execute(app.id, body.user_id, body.totp, asked));
  }

  /**
   * Verify a recovery code
   *
   * @remarks In place of a code of the authenticator, when that is lost. Each code works once. Wrong ones count like wrong codes
   * of the authenticator.
   */
  @Post('totps/recovery')
  @HttpCode(200)
  @SecretKey()
  @Beta()
  @Refuses(InvalidRecoveryCode, InvalidSession, SigningKeyUnavailable, UserInactive, UserNotFound, TooManyRequests)
  async recover(@App() app: AuthenticatedApp, @Body() body: VerifyRecoveryCodeRequest): Promise<VerifiedTotpResponse> {
    const asked = SessionArgumentsRequest.argumentsOf(body);
    // One of them is there: the class of the request says so.
    const code = (body.recovery_code ?? body.totp)!;
    return VerifiedTotpResponse.of(await this.verifyRecoveryCode.execute(app.id, body.user_id, code, asked));
  }

  /** List unused recovery codes */
  @Post('totps/recovery_codes')
  @HttpCode(200)
  @SecretKey()
  @Beta()
  @Refuses(UserNotFound)
  async recoveryCodes(
    @App() app: AuthenticatedApp,
    @Body() { user_id: userId }: ListRecoveryCodesRequest,
  ): Promise<ListRecoveryCodesResponse> {
    return ListRecoveryCodesResponse.of(userId, await this.listRecoveryCodes.execute(app.id, userId));
  }

  /**
   * Delete a TOTP
   *
   * @remarks Takes the authenticator and its recovery codes from the user, unless it is their last way to sign in.
   */
  @Delete('users/totps/:totp_id/delete')
  @SecretKey()
  @Refuses(TotpNotFound, UserNotFound, LastWayToSignIn)
  async delete(
    @App() app: AuthenticatedApp,
    @PathId('totp_id', 'totp', TotpNotFound) totpId: TotpId,
  ): Promise<TotpDeletionResponse> {
    const userId = await this.deleteTotp.execute(app.id, totpId);
    return { user_id: userId, message: 'The authenticator was deleted.' };
  }
}
