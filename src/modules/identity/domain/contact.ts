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

  moveTo(user: User, now: Date): Contact {
    return evolve<Contact>(this, { userId: user.id, updatedAt: now });
  }
}

/** The errors about each kind of address. */
export const CONTACT_ERRORS = {
  email: { NotFound: EmailNotFound, Duplicate: DuplicateEmail },
  phone_number: { NotFound: PhoneNumberNotFound, Duplicate: DuplicatePhoneNumber },
} as const;
