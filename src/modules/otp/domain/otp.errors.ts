import { loginRefusal } from '../../../kernel/refusals.js';

export class InvalidOtp extends loginRefusal('invalid', 'invalid_otp', {
  message: 'The passcode is not valid. Check it, or send a new one.',
  help: 'The passcode is wrong, spent, expired or replaced by a newer one, or no passcode was sent to this `method_id`. Send a new one.',
}) {}

export class OtpAttemptsExceeded extends loginRefusal('invalid', 'otp_attempts_exceeded', {
  message: 'The passcode was tried too often. Send a new one.',
  help: 'The passcode was tried too often and is void, so even the right value is refused. Send a new one. Wrong tries also count per user.',
}) {}
