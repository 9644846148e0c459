import { refusal } from '../../../kernel/domain-error.js';

export class AddressOfOtherAccount extends refusal('conflict', 'address_of_other_account', {
  message:
    'The proof signs in another user than expected_user_id. Let that user sign in, or leave expected_user_id out.',
  help: 'The proof leads to another user than `expected_user_id`, or to a new one: the address, wallet or identity belongs to another account, or was moved there. Nothing was spent, so the same proof still signs in that user without `expected_user_id`.',
}) {}

export class SessionNotFound extends refusal('not_found', 'session_not_found', {
  message: 'There is no live session with this id.',
  help: 'This app has no live session with this id: it never had, or it expired or was deleted already.',
}) {}

/** The master key is missing, or the row was altered or moved. */
export class SigningKeyUnavailable extends refusal('unavailable', 'signing_key_unavailable', {
  message: 'The signing key of the app cannot be used. Ask the operator of the service.',
  help: "The service cannot open the app's signing key, so it can neither issue nor verify session JWTs of this app. Nothing was spent. The client cannot mend it: the operator finds the cause under the alert `seal_failure` in the log.",
}) {}

export class SessionMismatch extends refusal('invalid', 'session_mismatch', {
  message: 'The identifiers name different sessions. Send one of them.',
  help: 'session_id, session_token and session_jwt may be sent together only when they name the same session. Nothing was changed: send one of them.',
}) {}
