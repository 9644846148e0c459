import type { AppId, UserId } from '../../../kernel/ids.js';
import type { Address } from './address.js';
import type { Contact } from './contact.js';
import type { AppData, User } from './user.js';

export interface CredentialCounts {
  /** The user can sign in with them now, or could after proving them. */
  readonly open: number;
  readonly verified: number;
  readonly usable: number;
}

export interface HeldAddress {
  readonly user: User;
  readonly contact: Contact;
}

/** No method finds a deleted user. */
export abstract class UserRepository {
  /** False, and nothing is added, if another user holds the address. */
  abstract add(appId: AppId, user: User, contact?: Contact): Promise<boolean>;

  /** Excludes deletion and deactivation until the transaction ends. Take `lock` where the transaction may go on to change the user. */
  abstract hold(appId: AppId, userId: UserId): Promise<User>;

  /** Like `hold`, and closes the account, because something is made on it. A proof of its address waits for the transaction. */
  abstract use(appId: AppId, userId: UserId): Promise<User>;

  /** Like `use`, but the account is closed only when `close` is called in the same transaction. */
  abstract holdForUse(appId: AppId, userId: UserId): Promise<User>;

  abstract close(appId: AppId, userId: UserId): void;

  abstract lock(appId: AppId, userId: UserId): Promise<User>;

  /** Like `lock`, for changes that end something: a user whose row SQL has altered passes, and stays altered. */
  abstract lockToEnd(appId: AppId, userId: UserId): Promise<User>;

  abstract lockIfLive(appId: AppId, userId: UserId): Promise<User | null>;

  abstract holdByAddress(appId: AppId, address: Address): Promise<HeldAddress | null>;

  /** Locks user and address. Null also if the address moved during the wait: its previous user stays locked, so lock no further user. */
  abstract lockByAddress(appId: AppId, address: Address): Promise<HeldAddress | null>;

  /** Empty if the user is gone. */
  abstract appData(appId: AppId, userId: UserId): Promise<AppData>;

  /** The user is locked, and the external id is not new. */
  abstract store(appId: AppId, user: User): void;

  /** Call it before an address is attached: a creation takes the external id first too, so that the two cannot deadlock. */
  abstract storeExternalId(appId: AppId, user: User): Promise<void>;

  /** Whether a credential was proved `hours` ago or earlier by the database's clock, or in the account's first proof. */
  abstract hasAged(appId: AppId, userId: UserId, proofs: readonly string[], hours: number): Promise<boolean>;

  abstract mayAddFirst(appId: AppId, userId: UserId, type: string, factorTypes: readonly string[]): Promise<boolean>;

  /** Recorded once. A replica of the previous release records none: `of a new user` makes up for that within a day of the creation. */
  abstract recordFirstProof(appId: AppId, userId: UserId, scope: 'of a new user' | 'of any user'): Promise<unknown>;

  abstract requireUnaltered(appId: AppId, userId: UserId): Promise<void>;

  abstract alteredAmong(appId: AppId, userIds: readonly UserId[]): Promise<ReadonlySet<UserId>>;

  /** True at most once in 10 minutes; the user is notified then. */
  abstract mayNotify(appId: AppId, userId: UserId): Promise<boolean>;

  abstract hasPassed(appId: AppId, userId: UserId): Promise<boolean>;

  /** Stable only while the user is locked. */
  abstract credentialCounts(appId: AppId, userId: UserId): Promise<CredentialCounts>;
}
