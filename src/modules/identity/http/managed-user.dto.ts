import { IdOf } from '../../../edge/http/fields.js';
import { ManagementListQuery } from '../../../edge/http/list.dto.js';
import { DescribedLater } from '../../../edge/openapi/plugin-schemas.js';
import type { UserId } from '../../../kernel/ids.js';
import type { UserProfile } from '../domain/user-profiles.js';
import { UserResponse } from './user.dto.js';

export class ListManagedUsersQuery extends ManagementListQuery {
  /** The id of the last user of the previous page. */
  @IdOf('user', { optional: true })
  readonly starting_after?: UserId;
}

export class ManagedUserListResponse {
  /** The users of the page, newest first. */
  readonly users!: UserResponse[];
  /** Whether there are more users after this page. */
  readonly has_more!: boolean;
}

/** A user as operators see them. Modules add fields to it by `PartOfManagedUser`. */
@DescribedLater(() =>
  Object.fromEntries(
    [...ManagedUserResponse.parts].map(([field, type]) => [field, { type: () => [type], required: true }]),
  ),
)
export class ManagedUserResponse extends UserResponse {
  static readonly parts = new Map<string, unknown>();

  static override of(profile: UserProfile): ManagedUserResponse {
    return UserResponse.of(profile);
  }
}
