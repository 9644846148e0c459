import { type Address, type AddressKind, emailAddress, phoneAddress } from '../domain/address.js';
import type { PortablePart, ReadingContext } from '../domain/portable-users.js';
import { epochSecondsOf } from '../domain/user-profile-parts.js';
import { pastOf } from './past-of.js';

export interface ImportedContact {
  readonly id: string | undefined;
  readonly text: string;
  readonly isVerified: boolean;
  readonly verifiedAt: Date | null;
}

const FORMS = {
  emails: { kind: 'email', id: 'email', member: 'email', read: emailAddress },
  phone_numbers: { kind: 'phone_number', id: 'phoneNumber', member: 'phone_number', read: phoneAddress },
} as const satisfies Record<
  string,
  { kind: AddressKind; id: string; member: string; read: (text: string, field?: string) => Address }
>;

/** An unverified address is a label, as if the app had created the user with it. */
export function portableContacts(table: keyof typeof FORMS): PortablePart<ImportedContact> {
  const { id: kind, member, read } = FORMS[table];
  return {
    field: table,
    table,
    columns: {
      text: 'text',
      canonical: 'text',
      verifiedAt: 'timestamptz',
      createdAt: 'timestamptz',
      updatedAt: 'timestamptz',
    },
    key: { sql: 't.canonical', isAmong: 't.canonical = any($2::text[])' },
    labels: { where: 't.verified_at is null', end: 'unverified_until' },
    reader: async () => (contacts, context: ReadingContext) => {
      const { user } = context;
      return contacts.map(({ id, text: stated, isVerified, verifiedAt: at }, index) => {
        const place = `${table}[${index}].${member}`;
        const { text, canonical } = read(stated, place);
        const verifiedAt = isVerified ? pastOf(context, `${table}[${index}].verified_at`, at) : null;
        const { createdAt, updatedAt } = user;
        const values = { text, canonical, verifiedAt, createdAt, updatedAt };
        return { id: context.idOf(kind, id), key: canonical, provedAt: verifiedAt, place, values };
      });
    },
    exported: {
      fields: {
        id: 't.id',
        [member]: 't.text',
        verified: 't.verified_at is not null',
        verified_at: epochSecondsOf('t.verified_at'),
      },
    },
  };
}
