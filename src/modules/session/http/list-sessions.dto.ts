import type { SessionId, UserId } from '../../../kernel/ids.js';
import { IdOf, WholeNumber } from '../../../edge/http/fields.js';
import { SessionListItem } from './session-fields.dto.js';

export class ListSessionsRequest {
  /** The user whose live sessions are listed. */
  @IdOf('user')
  readonly user_id!: UserId;

  /** The maximum number of sessions in the response. `has_more` says whether there are more. */
  @WholeNumber({ min: 1, max: 1_000 })
  readonly limit: number = 1_000;

  /** The id of the last session of the previous page. */
  @IdOf('session', { optional: true })
  readonly starting_after?: SessionId;
}

export class ListSessionsResponse {
  /** The live sessions of the page, newest first, never with their tokens. */
  readonly sessions!: SessionListItem[];
  /** Whether there are more sessions after this page. */
  readonly has_more!: boolean;
}
