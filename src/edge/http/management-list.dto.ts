import { WholeNumber } from './fields.js';

/** The page of a list of the management API, newest first. A list adds `starting_after`, an id of its kind. */
export class ManagementListQuery {
  /** The maximum number of items. `has_more` says whether there are more. */
  @WholeNumber({ min: 1, max: 100 })
  readonly limit: number = 50;
}
