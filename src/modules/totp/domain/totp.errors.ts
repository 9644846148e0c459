import { refusal } from '../../../kernel/domain-error.js';
import { loginRefusal } from '../../../kernel/refusals.js';

export class ActiveTotpExists extends refusal('conflict', 'active_totp_exists', {
  message: 'The user has an active authenticator. Delete it before creating another.',
  help: 'The user has an active authenticator, and may have only one. Delete it first (DELETE /v1/auth/users/totps/{totp_id}/delete).',
}) {}

export class TotpNotFound extends refusal('not_found', 'totp_not_found', {
  message: 'The app has no such authenticator.',
  help: 'The app has no authenticator with this id. It may have been deleted, replaced by another enrolment, or not verified in time.',
}) {}

export class InvalidTotp extends loginRefusal('invalid', 'invalid_totp', {
  message: 'The code is not valid. Use the code that the authenticator app shows now.',
  help: 'The code is wrong, expired or already used, or the user has no authenticator: an enrolment that was not verified in time is deleted. Codes of the previous and the next 30 seconds are accepted, each once.',
}) {}

export class InvalidRecoveryCode extends loginRefusal('invalid', 'invalid_recovery_code', {
  message: 'The recovery code is not valid. Use another one.',
  help: 'The recovery code is wrong or already used, or the user has no active authenticator. Each code works once.',
}) {}
