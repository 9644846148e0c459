import { getAddress } from 'ethers';
import type { AppId } from '../../../kernel/ids.js';
import type { Criterion, SearchField, UserSearch } from '../domain/user-search.js';

/** Up to this many users, `total_count` is exact. */
export const COUNTED_UP_TO = 10_000;

/** A trigram index needs this many characters; a shorter text matches values that begin with it. */
const SHORTEST_INNER_MATCH = 3;

/** An enrolment that was not verified in time does not count, although its row may still exist. */
export const LIVE_TOTP = '(t.verified_at is not null or t.expires_at > now())';

/** The parts of the name that are not empty, joined by a space. The index `users_full_name_trgm` is made of this expression. */
const FULL_NAME = `ltrim(u.first_name || coalesce(' ' || nullif(u.middle_name, ''), '') || coalesce(' ' || nullif(u.last_name, ''), ''))`;

/** How a field finds users: by a condition on their own row `u`, or on rows `t` they own in another table. */
interface Finder {
  readonly table?: string;
  readonly where: (values: string) => string;
  /** Converts a value into the form that the condition compares. */
  readonly value?: (value: string) => string;
  /** Each value finds a user or two. */
  readonly isKey?: true;
}

type Where = Finder['where'];
const email = (where: Where): Finder => ({ table: 'emails', where });
const phoneNumber = (where: Where): Finder => ({ table: 'phone_numbers', where });
const wallet = (where: Where): Finder => ({
  table: 'wallets',
  where: (values) => `t.deleted_at is null and ${where(values)}`,
});
const totp = (where: Where): Finder => ({ table: 'totps', where: (values) => `${LIVE_TOTP} and ${where(values)}` });
const key = (finder: Finder): Finder => ({ ...finder, isKey: true });
const match = (finder: Finder): Finder => ({ ...finder, value: likePattern });

const FINDERS: Readonly<Record<SearchField, Finder>> = {
  user_id: key({ where: (ids) => `u.id = any(${ids})` }),
  status: { where: (values) => `u.status = any(${values})` },
  full_name_match: match({ where: (patterns) => `${FULL_NAME} ilike any(${patterns})` }),
  email: key(email((canonical) => `t.canonical = any(${canonical})`)),
  email_id: key(email((ids) => `t.id = any(${ids})`)),
  email_match: match(email((patterns) => `t.text ilike any(${patterns})`)),
  email_verified: email((flags) => `(t.verified_at is not null) = any(${flags})`),
  phone_number: key(phoneNumber((canonical) => `t.canonical = any(${canonical})`)),
  phone_number_id: key(phoneNumber((ids) => `t.id = any(${ids})`)),
  phone_number_match: match(phoneNumber((patterns) => `t.text ilike any(${patterns})`)),
  phone_number_verified: phoneNumber((flags) => `(t.verified_at is not null) = any(${flags})`),
  wallet_id: key(wallet((ids) => `t.id = any(${ids})`)),
  wallet_public_address: key({
    ...wallet((addresses) => `t.public_address = any(${addresses})`),
    value: checksummed,
  }),
  totp_id: key(totp((ids) => `t.id = any(${ids})`)),
  totp_verified: totp((flags) => `(t.verified_at is not null) = any(${flags})`),
  idp_provider: { table: 'provider_identities', where: (providers) => `t.provider = any(${providers})` },
};

/** Whether the search reads a few rows by their keys, however many users the app has. */
export function isByKey({ match: connective, criteria }: UserSearch): boolean {
  const keys = criteria.filter(({ field, operator }) => operator === 'in' && FINDERS[field].isKey);
  return keys.length > 0 && (connective === 'all' || keys.length === criteria.length);
}

interface Statement {
  readonly sql: string;
  readonly parameters: readonly unknown[];
}

/**
 * The statement that counts all users that match, up to one more than `COUNTED_UP_TO`, and finds a page of them. If
 * all were counted, the page is taken from them. Otherwise matching users are frequent, and the page is found by a scan
 * of the users, newest first. `estimate` asks the planner for the number of matches.
 */
export function searchStatement(
  profile: string,
  appId: AppId,
  search: UserSearch,
): Statement & { readonly estimate: Statement } {
  const { limit, startingAfter } = search;
  const [matching, ofMatching] = matchingIds(appId, search);
  const parameters = [...ofMatching, limit + 1];
  const size = `$${parameters.length}`;
  if (startingAfter !== undefined) parameters.push(startingAfter);
  const behind = startingAfter === undefined ? '' : `and u.id < $${parameters.length}`;
  const newest = `order by u.id desc limit ${size}`;
  return {
    sql: `with matched as materialized (${matching('', `limit ${COUNTED_UP_TO + 1}`)}),
       total as materialized (select count(*)::int as counted from matched),
       page as materialized (
         (select u.id from matched u where (select counted from total) <= ${COUNTED_UP_TO} ${behind} ${newest})
         union all
         select u.id from (${matching(behind, newest)}) u where (select counted from total) > ${COUNTED_UP_TO}
       )
       select (select counted from total),
              (select coalesce(json_agg(p order by p."userId" desc), '[]')
                 from (select ${profile} from page join users u on u.app_id = $1 and u.id = page.id) p) as users`,
    parameters,
    estimate: { sql: `explain (format json) ${matching('', '')}`, parameters: ofMatching },
  };
}

/** Ids of the users that match and that meet `where`; `end` may order and limit them. */
type Matching = (where: string, end: string) => string;

/**
 * For "any", each filter selects its own ids, because `or` between conditions on several tables uses no index. No filter
 * selects more ids than the whole result may have.
 */
function matchingIds(appId: AppId, { match: connective, criteria }: UserSearch): [Matching, unknown[]] {
  const parameters: unknown[] = [appId];
  const conditions = criteria.map((criterion) => {
    const { table } = FINDERS[criterion.field];
    const where = conditionOf(criterion, (value) => `$${parameters.push(value)}`);
    return table ? `and u.id in (select t.user_id from ${table} t where t.app_id = $1 and ${where})` : `and ${where}`;
  });
  const all = (condition: string): Matching => {
    return (where, end) =>
      `select u.id from users u where u.app_id = $1 and u.deleted_at is null ${condition} ${where} ${end}`;
  };
  if (connective === 'all' || conditions.length < 2) return [all(conditions.join(' ')), parameters];
  const any: Matching = (where, end) => {
    const each = conditions.map((condition) => `(${all(condition)(where, end)})`);
    return `select u.id from (${each.join(' union ')}) u ${end}`;
  };
  return [any, parameters];
}

function conditionOf({ field, operator, values }: Criterion, parameter: (value: unknown) => string): string {
  const { where, value } = FINDERS[field];
  const list = parameter(value ? values.map((given) => value(String(given))) : values);
  if (operator === 'in') return where(list);
  const [low, high] = [`(${list}::text[])[1]`, `(${list}::text[])[2]`];
  return `u.id ${{ lt: `< ${low}`, gt: `> ${low}`, between: `between ${low} and ${high}` }[operator]}`;
}

/** Matches values that contain the text, or begin with a text too short for the indexes. Wildcards in the text are escaped. */
function likePattern(text: string): string {
  const literal = text.replace(/[\\%_]/g, '\\$&');
  return [...text].length < SHORTEST_INNER_MATCH ? `${literal}%` : `%${literal}%`;
}

/** Ethereum addresses are stored with their checksum, which is only upper and lower case: any spelling finds them. */
function checksummed(address: string): string {
  return /^0x[0-9a-f]{40}$/i.test(address) ? getAddress(address.toLowerCase()) : address;
}
