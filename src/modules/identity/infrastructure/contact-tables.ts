/** Emails and phone numbers are kept alike, in a table each. */
export const CONTACT_TABLES = { email: 'emails', phone_number: 'phone_numbers' } as const;
