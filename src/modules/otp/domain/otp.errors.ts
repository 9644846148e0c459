import type { UserId } from '../../../kernel/ids.js';
import { LoginRefused } from '../../../kernel/refusals.js';

export class InvalidOtp extends LoginRefused {
  static override readonly code = 'invalid_otp';
  static override readonly kind = 'invalid';
  static override readonly help =
    'The passcode is wrong, spent, expired or replaced by a newer one, or no passcode was sent to this `method_id`. Send a new one.';
  constructor(userId?: UserId) {
    super('The passcode is not valid. Check it, or send a new one.', userId);
  }
}

export class OtpAttemptsExceeded extends LoginRefused {
  static override readonly code = 'otp_attempts_exceeded';
  static override readonly kind = 'invalid';
  static override readonly help =
    'The passcode was tried too often and is void, so even the right value is refused. Send a new one. Wrong tries also count per user.';
  constructor(userId?: UserId) {
    super('The passcode was tried too often. Send a new one.', userId);
  }
}
