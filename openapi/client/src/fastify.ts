import type { SessionCheck, SessionGuard } from './session-guard.js';

export { sessionOf } from './session-guard.js';

interface IncomingRequest {
  readonly headers: { readonly cookie?: string | undefined; readonly authorization?: string | undefined };
}

interface Reply {
  code(status: number): unknown;
  headers(values: Record<string, string>): unknown;
  send(body: string): unknown;
}

/** An `onRequest` hook for Fastify. */
export function requireSession(
  guard: SessionGuard,
  check?: SessionCheck,
): (request: IncomingRequest, reply: Reply) => Promise<unknown> {
  return async (request, reply) => {
    const refusal = await guard.admit(request, request.headers, check);
    if (!refusal) return undefined;
    reply.code(refusal.status);
    reply.headers(refusal.headers);
    reply.send(JSON.stringify(refusal.problem));
    // The returned reply ends the request.
    return reply;
  };
}
