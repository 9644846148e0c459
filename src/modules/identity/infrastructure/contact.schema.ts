import { EntitySchema } from 'typeorm';
import type { Contact } from '../domain/contact.js';

/** Emails and phone numbers are kept alike, in a table each. */
export const CONTACT_TABLES = { email: 'emails', phone_number: 'phone_numbers' } as const;

export const EmailSchema = contactSchema('Email', CONTACT_TABLES.email);
export const PhoneNumberSchema = contactSchema('PhoneNumber', CONTACT_TABLES.phone_number);

function contactSchema(name: string, table: string) {
  return new EntitySchema<Omit<Contact, 'kind'> & { readonly unverifiedUntil: Date | null }>({
    name,
    tableName: table,
    columns: {
      appId: { type: 'text', name: 'app_id', primary: true, primaryKeyConstraintName: `${table}_pkey` },
      id: { type: 'text', primary: true, primaryKeyConstraintName: `${table}_pkey` },
      userId: { type: 'text', name: 'user_id' },
      text: { type: 'text' },
      canonical: { type: 'text' },
      verifiedAt: { type: 'timestamptz', name: 'verified_at', nullable: true },
      // When an unverified address is removed. Null where it is verified, or the only address of its user.
      unverifiedUntil: { type: 'timestamptz', name: 'unverified_until', nullable: true },
      createdAt: { type: 'timestamptz', name: 'created_at' },
      updatedAt: { type: 'timestamptz', name: 'updated_at' },
    },
    uniques: [{ name: `${table}_canonical`, columns: ['appId', 'canonical'] }],
    indices: [
      { name: `${table}_of_user`, columns: ['appId', 'userId'] },
      {
        name: `${table}_unverified`,
        columns: ['appId', 'unverifiedUntil'],
        where: '(unverified_until IS NOT NULL)',
      },
      // Exists only if the extension pg_trgm is installed: see the migration.
      { name: `${table}_text_trgm`, synchronize: false },
    ],
    foreignKeys: [
      {
        name: `${table}_user`,
        target: 'User',
        columnNames: ['appId', 'userId'],
        referencedColumnNames: ['appId', 'id'],
      },
    ],
  });
}
