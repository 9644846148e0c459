import { Transform } from 'class-transformer';
import type { SessionId } from '../../../kernel/ids.js';
import { IdOf, Token } from '../../../edge/http/fields.js';
import { Example } from '../../../edge/openapi/plugin-schemas.js';
import { EXAMPLES } from '../../../kernel/examples.js';

export class DeleteSessionQuery {
  /** The id of the session to delete, for clients behind a proxy that drops the body of a DELETE. An empty id counts as absent. */
  @IdOf('session', { optional: true })
  @Transform(({ value }: { value: unknown }) => (value === '' ? undefined : value))
  readonly session_id?: SessionId;
}

/** At least one identifier of the session is required, here or as `session_id` in the query. An empty value counts as absent. */
export class DeleteSessionRequest {
  @IdOf('session', { optional: true })
  @Transform(({ value }: { value: unknown }) => (value === '' ? undefined : value))
  readonly session_id?: SessionId;

  @Token({ optional: true, example: EXAMPLES.token })
  readonly session_token?: string;

  @Token({ optional: true })
  readonly session_jwt?: string;
}

export class DeleteSessionResponse {
  @Example('The session was deleted.')
  readonly message!: string;
}
