import {
  type AppId,
  type EmailId,
  type OauthConnectionId,
  type PhoneNumberId,
  type ProviderIdentityId,
  type UserId,
  isId,
} from '../../../kernel/ids.js';
import type { KeyBinding } from '../../../kernel/key-restriction.js';
import type { Page, PageRequest } from '../../../kernel/paging.js';
import type { UserSearch } from './user-search.js';
import type { SHOWN_AS_STORED, User } from './user.js';

/** Times of a read model are whole epoch seconds, rendered by PostgreSQL, because no code computes with them. */
interface Stamped {
  readonly createdAt: number;
  readonly updatedAt: number;
}

export interface ProfileEmail extends Stamped {
  readonly id: EmailId;
  readonly email: string;
  readonly verified: boolean;
}

export interface ProfilePhoneNumber extends Stamped {
  readonly id: PhoneNumberId;
  readonly phoneNumber: string;
  readonly verified: boolean;
}

export interface ProfileProviderIdentity extends Stamped {
  readonly id: ProviderIdentityId;
  readonly connectionId: OauthConnectionId;
  readonly provider: string;
  readonly subject: string;
}

/** A user with everything that belongs to them, as the interface shows it. */
export interface UserProfile extends Pick<User, (typeof SHOWN_AS_STORED)[number]>, Stamped {
  readonly userId: UserId;
  readonly appId: AppId;
  /** Neither pending nor deactivated. */
  readonly active: boolean;
  readonly emails: readonly ProfileEmail[];
  readonly phoneNumbers: readonly ProfilePhoneNumber[];
  readonly providerIdentities: readonly ProfileProviderIdentity[];
  /** The elements of each field that a module registered in `UserProfileParts`, as responses show them. */
  readonly parts: Readonly<Record<string, readonly object[]>>;
}

/** The profile without the wallets that a bound key does not see. */
export function profileWithin(binding: KeyBinding | null, profile: UserProfile): UserProfile {
  const walletIds = binding?.walletIds;
  if (!walletIds) return profile;
  const isSeen = ({ id }: { readonly id?: unknown }): boolean => !isId('wallet', id) || walletIds.includes(id);
  const parts = Object.entries(profile.parts).map(([field, elements]) => [field, elements.filter(isSeen)]);
  return { ...profile, parts: Object.fromEntries(parts) as UserProfile['parts'] };
}

export interface UserPage extends Page<UserProfile> {
  /** The number of matching users on all pages. */
  readonly totalCount: number;
  /** More users match than are counted: `totalCount` may be an estimate. */
  readonly isEstimated: boolean;
}

/** The read model of live users. Reads join the caller's transaction. */
export abstract class UserProfiles {
  /** The user as `GET /v1/auth/users/{user_id}` shows them, in one statement. Throws `UserNotFound`. */
  abstract get(appId: AppId, userId: UserId): Promise<UserProfile>;

  /** The user with the fields that only operators see, in one statement. Throws `UserNotFound`. */
  abstract getForOperators(appId: AppId, userId: UserId): Promise<UserProfile>;

  /** Lists users, newest first, in one statement. */
  abstract list(appId: AppId, page: PageRequest<UserId>): Promise<Page<UserProfile>>;

  /**
   * Finds users, newest first. Throws `SearchTooBroad` when it takes too long; `TooManyRequests` or `DatabaseUnavailable` when
   * too many searches run at the time.
   */
  abstract search(appId: AppId, search: UserSearch): Promise<UserPage>;
}
