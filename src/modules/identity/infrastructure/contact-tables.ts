import type { DataOf } from '../../../kernel/entity.js';
import { named } from '../../../postgres/statement.js';
import type { Contact } from '../domain/contact.js';

/** Emails and phone numbers are kept alike, in a table each. */
export const CONTACT_TABLES = { email: 'emails', phone_number: 'phone_numbers' } as const;

/** Returns no row if any user of the app has the address. Waits for an uncommitted insert of the same address. */
export const attachTo = (table: string, unverifiedUntil = 'null') =>
  named<DataOf<Contact>>(`
    insert into ${table} (app_id, id, user_id, text, canonical, verified_at, unverified_until, created_at, updated_at)
    values ($appId, $id, $userId, $text, $canonical, $verifiedAt, ${unverifiedUntil}, $createdAt, $updatedAt)
    on conflict (app_id, canonical) do nothing
    returning id`);
