import { InvalidRequest } from '../../../kernel/errors.js';
import type { ReadingContext } from '../domain/portable-users.js';

/** The time that an item states, or that of the creation of its user. Throws `InvalidRequest` for a time after the import. */
export function pastOf({ user }: ReadingContext, field: string, stated: Date | null): Date {
  const time = stated ?? user.createdAt;
  if (time > user.updatedAt)
    throw new InvalidRequest([{ field, rule: 'future', message: 'must not be in the future' }]);
  return time;
}
