import { EmailAddress, Flag, MinutesWithin, Nested, PhoneNumber } from '../../../edge/http/fields.js';
import type { AddressHolder, Contact, UserStatus } from '../../identity/index.js';
import { DeviceFingerprintRequest } from '../../session/index.js';
import type { AskedPasscode } from '../application/issue-passcode.js';
import { PASSCODE_LIFETIME } from '../domain/passcode.js';

class PasscodeRequest {
  /** Minutes the passcode lives. */
  @MinutesWithin(PASSCODE_LIFETIME)
  readonly expires_in: number = PASSCODE_LIFETIME.standard;

  /** Where the person is calling from. Sends are limited per `ip`. */
  @Nested(() => DeviceFingerprintRequest, { optional: true })
  readonly device_fingerprint?: DeviceFingerprintRequest;
}

export class SendEmailPasscodeRequest extends PasscodeRequest {
  @EmailAddress()
  readonly email: string;

  static asked({ email, expires_in, device_fingerprint }: SendEmailPasscodeRequest): AskedPasscode {
    return { kind: 'email', address: email, minutes: expires_in, ip: device_fingerprint?.ip };
  }
}

export class SendSmsPasscodeRequest extends PasscodeRequest {
  @PhoneNumber()
  readonly phone_number: string;

  static asked({ phone_number, expires_in, device_fingerprint }: SendSmsPasscodeRequest): AskedPasscode {
    return { kind: 'phone_number', address: phone_number, minutes: expires_in, ip: device_fingerprint?.ip };
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

/** Whom the passcode was mailed to. */
export class EmailPasscodeResponse {
  readonly user_id: string;
  /** The `method_id` to verify the passcode with. */
  readonly email_id: string;

  static of({ userId, id }: Contact): EmailPasscodeResponse {
    return { user_id: userId, email_id: id };
  }
}

/** Whom the passcode was texted to. */
export class SmsPasscodeResponse {
  readonly user_id: string;
  /** The `method_id` to verify the passcode with. */
  readonly phone_number_id: string;

  static of({ userId, id }: Contact): SmsPasscodeResponse {
    return { user_id: userId, phone_number_id: id };
  }
}

export class EmailPasscodeLoginResponse extends EmailPasscodeResponse {
  /** Whether nobody held the address before, so that this call made a user who does. */
  readonly user_created: boolean;
  /** `pending` or `active`. */
  readonly status: string;

  static ofHolder({ contact, user, userCreated }: AddressHolder): EmailPasscodeLoginResponse {
    return { ...EmailPasscodeResponse.of(contact), user_created: userCreated, status: user.status };
  }
}

export class SmsPasscodeLoginResponse extends SmsPasscodeResponse {
  /** Whether nobody held the number before, so that this call made a user who does. */
  readonly user_created: boolean;
  /** `pending` or `active`. */
  readonly status: string;

  static ofHolder({ contact, user, userCreated }: AddressHolder): SmsPasscodeLoginResponse {
    return { ...SmsPasscodeResponse.of(contact), user_created: userCreated, status: user.status };
  }
}
