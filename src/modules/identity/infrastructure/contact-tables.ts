import type { DataOf } from '../../../kernel/entity.js';
import { MacTables, type RowMacs } from '../../../kernel/row-macs.js';
import { named } from '../../../postgres/statement.js';
import type { Contact } from '../domain/contact.js';

export const CONTACT_TABLES = { email: 'emails', phone_number: 'phone_numbers' } as const;

const FIELDS = ['userId', 'text', 'canonical', 'verifiedAt'] as const;

export const CONTACT_MACS = {
  email: MacTables.declare({ table: 'emails', since: 2, fields: FIELDS }),
  phone_number: MacTables.declare({ table: 'phone_numbers', since: 2, fields: FIELDS }),
} as const;

export const storedContact = (macs: RowMacs, contact: DataOf<Contact>) => ({
  ...contact,
  mac: macs.of(CONTACT_MACS[contact.kind], { ...contact, mac: null }),
});

/** Returns no row if any user of the app has the address. Waits for an uncommitted insert of the same address. */
export const attachTo = (table: string, unverifiedUntil = 'null') =>
  named<ReturnType<typeof storedContact>>(`
    insert into ${table} (app_id, id, user_id, text, canonical, verified_at, unverified_until, created_at, updated_at, mac)
    values ($appId, $id, $userId, $text, $canonical, $verifiedAt, ${unverifiedUntil}, $createdAt, $updatedAt, $mac)
    on conflict (app_id, canonical) do nothing
    returning id`);
