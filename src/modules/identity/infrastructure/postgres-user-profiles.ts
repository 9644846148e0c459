import { Injectable } from '@nestjs/common';
import { getAddress } from 'ethers';
import type { AppId, UserId } from '../../../kernel/ids.js';
import { Database } from '../../../platform/database/database.js';
import { type UserPage, type UserProfile, UserProfiles } from '../domain/user-profiles.js';
import type { Criterion, SearchField, UserSearch } from '../domain/user-search.js';

/** Whole seconds, as a number on either side: as json and as a column. */
const epoch = (time: string): string => `floor(date_part('epoch', ${time}))`;

/** A json array of the rows a user owns in another table, oldest first. */
function owned(table: string, fields: Readonly<Record<string, string>>, where = ''): string {
  const all = { id: 't.id', ...fields, createdAt: epoch('t.created_at'), updatedAt: epoch('t.updated_at') };
  const object = Object.entries(all).map(([name, sql]) => `'${name}', ${sql}`);
  return `(select coalesce(json_agg(json_build_object(${object.join(', ')}) order by t.id), '[]')
             from ${table} t where t.app_id = u.app_id and t.user_id = u.id ${where})`;
}

/** An enrolment that was not verified in time is none, though its row may still be there. */
const LIVE_TOTP = '(t.verified_at is not null or t.expires_at > now())';

/** The columns of a `UserProfile` for users `u`. Wallets and authenticators are other modules', read here for the sake of one round trip. */
const PROFILE = `
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
  constructor(private readonly database: Database) {
    super();
  }

  find(appId: AppId, userId: UserId): Promise<UserProfile | null> {
    return this.database.lookUp<UserProfile>(FIND, [appId, userId]);
  }

  async search(appId: AppId, { match, criteria, limit, startingAfter }: UserSearch): Promise<UserPage> {
    const parameters: unknown[] = [appId, limit + 1];
    const parameter = (value: unknown): string => `$${parameters.push(value)}`;
    const matching = `u.app_id = $1 and u.deleted_at is null ${whereOf(match, criteria, parameter)}`;
    const behind = startingAfter === undefined ? '' : `and u.id < ${parameter(startingAfter)}`;
    // There are too many combinations of filters to keep a prepared statement of each on every connection.
    const [page] = (await this.database.manager.query(
      `select (select count(*) from users u where ${matching})::int as "totalCount",
              (select coalesce(json_agg(p order by p."userId" desc), '[]')
                 from (select ${PROFILE} from users u where ${matching} ${behind} order by u.id desc limit $2) p) as users`,
      parameters,
    )) as [{ totalCount: number; users: UserProfile[] }];
    return { totalCount: page.totalCount, users: page.users.slice(0, limit), hasMore: page.users.length > limit };
  }
}

/** How a field finds users: by a condition on their own row `u`, or on rows `t` they own in another table. */
interface Finder {
  readonly table?: string;
  readonly where: (values: string) => string;
  /** What a value is looked for as. */
  readonly value?: (value: string) => string;
}

type Where = Finder['where'];
const email = (where: Where): Finder => ({ table: 'emails', where });
const phoneNumber = (where: Where): Finder => ({ table: 'phone_numbers', where });
const wallet = (where: Where): Finder => ({
  table: 'wallets',
  where: (values) => `t.deleted_at is null and ${where(values)}`,
});
const totp = (where: Where): Finder => ({ table: 'totps', where: (values) => `${LIVE_TOTP} and ${where(values)}` });
const anywhereIn = (finder: Finder): Finder => ({ ...finder, value: (text) => `%${likeLiteral(text)}%` });

const FINDERS: Readonly<Record<SearchField, Finder>> = {
  user_id: { where: (ids) => `u.id = any(${ids})` },
  status: { where: (values) => `u.status = any(${values})` },
  full_name_match: anywhereIn({
    where: (patterns) =>
      `concat_ws(' ', nullif(u.first_name, ''), nullif(u.middle_name, ''), nullif(u.last_name, '')) ilike any(${patterns})`,
  }),
  email: email((canonical) => `t.canonical = any(${canonical})`),
  email_id: email((ids) => `t.id = any(${ids})`),
  email_match: anywhereIn(email((patterns) => `t.text ilike any(${patterns})`)),
  email_verified: email((flags) => `(t.verified_at is not null) = any(${flags})`),
  phone_number: phoneNumber((canonical) => `t.canonical = any(${canonical})`),
  phone_number_id: phoneNumber((ids) => `t.id = any(${ids})`),
  phone_number_match: anywhereIn(phoneNumber((patterns) => `t.text ilike any(${patterns})`)),
  phone_number_verified: phoneNumber((flags) => `(t.verified_at is not null) = any(${flags})`),
  wallet_id: wallet((ids) => `t.id = any(${ids})`),
  wallet_public_address: { ...wallet((addresses) => `t.public_address = any(${addresses})`), value: checksummed },
  totp_id: totp((ids) => `t.id = any(${ids})`),
  totp_verified: totp((flags) => `(t.verified_at is not null) = any(${flags})`),
  idp_provider: { table: 'provider_identities', where: (providers) => `t.provider = any(${providers})` },
};

/**
 * "All" narrows step by step. For "any" each condition finds its own ids first: as a plain `or`, conditions on several
 * tables could use no index at all. Substrings are looked for within the app's rows one by one; pg_trgm, which could
 * index them, is not on every server.
 */
function whereOf(match: 'all' | 'any', criteria: readonly Criterion[], parameter: (value: unknown) => string): string {
  if (criteria.length === 0) return '';
  const conditions = criteria.map((criterion) => {
    const { table } = FINDERS[criterion.field];
    const where = conditionOf(criterion, parameter);
    if (table) return { ids: `select t.user_id from ${table} t where t.app_id = $1 and ${where}` };
    return { ids: `select u.id from users u where u.app_id = $1 and ${where}`, where };
  });
  if (match === 'all') return conditions.map(({ ids, where }) => `and ${where ?? `u.id in (${ids})`}`).join(' ');
  return `and u.id in (${conditions.map(({ ids }) => ids).join(' union all ')})`;
}

function conditionOf({ field, operator, values }: Criterion, parameter: (value: unknown) => string): string {
  const { where, value } = FINDERS[field];
  const list = parameter(value ? values.map((given) => value(String(given))) : values);
  if (operator === 'in') return where(list);
  const [low, high] = [`(${list}::text[])[1]`, `(${list}::text[])[2]`];
  return `u.id ${{ lt: `< ${low}`, gt: `> ${low}`, between: `between ${low} and ${high}` }[operator]}`;
}

/** The text itself, where LIKE would see wildcards. */
function likeLiteral(text: string): string {
  return text.replace(/[\\%_]/g, '\\$&');
}

/** Ethereum addresses are kept with their checksum, which is nothing but upper and lower case: any spelling finds them. */
function checksummed(address: string): string {
  return /^0x[0-9a-f]{40}$/i.test(address) ? getAddress(address.toLowerCase()) : address;
}
