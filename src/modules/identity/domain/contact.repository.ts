import type { AppId, UserId } from '../../../kernel/ids.js';
import type { Address, AddressKind } from './address.js';
import type { Contact, ContactId } from './contact.js';
import type { User } from './user.js';

export interface TimedContact {
  readonly contact: Contact;
  /** Whether it is unverified and its time is over. */
  readonly isOverdue: boolean;
}

/** Addresses attached to users. Lock the user's row before a write. */
export abstract class ContactRepository {
  /** Attaches the address. False, and nothing is changed, when any user of the app holds it already. */
  abstract attach(appId: AppId, contact: Contact): Promise<boolean>;

  /** The address of its user, or null if no user has it. */
  abstract find(appId: AppId, address: Pick<Address, 'kind' | 'canonical'>): Promise<Contact | null>;

  abstract findById(appId: AppId, kind: AddressKind, id: ContactId): Promise<Contact | null>;

  /** Stores the next state: verified, or with another user. */
  abstract store(appId: AppId, contact: Contact): void;

  /** Removes the address from the user who held it when `contact` was read. False if that user no longer holds it. */
  abstract detach(appId: AppId, contact: Contact): Promise<boolean>;

  /**
   * Limits the time that the unverified addresses of the user may stay: of those that the user was created with it begins now, of all
   * other ones when each was attached. Call it when the user gets an address besides the one they were created with.
   */
  abstract limitUnverified(user: User): void;

  /** Users with unverified addresses whose time is over, at most `limit` for each kind of address. */
  abstract overdueUsers(limit: number): Promise<readonly { readonly appId: AppId; readonly userId: UserId }[]>;

  /** All addresses of the user: emails, then phone numbers, of each the oldest first. */
  abstract ofUser(appId: AppId, userId: UserId): Promise<readonly TimedContact[]>;

  /** Lets an unverified address stay. */
  abstract keep(appId: AppId, contact: Contact): void;

  /** Removes every address from the user, so that other users may have them. */
  abstract detachAll(appId: AppId, userId: UserId): void;
}
