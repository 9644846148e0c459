import { IdOf } from '../../../edge/http/fields.js';
import type { UserId } from '../../../kernel/ids.js';
import type { UserProfile } from '../../identity/index.js';
import { UserWebauthnCredential } from './user-webauthn-credential.dto.js';
import { Example } from '../../../edge/openapi/plugin-schemas.js';

export class ListPasskeysQuery {
  /** The owner of the passkeys. */
  @IdOf('user')
  readonly user_id!: UserId;
}

export class PasskeyListResponse {
  /** The passkeys, oldest first. */
  readonly webauthn_credentials!: UserWebauthnCredential[];

  static of({ parts }: UserProfile): PasskeyListResponse {
    return { webauthn_credentials: parts['webauthn_credentials'] as UserWebauthnCredential[] };
  }
}

export class PasskeyDeletionResponse {
  /** The id of the user whose passkey was deleted. */
  readonly user_id!: string;
  @Example('The passkey was deleted.')
  readonly message!: string;
}
