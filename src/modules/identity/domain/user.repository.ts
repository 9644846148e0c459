import type { AppId, UserId } from '../../../kernel/ids.js';
import type { Address } from './address.js';
import type { Contact } from './contact.js';
import type { User } from './user.js';

/** How many credentials a user has: addresses, identities at providers, and those of the registered sign-in methods. */
export interface CredentialCounts {
  /** The user can sign in with them now, or could after proving them. */
  readonly open: number;
  /** A user has proved to hold them. */
  readonly verified: number;
  /** Both verified and open now: the user can sign in with them. */
  readonly usable: number;
}

/** An address and the user who holds it. */
export interface HeldAddress {
  readonly user: User;
  readonly contact: Contact;
}

/** Live users. No method finds a deleted user. */
export abstract class UserRepository {
  /**
   * Adds the user, with the address if one is given. Returns false and adds nothing if another user holds that address. Throws
   * `DuplicateExternalId`.
   */
  abstract add(appId: AppId, user: User, contact?: Contact): Promise<boolean>;

  /**
   * The user, who can be neither deleted nor deactivated until the transaction ends. Take `lock` instead where the transaction may go on
   * to change the user. Throws `UserNotFound`.
   */
  abstract hold(appId: AppId, userId: UserId): Promise<User>;

  /** Like `hold`, and closes the account: something is made on it in this transaction. A proof of its address waits for it. */
  abstract use(appId: AppId, userId: UserId): Promise<User>;

  /** Like `use`, but the account is closed only when `close` is called in the same transaction. */
  abstract holdForUse(appId: AppId, userId: UserId): Promise<User>;

  /** Closes an account that is held for use. */
  abstract close(appId: AppId, userId: UserId): void;

  /** The user, row locked until the transaction ends. Throws `UserNotFound`. */
  abstract lock(appId: AppId, userId: UserId): Promise<User>;

  /** Like `lock`, for what ends something: a user whose row SQL has altered passes, and stays altered when the next state is stored. */
  abstract lockToEnd(appId: AppId, userId: UserId): Promise<User>;

  /** Like `lock`, but null if there is no such user. */
  abstract lockIfLive(appId: AppId, userId: UserId): Promise<User | null>;

  /**
   * The address with its user, who can be neither deleted nor deactivated until the transaction ends. Null if no user
   * holds it.
   */
  abstract holdByAddress(appId: AppId, address: Address): Promise<HeldAddress | null>;

  /**
   * Like `holdByAddress`, with the user and the address locked. Null also if the address moved while this call waited for the
   * lock: then the previous user and the address stay locked, and the transaction must lock no further user.
   */
  abstract lockByAddress(appId: AppId, address: Address): Promise<HeldAddress | null>;

  /** Stores the next state of a locked user, whose external id is not new. */
  abstract store(appId: AppId, user: User): void;

  /**
   * Like `store`, with another external id. Call it before an address is attached: a creation takes the external id first too, so that
   * the two cannot deadlock. Throws `DuplicateExternalId`.
   */
  abstract storeExternalId(appId: AppId, user: User): Promise<void>;

  /**
   * Whether the user has proved to hold one of the credentials at least `hours` ago, or in the account's first proof. `proofs` are ids of
   * credentials as `SignInMethod.credentials` names them. By the database's clock.
   */
  abstract hasAged(appId: AppId, userId: UserId, proofs: readonly string[], hours: number): Promise<boolean>;

  /** Whether the user has a verified address and no credential of the type, and one of the factors opens it, see `SignInMethod.opensFirst`. */
  abstract mayAddFirst(appId: AppId, userId: UserId, type: string, factorTypes: readonly string[]): Promise<boolean>;

  /**
   * Records when the oldest proved credential of the user was proved, unless a first proof is recorded. It is never changed, and belongs to
   * the credentials of that proof alone. A replica of the previous release records none: `of a new user` makes up for that if the
   * user was created within a day, before a credential is added or removed.
   */
  abstract recordFirstProof(appId: AppId, userId: UserId, scope: 'of a new user' | 'of any user'): Promise<unknown>;

  /** Throws `SealAltered` for an active user whose row is not as the service wrote it. */
  abstract requireUnaltered(appId: AppId, userId: UserId): Promise<void>;

  /** The active users among these whose row is not as the service wrote it. */
  abstract alteredAmong(appId: AppId, userIds: readonly UserId[]): Promise<ReadonlySet<UserId>>;

  /** Whether the user was not notified for 10 minutes; then they are notified now. */
  abstract mayNotify(appId: AppId, userId: UserId): Promise<boolean>;

  /** Whether the account has passed to the person who proved its address. */
  abstract hasPassed(appId: AppId, userId: UserId): Promise<boolean>;

  /** Stable only while the user is locked. */
  abstract credentialCounts(appId: AppId, userId: UserId): Promise<CredentialCounts>;
}
