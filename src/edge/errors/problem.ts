import type { ErrorKind, DomainError } from '../../kernel/domain-error.js';

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

/** RFC 9457, and the fields that older clients read. */
interface Problem {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  readonly instance: string;
  readonly status_code: number;
  readonly error_type: string;
  readonly error_message: string;
  readonly request_id: string;
  readonly errors?: readonly { field: string; rule: string; message: string }[];
}

/** `type` is absolute, so that clients that log it elsewhere can open it. */
export function problemOf(
  error: Pick<DomainError, 'code' | 'kind' | 'message' | 'fields'> & Partial<Pick<DomainError, 'details'>>,
  requestId: string,
  baseUrl: string,
): Problem {
  const status = STATUS[error.kind];
  return {
    type: `${baseUrl}/errors/${error.code}`,
    title: titleOf(error.code),
    status,
    detail: error.message,
    instance: requestId,
    status_code: status,
    error_type: error.code,
    error_message: error.message,
    request_id: requestId,
    ...(error.fields && { errors: error.fields }),
    ...error.details,
  };
}

export function titleOf(code: string): string {
  const words = code.replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}
