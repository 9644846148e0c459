import type { PageRequest } from '../../kernel/paging.js';
import { WholeNumber } from './fields.js';

/** The part of a list that a request asks for, newest first. Each list adds `starting_after`, an id of its kind. */
export class ListQuery {
  /** The maximum number of items. `has_more` says whether there are more. */
  @WholeNumber({ min: 1, max: 1_000, unit: 'items' })
  readonly limit: number = 1_000;
}

/** The same for the lists of the management API that grow with an app's users: users, sessions, wallets, transfers, messages, jobs, events. */
export class ManagementListQuery {
  /** The maximum number of items. `has_more` says whether there are more. */
  @WholeNumber({ min: 1, max: 100, unit: 'items' })
  readonly limit: number = 50;
}

/** The page that query parameters ask for. */
export function pageIn<Cursor extends string>({
  limit,
  starting_after: startingAfter,
}: {
  readonly limit: number;
  readonly starting_after?: Cursor;
}): PageRequest<Cursor> {
  return { limit, startingAfter };
}
