import { IdOf } from '../../../edge/http/fields.js';
import { ManagementListQuery } from '../../../edge/http/management-list.dto.js';
import { EnumValues, Example } from '../../../edge/openapi/plugin-schemas.js';
import { epochSeconds } from '../../../kernel/clock.js';
import type { SessionId, UserId } from '../../../kernel/ids.js';
import { PartOfManagedUser } from '../../identity/index.js';
import { type KeptSession, SESSION_STATES, sessionDocument, stateOf } from '../domain/session.js';
import { SessionListItem } from './session-fields.dto.js';
import { exampleId } from '../../../kernel/examples.js';

export class ListManagedSessionsQuery extends ManagementListQuery {
  /** Only live sessions of this user. */
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
  /** When it was revoked; `0` when it was not. */
  readonly revoked_at!: number;

  static of(session: KeptSession): ManagedSession {
    return { ...sessionDocument(session), status: stateOf(session), revoked_at: epochSeconds(session.revokedAt) };
  }
}

/** A live session of a user, as an element of the user that operators see. */
@PartOfManagedUser('sessions')
export class SessionOfManagedUser extends SessionListItem {}

export class ManagedSessionListResponse {
  /** Newest first. A session is kept for 30 days after its end. */
  readonly sessions!: ManagedSession[];
  /** Whether there are more after the last of these. */
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
