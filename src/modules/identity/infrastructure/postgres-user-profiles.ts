import { Injectable } from '@nestjs/common';
import type { AppId, UserId } from '../../../kernel/ids.js';
import { Database } from '../../../postgres/database.js';
import { type Query, ReadTooSlow, SlowReads } from '../../../postgres/slow-reads.js';
import { SearchTooBroad } from '../domain/identity.errors.js';
import { type UserPage, type UserProfile, UserProfiles } from '../domain/user-profiles.js';
import type { UserSearch } from '../domain/user-search.js';
import { COUNTED_UP_TO, isByKey, LIVE_TOTP, searchStatement } from './user-search-sql.js';

/** Whole seconds, as a number on either side: as json and as a column. */
const epoch = (time: string): string => `floor(date_part('epoch', ${time}))`;

/** A json array of the rows a user owns in another table, oldest first. */
function owned(table: string, fields: Readonly<Record<string, string>>, where = ''): string {
  const all = { id: 't.id', ...fields, createdAt: epoch('t.created_at'), updatedAt: epoch('t.updated_at') };
  const object = Object.entries(all).map(([name, sql]) => `'${name}', ${sql}`);
  return `(select coalesce(json_agg(json_build_object(${object.join(', ')}) order by t.id), '[]')
             from ${table} t where t.app_id = u.app_id and t.user_id = u.id ${where})`;
}

/** The columns of a `UserProfile` for users `u`. Wallets and authenticators are other modules', read here for the sake of one round trip. */
export const PROFILE = `
  u.id as "userId", u.app_id as "appId",
  u.first_name as "firstName", u.middle_name as "middleName", u.last_name as "lastName",
  u.status, u.status = 'active' and u.deactivated_at is null as active,
  ${epoch('u.created_at')} as "createdAt", ${epoch('u.updated_at')} as "updatedAt",
  ${owned('emails', { email: 't.text', verified: 't.verified_at is not null' })} as emails,
  ${owned('phone_numbers', { phoneNumber: 't.text', verified: 't.verified_at is not null' })} as "phoneNumbers",
  ${owned(
    'wallets',
    {
      publicAddress: 't.public_address',
      walletType: 't.wallet_type',
      verified: 't.verified',
      isDefault: 't.is_default',
      isReadOnly: 't.is_read_only',
      isImported: 't.is_imported',
    },
    'and t.deleted_at is null',
  )} as wallets,
  ${owned('totps', { verified: 't.verified_at is not null' }, `and ${LIVE_TOTP}`)} as totps,
  ${owned('provider_identities', { connectionId: 't.connection_id', provider: 't.provider', subject: 't.subject' })} as "providerIdentities"`;

const FIND = `select ${PROFILE} from users u where u.app_id = $1 and u.id = $2 and u.deleted_at is null`;

@Injectable()
export class PostgresUserProfiles extends UserProfiles {
  constructor(
    private readonly database: Database,
    private readonly slowReads: SlowReads,
  ) {
    super();
  }

  async find(appId: AppId, userId: UserId): Promise<UserProfile | null> {
    return (await this.database.read<UserProfile>(FIND, [appId, userId]))[0] ?? null;
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

  private async page(appId: AppId, search: UserSearch, query: Query): Promise<UserPage> {
    const { limit } = search;
    const { sql, parameters, estimate } = searchStatement(PROFILE, appId, search);
    const [found] = (await query<{ counted: number; users: UserProfile[] }>(sql, parameters)) as [
      { counted: number; users: UserProfile[] },
    ];
    const { counted, users } = found;
    const page = { users: users.slice(0, limit), hasMore: users.length > limit };
    if (counted <= COUNTED_UP_TO) return { ...page, totalCount: counted, isEstimated: false };
    const [plan] = await query<{ 'QUERY PLAN': [{ Plan: { 'Plan Rows': number } }] }>(
      estimate.sql,
      estimate.parameters,
    );
    return { ...page, totalCount: Math.max(counted, plan!['QUERY PLAN'][0].Plan['Plan Rows']), isEstimated: true };
  }
}
