import { InvalidRequest } from '../../../kernel/errors.js';
import type { ReadingContext } from '../domain/portable-users.js';

/** An item without a time has that of the creation of its user. */
export function pastOf({ user }: ReadingContext, field: string, stated: Date | null): Date {
  const time = stated ?? user.createdAt;
  if (time > user.updatedAt)
    throw new InvalidRequest([{ field, rule: 'future', message: 'must not be in the future' }]);
  return time;
}
