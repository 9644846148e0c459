import type { components } from '../../../openapi/client/src/index.js';

export type User = components['schemas']['UserResponse'];
export type Named = Pick<User, 'first_name' | 'middle_name' | 'last_name'>;

export const fullName = (user: Named): string =>
  [user.first_name, user.middle_name, user.last_name].filter(Boolean).join(' ');

/** The text that stands for a user in lists. */
export const labelOf = (user: User): string =>
  user.emails[0]?.email ?? user.phone_numbers[0]?.phone_number ?? (fullName(user) || user.user_id);
