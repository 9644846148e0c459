import { Injectable } from '@nestjs/common';
import type { AppId } from '../../../kernel/ids.js';
import { type UserPage, UserProfiles } from '../domain/user-profiles.js';
import { UserSearchFields } from '../domain/user-search-fields.js';
import { criteriaOf, type SearchFilter, type UserSearch } from '../domain/user-search.js';

@Injectable()
export class SearchUsers {
  constructor(
    private readonly profiles: UserProfiles,
    private readonly fields: UserSearchFields,
  ) {}

  /** A page of the users who pass the filters. Throws `InvalidSearch`, `InvalidEmail` or `InvalidPhoneNumber` naming the filter. */
  async execute(
    appId: AppId,
    filters: readonly SearchFilter[],
    search: Omit<UserSearch, 'criteria'>,
  ): Promise<UserPage> {
    return this.profiles.search(appId, { ...search, criteria: criteriaOf(filters, (name) => this.fields.named(name)) });
  }
}
