import { ApiSchema } from '@nestjs/swagger';
import { RESETTABLE } from '../../../edge/http/field.js';
import { EmailAddress, IdOf, MAX_LENGTH, PhoneNumber, Text } from '../../../edge/http/fields.js';
import { ManagementListQuery } from '../../../edge/http/list.dto.js';
import { DescribedLater, Example } from '../../../edge/openapi/plugin-schemas.js';
import type { UserId } from '../../../kernel/ids.js';
import type { AppData, PersonalName } from '../domain/user.js';
import type { UserProfile } from '../domain/user-profiles.js';
import { ExternalId, MetadataObject, UserResponse } from './user.dto.js';

export class ListManagedUsersQuery extends ManagementListQuery {
  /** The id of the last user of the previous page. */
  @IdOf('user', { optional: true })
  readonly starting_after?: UserId;
}

@ApiSchema({ description: 'A page of the users.' })
export class ManagedUserListResponse {
  /** The users of the page, newest first. */
  readonly users!: UserResponse[];
  /** Whether there are more users after this page. */
  readonly has_more!: boolean;
}

/** A user as operators see them. Modules add fields to it by `PartOfManagedUser`. */
@ApiSchema({ description: 'The user as operators see them, with their live sessions.' })
@DescribedLater(() =>
  Object.fromEntries([...ManagedUserResponse.parts].map(([field, part]) => [field, { ...part, required: true }])),
)
export class ManagedUserResponse extends UserResponse {
  static readonly parts = new Map<string, { readonly type: () => unknown[]; readonly description: string }>();

  static override of(profile: UserProfile): ManagedUserResponse {
    return UserResponse.of(profile);
  }
}

/** The changes of a user by an operator. Absent fields stay unchanged. */
export class UpdateManagedUserRequest {
  /** The first name; `null` clears it. */
  @Text({ max: MAX_LENGTH.name, ...RESETTABLE, example: 'Grace' })
  readonly first_name?: string | null;

  /** The middle name; `null` clears it. */
  @Text({ max: MAX_LENGTH.name, ...RESETTABLE })
  readonly middle_name?: string | null;

  /** The last name; `null` clears it. */
  @Text({ max: MAX_LENGTH.name, ...RESETTABLE, example: 'Hopper' })
  readonly last_name?: string | null;

  /** The id of the user in the app's own data, unique in the app; `null` clears it. */
  @ExternalId(RESETTABLE)
  readonly external_id?: string | null;

  /**
   * Members of the app's data about the user, at most 5 levels and 4,096 bytes as JSON in all. They are set; a member that is `null` is
   * removed, and other members stay. `null` instead of the object removes all members.
   */
  @MetadataObject(RESETTABLE)
  readonly metadata?: Record<string, unknown> | null;

  /** Only the given fields, because the audit log names them. */
  static changes(request: UpdateManagedUserRequest): Partial<PersonalName> & AppData {
    const { first_name, middle_name, last_name, external_id, metadata } = request;
    const names = { firstName: first_name, middleName: middle_name, lastName: last_name };
    const changes = {
      ...Object.fromEntries(Object.entries(names).map(([part, value]) => [part, value === null ? '' : value])),
      externalId: external_id === '' ? null : external_id,
      metadata,
    };
    return Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined));
  }
}

export class AddEmailRequest {
  @EmailAddress({ example: 'grace@example.com' })
  readonly email!: string;
}

export class AddPhoneNumberRequest {
  @PhoneNumber({ example: '+4915112345679' })
  readonly phone_number!: string;
}

@ApiSchema({ description: 'The lock after wrong codes has ended.' })
export class UnlockedUserResponse {
  readonly user_id!: string;
  @Example('The user may try codes again.')
  readonly message!: string;
}
