import { PartOfUser } from '../../identity/index.js';
import { Example } from '../../../edge/openapi/plugin-schemas.js';
import { exampleId } from '../../../kernel/examples.js';

/** A passkey as GET user and the list of passkeys show it. */
@PartOfUser('webauthn_credentials')
export class UserWebauthnCredential {
  /** Begins with `webauthn_`. */
  @Example(exampleId('webauthnCredential'))
  readonly id!: string;
  /** As the app named it; may be empty. */
  @Example('Laptop')
  readonly name!: string;
  /** How the authenticator can be reached, as it said itself, such as `internal` or `usb`. */
  @Example(['internal'])
  readonly transports!: string[];
  /** Whether the passkey is also on other devices of the user, or in their password manager. */
  readonly backed_up!: boolean;
  /** Epoch seconds. */
  readonly created_at!: number;
  /** Epoch seconds; `0` when it never signed in. */
  readonly last_used_at!: number;
}
