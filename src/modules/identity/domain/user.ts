import type { DefaultWalletType } from '../../../kernel/chain/chain-name.js';
import { type DataOf, evolve } from '../../../kernel/entity.js';
import { type AppId, newId, type UserId } from '../../../kernel/ids.js';
import { AccountTaken, UserInactive } from './identity.errors.js';
import { mergedMetadata, type Metadata } from './metadata.js';

export const USER_STATUSES = ['pending', 'active'] as const;
/** `pending` until an address is verified, for users created so. */
export type UserStatus = (typeof USER_STATUSES)[number];

/**
 * Whether the account passes to the person who proves its address: `open` until a signature, export, import of a key, transfer or session,
 * then `closed`; `taken` once it has passed. Writes of the app do not close it. `reopening`: open to acts, closed to proofs.
 */
export type Claim = 'open' | 'closed' | 'reopening' | 'taken';

const NO_NAME = { firstName: '', middleName: '', lastName: '' } as const;

export type PersonalName = Readonly<Record<keyof typeof NO_NAME, string>>;
const NAMES = Object.keys(NO_NAME) as readonly (keyof PersonalName)[];

export const SHOWN_AS_STORED = [...NAMES, 'status', 'externalId', 'metadata'] as const;

const renamed = (name: PersonalName, given: Partial<PersonalName>): PersonalName =>
  Object.fromEntries(NAMES.map((part) => [part, given[part] ?? name[part]])) as PersonalName;

/** The app's data about a user. Writing it does not close the account. */
export interface AppData {
  /** The id of the user in the app's own data; null clears it. */
  readonly externalId?: string | null | undefined;
  /** Members to set, and as null those to remove; null removes all of them. */
  readonly metadata?: Metadata | null | undefined;
}

export interface NewUser extends Partial<PersonalName>, AppData {
  readonly status: UserStatus;
  readonly walletType: DefaultWalletType;
  readonly claim?: Claim;
}

export interface ImportedUser extends Omit<NewUser, 'claim'> {
  readonly id?: UserId | undefined;
  readonly isDeactivated: boolean;
  readonly createdAt: Date | null;
}

/** Every change of a sign-in method locks the user's row, and locks it before any address. */
export class User implements PersonalName {
  declare readonly appId: AppId;
  declare readonly id: UserId;
  declare readonly firstName: string;
  declare readonly middleName: string;
  declare readonly lastName: string;
  declare readonly status: UserStatus;
  declare readonly walletType: DefaultWalletType;
  declare readonly claim: Claim;
  /** Unique among the live users of the app; null if the app gave none. */
  declare readonly externalId: string | null;
  declare readonly metadata: Metadata;
  /** Keeps the user from signing in with any status. */
  declare readonly deactivatedAt: Date | null;
  /** The row of a deleted user stays without personal data, because wallets and transfers point to it. */
  declare readonly deletedAt: Date | null;
  declare readonly createdAt: Date;
  declare readonly updatedAt: Date;

  private constructor(data: DataOf<User>) {
    Object.assign(this, data);
  }

  static create(
    appId: AppId,
    { status, walletType, claim = 'closed', externalId, metadata, ...name }: NewUser,
    now: Date,
  ): User {
    return new User({
      appId,
      id: newId('user'),
      ...renamed(NO_NAME, name),
      status,
      walletType,
      claim,
      externalId: externalId ?? null,
      metadata: mergedMetadata({}, metadata ?? {}),
      deactivatedAt: null,
      deletedAt: null,
      createdAt: now,
      updatedAt: now,
    });
  }

  /** The account is open, like one that the app creates, until it is `proved`. */
  static imported(appId: AppId, { isDeactivated, createdAt, id, ...choices }: ImportedUser, now: Date): User {
    const user = User.create(appId, { ...choices, claim: 'open' }, now);
    const deactivatedAt = isDeactivated ? now : null;
    return new User({ ...user, ...(id !== undefined && { id }), deactivatedAt, createdAt: createdAt ?? now });
  }

  /** The account has a proved credential, so it passes to no other person. */
  proved(): User {
    return new User({ ...(this as DataOf<User>), claim: 'closed' });
  }

  static of(row: DataOf<User>): User {
    return new User(row);
  }

  rename(name: Partial<PersonalName>, now: Date): User {
    return evolve<User>(this, { ...renamed(this, name), updatedAt: now });
  }

  annotate({ externalId = this.externalId, metadata = {} }: AppData, now: Date): User {
    const next = metadata === null ? {} : mergedMetadata(this.metadata, metadata);
    return evolve<User>(this, { externalId, metadata: next, updatedAt: now });
  }

  verified(now: Date): User {
    return evolve<User>(this, { status: 'active', updatedAt: now });
  }

  taken(now: Date): User {
    return evolve<User>(this.verified(now), { claim: 'taken' });
  }

  touched(now: Date): User {
    return evolve<User>(this, { updatedAt: now });
  }

  deactivate(now: Date): User {
    return evolve<User>(this, { deactivatedAt: now, updatedAt: now });
  }

  reactivate(now: Date): User {
    return evolve<User>(this, { deactivatedAt: null, updatedAt: now });
  }

  delete(now: Date): User {
    return evolve<User>(this, { ...NO_NAME, externalId: null, metadata: {}, deletedAt: now, updatedAt: now });
  }

  fieldsWritten(): readonly string[] {
    return [
      ...NAMES.filter((part) => this[part] !== ''),
      ...(this.externalId === null ? [] : ['externalId']),
      ...(Object.keys(this.metadata).length === 0 ? [] : ['metadata']),
    ];
  }

  requireNotDeactivated(): void {
    if (this.deactivatedAt) throw new UserInactive();
  }

  requireUsable(wasOpen: boolean): void {
    this.requireNotDeactivated();
    if (wasOpen && this.claim === 'taken') throw new AccountTaken();
  }
}
