import { ListOf } from '../../../edge/http/compound-fields.js';
import { Flag, MAX_LENGTH, Text, WholeNumber } from '../../../edge/http/fields.js';
import { FormerId, PartOfUserRow, PastTime, timeIn } from '../../identity/index.js';
import type { ImportedPasskey } from '../application/portable-passkeys.js';
import { MAX_PASSKEYS } from '../domain/passkey.js';

@PartOfUserRow(
  'webauthn_credentials',
  { max: MAX_PASSKEYS, description: 'The passkeys of the user.' },
  (item: UserRowPasskey): ImportedPasskey => ({
    id: item.id,
    credentialId: item.credential_id,
    publicKey: item.public_key,
    userHandle: item.user_handle,
    signCount: item.counter,
    transports: item.transports,
    rpId: item.rp_id,
    name: item.name,
    isBackupEligible: item.backup_eligible ?? null,
    isBackedUp: item.backed_up,
    createdAt: timeIn(item.created_at),
    lastUsedAt: timeIn(item.last_used_at),
  }),
)
export class UserRowPasskey {
  @FormerId('passkey')
  readonly id?: string;

  /** The id that the authenticator gave, in base64url. */
  @Text({ min: 1, max: 2_048, example: 'AQIDBAUGBwgJCgsMDQ4PEA' })
  readonly credential_id!: string;

  /** The public key in COSE form, in base64url. */
  @Text({ min: 1, max: 2_048, example: 'pQECAyYgASFYIA' })
  readonly public_key!: string;

  /** The signature counter; `0` if the authenticator has none. */
  @WholeNumber({ min: 0, max: 4_294_967_295, unit: 'signatures' })
  readonly counter: number = 0;

  /** The transports by which the authenticator can be reached. */
  @ListOf(Text({ max: 32 }), { max: 10 })
  readonly transports: string[] = [];

  /** The domain that the passkey is bound to: the `rp_id` of the app. */
  @Text({ min: 1, max: 253, example: 'localhost' })
  readonly rp_id!: string;

  /** The user handle that the authenticator stores, in base64url. If absent, it is the id of the user. */
  @Text({ optional: true, max: 128 })
  readonly user_handle?: string;

  /** The name of the passkey; may be empty. */
  @Text({ max: MAX_LENGTH.name })
  readonly name: string = '';

  /** Whether the passkey may be copied to other devices. If absent, the first sign-in decides. */
  @Flag({ optional: true })
  readonly backup_eligible?: boolean;

  /** Whether the passkey is on several devices of the user. */
  @Flag()
  readonly backed_up: boolean = false;

  @PastTime('When the passkey was made. If absent, the time of the creation of the user.')
  readonly created_at?: Date;

  @PastTime('When the user last signed in by it.')
  readonly last_used_at?: Date;
}
