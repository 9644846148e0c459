import { type DataOf, evolve } from '../../../kernel/entity.js';
import { type AppId, type EmailId, newId, type PhoneNumberId, type UserId } from '../../../kernel/ids.js';
import type { Address, AddressKind } from './address.js';
import { DuplicateEmail, DuplicatePhoneNumber, EmailNotFound, PhoneNumberNotFound } from './identity.errors.js';
import type { User } from './user.js';

export type ContactId = EmailId | PhoneNumberId;

/** An address attached to a user: an email or a phone number. At most one user of an app holds an address. */
export class Contact {
  declare readonly kind: AddressKind;
  declare readonly appId: AppId;
  declare readonly id: ContactId;
  declare readonly userId: UserId;
  declare readonly text: string;
  declare readonly canonical: string;
  /** When its user last gave the first proof of holding it; null until then. */
  declare readonly verifiedAt: Date | null;
  declare readonly createdAt: Date;
  declare readonly updatedAt: Date;

  private constructor(data: DataOf<Contact>) {
    Object.assign(this, data);
  }

  static attach({ kind, text, canonical }: Address, user: User, now: Date): Contact {
    const id = newId(kind === 'email' ? 'email' : 'phoneNumber');
    return new Contact({
      kind,
      appId: user.appId,
      id,
      userId: user.id,
      text,
      canonical,
      verifiedAt: null,
      createdAt: now,
      updatedAt: now,
    });
  }

  static of(row: DataOf<Contact>): Contact {
    return new Contact(row);
  }

  verify(now: Date): Contact {
    return evolve<Contact>(this, { verifiedAt: now, updatedAt: now });
  }

  /** Whether the user was created with it. */
  isOfCreation(user: User): boolean {
    return this.createdAt.getTime() === user.createdAt.getTime();
  }

  moveTo(user: User, now: Date): Contact {
    return evolve<Contact>(this, { userId: user.id, updatedAt: now });
  }
}

/** The errors about each kind of address. */
export const CONTACT_ERRORS = {
  email: { NotFound: EmailNotFound, Duplicate: DuplicateEmail },
  phone_number: { NotFound: PhoneNumberNotFound, Duplicate: DuplicatePhoneNumber },
} as const;

export interface TimedContact {
  readonly contact: Contact;
  /** Whether it is unverified and its time is over. */
  readonly isOverdue: boolean;
}

/** Addresses attached to users. Lock the user's row before a write. */
export abstract class ContactRepository {
  /**
   * Attaches the address. Unverified it may stay for 7 days, or without a limit when its user is created with it. False, and nothing is
   * changed, when any user of the app holds it already.
   */
  abstract attach(appId: AppId, contact: Contact, isOfCreation?: boolean): Promise<boolean>;

  /** The address of its user, or null if no user has it. */
  abstract find(appId: AppId, address: Pick<Address, 'kind' | 'canonical'>): Promise<Contact | null>;

  /** For what takes the address away: it may have been altered by SQL. */
  abstract findById(appId: AppId, kind: AddressKind, id: ContactId): Promise<Contact | null>;

  /** Stores the next state: verified, or with another user. */
  abstract store(appId: AppId, contact: Contact): void;

  /** Removes the address from the user who held it when `contact` was read. False if that user no longer holds it. */
  abstract detach(appId: AppId, contact: Contact): Promise<boolean>;

  /**
   * The user has proved a credential: from now on the unverified addresses with which the user was created stay for 7 days too. Later calls
   * change nothing.
   */
  abstract limitUnverified(appId: AppId, userId: UserId): void;

  /**
   * Like `limitUnverified`, for a person who has got the account by the proof of one of its addresses, or of a wallet (null): the other
   * unverified addresses that were attached after the creation leave the user. Returns those that stay.
   */
  abstract settleUnverified(user: User, proved: ContactId | null): Promise<readonly Pick<Contact, 'kind' | 'id'>[]>;

  /** Users with unverified addresses whose time is over, at most `limit` for each kind of address. */
  abstract overdueUsers(limit: number): Promise<readonly { readonly appId: AppId; readonly userId: UserId }[]>;

  /** All addresses of the user: emails, then phone numbers, of each the oldest first. */
  abstract ofUser(appId: AppId, userId: UserId): Promise<readonly TimedContact[]>;

  /** Lets an unverified address stay until its user has proved a credential. */
  abstract keep(appId: AppId, contact: Contact): void;

  /** Removes every address from the user, so that other users may have them. */
  abstract detachAll(appId: AppId, userId: UserId): void;
}
