import { emailAddress, phoneAddress } from '../domain/address.js';
import { UserSearchFields } from '../domain/user-search-fields.js';
import { USER_STATUSES } from '../domain/user.js';

/** The parts of the name that are not empty, joined by a space. The index `users_full_name_trgm` is made of this expression. */
const FULL_NAME = `ltrim(u.first_name || coalesce(' ' || nullif(u.middle_name, ''), '') || coalesce(' ' || nullif(u.last_name, ''), ''))`;
const IS_VERIFIED = '(t.verified_at is not null)';

export const OWN_SEARCH_FIELDS = [
  UserSearchFields.declareOwn({
    fields: {
      // Ids sort by time of creation, so a range of them is a range of time.
      user_id: { compared: 'u.id', values: { id: 'user' }, isKey: true, isOrdered: true },
      status: { compared: 'u.status', values: { words: USER_STATUSES } },
      full_name_match: { compared: FULL_NAME, values: 'match' },
    },
  }),
  UserSearchFields.declareOwn({
    table: 'emails',
    fields: {
      email: {
        compared: 't.canonical',
        values: 'text',
        stored: (text, path) => emailAddress(text, path).canonical,
        isKey: true,
      },
      email_id: { compared: 't.id', values: { id: 'email' }, isKey: true },
      email_match: { compared: 't.text', values: 'match' },
      email_verified: { compared: IS_VERIFIED, values: 'flag' },
    },
  }),
  UserSearchFields.declareOwn({
    table: 'phone_numbers',
    fields: {
      phone_number: {
        compared: 't.canonical',
        values: 'text',
        stored: (text, path) => phoneAddress(text, path).canonical,
        isKey: true,
      },
      phone_number_id: { compared: 't.id', values: { id: 'phoneNumber' }, isKey: true },
      phone_number_match: { compared: 't.text', values: 'match' },
      phone_number_verified: { compared: IS_VERIFIED, values: 'flag' },
    },
  }),
  UserSearchFields.declareOwn({
    table: 'provider_identities',
    fields: { idp_provider: { compared: 't.provider', values: 'text' } },
  }),
  UserSearchFields.declareOwn({
    fields: { external_id: { compared: 'u.external_id', values: 'text', isKey: true } },
  }),
] as const;
