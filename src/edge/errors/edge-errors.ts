import { refusal, DomainError } from '../../kernel/domain-error.js';
import {
  DatabaseUnavailable,
  InvalidRequest,
  KeysUnavailable,
  Overloaded,
  SealedValueAltered,
  SealedValueUnavailable,
  TooManyRequests,
} from '../../kernel/errors.js';
import { enterIntoCatalogue } from './error-catalogue.js';
import type { KeyScope } from '../../kernel/key-restriction.js';
import { type ManagementRole, rolesFor } from '../../kernel/management-role.js';

export class MalformedJson extends refusal('invalid', 'invalid_json', {
  message: (message?: string) => message ?? 'The request body is not valid JSON.',
  help: 'The body is not one JSON object (RFC 8259) in UTF-8.',
}) {}

export class PayloadTooLarge extends refusal('too_large', 'payload_too_large', {
  message: (maxBytes?: number) => `The request body is too large. Send at most ${(maxBytes ?? 262_144) / 1024} KiB.`,
  help: 'The body is larger than 256 KiB, a form larger than 16 KiB, or the JSON of a policy, without blanks, larger than 80 KiB.',
}) {}

export class UnsupportedMediaType extends refusal('unsupported_media_type', 'unsupported_media_type', {
  message: (message: string) => message,
  help: 'Send the body as `Content-Type: application/json` in UTF-8, without a content encoding.',
}) {}

export class RouteNotFound extends refusal('not_found', 'not_found', {
  message: 'There is no such endpoint.',
  help: 'There is no such endpoint. The document at /openapi.json lists all endpoints.',
}) {}

export class MethodNotAllowed extends DomainError {
  static override readonly code = 'method_not_allowed';
  static override readonly kind = 'method_not_allowed';
  static override readonly help =
    'The endpoint does not support this method. The header `Allow` lists the supported methods.';
  constructor(readonly allowed: readonly string[]) {
    super(`This endpoint supports ${allowed.join(', ')}.`);
  }
}

export class RequestTimeout extends refusal('timed_out', 'request_timeout', {
  message: 'The request did not arrive in time.',
  help: 'The request did not arrive in time: its headers within 10 seconds, all of it within 30 seconds. Send it again.',
}) {}

export class ExpectationFailed extends refusal('unexpected', 'expectation_failed', {
  message: 'The header Expect may only be 100-continue.',
  help: 'The header `Expect` may only be `100-continue`. Leave it out.',
}) {}

export class TooManyConnections extends refusal('unavailable', 'too_many_connections', {
  message: 'The service has no connection left for this client network. Try again later.',
  help: 'The replica works on as many requests as it has connections, or does so for this client network. Try again after the time in `Retry-After`.',
}) {}

export class ServiceReadOnly extends refusal('unavailable', 'read_only', {
  message: 'The service only reads at the moment. Try again later.',
  help: 'The operator lets the service only read: it serves reads, searches and checks of sessions, and changes nothing. Try again after the time in `Retry-After`.',
  retryAfterSeconds: 60,
}) {}

/** The cause is in the log under the request id, never in the response. */
export class InternalError extends refusal('internal', 'internal_error', {
  message: 'The service failed unexpectedly.',
  help: 'Something failed inside the service. Report the request id to its operator: the log has the cause under this id.',
}) {}

export const KEYS = {
  secret: { name: 'secret key', prefix: 'sk_', sentAs: 'Authorization: Bearer sk_…' },
  public: { name: 'public token', prefix: 'pk_', sentAs: '?public_token=pk_…' },
  management: { name: 'management key', prefix: 'mk_', sentAs: 'Authorization: Bearer mk_…' },
} as const;

export type KeyKind = keyof typeof KEYS;

/** Unknown and expired keys have one text: a difference would help guessing. */
const ARRIVED = {
  nothing: (name: string) => `The request has no ${name}.`,
  other_scheme: (name: string, what: string) => `The request has \`Authorization: ${what}\` instead of a ${name}.`,
  without_bearer: (name: string) => `The Authorization header lacks the word Bearer before the ${name}.`,
  twice: () => 'The request has several Authorization headers.',
  other_prefix: (name: string, what: string) => `The request has a key that begins with ${what} instead of a ${name}.`,
  token: (name: string) => `The request has an access token that is not valid here instead of a ${name}.`,
  no_key: (name: string) => `The request has a text that is no ${name}.`,
  unknown: (name: string) => `The ${name} is not valid: it is unknown, expired or revoked.`,
} as const;

/** `what` is one of a few known texts, never a text of the caller. */
export type Arrived = readonly [form: keyof typeof ARRIVED, what?: string];

export class UnauthorizedCredentials extends refusal('unauthenticated', 'unauthorized_credentials', {
  message: (required: KeyKind, [form, what = '']: Arrived = ['nothing']) =>
    `${ARRIVED[form](KEYS[required].name, what)} Send it as \`${KEYS[required].sentAs}\`.`,
  help: 'The key or the access token is missing, malformed, unknown, expired or revoked, and the message says what arrived. Send `Authorization: Bearer <key>` once, with a key of this app; a public token is sent as `?public_token=<token>`.',
}) {}

export class WrongKeyKind extends refusal('forbidden', 'wrong_key_kind', {
  message: (required: KeyKind) => `This endpoint requires a ${KEYS[required].name} (${KEYS[required].prefix}…).`,
  help: 'The key is valid but of another kind than this endpoint requires: secret (sk_), restricted (rk_), public (pk_) or management (mk_). The document names the endpoints that take a restricted key.',
}) {}

export class MissingRole extends refusal('forbidden', 'missing_role', {
  message: (needed: ManagementRole) =>
    `This call requires a management key with the role ${rolesFor(needed).join(' or ')}.`,
  help: 'The management key is valid, but its role does not permit this call: `auditor` may only read, `support` may also help users, `operator` may not change apps, keys, redirect URLs, OAuth connections, OAuth clients or resources, `owner` may do everything. The message names the roles that permit it; the command line makes keys with a role.',
}) {}

export class MissingScope extends refusal('forbidden', 'missing_scope', {
  message: (needed: readonly KeyScope[]) =>
    `This call requires a restricted key or an access token with the scope ${needed.join(' or ')}.`,
  help: 'The restricted key or the access token is valid, but lacks the scope of this call, which the message names. No scope includes another one. Scopes of a key never change: create a key, or ask for a token, that has it.',
}) {
  constructor(readonly needed: readonly KeyScope[]) {
    super(needed);
  }
}

export class IpNotAllowed extends refusal('forbidden', 'ip_not_allowed', {
  message: 'The key may not be used from this address.',
  help: 'The restricted key may be used only from the networks in its `ip_ranges`, and the call came from an address outside them. Behind a proxy the service sees the address that `TRUST_PROXY` makes it trust.',
}) {}

export class IdempotencyKeyReused extends refusal('unprocessable', 'idempotency_key_reused', {
  message: 'This Idempotency-Key was already used with another body. Use a new key.',
  help: 'The `Idempotency-Key` was already used on this path with another body in the last 24 hours. Use a new key for a new request.',
}) {}

export class StoredAnswersFull extends TooManyRequests {
  static override readonly code = 'stored_answers_full';
  static override readonly help =
    'The responses that the app has stored by `Idempotency-Key` in the last 24 hours reach the limit `stored_answers_mb` of the app; a tenth of it is reserved for payments and imports. Nothing was done. Raise the limit, repeat the call without the header if it may be carried out twice, or try again later. Calls that are safe to repeat go on.';
  constructor(limitBytes: number) {
    super(
      // The bytes of the oldest hour leave the window within this time.
      3_600,
      { name: 'stored_answers', quota: limitBytes, windowSeconds: 86_400 },
      'The responses that the app has stored by Idempotency-Key in the last 24 hours reach its limit stored_answers_mb. Raise it, or repeat the call without the header, or later.',
    );
  }
}

enterIntoCatalogue([InvalidRequest, MalformedJson, PayloadTooLarge, UnsupportedMediaType, TooManyRequests]);
enterIntoCatalogue([
  RouteNotFound,
  MethodNotAllowed,
  RequestTimeout,
  ExpectationFailed,
  TooManyConnections,
  ServiceReadOnly,
]);
enterIntoCatalogue([DatabaseUnavailable, Overloaded, SealedValueUnavailable, SealedValueAltered, KeysUnavailable]);
enterIntoCatalogue([InternalError, IdempotencyKeyReused, StoredAnswersFull]);
