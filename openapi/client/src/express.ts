import type { SessionCheck, SessionGuard } from './session-guard.js';

export { sessionOf } from './session-guard.js';

interface IncomingRequest {
  readonly headers: { readonly cookie?: string | undefined; readonly authorization?: string | undefined };
}

interface OutgoingResponse {
  statusCode: number;
  setHeader(name: string, value: string): unknown;
  end(body: string): unknown;
}

/** A middleware for Express, Nest and every other framework on `node:http`. */
export function requireSession(
  guard: SessionGuard,
  check?: SessionCheck,
): (request: IncomingRequest, response: OutgoingResponse, next: (error?: unknown) => void) => void {
  return (request, response, next) => {
    guard.admit(request, request.headers, check).then((refusal) => {
      if (!refusal) return next();
      response.statusCode = refusal.status;
      for (const [name, value] of Object.entries(refusal.headers)) response.setHeader(name, value);
      response.end(JSON.stringify(refusal.problem));
    }, next);
  };
}
