import { NetworkError } from './errors.js';

/** Bounds of all attempts of one call. */
export interface RetryOptions {
  /** All attempts, the first included: 4 by default. 1 switches retries off. */
  readonly attempts?: number;
  /** Time for all attempts and the pauses between them: 60 s by default. */
  readonly totalSeconds?: number;
}

const FIRST_PAUSE_MS = 200;
const LONGEST_PAUSE_MS = 5_000;

/**
 * A fetch that repeats a request where that is safe: after 429 and 503 with `Retry-After`, and after a connection that
 * failed before the whole response was here if the request is idempotent. All attempts send the same bytes.
 */
export function retrying(
  fetch: (request: Request, init: RequestInit) => Promise<Response>,
  { attempts = 4, totalSeconds = 60 }: RetryOptions = {},
): (request: Request) => Promise<Response> {
  return async (request) => {
    const deadline = performance.now() + totalSeconds * 1_000;
    const signal = AbortSignal.any([request.signal, AbortSignal.timeout(totalSeconds * 1_000)]);
    for (let attempt = 1; ; attempt++) {
      const mayRepeat = (pauseMs: number): boolean => attempt < attempts && performance.now() + pauseMs < deadline;
      let pauseMs: number | null;
      try {
        const response = await fetch(request.clone(), { signal });
        // Reads to the end, so that a connection cut inside the body is a failed attempt too.
        await response.clone().arrayBuffer();
        pauseMs = retryAfterMs(response);
        if (pauseMs === null || !mayRepeat(pauseMs)) return response;
      } catch (error) {
        pauseMs = Math.random() * Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** attempt);
        if (signal.aborted) throw error;
        if (!isIdempotent(request) || !mayRepeat(pauseMs)) throw new NetworkError(request, error);
      }
      await pause(pauseMs, signal);
    }
  };
}

/** PUT and PATCH are not: another caller may have changed the same fields between two attempts. */
function isIdempotent({ method, headers }: Request): boolean {
  return method === 'GET' || method === 'HEAD' || method === 'DELETE' || headers.has('idempotency-key');
}

function retryAfterMs({ status, headers }: Response): number | null {
  if (status !== 429 && status !== 503) return null;
  const value = headers.get('retry-after');
  if (!value) return null;
  const ms = /^\d+$/.test(value) ? Number(value) * 1_000 : Date.parse(value) - Date.now();
  // Spread, so that clients that were refused together do not return together.
  return Number.isNaN(ms) ? null : Math.max(0, ms) + Math.random() * FIRST_PAUSE_MS;
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = (): void => {
      clearTimeout(timer);
      reject(signal.reason as Error);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', stop);
      resolve();
    }, ms);
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
  });
}
