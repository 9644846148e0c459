import type { UserId } from '../../../kernel/ids.js';
import { IdOf, MinutesWithin } from '../../../edge/http/fields.js';
import { LINK_LIFETIME } from '../domain/magic-link.js';
import { LinkRequest } from './send-magic-link.dto.js';

export class CreateMagicLinkRequest extends LinkRequest {
  @IdOf('user')
  readonly user_id: UserId;

  /** Minutes the link lives. */
  @MinutesWithin(LINK_LIFETIME)
  readonly expires_in: number = LINK_LIFETIME.standard;
}

export class CreateMagicLinkResponse {
  readonly user_id: string;
  /** To be put into a link of the app's own, and to be verified like one that was mailed. Shown once. */
  readonly token: string;
}
