import { DomainError } from '../../kernel/domain-error.js';
import { enterIntoCatalogue } from './error-catalogue.js';

export class RouteNotFound extends DomainError {
  static override readonly code = 'not_found';
  static override readonly kind = 'not_found';
  static override readonly help =
    'No such endpoint, or not with this method. The document at /openapi.json lists all of them.';
  constructor() {
    super('There is no such endpoint.');
  }
}

export class DatabaseUnavailable extends DomainError {
  static override readonly code = 'service_unavailable';
  static override readonly kind = 'unavailable';
  static override readonly help =
    'The service cannot reach its database for now. Nothing was lost; try again after `Retry-After` seconds.';
  override readonly retryAfterSeconds = 2;
  constructor() {
    super('The service is not available for the moment.');
  }
}

/** What nobody foresaw. Its cause is in the log under the request id, never in the answer. */
export class InternalError extends DomainError {
  static override readonly code = 'internal_error';
  static override readonly kind = 'unavailable';
  static override readonly help =
    'Something failed inside the service. Tell its operator the request id: the cause is in the log under it.';
  constructor() {
    super('Something went wrong inside the service.');
  }
}

enterIntoCatalogue([RouteNotFound, DatabaseUnavailable, InternalError]);
