import { ApiSchema } from '@nestjs/swagger';
import { PartOfUser, type UserProfile } from '../../identity/index.js';
import { Example } from '../../../edge/openapi/plugin-schemas.js';
import { exampleId } from '../../../kernel/examples.js';
import { IdOf } from '../../../edge/http/fields.js';
import type { UserId } from '../../../kernel/ids.js';

/** A passkey as GET user and the list of passkeys show it. */
@PartOfUser('webauthn_credentials')
export class UserWebauthnCredential {
  /** Begins with `webauthn_`. */
  @Example(exampleId('passkey'))
  readonly id!: string;
  /** The name that the app gave the passkey; may be empty. */
  @Example('Laptop')
  readonly name!: string;
  /** The transports by which the authenticator says it can be reached, such as `internal` or `usb`. */
  @Example(['internal'])
  readonly transports!: string[];
  /** Whether the passkey is also on other devices of the user, or in their password manager. */
  readonly backed_up!: boolean;
  /** The time of creation, in epoch seconds. */
  readonly created_at!: number;
  /** The time of the last sign-in with the passkey, in epoch seconds; `0` if there was none. */
  readonly last_used_at!: number;
}

export class ListPasskeysQuery {
  /** The owner of the passkeys. */
  @IdOf('user')
  readonly user_id!: UserId;
}

@ApiSchema({ description: 'The passkeys of the user.' })
export class PasskeyListResponse {
  /** The passkeys, oldest first. */
  readonly webauthn_credentials!: UserWebauthnCredential[];

  static of({ parts }: UserProfile): PasskeyListResponse {
    return { webauthn_credentials: parts['webauthn_credentials'] as UserWebauthnCredential[] };
  }
}

@ApiSchema({ description: 'The passkey was deleted.' })
export class PasskeyDeletionResponse {
  /** The id of the user whose passkey was deleted. */
  readonly user_id!: string;
  @Example('The passkey was deleted.')
  readonly message!: string;
}
