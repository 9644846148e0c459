import { DomainError } from '../../kernel/domain-error.js';
import { DatabaseUnavailable, SealedValueUnavailable } from '../../kernel/errors.js';
import { enterIntoCatalogue } from './error-catalogue.js';

export class RouteNotFound extends DomainError {
  static override readonly code = 'not_found';
  static override readonly kind = 'not_found';
  static override readonly help = 'There is no such endpoint. The document at /openapi.json lists all endpoints.';
  constructor() {
    super('There is no such endpoint.');
  }
}

export class MethodNotAllowed extends DomainError {
  static override readonly code = 'method_not_allowed';
  static override readonly kind = 'method_not_allowed';
  static override readonly help =
    'The endpoint does not support this method. The header `Allow` lists the supported methods.';
  constructor(readonly allowed: readonly string[]) {
    super(`This endpoint supports ${allowed.join(', ')}.`);
  }
}

export class RequestTimeout extends DomainError {
  static override readonly code = 'request_timeout';
  static override readonly kind = 'timed_out';
  static override readonly help =
    'The request did not arrive in time: its headers within 10 seconds, all of it within 30 seconds. Send it again.';
  constructor() {
    super('The request did not arrive in time.');
  }
}

export class ExpectationFailed extends DomainError {
  static override readonly code = 'expectation_failed';
  static override readonly kind = 'unexpected';
  static override readonly help = 'The header `Expect` may only be `100-continue`. Leave it out.';
  constructor() {
    super('The header Expect may only be 100-continue.');
  }
}

export class TooManyConnections extends DomainError {
  static override readonly code = 'too_many_connections';
  static override readonly kind = 'unavailable';
  static override readonly help =
    'The replica works on as many requests as it has connections, or does so for this client network. Try again after the time in `Retry-After`.';
  constructor() {
    super('The service has no connection left for this client network. Try again later.');
  }
}

/** An unforeseen failure. Its cause is in the log under the request id, never in the response. */
export class InternalError extends DomainError {
  static override readonly code = 'internal_error';
  static override readonly kind = 'internal';
  static override readonly help =
    'Something failed inside the service. Report the request id to its operator: the log has the cause under this id.';
  constructor() {
    super('The service failed unexpectedly.');
  }
}

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
