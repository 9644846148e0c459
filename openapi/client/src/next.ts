import { type SessionCheck, type SessionGuard, sessionOf } from './session-guard.js';
import type { SessionClaims } from './session-jwt.js';

interface FetchRequest {
  readonly headers: { get(name: string): string | null };
}

const sentIn = ({ headers }: FetchRequest) => ({
  cookie: headers.get('cookie'),
  authorization: headers.get('authorization'),
});

/** The middleware of Next (`proxy` since Next 16): returns the refusal, or nothing, so that the request goes on. */
export function requireSession(
  guard: SessionGuard,
  check?: SessionCheck,
): (request: FetchRequest) => Promise<Response | undefined> {
  return async (request) => (await guard.admit(request, sentIn(request), check))?.toResponse();
}

/** A route handler of Next, or of any framework with `Request` and `Response`, that gets the session. */
export function withSession<R extends FetchRequest, Rest extends unknown[]>(
  guard: SessionGuard,
  handler: (request: R, session: SessionClaims, ...rest: Rest) => Response | Promise<Response>,
  check?: SessionCheck,
): (request: R, ...rest: Rest) => Promise<Response> {
  return async (request, ...rest) => {
    const refusal = await guard.admit(request, sentIn(request), check);
    return refusal?.toResponse() ?? handler(request, sessionOf(request), ...rest);
  };
}
