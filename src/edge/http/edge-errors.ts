import { DomainError, refusal } from '../../kernel/domain-error.js';
import { DatabaseUnavailable, SealedValueUnavailable } from '../../kernel/errors.js';
import { enterIntoCatalogue } from '../errors/error-catalogue.js';

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

/** An unforeseen failure. Its cause is in the log under the request id, never in the response. */
export class InternalError extends refusal('internal', 'internal_error', {
  message: 'The service failed unexpectedly.',
  help: 'Something failed inside the service. Report the request id to its operator: the log has the cause under this id.',
}) {}

enterIntoCatalogue([
  RouteNotFound,
  MethodNotAllowed,
  RequestTimeout,
  ExpectationFailed,
  TooManyConnections,
  DatabaseUnavailable,
  SealedValueUnavailable,
  InternalError,
]);
