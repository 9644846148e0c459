import { DomainError, type FieldError } from '../../../kernel/domain-error.js';

export class AppNotFound extends DomainError {
  static override readonly code = 'app_not_found';
  static override readonly kind = 'not_found';
  static override readonly help = 'There is no app with this id, or it was deleted.';
  constructor() {
    super('There is no such app.');
  }
}

/** For subscribers of `AppDeleted` that must not lose the app yet. */
export class AppInUse extends DomainError {
  static override readonly code = 'app_in_use';
  static override readonly kind = 'conflict';
  static override readonly help = 'Something of the app is still under way and must end before the app is deleted.';
  constructor(reason: string) {
    super(`The app cannot be deleted yet: ${reason}.`);
  }
}

export class KeyNotFound extends DomainError {
  static override readonly code = 'key_not_found';
  static override readonly kind = 'not_found';
  static override readonly help = 'The app has no key with this id, or it was revoked.';
  constructor() {
    super('The app has no such key.');
  }
}

export class RedirectUrlNotFound extends DomainError {
  static override readonly code = 'redirect_url_not_found';
  static override readonly kind = 'not_found';
  static override readonly help = 'The app has no redirect URL with this id.';
  constructor() {
    super('The app has no such redirect URL.');
  }
}

export class OauthConnectionNotFound extends DomainError {
  static override readonly code = 'oauth_connection_not_found';
  static override readonly kind = 'not_found';
  static override readonly help = 'The app has no connection with this id, or none to this identity provider.';
  constructor() {
    super('The app has no such OAuth connection.');
  }
}

export class InvalidRedirectUrl extends DomainError {
  static override readonly code = 'invalid_redirect_url';
  static override readonly kind = 'invalid';
  static override readonly help =
    'Browsers are sent only to URLs registered for the app, compared in full. A URL can be registered when it is https (http also on loopback and in test mode), without credentials and without a fragment.';
  constructor() {
    super('The redirect URL is not one the app may use or has registered.');
  }
}

export class NoDefaultRedirectUrl extends DomainError {
  static override readonly code = 'no_default_redirect_url';
  static override readonly kind = 'invalid';
  static override readonly help =
    'The request names no redirect URL and the app has no default one of this kind. Register one with is_default, or send one.';
  constructor(kind: string) {
    super(`The app has no default redirect URL of kind ${kind}, and the request names none.`);
  }
}

export class DuplicateRedirectUrl extends DomainError {
  static override readonly code = 'duplicate_redirect_url';
  static override readonly kind = 'conflict';
  static override readonly help = 'This URL is already registered for this purpose.';
  constructor() {
    super('The app already has this redirect URL of this kind.');
  }
}

export class DuplicateOauthConnection extends DomainError {
  static override readonly code = 'duplicate_oauth_connection';
  static override readonly kind = 'conflict';
  static override readonly help =
    'An app has at most one connection to each identity provider: update that one, or delete it first.';
  constructor(provider: string) {
    super(`The app already has a connection to ${provider}.`);
  }
}

export class InvalidOauthConnection extends DomainError {
  static override readonly code = 'invalid_oauth_connection';
  static override readonly kind = 'invalid';
  static override readonly help =
    'Each provider wants its own fields: client_secret for most, team_id, key_id and private_key for apple, issuer for a provider that is not built in.';
  constructor(override readonly fields: readonly FieldError[]) {
    super(`The connection is not valid: ${fields.map(({ field, message }) => `${field} ${message}`).join(', ')}.`);
  }
}

export class InvalidAsset extends DomainError {
  static override readonly code = 'invalid_asset';
  static override readonly kind = 'invalid';
  static override readonly help =
    'An asset is an ERC-20 contract or an SPL mint under a name and a symbol that nothing else of the app has. Addresses are written as their chain has them.';
  override readonly fields: readonly FieldError[];
  constructor(problem: string, field = 'assets') {
    super(`The list cannot be used: ${problem}.`);
    this.fields = [{ field, rule: 'invalid', message: problem }];
  }
}

export class DestinationNotAllowed extends DomainError {
  static override readonly code = 'destination_not_allowed';
  static override readonly kind = 'forbidden';
  static override readonly help =
    "The app's policy names the addresses that may be paid, and this is none of them. It is set through the management API.";
  constructor() {
    super('The policy of the app does not allow this destination.');
  }
}

export class TransferLimitExceeded extends DomainError {
  static override readonly code = 'transfer_limit_exceeded';
  static override readonly kind = 'forbidden';
  static override readonly help =
    "The app's policy bounds what one transfer may pay of this currency. It is set through the management API.";
  constructor(max: string, symbol: string) {
    super(`The policy of the app allows at most ${max} ${symbol} in one transfer.`);
  }
}

export class FeeLimitExceeded extends DomainError {
  static override readonly code = 'fee_limit_exceeded';
  static override readonly kind = 'forbidden';
  static override readonly help =
    "The app's policy bounds what one transaction may take in fees (max_fees of transfer_policy). Where it does not, a transaction signed for a caller may take no more fees than max_amounts allows to pay of the coin. The policy is set through the management API.";
  constructor(max: string, symbol: string) {
    super(`The policy of the app allows at most ${max} ${symbol} in fees of one transaction.`);
  }
}

/** What `AppsFacade.assertMayPay` throws when the policy does not allow a payment or its fees. */
export const POLICY_REFUSALS = [DestinationNotAllowed, TransferLimitExceeded, FeeLimitExceeded] as const;

export class TransactionNotAllowed extends DomainError {
  static override readonly code = 'transaction_not_allowed';
  static override readonly kind = 'forbidden';
  static override readonly help =
    "Where the app's policy bounds what its wallets pay, a transaction is signed only when it is one plain payment on the service's own chain: of the coin without data, or a call of transfer of a token on the app's list without value. The policy is set through the management API.";
  constructor() {
    super('The policy of the app bounds payments, and this transaction is not a plain payment of one of its assets.');
  }
}

export class InvalidAllowedOrigin extends DomainError {
  static override readonly code = 'invalid_allowed_origin';
  static override readonly kind = 'invalid';
  static override readonly help =
    'An allowed origin is written exactly as browsers send it: scheme, host and port, nothing behind. It is https; http also on loopback and in test mode.';
  override readonly fields = [
    { field: 'allowed_origins', rule: 'origin', message: 'must be exact origins such as https://app.example.com' },
  ];
  constructor() {
    super('One of the allowed origins is not an exact origin the app may use.');
  }
}

export class InvalidExpiry extends DomainError {
  static override readonly code = 'invalid_expires_at';
  static override readonly kind = 'invalid';
  static override readonly help = 'A key must end after it was made: expires_at must be a time in the future.';
  override readonly fields = [{ field: 'expires_at', rule: 'future', message: 'must lie in the future' }];
  constructor() {
    super('expires_at must lie in the future.');
  }
}

export class InvalidTemplate extends DomainError {
  static override readonly code = 'invalid_template';
  static override readonly kind = 'invalid';
  static override readonly help =
    'A template of mails has text and html together, both with {{link}} (or {{code}}, where the mail is about a code); further placeholders are {{app_name}}, {{greeting}} and {{expires_in}}. Values are escaped where they are put in.';
  constructor(override readonly fields: readonly FieldError[]) {
    super(`The template is not valid: ${fields.map(({ field, message }) => `${field} ${message}`).join(', ')}.`);
  }
}
