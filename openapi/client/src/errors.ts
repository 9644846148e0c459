import type { ErrorType, Problem } from './document.js';

/** An error response. Branch on `errorType`, which is stable; the texts may change. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly status: number;
  /** Null if the response is not of the service, for instance of a proxy in front of it. */
  readonly errorType: ErrorType | null;
  readonly requestId: string | null;
  /** The fields that the service refused. Empty unless the error is about fields. */
  readonly fields: NonNullable<Problem['errors']>;
  /** The body, with the members of its error type, such as `approval_id`. Null if the response is not of the service. */
  readonly problem: Problem | null;
  declare readonly response: Response;

  constructor(body: unknown, response: Response) {
    const problem = isProblem(body) ? body : null;
    super(problem?.error_message ?? `The service answered ${response.status} without a problem document.`);
    this.status = response.status;
    this.errorType = (problem?.error_type ?? null) as ErrorType | null;
    this.requestId = problem?.request_id ?? response.headers.get('x-request-id');
    this.fields = problem?.errors ?? [];
    this.problem = problem;
    // Not enumerable, because a log of the error would print all of it.
    Object.defineProperty(this, 'response', { value: response, configurable: true });
  }

  /** Whether this was thrown for one of these error types, to which `errorType` is narrowed. A misspelt type does not compile. */
  static is<T extends ErrorType>(
    error: unknown,
    ...types: T[]
  ): error is ApiError & { readonly errorType: T; readonly problem: Problem } {
    return error instanceof ApiError && types.some((type) => type === error.errorType);
  }
}

/** No whole response came: the service may have carried out the call or not. The cause is the error of fetch. */
export class NetworkError extends Error {
  override readonly name = 'NetworkError';

  constructor({ method, url }: Request, cause: unknown) {
    super(`${method} ${new URL(url).pathname} got no whole response.`, { cause });
  }
}

function isProblem(body: unknown): body is Problem {
  return typeof body === 'object' && body !== null && 'error_type' in body && typeof body.error_type === 'string';
}

interface Result {
  readonly data?: unknown;
  readonly error?: unknown;
  readonly response: Response;
}

/** The data of a call. Throws `ApiError` instead of returning an error: `await ok(client.GET(…))`. */
export async function ok<R extends Result>(call: Promise<R>): Promise<Extract<R, { error?: never }>['data']> {
  const { data, error, response } = await call;
  // An error without a body is undefined, so the status decides.
  if (!response.ok) throw new ApiError(error, response);
  return data;
}
