import type { AppId } from '../../../kernel/ids.js';
import type { Criterion, UserSearch } from '../domain/user-search.js';

/** Up to this many users, `total_count` is exact. */
export const COUNTED_UP_TO = 10_000;

/** A trigram index needs this many characters; a shorter text matches values that begin with it. */
const SHORTEST_INNER_MATCH = 3;

/** Whether the search reads only a few rows, however many users the app has. */
export function isByKey({ match: connective, criteria, onlyUser }: UserSearch): boolean {
  if (onlyUser !== undefined) return true;
  const keys = criteria.filter(({ field, operator }) => operator === 'in' && field.isKey);
  return keys.length > 0 && (connective === 'all' || keys.length === criteria.length);
}

interface Statement {
  readonly sql: string;
  readonly parameters: readonly unknown[];
}

/** At most this many users of the sample are tested, and at most this many of the newest users. */
const TESTED_UP_TO = 10_000;

/** The most rows of a filter that are read without a test of the sample. */
const RARE = 1_000;

/** After fewer tests, chance would decide how many users seem to match. */
const TESTED_AT_LEAST = 1_000;

/** With this many matches in the sample, the estimate has a standard deviation of 8 %. */
const ENOUGH_HITS = 170;

/** A sample that shows fewer matches ends early: `ENOUGH_HITS` do not prove more than `COUNTED_UP_TO` unless they show 16,200 matches. */
const TOO_FEW = 15_000;

const LIVE_USERS = 'from users u where u.app_id = $1 and u.deleted_at is null';

/** The condition of the index `users_sampled`: the lowest 16th of the integers of 32 bits that `hashtext` returns. */
const IS_SAMPLED = 'hashtext(u.id) < -1879048192';

/**
 * `sample`: users are tested in the order of a hash of their ids, until the number of matches is known: about `hits / share`.
 * `newest`: if more than `COUNTED_UP_TO` match (the estimate less five standard deviations), the newest are tested until the page is full.
 * `matched`: otherwise, or if at most half match and the 10,000 newest do not fill the page, all that match are read by indexes.
 * With `newest` the number of matches is the estimate, with `matched` it is exact. PostgreSQL executes a part only when another reads it.
 */
export function searchStatement(profile: string, appId: AppId, search: UserSearch): Statement {
  const { limit, startingAfter } = search;
  const parameters: unknown[] = [appId];
  const parameter = (value: unknown): string => `$${parameters.push(value)}`;
  const { test, range, isRare, matching } = conditionsOf(search, parameter);
  const size = parameter(limit + 1);
  const isBehind = startingAfter === undefined ? 'true' : `u.id < ${parameter(startingAfter)}`;
  const behind = `${LIVE_USERS} and ${range} and ${isBehind} order by u.id desc`;
  // Where most users match, the page is near the newest ones, and all that match are too many to read.
  const most = `case when (select is_most from sample) then null else ${TESTED_UP_TO} end`;
  return {
    sql: `with matched as materialized (${matching}),
       sample as materialized (
         select hits / share as estimate, 2 * hits > users as is_most, hits - 5 * sqrt(hits) > ${COUNTED_UP_TO} * share as is_many
           from (select count(*) over tested as users, count(*) filter (where u.matches) over tested as hits,
                        (u.hash + 2147483648) / 4294967296::float8 as share
                   from (select hashtext(u.id) as hash, ${test} as matches
                           ${LIVE_USERS} and ${IS_SAMPLED}
                          order by hashtext(u.id) limit case when ${isRare} then 0 else ${TESTED_UP_TO} end) u
                 window tested as (order by u.hash rows unbounded preceding)) s
          where users >= ${TESTED_AT_LEAST} and (hits >= ${ENOUGH_HITS} or hits < ${TOO_FEW} * share or users = ${TESTED_UP_TO})
          limit 1
       ),
       newest as materialized (
         select u.id
           from (select u.* ${behind} limit ${most}) u
          where (select is_many from sample) and ${test}
          order by u.id desc limit ${size}
       ),
       chosen as materialized (
         select (select count(*) from newest) = ${size}
                or coalesce((select is_many from sample), false)
                   and ((select is_most from sample)
                        or (select count(*) < ${TESTED_UP_TO} from (select ${behind} limit ${TESTED_UP_TO}) u)) as newest
       ),
       page as materialized (
         select u.id from newest u where (select newest from chosen)
         union all
         (select u.id from matched u where not (select newest from chosen) and ${isBehind}
           order by u.id desc limit ${size})
       )
       select case when (select newest from chosen) then (select estimate::int from sample)
                   else (select count(*)::int from matched) end as counted,
              (select coalesce(json_agg(p.profile order by p.id desc), '[]')
                 from (select u.id, (select to_json(p) from (select ${profile}) p) as profile
                         from page join users u on u.app_id = $1 and u.id = page.id) p) as users`,
    parameters,
  };
}

interface Conditions {
  /** Whether user `u` matches, by the rows of that user only. */
  readonly test: string;
  /** Conditions of the test that bound the ids of users. The newest users that meet them are tested. */
  readonly range: string;
  readonly isRare: string;
  readonly matching: string;
}

function conditionsOf(search: UserSearch, parameter: (value: unknown) => string): Conditions {
  const { match: connective, criteria, onlyUser } = search;
  const conditions = criteria.map((criterion) => {
    const { table, where = 'true', values } = criterion.field;
    const condition = conditionOf(criterion, parameter);
    const rows = table
      ? `from ${table} t where t.app_id = $1 and ${where} and ${condition}`
      : `${LIVE_USERS} and ${condition}`;
    // A trigram index finds all rows that match before it returns the first, and not each value of a flag has an index.
    const isRare =
      values === 'match' || values === 'flag'
        ? 'false'
        : `(select count(*) <= ${RARE} from (select ${rows} limit ${RARE + 1}) r)`;
    if (!table) return { test: condition, holds: condition, isRare, isRange: criterion.operator !== 'in' };
    return {
      // The planner would make a join of it, which reads the rows of all users, without the offset.
      test: `exists (select ${rows} and t.user_id = u.id offset 0)`,
      holds: `u.id in (select t.user_id ${rows})`,
      isRare,
      isRange: false,
    };
  });
  const isAll = connective === 'all' || conditions.length < 2;
  const only = onlyUser === undefined ? '' : `and u.id = ${parameter(onlyUser)}`;
  const all = (some: typeof conditions): string =>
    `select u.id ${LIVE_USERS} ${only} ${some.map(({ holds }) => `and ${holds}`).join(' ')}`;
  return {
    test: `(${conditions.map(({ test }) => test).join(isAll ? ' and ' : ' or ') || 'true'}) ${only}`,
    range: conditions.map(({ isRange, holds }) => (isAll && isRange ? holds : 'true')).join(' and ') || 'true',
    isRare: isByKey(search) ? 'true' : conditions.map(({ isRare }) => isRare).join(isAll ? ' or ' : ' and ') || 'false',
    // Each filter of "any" selects its own ids, because `or` between conditions on several tables uses no index.
    matching: isAll ? all(conditions) : conditions.map((condition) => all([condition])).join(' union '),
  };
}

function conditionOf(
  { field: { compared, values: kind }, operator, values }: Criterion,
  parameter: (value: unknown) => string,
): string {
  // The planner knows how many rows meet the condition itself, and an index may be made of it. It knows neither of a comparison with it.
  if (kind === 'flag')
    return `(${[...new Set(values)].map((value) => (value ? compared : `not ${compared}`)).join(' or ')})`;
  if (kind === 'match') return `${compared} ilike any(${parameter(values.map((text) => likePattern(String(text))))})`;
  const list = parameter(values);
  if (operator === 'in') return `${compared} = any(${list})`;
  const [low, high] = [`(${list}::text[])[1]`, `(${list}::text[])[2]`];
  return `${compared} ${{ lt: `< ${low}`, gt: `> ${low}`, between: `between ${low} and ${high}` }[operator]}`;
}

function likePattern(text: string): string {
  const literal = text.replace(/[\\%_]/g, '\\$&');
  return [...text].length < SHORTEST_INNER_MATCH ? `${literal}%` : `%${literal}%`;
}
