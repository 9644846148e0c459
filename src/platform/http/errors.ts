import { DomainError, type FieldError } from '../../kernel/domain-error.js';
import { enterIntoCatalogue } from './error-catalogue.js';

/** What a request says is wrong in itself. Found before anything is looked up, counted or spent. */
export class InvalidRequest extends DomainError {
  static override readonly code = 'invalid_request';
  static override readonly kind = 'invalid';
  static override readonly help =
    'Fields of the request are missing or wrong. `errors` names each of them with a stable `rule` and what is expected. Nothing was changed and nothing was spent.';

  /** The message of a field error is a predicate (`must be …`, `is required`), so that it reads after the field's name. */
  constructor(override readonly fields: readonly FieldError[]) {
    const [first] = fields;
    const rest = fields.length - 1;
    super(
      first
        ? `${first.field} ${first.message}.${rest > 0 ? ` (${rest} more in errors)` : ''}`
        : 'The request is not valid.',
    );
  }
}

export class MalformedJson extends DomainError {
  static override readonly code = 'invalid_json';
  static override readonly kind = 'invalid';
  static override readonly help = 'The body is not one JSON object (RFC 8259) in UTF-8.';
  constructor(message = 'The request body is not valid JSON.') {
    super(message);
  }
}

export class PayloadTooLarge extends DomainError {
  static override readonly code = 'payload_too_large';
  static override readonly kind = 'too_large';
  static override readonly help = 'The body is larger than 256 KiB.';
  constructor() {
    super('The request body is too large.');
  }
}

export class UnsupportedMediaType extends DomainError {
  static override readonly code = 'unsupported_media_type';
  static override readonly kind = 'unsupported_media_type';
  static override readonly help =
    'Send the body as `Content-Type: application/json` in UTF-8, without a content encoding.';
}

export class TooManyRequests extends DomainError {
  static override readonly code = 'too_many_requests';
  static override readonly kind = 'too_many';
  static override readonly help =
    'More calls than the limit allows. `RateLimit` and `RateLimit-Policy` tell what is left; try again after `Retry-After` seconds.';
  /** @param policy which limit it was, unless the rate of calls, whose fields are in every answer anyway. */
  constructor(
    override readonly retryAfterSeconds: number,
    readonly policy?: RateLimitPolicy,
    message = 'Too many requests. Try again later.',
  ) {
    super(message);
  }
}

/** A limit as the `RateLimit-Policy` field tells it. */
export interface RateLimitPolicy {
  readonly name: string;
  readonly quota: number;
  readonly windowSeconds: number;
}

enterIntoCatalogue([InvalidRequest, MalformedJson, PayloadTooLarge, UnsupportedMediaType, TooManyRequests]);
