import { AtLeastOneOf } from '../../../edge/http/at-least-one-of.js';
import { MinutesWithin, Token } from '../../../edge/http/fields.js';
import { SESSION_LIFETIME } from '../domain/session.js';
import { IssuedSessionResponse } from './session-fields.dto.js';
import { Example } from '../../../edge/openapi/plugin-schemas.js';
import { EXAMPLES } from '../../../kernel/examples.js';

@AtLeastOneOf('session_token', 'session_jwt')
export class VerifySessionRequest {
  @Token({ optional: true, example: EXAMPLES.token })
  readonly session_token?: string;

  @Token({ optional: true })
  readonly session_jwt?: string;

  /** The minutes from now until the session ends. It never moves the end to an earlier time; if absent, the end stays. */
  @MinutesWithin(SESSION_LIFETIME, { optional: true })
  readonly session_expires_in?: number;
}

export class VerifySessionResponse {
  readonly session!: IssuedSessionResponse;
  /** The token of the request; empty if the session was verified by its JWT. */
  @Example(EXAMPLES.token)
  readonly session_token!: string;
  /** A JWT with at least half of its life left; a new one whenever the session changed. */
  @Example('eyJhbGciOiJSUzI1NiJ9.eyJpc3MiOiJodHRwczovL2F1dGguZXhhbXBsZS5jb20ifQ.c2lnbmF0dXJl')
  readonly session_jwt!: string;
}
