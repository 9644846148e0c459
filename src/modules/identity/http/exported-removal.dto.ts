import { type AuthenticatedApp, bindingOf } from '../../../edge/http/authenticated-request.js';
import { Token } from '../../../edge/http/fields.js';
import type { CallerSessions, Remover } from '../domain/caller-session.js';

/** A session of the user who loses a sign-in method. Without one the call acts for the app. */
export class RemovalRequest {
  /** The token of a fresh session of the user. An empty string counts as absent. */
  @Token({ optional: true })
  readonly session_token?: string;

  /** A JWT of a fresh session of the user. An empty string counts as absent. */
  @Token({ optional: true })
  readonly session_jwt?: string;
}

/** The same in the query, for clients behind a proxy that drops the body of a DELETE. */
export class RemovalQuery {
  /** The token of a fresh session of the user, if the body has none. An empty string counts as absent. */
  @Token({ optional: true })
  readonly session_token?: string;

  /** A JWT of a fresh session of the user, if the body has none. An empty string counts as absent. */
  @Token({ optional: true })
  readonly session_jwt?: string;
}

/** Who removes a sign-in method by the call. Throws `InvalidSession`. */
export function removerOf(
  sessions: CallerSessions,
  app: AuthenticatedApp,
  query: RemovalQuery,
  body: RemovalRequest | undefined,
): Promise<Remover> {
  const token = body?.session_token ?? query.session_token;
  const jwt = body?.session_jwt ?? query.session_jwt;
  return sessions.remover(app.id, { token, jwt, binding: bindingOf(app) });
}
