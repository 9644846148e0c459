import { DomainError, type FieldError, refusal } from './domain-error.js';
import type { UserId } from './ids.js';

/** Nothing was read, counted or spent. A field's message is a predicate (`must be …`), so that it reads after the field's name. */
export class InvalidRequest extends refusal('invalid', 'invalid_request', {
  message: ([first, ...rest]: readonly FieldError[]) => {
    if (!first) return 'The request is not valid.';
    // It is often the misspelt name of the first field.
    const unknown = rest.find(({ rule }) => rule === 'unknown');
    const texts = [first, ...(unknown ? [unknown] : [])].map(({ field, message }) => `${field} ${message}`);
    const more = rest.length - texts.length + 1;
    return `${texts.join('; ')}.${more > 0 ? ` (${more} more in errors)` : ''}`;
  },
  help: 'Fields of the request are missing or wrong. `errors` names each of them with a stable `rule` and what is expected. Nothing was changed and nothing was spent.',
  fields: (_message, [fields]) => fields,
}) {}

export class TooManyRequests extends DomainError {
  static override readonly code: string = 'too_many_requests';
  static override readonly kind = 'too_many';
  static override readonly help: string =
    'The calls exceed the limit. `RateLimit` and `RateLimit-Policy` say how many are left. Try again after `Retry-After` seconds.';
  /**
   * @param policy the limit that was exceeded; absent for the rate of calls, whose fields are in every response.
   * @param userId the user whose limit it is. For the event; never in the response.
   */
  constructor(
    override readonly retryAfterSeconds: number,
    readonly policy?: RateLimitPolicy,
    message = 'Too many requests. Try again later.',
    readonly userId?: UserId,
  ) {
    super(message);
  }
}

export interface RateLimitPolicy {
  readonly name: string;
  readonly quota: number;
  readonly windowSeconds: number;
}

export class DatabaseUnavailable extends refusal('unavailable', 'service_unavailable', {
  message: (message?: string) =>
    message ?? 'The service is not available at the moment. Try again after Retry-After seconds.',
  help: 'The service cannot reach its database at the moment. Nothing was lost. Try again after `Retry-After` seconds.',
  retryAfterSeconds: 2,
}) {}

export class Overloaded extends refusal('unavailable', 'overloaded', {
  message: 'The service has more calls than it can work on. Try again after Retry-After seconds.',
  help: 'The service, or the share of the app in it, has more calls than it can work on: 250 of the app or 1,000 of all apps wait, or the call has waited for too long. Try again after `Retry-After` seconds, with the same `Idempotency-Key` where there was one, and send fewer calls at a time.',
  retryAfterSeconds: 2,
}) {}

/** The vault has already counted and logged the fault. */
export class SealedValueUnavailable extends DomainError {
  static override readonly code = 'sealed_value_unavailable';
  static override readonly kind = 'unavailable';
  static override readonly help =
    "The service cannot decrypt a stored secret that the call needs, such as a wallet's key, a TOTP secret or a connection's client secret: the key that sealed it is missing, or its row was altered or moved. A retry does not help. The operator finds the cause under the alert `seal_failure` in the log.";
  constructor(options?: ErrorOptions) {
    super('A stored secret that this call needs cannot be decrypted. Report the request id to the operator.', options);
  }
}

/** A wrong MAC, or a seal under a key provider that does not open. The fault is already counted and logged. */
export class SealedValueAltered extends DomainError {
  static override readonly code = 'seal_broken';
  static override readonly kind = 'internal';
  static override readonly help =
    'A row that the call needs was altered, moved or written by a client other than the service: its MAC is wrong, or a seal in it does not open though its key is available. Nothing was done. A retry does not help. The operator finds the row under the alert `seal_failure` in the log.';
  constructor(options?: ErrorOptions) {
    super('A stored row that this call needs was altered. Report the request id to the operator.', options);
  }
}

export class KeysUnavailable extends DomainError {
  static override readonly code = 'keys_unavailable';
  static override readonly kind = 'unavailable';
  static override readonly help =
    "The operator's key provider, which opens the keys of the app, does not open them at the moment. Nothing was changed, except that during a move between key providers the try of a passcode may have been counted, or the state of an OAuth login spent. Calls that need no stored secret go on. Try again after `Retry-After` seconds.";
  override readonly retryAfterSeconds = 5;
  constructor(options?: ErrorOptions) {
    super('The keys of the app are not available at the moment. Try again after Retry-After seconds.', options);
  }
}

/** One refusal for every reason: unknown, expired, revoked, forged, or another app's or user's. */
export class InvalidSession extends refusal('unauthenticated', 'invalid_session', {
  message: 'The session token or JWT is not valid. Sign the user in again, or leave it out.',
  help: 'The session token or JWT is unknown, expired, revoked, forged, or belongs to another app or user. Nothing was spent: sign the user in again, or leave it out.',
}) {}
