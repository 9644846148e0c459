import type { AppId } from '../../../kernel/ids.js';
import type { Criterion, UserSearch } from '../domain/user-search.js';

/** Up to this many users, `total_count` is exact. */
export const COUNTED_UP_TO = 10_000;

/** A trigram index needs this many characters; a shorter text matches values that begin with it. */
const SHORTEST_INNER_MATCH = 3;

/** Whether the search reads a few rows by their keys, however many users the app has. */
export function isByKey({ match: connective, criteria, onlyUser }: UserSearch): boolean {
  if (onlyUser !== undefined) return true;
  const keys = criteria.filter(({ field, operator }) => operator === 'in' && field.isKey);
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
  const behind = (id: string): string => (startingAfter === undefined ? '' : `and ${id} < $${parameters.length}`);
  const newest = `order by u.id desc limit ${size}`;
  return {
    sql: `with matched as materialized (${matching(EVERYWHERE, `limit ${COUNTED_UP_TO + 1}`)}),
       total as materialized (select count(*)::int as counted from matched),
       page as materialized (
         (select u.id from matched u where (select counted from total) <= ${COUNTED_UP_TO} ${behind('u.id')} ${newest})
         union all
         select u.id from (${matching(behind, newest)}) u where (select counted from total) > ${COUNTED_UP_TO}
       )
       select (select counted from total),
              (select coalesce(json_agg(p.profile order by p.id desc), '[]')
                 from (select u.id, (select to_json(p) from (select ${profile}) p) as profile
                         from page join users u on u.app_id = $1 and u.id = page.id) p) as users`,
    parameters,
    estimate: { sql: `explain (format json) ${matching(EVERYWHERE, '')}`, parameters: ofMatching },
  };
}

/** A condition on the id of a user. */
type OfId = (id: string) => string;

const EVERYWHERE: OfId = () => '';

/** Ids of the users that match and that meet `where`; `end` may order and limit them. */
type Matching = (where: OfId, end: string) => string;

/**
 * Each filter of "any" selects its own ids, because `or` between conditions on several tables uses no index. No filter
 * selects more ids than the whole result may have.
 */
function matchingIds(appId: AppId, { match: connective, criteria, onlyUser }: UserSearch): [Matching, unknown[]] {
  const parameters: unknown[] = [appId];
  const conditions = criteria.map((criterion) => {
    const { table, where = 'true' } = criterion.field;
    const condition = conditionOf(criterion, (value) => `$${parameters.push(value)}`);
    // The planner does not apply a condition on `u.id` to `t.user_id`, and would read the rows of all newer users.
    return (isWithin: OfId) =>
      table
        ? `and u.id in (select t.user_id from ${table} t where t.app_id = $1 and ${where} and ${condition} ${isWithin('t.user_id')})`
        : `and ${condition}`;
  });
  const only = onlyUser === undefined ? '' : `and u.id = $${parameters.push(onlyUser)}`;
  const all = (some: typeof conditions): Matching => {
    return (where, end) =>
      `select u.id from users u where u.app_id = $1 and u.deleted_at is null ${only}
         ${some.map((condition) => condition(where)).join(' ')} ${where('u.id')} ${end}`;
  };
  if (connective === 'all' || conditions.length < 2) return [all(conditions), parameters];
  const any: Matching = (where, end) => {
    const each = conditions.map((condition) => `(${all([condition])(where, end)})`);
    return `select u.id from (${each.join(' union ')}) u ${end}`;
  };
  return [any, parameters];
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

/** Matches values that contain the text, or begin with a text too short for the indexes. Wildcards in the text are escaped. */
function likePattern(text: string): string {
  const literal = text.replace(/[\\%_]/g, '\\$&');
  return [...text].length < SHORTEST_INNER_MATCH ? `${literal}%` : `%${literal}%`;
}
