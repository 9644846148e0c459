import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { AuthenticatedApp } from '../../../edge/http/authenticated-request.js';
import { App, SecretKey } from '../../../edge/auth/credentials.js';
import { Refuses } from '../../../edge/errors/error-catalogue.js';
import { SafeToRepeat, SignsIn } from '../../../edge/idempotency/post-routes.js';
import { DeliveryNotConfigured } from '../../../services/mail/deliveries.js';
import { SmsCountryNotAllowed } from '../../../services/sms/queued-texts.js';
import { InvalidEmail, InvalidPhoneNumber, UserInactive, UserNotFound } from '../../identity/index.js';
import { SessionArgumentsRequest } from '../../session/index.js';
import { SendPasscode } from '../application/send-passcode.js';
import { VerifyPasscode } from '../application/verify-passcode.js';
import {
  EmailPasscodeLoginResponse,
  EmailPasscodeResponse,
  LogInByEmailPasscodeRequest,
  LogInBySmsPasscodeRequest,
  SendEmailPasscodeRequest,
  SendSmsPasscodeRequest,
  SmsPasscodeLoginResponse,
  SmsPasscodeResponse,
  statusOf,
  VerifiedPasscodeResponse,
  VerifyPasscodeRequest,
} from './otp.dto.js';

@ApiTags('one-time passcodes')
@Controller('v1/auth/otps')
export class OtpController {
  constructor(
    private readonly sendPasscode: SendPasscode,
    private readonly verifyPasscode: VerifyPasscode,
  ) {}

  /**
   * Log in or create a user by an SMS passcode
   *
   * @remarks Sends a passcode by SMS to the holder of the number. If no user holds it, creates a user. An earlier passcode is void.
   */
  @Post('sms/login_or_create')
  @HttpCode(200)
  @SafeToRepeat()
  @SecretKey({ scopes: 'login:write', keepsBinding: true })
  @Refuses(InvalidPhoneNumber, SmsCountryNotAllowed, UserInactive, DeliveryNotConfigured)
  async loginOrCreateBySms(
    @App() app: AuthenticatedApp,
    @Body() body: LogInBySmsPasscodeRequest,
  ): Promise<SmsPasscodeLoginResponse> {
    const request = SendSmsPasscodeRequest.passcodeRequest(body, app);
    return SmsPasscodeLoginResponse.ofHolder(await this.sendPasscode.logIn(app.id, request, statusOf(body)));
  }

  /**
   * Log in or create a user by an email passcode
   *
   * @remarks Sends a passcode by email to the holder of the address. If no user holds it, creates a user. An earlier passcode is void.
   */
  @Post('email/login_or_create')
  @HttpCode(200)
  @SafeToRepeat()
  @SecretKey({ scopes: 'login:write', keepsBinding: true })
  @Refuses(InvalidEmail, UserInactive, DeliveryNotConfigured)
  async loginOrCreateByEmail(
    @App() app: AuthenticatedApp,
    @Body() body: LogInByEmailPasscodeRequest,
  ): Promise<EmailPasscodeLoginResponse> {
    const request = SendEmailPasscodeRequest.passcodeRequest(body, app);
    return EmailPasscodeLoginResponse.ofHolder(await this.sendPasscode.logIn(app.id, request, statusOf(body)));
  }

  /**
   * Send an SMS passcode
   *
   * @remarks Sends a passcode by SMS to the user who holds the number. An earlier passcode is void.
   */
  @Post('sms/send')
  @HttpCode(200)
  @SafeToRepeat()
  @SecretKey({ scopes: 'login:write', keepsBinding: true })
  @Refuses(InvalidPhoneNumber, SmsCountryNotAllowed, UserNotFound, UserInactive, DeliveryNotConfigured)
  async sendBySms(@App() app: AuthenticatedApp, @Body() body: SendSmsPasscodeRequest): Promise<SmsPasscodeResponse> {
    return SmsPasscodeResponse.of(
      await this.sendPasscode.execute(app.id, SendSmsPasscodeRequest.passcodeRequest(body, app)),
    );
  }

  /**
   * Send an email passcode
   *
   * @remarks Sends a passcode by email to the user who holds the address. An earlier passcode is void.
   */
  @Post('email/send')
  @HttpCode(200)
  @SafeToRepeat()
  @SecretKey({ scopes: 'login:write', keepsBinding: true })
  @Refuses(InvalidEmail, UserNotFound, UserInactive, DeliveryNotConfigured)
  async sendByEmail(
    @App() app: AuthenticatedApp,
    @Body() body: SendEmailPasscodeRequest,
  ): Promise<EmailPasscodeResponse> {
    return EmailPasscodeResponse.of(
      await this.sendPasscode.execute(app.id, SendEmailPasscodeRequest.passcodeRequest(body, app)),
    );
  }

  /**
   * Verify a passcode
   *
   * @remarks Exchanges a passcode for the user and, if requested, a session, and verifies the address. By default, 5 wrong
   * tries void the passcode, and 20 within an hour lock all codes of the user for 15 minutes; the `limits` of the app change that.
   */
  @Post('verify')
  @HttpCode(200)
  @SignsIn()
  @SecretKey({ scopes: 'login:write', keepsBinding: true })
  @Refuses(VerifyPasscode)
  async verify(@App() app: AuthenticatedApp, @Body() body: VerifyPasscodeRequest): Promise<VerifiedPasscodeResponse> {
    const { method_id: methodId, otp: code } = body;
    const verified = await this.verifyPasscode.execute(
      app.id,
      { methodId, code },
      SessionArgumentsRequest.argumentsOf(body, app),
    );
    return VerifiedPasscodeResponse.of(verified);
  }
}
