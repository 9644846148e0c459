import { DomainError } from '../../../kernel/domain-error.js';

export class InvalidOtp extends DomainError {
  static override readonly code = 'invalid_otp';
  static override readonly kind = 'invalid';
  static override readonly help =
    'The passcode is wrong, spent, expired, replaced by a newer one, or none was sent to this `method_id`. Send a new one.';
  constructor() {
    super('The passcode is not valid.');
  }
}

export class OtpAttemptsExceeded extends DomainError {
  static override readonly code = 'otp_attempts_exceeded';
  static override readonly kind = 'invalid';
  static override readonly help =
    'The passcode was tried too often and is void, the right one too. Send a new one. Wrong tries also count per user.';
  constructor() {
    super('The passcode was tried too often. Send a new one.');
  }
}
