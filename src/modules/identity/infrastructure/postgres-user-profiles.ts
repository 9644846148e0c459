import { Injectable } from '@nestjs/common';
import type { AppId, UserId } from '../../../kernel/ids.js';
import { type Page, pageFrom, type PageRequest } from '../../../kernel/paging.js';
import { Database } from '../../../postgres/database.js';
import { columnsOf } from '../../../postgres/statement.js';
import { type Query, ReadTooSlow, SlowReads } from '../../../postgres/slow-reads.js';
import { SearchTooBroad, UserNotFound } from '../domain/identity.errors.js';
import { epochSecondsOf, type UserProfilePart, UserProfileParts } from '../domain/user-profile-parts.js';
import { type UserPage, type UserProfile, UserProfiles } from '../domain/user-profiles.js';
import type { UserSearch } from '../domain/user-search.js';
import { SHOWN_AS_STORED, type User } from '../domain/user.js';
import { COUNTED_UP_TO, isByKey, searchStatement } from './user-search-sql.js';

/** A json array of the rows that user `u` of app $1 owns in another table, oldest first. Citus finds their node by the parameter only. */
export function owned(table: string, fields: Readonly<Record<string, string>>, where = 'true'): string {
  const object = Object.entries(fields).map(([name, sql]) => `'${name}', ${sql}`);
  const { id = 't.id' } = fields;
  return `(select coalesce(json_agg(json_build_object(${object.join(', ')}) order by ${id}), '[]')
             from ${table} t where t.app_id = $1 and t.user_id = u.id and ${where})`;
}

const ROW = { id: 't.id', createdAt: epochSecondsOf('t.created_at'), updatedAt: epochSecondsOf('t.updated_at') };
const EMAIL = { ...ROW, email: 't.text', verified: 't.verified_at is not null' };
const PHONE_NUMBER = { ...ROW, phoneNumber: 't.text', verified: 't.verified_at is not null' };
const IDENTITY = { ...ROW, connectionId: 't.connection_id', provider: 't.provider', subject: 't.subject' };

function profileOf(parts: readonly UserProfilePart[]): string {
  const registered = parts.map(({ field, table, fields, where }) => `'${field}', ${owned(table, fields, where)}`);
  return `
    u.id as "userId", u.app_id as "appId", ${columnsOf<User>(SHOWN_AS_STORED).of('u')},
    u.status = 'active' and u.deactivated_at is null as active,
    ${epochSecondsOf('u.created_at')} as "createdAt", ${epochSecondsOf('u.updated_at')} as "updatedAt",
    ${owned('emails', EMAIL)} as emails,
    ${owned('phone_numbers', PHONE_NUMBER)} as "phoneNumbers",
    ${owned('provider_identities', IDENTITY)} as "providerIdentities",
    json_build_object(${registered.join(', ')}) as parts`;
}

const get = (profile: string): string =>
  `select ${profile} from users u where u.app_id = $1 and u.id = $2 and u.deleted_at is null`;

/** The cursor is a condition of its own text, because an index cannot serve `$2 is null or id < $2`. */
const list = (profile: string, startingAfter?: UserId): string => `
  select ${profile} from users u
   where u.app_id = $1 and u.deleted_at is null ${startingAfter === undefined ? '' : 'and u.id < $3'}
   order by u.id desc limit $2`;

@Injectable()
export class PostgresUserProfiles extends UserProfiles {
  private readonly composed = new Map<number, string>();

  constructor(
    private readonly database: Database,
    private readonly slowReads: SlowReads,
    private readonly parts: UserProfileParts,
  ) {
    super();
  }

  get(appId: AppId, userId: UserId): Promise<UserProfile> {
    return this.find(this.profile, appId, userId);
  }

  getForOperators(appId: AppId, userId: UserId): Promise<UserProfile> {
    return this.find(this.withParts(this.parts.ofOperators), appId, userId);
  }

  async list(appId: AppId, { limit, startingAfter }: PageRequest<UserId>): Promise<Page<UserProfile>> {
    const cursor = startingAfter === undefined ? [] : [startingAfter];
    const users = await this.database.list<UserProfile>(list(this.profile, startingAfter), [
      appId,
      limit + 1,
      ...cursor,
    ]);
    return pageFrom(users, limit);
  }

  async search(appId: AppId, search: UserSearch): Promise<UserPage> {
    if (isByKey(search))
      return this.page(appId, search, (sql, parameters) => this.database.manager.query(sql, parameters as unknown[]));
    try {
      return await this.slowReads.run(appId, (query) => this.page(appId, search, query));
    } catch (error) {
      throw error instanceof ReadTooSlow ? new SearchTooBroad() : error;
    }
  }

  /** Does not change after start: every module registers its parts before the service listens. */
  private get profile(): string {
    return this.withParts(this.parts.all);
  }

  /** Parts are only added, so their number identifies them. */
  private withParts(parts: readonly UserProfilePart[]): string {
    const sql = this.composed.get(parts.length) ?? profileOf(parts);
    this.composed.set(parts.length, sql);
    return sql;
  }

  private async find(profile: string, appId: AppId, userId: UserId): Promise<UserProfile> {
    const [found] = await this.database.read<UserProfile>(get(profile), [appId, userId]);
    if (!found) throw new UserNotFound();
    return found;
  }

  private async page(appId: AppId, search: UserSearch, query: Query): Promise<UserPage> {
    const { sql, parameters } = searchStatement(this.profile, appId, search);
    const [found] = (await query<{ counted: number; users: UserProfile[] }>(sql, parameters)) as [
      { counted: number; users: UserProfile[] },
    ];
    const { counted, users } = found;
    return { ...pageFrom(users, search.limit), totalCount: counted, isEstimated: counted > COUNTED_UP_TO };
  }
}
