import type { ErrorKind } from '../../kernel/domain-error.js';

/** The only table that maps a kind of error to an HTTP status. */
export const STATUS: Readonly<Record<ErrorKind, number>> = {
  invalid: 400,
  unauthenticated: 401,
  forbidden: 403,
  not_found: 404,
  method_not_allowed: 405,
  timed_out: 408,
  conflict: 409,
  too_large: 413,
  unsupported_media_type: 415,
  unexpected: 417,
  unprocessable: 422,
  too_many: 429,
  unavailable: 503,
  internal: 500,
};
