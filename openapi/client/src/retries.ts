import { NetworkError } from './errors.js';

/** Bounds of all attempts of one call. */
export interface RetryOptions {
  /** All attempts, the first included: 4 by default. 1 switches retries off. */
  readonly attempts?: number;
  /** Time for all attempts and the pauses between them: 60 s by default. */
  readonly totalSeconds?: number;
}

export interface Attempt {
  /** A copy of the request, the same for both hooks, whose body may be read once. Headers that `onRequest` sets on it are sent. */
  readonly request: Request;
  /** 1 is the first attempt of a call. */
  readonly attempt: number;
}

/** An attempt that has a response, or an error if no whole one came. */
export interface EndedAttempt extends Attempt {
  /** A copy, whose body may be read. */
  readonly response?: Response;
  readonly error?: unknown;
  readonly durationMs: number;
}

/**
 * Called at every attempt, for instance to trace or to count. A call waits for them until its signal aborts or its total time is over,
 * and no longer.
 */
export interface Hooks {
  /** May set headers, except `idempotency-key`: another key at the next attempt would repeat the effect. An error of this hook ends the call. */
  readonly onRequest?: (attempt: Attempt) => void | Promise<void>;
  /** An error of this hook is ignored, because the outcome of the attempt is there already. */
  readonly onResponse?: (attempt: EndedAttempt) => void | Promise<void>;
}

const KEY_HEADER = 'idempotency-key';
const FIRST_PAUSE_MS = 200;
const LONGEST_PAUSE_MS = 5_000;

/**
 * A fetch that repeats a request where that is safe: after 429 and 503 with `Retry-After`, and after a connection that
 * failed before the whole response was here, except for PUT and PATCH. All attempts send the same bytes.
 */
export function retrying(
  fetch: (request: Request, init: RequestInit) => Promise<Response>,
  { attempts = 4, totalSeconds = 60 }: RetryOptions = {},
  { onRequest, onResponse }: Hooks = {},
): (request: Request) => Promise<Response> {
  return async (request) => {
    const deadline = performance.now() + totalSeconds * 1_000;
    const signal = AbortSignal.any([request.signal, AbortSignal.timeout(Math.ceil(totalSeconds * 1_000))]);
    for (let attempt = 1; ; attempt++) {
      const mayRepeat = (pauseMs: number): boolean => attempt < attempts && performance.now() + pauseMs < deadline;
      const shown = onRequest || onResponse ? request.clone() : request;
      if (onRequest) await run(onRequest, { request: shown, attempt }, signal);
      const sent = request.clone();
      if (onRequest) addHeaders(shown.headers, sent.headers);
      const begin = performance.now();
      const outcome = await outcomeOf(() => fetch(sent, { signal }));
      const durationMs = performance.now() - begin;
      const wasAborted = signal.aborted;
      if (onResponse) {
        const end = 'response' in outcome ? { response: outcome.response.clone() } : outcome;
        const ended: EndedAttempt = { request: shown, attempt, durationMs, ...end };
        await run(onResponse, ended, signal).catch(() => undefined);
      }
      let pauseMs: number | null;
      if ('response' in outcome) {
        pauseMs = retryAfterMs(outcome.response);
        if (pauseMs === null || !mayRepeat(pauseMs)) return outcome.response;
      } else {
        pauseMs = Math.random() * Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** attempt);
        if (wasAborted) throw outcome.error;
        if (!isRepeatable(request) || !mayRepeat(pauseMs)) throw new NetworkError(request, outcome.error);
      }
      await pause(pauseMs, signal);
    }
  };
}

async function outcomeOf(fetching: () => Promise<Response>): Promise<{ response: Response } | { error: unknown }> {
  try {
    const fetched = await fetching();
    // A signal that aborts later empties the response of fetch, but no copy.
    const response = fetched.clone();
    // Reads to the end, so that a connection cut inside the body is a failed attempt too.
    await fetched.arrayBuffer();
    return { response };
  } catch (error) {
    return { error };
  }
}

/** Ends with the hook, or with the reason of the signal if that aborts first. */
async function run<T>(hook: (attempt: T) => void | Promise<void>, attempt: T, signal: AbortSignal): Promise<void> {
  let stop = (): void => undefined;
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(signal.reason as Error);
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
  });
  try {
    await Promise.race([Promise.resolve().then(() => hook(attempt)), aborted]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

function addHeaders(from: Headers, to: Headers): void {
  from.forEach((value, name) => {
    if (name !== KEY_HEADER) to.set(name, value);
  });
}

/** PUT and PATCH are not, also with a key, which the service reads at a POST alone: another caller may have changed the same fields since. */
const isRepeatable = ({ method }: Request): boolean => method !== 'PUT' && method !== 'PATCH';

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
