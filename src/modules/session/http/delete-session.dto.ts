import type { SessionId } from '../../../kernel/ids.js';
import { ExactlyOneOf, IdOf, Token } from '../../../platform/http/fields.js';

@ExactlyOneOf('session_id', 'session_token', 'session_jwt')
export class DeleteSessionRequest {
  @IdOf('session', { optional: true })
  readonly session_id?: SessionId;

  @Token({ optional: true })
  readonly session_token?: string;

  @Token({ optional: true })
  readonly session_jwt?: string;
}

export class DeleteSessionResponse {
  readonly message: string;
}
