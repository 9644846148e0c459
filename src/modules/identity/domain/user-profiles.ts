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

export interface UserProfile extends Pick<User, (typeof SHOWN_AS_STORED)[number]>, Stamped {
  readonly userId: UserId;
  readonly appId: AppId;
  readonly active: boolean;
  readonly emails: readonly ProfileEmail[];
  readonly phoneNumbers: readonly ProfilePhoneNumber[];
  readonly providerIdentities: readonly ProfileProviderIdentity[];
  readonly parts: Readonly<Record<string, readonly object[]>>;
}

/** Leaves out the wallets that a bound key does not see. */
export function profileWithin(binding: KeyBinding | null, profile: UserProfile): UserProfile {
  const walletIds = binding?.walletIds;
  if (!walletIds) return profile;
  const isSeen = ({ id }: { readonly id?: unknown }): boolean => !isId('wallet', id) || walletIds.includes(id);
  const parts = Object.entries(profile.parts).map(([field, elements]) => [field, elements.filter(isSeen)]);
  return { ...profile, parts: Object.fromEntries(parts) as UserProfile['parts'] };
}

export interface UserPage extends Page<UserProfile> {
  readonly totalCount: number;
  /** `totalCount` may be an estimate, because more users match than are counted. */
  readonly isEstimated: boolean;
}

export abstract class UserProfiles {
  abstract get(appId: AppId, userId: UserId): Promise<UserProfile>;

  abstract getForOperators(appId: AppId, userId: UserId): Promise<UserProfile>;

  abstract list(appId: AppId, page: PageRequest<UserId>): Promise<Page<UserProfile>>;

  /** Newest first. Throws `SearchTooBroad`; `TooManyRequests` or `DatabaseUnavailable` if too many searches run. */
  abstract search(appId: AppId, search: UserSearch): Promise<UserPage>;
}
