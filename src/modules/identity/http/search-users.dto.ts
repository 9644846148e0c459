import { ApiSchema } from '@nestjs/swagger';
import { AnyOf, ListOf, Nested } from '../../../edge/http/compound-fields.js';
import { Flag, IdOf, OneOf, Text, WholeNumber } from '../../../edge/http/fields.js';
import { pageIn } from '../../../edge/http/list.dto.js';
import type { UserId } from '../../../kernel/ids.js';
import type { UserPage } from '../domain/user-profiles.js';
import { SEARCH_OPERATORS, type SearchFilter, type SearchOperator, type UserSearch } from '../domain/user-search.js';
import { SEARCH_FIELDS } from '../domain/user-search-fields.js';
import { UserResponse } from './user.dto.js';
import { EXAMPLES } from '../../../kernel/examples.js';

export class UserSearchFilter {
  /**
   * The field that is compared. `…_match` finds values that contain the text, or begin with it if it has fewer than 3 characters, in
   * any case; the other filters compare whole values.
   */
  @OneOf(SEARCH_FIELDS)
  readonly field!: string;

  /** `user_id` knows all of them: ids sort by time of creation. Every other field knows `eq` and `in`. */
  @OneOf(SEARCH_OPERATORS)
  readonly operator!: SearchOperator;

  /** The value to compare with; required for every operator except `in`. */
  @AnyOf([Text(), Flag()], { optional: true })
  readonly value?: string | boolean;

  /** The upper end of `between`, which is included. */
  @AnyOf([Text(), Flag()], { optional: true })
  readonly second_value?: string | boolean;

  /** The values of the operator `in`, at least one: a user matches if the field equals any of them. */
  @ListOf(AnyOf([Text(), Flag()]), { max: 100, optional: true })
  readonly values?: (string | boolean)[];
}

export class UserSearchFilters {
  /** Whether a user must pass all filters or any of them. */
  @OneOf(['AND', 'OR'])
  readonly operator: 'AND' | 'OR' = 'AND';

  /** The filters. If the list is empty or absent, all users are found. */
  @ListOf(Nested(() => UserSearchFilter), { max: 20, optional: true })
  readonly fields?: UserSearchFilter[];
}

export class SearchUsersRequest {
  /** The maximum number of users in the response. `has_more` says whether there are more. */
  @WholeNumber({ min: 10, max: 100, unit: 'users' })
  readonly limit: number = 50;

  /** The id of the last user of the previous page. */
  @IdOf('user', { optional: true })
  readonly starting_after?: UserId;

  /** The filters that users must pass. If absent, all users are found. */
  @Nested(() => UserSearchFilters, {
    optional: true,
    example: { operator: 'AND', fields: [{ field: 'email', operator: 'eq', value: EXAMPLES.email }] },
  })
  readonly filters?: UserSearchFilters;

  static searchIn({ filters, ...page }: SearchUsersRequest): [SearchFilter[], Omit<UserSearch, 'criteria'>] {
    const fields = (filters?.fields ?? []).map(({ second_value, ...filter }) => ({
      ...filter,
      secondValue: second_value,
    }));
    return [fields, { match: filters?.operator === 'OR' ? 'any' : 'all', ...pageIn(page) }];
  }
}

@ApiSchema({ description: 'A page of the users that pass the filters, and their number on all pages.' })
export class SearchUsersResponse {
  /** The users of the page, newest first. */
  readonly users!: UserResponse[];
  /** The number of users that pass the filters, on all pages: exact up to 10,000, an estimate beyond. */
  readonly total_count!: number;
  /** Whether `total_count` is an estimate. */
  readonly total_count_estimated!: boolean;
  /** Whether there are more users after this page. */
  readonly has_more!: boolean;

  static of({ items, totalCount, isEstimated, hasMore }: UserPage): SearchUsersResponse {
    return {
      users: items.map(UserResponse.of),
      total_count: totalCount,
      total_count_estimated: isEstimated,
      has_more: hasMore,
    };
  }
}
