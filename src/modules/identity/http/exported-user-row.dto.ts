import { ApiSchema } from '@nestjs/swagger';
import { WALLET_TYPE_ALIASES, DEFAULT_WALLET_TYPES, type DefaultWalletType } from '../../../kernel/chain/chain-name.js';
import { ListOf, Nested } from '../../../edge/http/compound-fields.js';
import { EmailAddress, EpochSeconds, Flag, MAX_LENGTH, OneOf, PhoneNumber, Text } from '../../../edge/http/fields.js';
import { exampleId } from '../../../kernel/examples.js';
import type { IdKind, UserId } from '../../../kernel/ids.js';
import { MAX_ADDRESSES } from '../domain/identity.errors.js';
import type { ImportedContact } from '../application/portable-contacts.js';
import type { ImportedIdentity } from '../application/portable-identities.js';
import { type ImportedUser, USER_STATUSES, type UserStatus } from '../domain/user.js';
import { UserDataRequest } from './user.dto.js';

/** The id that an object had. An import takes it with `keep_ids` only. */
export const FormerId = (kind: IdKind) =>
  Text({
    optional: true,
    description:
      'The id of the object. An import ignores it without `keep_ids`, with which it must be one of this service.',
    example: exampleId(kind),
  });

/** A time in the past; `0` counts as absent. */
export const PastTime = (description: string) => EpochSeconds({ optional: true, description, example: 1_700_000_000 });

/** The time that a row states; null for none. */
export const timeIn = (time: Date | undefined): Date | null =>
  time === undefined || time.getTime() === 0 ? null : time;

const items = new Map<string, (item: never) => object>();

/**
 * Makes the class the items of a member of `UserRow`, which the module registers in `PortableParts`. `read` gives an item the names that
 * the reader of the part takes. With `max: 'one'` the member is the item itself.
 */
export function PartOfUserRow(
  field: string,
  { max, description }: { readonly max: number | 'one'; readonly description: string },
  read: (item: never) => object,
): ClassDecorator {
  return (target) => {
    items.set(field, read);
    const model = () => target as unknown as new () => object;
    const options = { optional: true, description };
    (max === 'one' ? Nested(model, options) : ListOf(Nested(model), { max, ...options }))(UserRow.prototype, field);
  };
}

/** Modules add members to it by `PartOfUserRow`. */
@ApiSchema({ description: 'A user as an import takes it and an export returns it.' })
export class UserRow extends UserDataRequest {
  @FormerId('user')
  readonly user_id?: UserId;

  /** `pending` until an address is verified. */
  @OneOf(USER_STATUSES)
  readonly status: UserStatus = 'active';

  /** Whether management keeps the user from signing in. */
  @Flag()
  readonly deactivated: boolean = false;

  @PastTime('When the user was created. If absent, the time of the import.')
  readonly created_at?: Date;

  /** The type of the managed wallet that the import makes for the user. */
  @OneOf(DEFAULT_WALLET_TYPES, { aliases: WALLET_TYPE_ALIASES })
  readonly wallet_type: DefaultWalletType = 'none';

  /** Not called `user`, because the document would take that for a field. */
  static importedUser(row: UserRow, keepsIds: boolean): ImportedUser {
    return {
      ...UserDataRequest.personalName(row),
      ...UserDataRequest.appData(row),
      id: keepsIds ? row.user_id : undefined,
      status: row.status,
      isDeactivated: row.deactivated,
      createdAt: timeIn(row.created_at),
      walletType: row.wallet_type,
    };
  }

  /** The items of each part. */
  static items(row: UserRow): Readonly<Record<string, readonly object[]>> {
    const members = row as unknown as Readonly<Record<string, readonly never[] | undefined>>;
    return Object.fromEntries([...items].map(([field, read]) => [field, [members[field] ?? []].flat().map(read)]));
  }
}

@PartOfUserRow(
  'emails',
  { max: MAX_ADDRESSES, description: 'The e-mail addresses of the user.' },
  ({ id, email, verified, verified_at }: UserRowEmail): ImportedContact => ({
    id,
    text: email,
    isVerified: verified,
    verifiedAt: timeIn(verified_at),
  }),
)
export class UserRowEmail {
  @FormerId('email')
  readonly id?: string;

  @EmailAddress({ example: 'grace@example.com' })
  readonly email!: string;

  /** Whether the user has proved to hold it. */
  @Flag()
  readonly verified: boolean = false;

  @PastTime('When the user proved it. If absent, the time of the creation of the user.')
  readonly verified_at?: Date;
}

@PartOfUserRow(
  'phone_numbers',
  { max: MAX_ADDRESSES, description: 'The phone numbers of the user.' },
  ({ id, phone_number, verified, verified_at }: UserRowPhoneNumber): ImportedContact => ({
    id,
    text: phone_number,
    isVerified: verified,
    verifiedAt: timeIn(verified_at),
  }),
)
export class UserRowPhoneNumber {
  @FormerId('phoneNumber')
  readonly id?: string;

  @PhoneNumber({ example: '+4915112345679' })
  readonly phone_number!: string;

  /** Whether the user has proved to hold it. */
  @Flag()
  readonly verified: boolean = false;

  @PastTime('When the user proved it. If absent, the time of the creation of the user.')
  readonly verified_at?: Date;
}

@PartOfUserRow(
  'identities',
  { max: 100, description: 'The identities of the user at identity providers.' },
  ({ id, connection, provider, subject, verified_at }: UserRowIdentity): ImportedIdentity => ({
    id,
    connectionId: connection,
    provider,
    subject,
    verifiedAt: timeIn(verified_at),
  }),
)
export class UserRowIdentity {
  @FormerId('providerIdentity')
  readonly id?: string;

  /** The id of the connection of this app. Give it or `provider`. */
  @Text({ optional: true })
  readonly connection?: string;

  /** The name of the provider, if the app has one connection to it. */
  @Text({ optional: true, example: 'google' })
  readonly provider?: string;

  /** The id of the user at the provider. */
  @Text({ min: 1, max: MAX_LENGTH.customId, example: '1234567890' })
  readonly subject!: string;

  @PastTime('When the user first signed in by it. If absent, the time of the creation of the user.')
  readonly verified_at?: Date;
}
