import { type AuthenticatedApp, bindingOf } from '../../../edge/http/authenticated-request.js';
import { ApiSchema } from '@nestjs/swagger';
import { EnumValues, Example } from '../../../edge/openapi/plugin-schemas.js';
import { Nested } from '../../../edge/http/compound-fields.js';
import { EmailAddress, Flag, MinutesWithin, PhoneNumber, IdOf, TypedCode } from '../../../edge/http/fields.js';
import type { AddressHolder, Contact, UserStatus } from '../../identity/index.js';
import { DeviceFingerprintRequest, SessionArgumentsRequest, VerifiedUserResponse } from '../../session/index.js';
import type { PasscodeRequest } from '../application/send-passcode.js';
import { PASSCODE_LIFETIMES, type MethodId, PASSCODE } from '../domain/passcode.js';
import { EXAMPLES, exampleId } from '../../../kernel/examples.js';
import { isId } from '../../../kernel/ids.js';
import type { VerifiedPasscode } from '../application/verify-passcode.js';

class SendPasscodeRequest {
  /** The user's device. Sends are limited per `ip`. */
  @Nested(() => DeviceFingerprintRequest, { optional: true })
  readonly device_fingerprint?: DeviceFingerprintRequest;
}

export class SendEmailPasscodeRequest extends SendPasscodeRequest {
  @EmailAddress({ example: EXAMPLES.email })
  readonly email!: string;

  /** Lifetime of the passcode in minutes. */
  @MinutesWithin(PASSCODE_LIFETIMES.email)
  readonly expires_in: number = PASSCODE_LIFETIMES.email.standard;

  static passcodeRequest(
    { email, expires_in, device_fingerprint }: SendEmailPasscodeRequest,
    app: AuthenticatedApp,
  ): PasscodeRequest {
    const [minutes, ip, binding] = [expires_in, device_fingerprint?.ip, bindingOf(app)];
    return { kind: 'email', address: email, minutes, ip, binding };
  }
}

export class SendSmsPasscodeRequest extends SendPasscodeRequest {
  @PhoneNumber({ example: EXAMPLES.phoneNumber })
  readonly phone_number!: string;

  /** Lifetime of the passcode in minutes. */
  @MinutesWithin(PASSCODE_LIFETIMES.phone_number)
  readonly expires_in: number = PASSCODE_LIFETIMES.phone_number.standard;

  static passcodeRequest(
    { phone_number, expires_in, device_fingerprint }: SendSmsPasscodeRequest,
    app: AuthenticatedApp,
  ): PasscodeRequest {
    const [minutes, ip, binding] = [expires_in, device_fingerprint?.ip, bindingOf(app)];
    return { kind: 'phone_number', address: phone_number, minutes, ip, binding };
  }
}

export class LogInByEmailPasscodeRequest extends SendEmailPasscodeRequest {
  /** Leaves a new user pending until the passcode is verified. */
  @Flag()
  readonly requires_verification: boolean = false;
}

export class LogInBySmsPasscodeRequest extends SendSmsPasscodeRequest {
  /** Leaves a new user pending until the passcode is verified. */
  @Flag()
  readonly requires_verification: boolean = false;
}

export function statusOf({ requires_verification }: { requires_verification: boolean }): UserStatus {
  return requires_verification ? 'pending' : 'active';
}

@ApiSchema({ description: 'The user to whom the passcode is mailed.' })
export class EmailPasscodeResponse {
  readonly user_id!: string;
  /** The `method_id` to verify the passcode with. */
  readonly email_id!: string;

  static of({ userId, id }: Contact): EmailPasscodeResponse {
    return { user_id: userId, email_id: id };
  }
}

@ApiSchema({ description: 'The user to whom the passcode is sent by SMS.' })
export class SmsPasscodeResponse {
  readonly user_id!: string;
  /** The `method_id` to verify the passcode with. */
  readonly phone_number_id!: string;

  static of({ userId, id }: Contact): SmsPasscodeResponse {
    return { user_id: userId, phone_number_id: id };
  }
}

@ApiSchema({ description: 'The existing or new user to whom the passcode is mailed.' })
export class EmailPasscodeLoginResponse extends EmailPasscodeResponse {
  /** Whether this call created the user, because no user held the address. */
  readonly user_created!: boolean;
  /** The status of the user: `pending` or `active`. */
  @EnumValues(['pending', 'active'])
  @Example('active')
  readonly status!: string;

  static ofHolder({ contact, user, userCreated }: AddressHolder): EmailPasscodeLoginResponse {
    return { ...EmailPasscodeResponse.of(contact), user_created: userCreated, status: user.status };
  }
}

@ApiSchema({ description: 'The existing or new user to whom the passcode is sent by SMS.' })
export class SmsPasscodeLoginResponse extends SmsPasscodeResponse {
  /** Whether this call created the user, because no user held the number. */
  readonly user_created!: boolean;
  /** The status of the user: `pending` or `active`. */
  @EnumValues(['pending', 'active'])
  @Example('active')
  readonly status!: string;

  static ofHolder({ contact, user, userCreated }: AddressHolder): SmsPasscodeLoginResponse {
    return { ...SmsPasscodeResponse.of(contact), user_created: userCreated, status: user.status };
  }
}

export class VerifyPasscodeRequest extends SessionArgumentsRequest {
  /** The `email_id` or `phone_number_id` that the passcode was sent to. */
  @IdOf(['email', 'phoneNumber'])
  readonly method_id!: MethodId;

  /**
   * The six digits of the passcode, as text. Send the text as the user typed or pasted it: blanks, hyphens, line ends and invisible characters are
   * dropped, and digits of any script count. The demo app of a development start accepts the example once, unless another passcode is sent
   * first; a reset of the demo data renews it.
   */
  @TypedCode({ pattern: PASSCODE, patternName: 'a passcode of 6 digits', example: EXAMPLES.passcode })
  readonly otp!: string;
}

@ApiSchema({ description: 'The user who entered the passcode, and the session if the request asks for one.' })
export class VerifiedPasscodeResponse extends VerifiedUserResponse {
  readonly user_id!: string;
  /** The `email_id` or `phone_number_id`, which is now verified. */
  @Example(exampleId('email'))
  readonly method_id!: string;
  /** The kind of address: `email` or `phone_number`. */
  @EnumValues(['email', 'phone_number'])
  readonly method_type!: string;

  static async of(verified: VerifiedPasscode): Promise<VerifiedPasscodeResponse> {
    const { userId, methodId } = verified;
    return {
      user_id: userId,
      method_id: methodId,
      method_type: isId('email', methodId) ? 'email' : 'phone_number',
      ...(await VerifiedUserResponse.verifiedFieldsOf(verified)),
    };
  }
}
