import { ApiSchema } from '@nestjs/swagger';
import type { UserId } from '../../../kernel/ids.js';
import { IdOf, MinutesWithin } from '../../../edge/http/fields.js';
import { LINK_LIFETIME } from '../domain/magic-link.js';
import { LinkRequest } from './send-magic-link.dto.js';
import { Example, NeverEmpty } from '../../../edge/openapi/plugin-schemas.js';
import { EXAMPLES } from '../../../kernel/examples.js';

export class CreateMagicLinkRequest extends LinkRequest {
  @IdOf('user')
  readonly user_id!: UserId;

  /** Lifetime of the link in minutes. */
  @MinutesWithin(LINK_LIFETIME)
  readonly expires_in: number = LINK_LIFETIME.standard;
}

@ApiSchema({ description: 'The token of the new link, which is shown only once. No mail was sent.' })
export class CreateMagicLinkResponse {
  @NeverEmpty()
  readonly user_id!: string;
  /** Put it into your own link, and verify it like the token of a mailed link. Shown once. */
  @NeverEmpty()
  @Example(EXAMPLES.token)
  readonly token!: string;
}
