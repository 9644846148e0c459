import type { components } from '../../../openapi/client/src/index.js';
import { api, call } from '../api.js';

export type User = components['schemas']['UserResponse'];
export type Named = Pick<User, 'first_name' | 'middle_name' | 'last_name'>;

export const fullName = (user: Named): string =>
  [user.first_name, user.middle_name, user.last_name].filter(Boolean).join(' ');

export const labelOf = (user: User): string =>
  user.emails[0]?.email ?? user.phone_numbers[0]?.phone_number ?? (fullName(user) || user.user_id);

/** The first field whose pattern matches the entry. */
const FIELDS = [
  ['user_id', /^user_\w+$/],
  ['email_id', /^email_\w+$/],
  ['phone_number_id', /^pn_\w+$/],
  ['wallet_id', /^wallet_\w+$/],
  ['totp_id', /^totp_\w+$/],
  ['email', /^\S+@\S+\.\S+$/],
  ['email_match', /@/],
  ['phone_number', /^\+[\d ()./-]{6,}$/],
  ['phone_number_match', /^\d{4,}$/],
  ['wallet_public_address', /^(0x[\da-f]{40}|[1-9A-HJ-NP-Za-km-z]{32,44})$/i],
  ['full_name_match', /^/],
] as const;

export async function usersLike(appId: string, entry: string): Promise<readonly User[]> {
  const [field] = FIELDS.find(([, pattern]) => pattern.test(entry))!;
  const value = field === 'phone_number' ? entry.replace(/[^+\d]/g, '') : entry;
  const body = {
    limit: 10,
    filters: { operator: 'AND' as const, fields: [{ field, operator: 'eq' as const, value }] },
  };
  const params = { path: { app_id: appId } };
  return (await call(api.POST('/management/v1/apps/{app_id}/users/search', { params, body }))).users;
}
