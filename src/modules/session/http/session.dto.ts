import { ApiSchema } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import type { SessionId, UserId } from '../../../kernel/ids.js';
import { ListOf, Nested } from '../../../edge/http/compound-fields.js';
import { IdOf, WholeNumber, MinutesWithin, OneOf, Token } from '../../../edge/http/fields.js';
import { FactorType } from '../domain/factor.js';
import { SessionListItem, IssuedSessionResponse } from './exported-session.dto.js';
import { AtLeastOneOf } from '../../../edge/http/at-least-one-of.js';
import {
  type KeptSession,
  OLDEST_PROOF_SECONDS,
  SESSION_LIFETIME,
  SESSION_STATES,
  sessionDocument,
  stateOf,
} from '../domain/session.js';
import { Example, EnumValues } from '../../../edge/openapi/plugin-schemas.js';
import { EXAMPLES, exampleId } from '../../../kernel/examples.js';
import { ManagementListQuery } from '../../../edge/http/list.dto.js';
import { epochSeconds } from '../../../kernel/clock.js';
import { PartOfManagedUser } from '../../identity/index.js';

export class ListSessionsRequest {
  /** The user whose live sessions are listed. */
  @IdOf('user')
  readonly user_id!: UserId;

  /** The maximum number of sessions in the response. `has_more` says whether there are more. */
  @WholeNumber({ min: 1, max: 1_000, unit: 'sessions' })
  readonly limit: number = 1_000;

  /** The id of the last session of the previous page. */
  @IdOf('session', { optional: true })
  readonly starting_after?: SessionId;
}

@ApiSchema({ description: "A page of the user's live sessions." })
export class ListSessionsResponse {
  /** The live sessions of the page, newest first, never with their tokens. */
  readonly sessions!: SessionListItem[];
  /** Whether there are more sessions after this page. */
  readonly has_more!: boolean;
}

@AtLeastOneOf('max_age_seconds', 'factors')
export class RequiredProofsRequest {
  /** The greatest age of the last proof in the session: with `factors`, of the last proof of each of them. */
  @WholeNumber({ min: 0, max: OLDEST_PROOF_SECONDS, unit: 'seconds', optional: true, example: 600 })
  readonly max_age_seconds?: number;

  /** The kinds of factor of which the session must have a proof: all of them. */
  @ListOf(OneOf(FactorType.proving), { min: 1, max: 20, optional: true, example: ['totp'] })
  readonly factors?: string[];
}

@AtLeastOneOf('session_token', 'session_jwt')
export class VerifySessionRequest {
  /** The token of the session. An empty string counts as absent. */
  @Token({ optional: true, example: EXAMPLES.token })
  readonly session_token?: string;

  /** A JWT of the session that has not expired. An empty string counts as absent. */
  @Token({ optional: true })
  readonly session_jwt?: string;

  /** The minutes from now until the session ends. It never moves the end to an earlier time; if absent, the end stays. */
  @MinutesWithin(SESSION_LIFETIME, { optional: true })
  readonly session_expires_in?: number;

  /**
   * The proofs that the session must have seen, else the response is 401 `step_up_required`. An embedded link or a password is no
   * proof.
   */
  @Nested(() => RequiredProofsRequest, { optional: true })
  readonly require?: RequiredProofsRequest;
}

@ApiSchema({ description: 'The session is live. The response has its current factors and a valid JWT.' })
export class VerifySessionResponse {
  /** The verified session. */
  readonly session!: IssuedSessionResponse;
  /** The token of the request; empty if the session was verified by its JWT. */
  @Example(EXAMPLES.token)
  readonly session_token!: string;
  /** A JWT with at least half of its life left; a new one whenever the session changed. */
  @Example('eyJhbGciOiJSUzI1NiJ9.eyJpc3MiOiJodHRwczovL2F1dGguZXhhbXBsZS5jb20ifQ.c2lnbmF0dXJl')
  readonly session_jwt!: string;
}

export class DeleteSessionQuery {
  /** The id of the session to delete, for clients behind a proxy that drops the body of a DELETE. An empty id counts as absent. */
  @IdOf('session', { optional: true })
  @Transform(({ value }: { value: unknown }) => (value === '' ? undefined : value))
  readonly session_id?: SessionId;
}

/** At least one identifier of the session is required, here or as `session_id` in the query. An empty value counts as absent. */
export class DeleteSessionRequest {
  /** The id of the session to delete. */
  @IdOf('session', { optional: true })
  @Transform(({ value }: { value: unknown }) => (value === '' ? undefined : value))
  readonly session_id?: SessionId;

  /** The token of the session to delete. */
  @Token({ optional: true, example: EXAMPLES.token })
  readonly session_token?: string;

  /** A JWT of the session to delete. */
  @Token({ optional: true })
  readonly session_jwt?: string;
}

@ApiSchema({ description: 'The session has ended.' })
export class DeleteSessionResponse {
  @Example('The session was deleted.')
  readonly message!: string;
}

export class ListManagedSessionsQuery extends ManagementListQuery {
  /** The id of a user: only the live sessions of this user are listed. */
  @IdOf('user', { optional: true })
  readonly user_id?: UserId;

  /** The id of the last session of the previous page. */
  @IdOf('session', { optional: true })
  readonly starting_after?: SessionId;
}

/** A session as operators see it, never with its tokens. */
export class ManagedSession extends SessionListItem {
  /** The status: `active`, `expired` at `expires_at`, or `revoked` before it. */
  @EnumValues(SESSION_STATES)
  readonly status!: (typeof SESSION_STATES)[number];
  /** The time at which the session was revoked, in epoch seconds; `0` if it was not revoked. */
  readonly revoked_at!: number;

  static of(session: KeptSession): ManagedSession {
    return { ...sessionDocument(session), status: stateOf(session), revoked_at: epochSeconds(session.revokedAt) };
  }
}

/** A live session of a user, as an element of the user that operators see. */
@PartOfManagedUser('sessions', 'The live sessions of the user.')
export class SessionOfManagedUser extends SessionListItem {}

@ApiSchema({ description: 'A page of the sessions, without their tokens.' })
export class ManagedSessionListResponse {
  /** The sessions of the page, newest first. A session is kept for 30 days after its end. */
  readonly sessions!: ManagedSession[];
  /** Whether there are more sessions after this page. */
  readonly has_more!: boolean;
}

@ApiSchema({ description: 'The session has ended.' })
export class EndedSessionResponse {
  @Example(exampleId('session'))
  readonly id!: string;
  @Example('The session has ended.')
  readonly message!: string;
}

@ApiSchema({ description: 'All sessions of the user have ended.' })
export class EndedSessionsResponse {
  readonly user_id!: string;
  @Example('The sessions have ended.')
  readonly message!: string;
}
