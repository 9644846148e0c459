import { type DataOf, evolve } from '../../../kernel/entity.js';
import { type AppId, type EmailId, newId, type PhoneNumberId, type UserId } from '../../../kernel/ids.js';
import type { Address, AddressKind } from './address.js';
import { DuplicateEmail, DuplicatePhoneNumber, EmailNotFound, PhoneNumberNotFound } from './identity.errors.js';
import type { User } from './user.js';

export type ContactId = EmailId | PhoneNumberId;

/** At most one user of an app holds an address. */
export class Contact {
  declare readonly kind: AddressKind;
  declare readonly appId: AppId;
  declare readonly id: ContactId;
  declare readonly userId: UserId;
  declare readonly text: string;
  declare readonly canonical: string;
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

  isOfCreation(user: User): boolean {
    return this.createdAt.getTime() === user.createdAt.getTime();
  }

  moveTo(user: User, now: Date): Contact {
    return evolve<Contact>(this, { userId: user.id, updatedAt: now });
  }
}

export const CONTACT_ERRORS = {
  email: { NotFound: EmailNotFound, Duplicate: DuplicateEmail },
  phone_number: { NotFound: PhoneNumberNotFound, Duplicate: DuplicatePhoneNumber },
} as const;

export interface TimedContact {
  readonly contact: Contact;
  readonly isOverdue: boolean;
}

export interface Overdue {
  readonly appId: AppId;
  readonly userId: UserId;
}

/** Lock the user's row before a write. */
export abstract class ContactRepository {
  /** An unverified address stays 7 days, or without limit if its user is created with it. False if a user of the app holds it. */
  abstract attach(appId: AppId, contact: Contact, isOfCreation?: boolean): Promise<boolean>;

  abstract find(appId: AppId, address: Pick<Address, 'kind' | 'canonical'>): Promise<Contact | null>;

  /** For callers that take the address away: SQL may have altered it. */
  abstract findById(appId: AppId, kind: AddressKind, id: ContactId): Promise<Contact | null>;

  abstract store(appId: AppId, contact: Contact): void;

  /** False if the user who held the address when `contact` was read no longer holds it. */
  abstract detach(appId: AppId, contact: Contact): Promise<boolean>;

  /** The user has proved a credential: unverified addresses of the creation stay for 7 days too. Later calls change nothing. */
  abstract limitUnverified(appId: AppId, userId: UserId): void;

  /** Like `limitUnverified`. Unverified addresses that were attached after the creation, except `proved`, leave the user. */
  abstract settleUnverified(user: User, proved: ContactId | null): Promise<readonly Pick<Contact, 'kind' | 'id'>[]>;

  abstract overdueUsers(kind: AddressKind, last: Overdue | undefined, limit: number): Promise<readonly Overdue[]>;

  abstract ofUser(appId: AppId, userId: UserId): Promise<readonly TimedContact[]>;

  /** Lets an unverified address stay until its user has proved a credential. */
  abstract keep(appId: AppId, contact: Contact): void;

  abstract detachAll(appId: AppId, userId: UserId): void;
}
