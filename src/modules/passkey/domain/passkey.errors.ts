import { refusal } from '../../../kernel/domain-error.js';
import type { UserId } from '../../../kernel/ids.js';
import { LoginRefused } from '../../../kernel/refusals.js';
import { MAX_PASSKEYS } from './passkey.js';

/** One refusal for every reason except the kind of a new key: an attacker must not learn which check failed. */
export class InvalidPasskey extends LoginRefused {
  static override readonly code = 'invalid_webauthn_credential';
  static override readonly kind = 'invalid';
  static override readonly help =
    'The credential does not answer a challenge of this call, or it is malformed, unknown, of another app, domain, origin or user, or made without verification of the user. Nothing was changed. Send what `navigator.credentials` returned for the options of a `begin` call of the last 5 minutes, once and unchanged; check `webauthn` of the app against the domain and origin of the page.';
  constructor(
    userId?: UserId,
    message = 'The credential is not valid. Begin again and send the answer of the browser unchanged.',
  ) {
    super(message, userId);
  }
}

export const UNSOUND_KEY =
  'The key of the passkey is not accepted. Use an authenticator with keys of ES256, EdDSA, or RS256 with 2,048 bits at least and the public exponent 65537.';

export class DuplicatePasskey extends refusal('conflict', 'duplicate_webauthn_credential', {
  message: 'The passkey is registered already. Use it to sign in.',
  help: 'The app has this passkey already, of this user or of another. Let the user sign in with it, or register another authenticator.',
}) {}

export class TooManyPasskeys extends refusal('conflict', 'too_many_webauthn_credentials', {
  message: `The user has ${MAX_PASSKEYS} passkeys. Delete one first.`,
  help: `A user has at most ${MAX_PASSKEYS} passkeys. Delete one that is no longer used first.`,
}) {}

export class PasskeysNotConfigured extends refusal('conflict', 'webauthn_not_configured', {
  message: 'Passkeys are not configured for the app. Set its webauthn settings first.',
  help: 'The app has no `webauthn` settings, so no page can use passkeys for it. Set `rp_id` and `origins` by PATCH /management/v1/apps/{app_id}.',
}) {}

export class PasskeyNotFound extends refusal('not_found', 'webauthn_credential_not_found', {
  message: 'The app has no such passkey.',
  help: 'The app has no passkey with this id, or it was deleted.',
}) {}
