import { DomainError } from '../../../kernel/domain-error.js';
import type { UserId } from '../../../kernel/ids.js';
import { LoginRefused } from '../../../kernel/refusals.js';

export class ActiveTotpExists extends DomainError {
  static override readonly code = 'active_totp_exists';
  static override readonly kind = 'conflict';
  static override readonly help =
    'The user has an active authenticator, and may have only one. Delete it first (DELETE /v1/auth/users/totps/{totp_id}/delete).';
  constructor() {
    super('The user has an active authenticator. Delete it before creating another.');
  }
}

export class TotpNotFound extends DomainError {
  static override readonly code = 'totp_not_found';
  static override readonly kind = 'not_found';
  static override readonly help =
    'The app has no authenticator with this id. It may have been deleted, replaced by another enrolment, or not verified in time.';
  constructor() {
    super('The app has no such authenticator.');
  }
}

export class InvalidTotp extends LoginRefused {
  static override readonly code = 'invalid_totp';
  static override readonly kind = 'invalid';
  static override readonly help =
    'The code is wrong, expired or already used, or the user has no authenticator: an enrolment that was not verified ' +
    'in time is deleted. Codes of the previous and the next 30 seconds are accepted, each once.';
  constructor(userId?: UserId) {
    super('The code is not valid. Use the code that the authenticator app shows now.', userId);
  }
}

export class InvalidRecoveryCode extends LoginRefused {
  static override readonly code = 'invalid_recovery_code';
  static override readonly kind = 'invalid';
  static override readonly help =
    'The recovery code is wrong or already used, or the user has no active authenticator. Each code works once.';
  constructor(userId?: UserId) {
    super('The recovery code is not valid. Use another one.', userId);
  }
}
