import type { SessionCheck, SessionGuard } from './session-guard.js';

export { sessionOf } from './session-guard.js';

interface Context {
  readonly req: { header(name: string): string | undefined };
}

/** A middleware for Hono. `sessionOf(context)` returns the session. */
export function requireSession(
  guard: SessionGuard,
  check?: SessionCheck,
): (context: Context, next: () => Promise<void>) => Promise<Response | undefined> {
  return async (context, next) => {
    const sent = { cookie: context.req.header('cookie'), authorization: context.req.header('authorization') };
    const refusal = await guard.admit(context, sent, check);
    if (refusal) return refusal.toResponse();
    await next();
    return undefined;
  };
}
