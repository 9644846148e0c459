import { IdOf } from '../../../edge/http/fields.js';
import { ManagementListQuery } from '../../../edge/http/list.dto.js';
import { EnumValues, Example } from '../../../edge/openapi/plugin-schemas.js';
import { epochSeconds } from '../../../kernel/clock.js';
import type { SessionId, UserId } from '../../../kernel/ids.js';
import { PartOfManagedUser } from '../../identity/index.js';
import { type KeptSession, SESSION_STATES, sessionDocument, stateOf } from '../domain/session.js';
import { SessionListItem } from './session-fields.dto.js';
import { exampleId } from '../../../kernel/examples.js';

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
  @EnumValues(SESSION_STATES)
  readonly status!: (typeof SESSION_STATES)[number];
  /** The time at which the session was revoked, in epoch seconds; `0` if it was not revoked. */
  readonly revoked_at!: number;

  static of(session: KeptSession): ManagedSession {
    return { ...sessionDocument(session), status: stateOf(session), revoked_at: epochSeconds(session.revokedAt) };
  }
}

/** A live session of a user, as an element of the user that operators see. */
@PartOfManagedUser('sessions')
export class SessionOfManagedUser extends SessionListItem {}

export class ManagedSessionListResponse {
  /** The sessions of the page, newest first. A session is kept for 30 days after its end. */
  readonly sessions!: ManagedSession[];
  /** Whether there are more sessions after this page. */
  readonly has_more!: boolean;
}

export class EndedSessionResponse {
  @Example(exampleId('session'))
  readonly id!: string;
  @Example('The session has ended.')
  readonly message!: string;
}

export class EndedSessionsResponse {
  readonly user_id!: string;
  @Example('The sessions have ended.')
  readonly message!: string;
}
