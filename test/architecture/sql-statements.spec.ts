import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadModule, parseSync } from 'libpg-query';
import { HOLE, type SourceStatement, statementsOf, statementsOfSources } from '../support/statement-texts.js';

/** A node of the parser: one key, the kind, or the fields themselves. */
type Node = { readonly [key: string]: unknown };

/** What a part that is known only in a call may be, when the statement cannot be read with an identifier in its place. */
const FILLINGS = [HOLE, '', `and ${HOLE}`, '1', 'select 1', `, ${HOLE}`, `order by ${HOLE}`, `set ${HOLE} = 1`];
/** Combinations of fillings that are tried. */
const MOST_FILLINGS = 5_000;

function parsed(text: string): Node | null {
  const parts = text.split(HOLE);
  const combinations = Math.min(FILLINGS.length ** (parts.length - 1), MOST_FILLINGS);
  for (let n = 0; n < combinations; n++) {
    let rest = n;
    const filled = parts.reduce((before, part) => {
      const filling = FILLINGS[rest % FILLINGS.length]!;
      rest = Math.floor(rest / FILLINGS.length);
      return `${before} ${filling} ${part}`;
    });
    try {
      return parseSync(filled) as unknown as Node;
    } catch {
      // The next combination may be a statement.
    }
  }
  return null;
}

/** The nodes of a part of a tree by their kinds, each before those within it. */
type Kinds = Map<string, Node[]>;

function collect(value: unknown, kinds: Kinds): Kinds {
  if (Array.isArray(value)) for (const each of value) collect(each, kinds);
  else if (typeof value === 'object' && value !== null) {
    for (const [kind, node] of Object.entries(value)) {
      const same = kinds.get(kind);
      if (same) same.push(node);
      else kinds.set(kind, [node]);
    }
    for (const each of Object.values(value)) collect(each, kinds);
  }
  return kinds;
}

/** A tree is asked for some thirty kinds. */
const collected = new WeakMap<object, Kinds>();

function ofKind(value: unknown, kind: string): Node[] {
  if (typeof value !== 'object' || value === null) return [];
  let kinds = collected.get(value);
  if (!kinds) collected.set(value, (kinds = collect(value, new Map())));
  return kinds.get(kind) ?? [];
}

const nameOf = (node: unknown): string => (node as { String?: { sval: string } }).String?.sval ?? '*';
const functionsIn = (value: unknown): Node[] => ofKind(value, 'FuncCall');
const functionName = ({ funcname }: Node): string => nameOf((funcname as Node[]).at(-1));
const isConstantFalse = (node: unknown): boolean =>
  ((node as { A_Const?: { boolval?: { boolval?: boolean } } }).A_Const?.boolval ?? null) !== null &&
  (node as { A_Const: { boolval: { boolval?: boolean } } }).A_Const.boolval.boolval !== true;

/** A query and the tables that it names itself, not in a subquery. */
interface Level {
  readonly tables: readonly { readonly table: string; readonly alias: string }[];
  readonly conditions: unknown;
}

const QUERIES = ['SelectStmt', 'UpdateStmt', 'DeleteStmt'] as const;

/** The part of a query that belongs to it and to none of its subqueries. */
function own(value: unknown, isTop = true): unknown {
  if (Array.isArray(value)) return value.map((each) => own(each, false));
  if (typeof value !== 'object' || value === null) return value;
  const node = value as Node;
  if (!isTop && QUERIES.some((kind) => kind in node)) return null;
  return Object.fromEntries(Object.entries(node).map(([key, each]) => [key, own(each, false)]));
}

function levelsOf(tree: Node): Level[] {
  return QUERIES.flatMap((kind) => ofKind(tree, kind)).map((query) => {
    const { fromClause, relation, usingClause, whereClause } = query;
    const sources = own([fromClause, usingClause, relation && { RangeVar: relation }], false);
    const tables = ofKind(sources, 'RangeVar').map((each) => ({
      table: each['relname'] as string,
      alias: (each['alias'] as { aliasname: string } | undefined)?.aliasname ?? (each['relname'] as string),
    }));
    return { tables, conditions: [sources, own(whereClause, false)] };
  });
}

/** The tables whose `app_id` is compared with something; an empty name stands for all tables of the query. */
function boundIn(conditions: unknown): Set<string> {
  const bound = new Set<string>();
  const note = (side: unknown): void => {
    const fields = (side as { ColumnRef?: { fields: Node[] } }).ColumnRef?.fields.map(nameOf) ?? [];
    if (fields.at(-1) === 'app_id') bound.add(fields.length > 1 ? fields[0]! : '');
  };
  for (const { kind, name, lexpr, rexpr } of ofKind(conditions, 'A_Expr'))
    if (kind === 'AEXPR_OP' && nameOf((name as Node[])[0]) === '=') for (const side of [lexpr, rexpr]) note(side);
  for (const { usingClause } of ofKind(conditions, 'JoinExpr'))
    if ((usingClause as Node[] | undefined)?.some((each) => nameOf(each) === 'app_id')) bound.add('');
  return bound;
}

/** Functions whose value differs from call to call, or that change something. */
const VOLATILE = new Set([
  'random',
  'clock_timestamp',
  'gen_random_uuid',
  'nextval',
  'timeofday',
  'set_config',
  'txid_current',
]);

/** Functions whose value depends on the moment, the time zone or the node. Citus refuses them where it cannot compute them first. */
const STABLE = new Set([
  ...VOLATILE,
  'now',
  'date_trunc',
  'to_char',
  'json_build_object',
  'jsonb_build_object',
  'to_jsonb',
  'database_history',
  'feed_history',
]);

/** Functions that read or lock rows of apps. Citus runs one only in a statement that does nothing else. */
const OVER_TABLES = new Set([
  'hold_app',
  'hold_user',
  'hold_user_for_login',
  'lock_user',
  'lock_link_owner',
  'lock_rules_in_force',
  'apps_in',
  'end_sessions_numbered',
  'make_room_for_login',
  'take_sends',
]);

/** Functions that name the history of the node that evaluates them: the coordinator's in a change, that of the app's rows in a SELECT. */
const OF_NODE = new Set(['database_history', 'feed_history']);

const isInterval = (node: unknown): boolean =>
  ofKind([node], 'TypeCast').some(({ typeName }) =>
    ((typeName as Node)['names'] as Node[]).some((each) => nameOf(each) === 'interval'),
  ) || functionsIn([node]).some((call) => functionName(call) === 'make_interval');

/** The sum of a time and an interval, which depends on the time zone; not that of a time `at time zone`, which has none. */
const sumsWithInterval = (value: unknown): Node[] =>
  ofKind(value, 'A_Expr').filter(({ kind, name, lexpr, rexpr }) => {
    const isSum = kind === 'AEXPR_OP' && /^[+-]$/.test(nameOf((name as Node[])[0]));
    const isZoned = functionsIn([lexpr]).some((call) => functionName(call) === 'timezone');
    return isSum && !isZoned && (isInterval(rexpr) || isInterval(lexpr));
  });

const hasColumn = (value: unknown): boolean => ofKind([value], 'ColumnRef').length > 0;

const unstableIn = (value: unknown): string[] => [
  ...functionsIn(value)
    .map(functionName)
    .filter((name) => STABLE.has(name)),
  ...sumsWithInterval(value).map(() => 'a sum with an interval'),
];

const CHANGES = ['InsertStmt', 'UpdateStmt', 'DeleteStmt'] as const;

/** Whether a table is found by the value of `app_id` that the caller gives: the statement then runs on one node. */
const isRouted = (tree: unknown): boolean =>
  ofKind(tree, 'A_Expr').some(({ name, lexpr, rexpr }) => {
    const fields = (lexpr as { ColumnRef?: { fields: Node[] } }).ColumnRef?.fields.map(nameOf) ?? [];
    const isGiven = 'ParamRef' in (rexpr as Node) || 'A_Const' in (rexpr as Node);
    return nameOf((name as Node[])[0]) === '=' && fields.at(-1) === 'app_id' && isGiven;
  });

/** Rules for statements that Citus refuses, or carries out otherwise than one PostgreSQL. */
function faultsOnCitus(tree: Node, ofApps: ReadonlySet<string>): string[] {
  const faults: string[] = [];
  const tables = ofKind(tree, 'RangeVar').map((each) => each['relname'] as string);
  const isOfApps = tables.some((table) => ofApps.has(table) && table !== 'jobs');
  for (const change of CHANGES.flatMap((kind) => ofKind(tree, kind))) {
    // Subqueries and WITH are checked by themselves.
    const { relation, returningClause, onConflictClause, targetList, selectStmt, whereClause } = change;
    const { relname } = relation as { relname: string };
    // The jobs stay on the coordinator.
    if (!ofApps.has(relname) || relname === 'jobs') continue;
    const conflict = (onConflictClause ?? {}) as Node;
    for (const name of unstableIn(own(returningClause, false))) faults.push(`${name} in RETURNING`);
    for (const name of unstableIn(own([conflict['targetList'], conflict['whereClause']], false)))
      faults.push(`${name} in ON CONFLICT`);
    const parts = own([targetList, whereClause, returningClause, onConflictClause], false);
    const values = ((selectStmt as Node | undefined)?.['SelectStmt'] as Node | undefined) ?? {};
    if (sumsWithInterval(own([targetList, whereClause], false)).some(hasColumn))
      faults.push('a sum of a column with an interval');
    for (const name of functionsIn([own(values, false), parts]).map(functionName))
      if (OF_NODE.has(name)) faults.push(`${name} in a change`);
    for (const kind of ['CaseExpr', 'CoalesceExpr'])
      for (const name of ofKind(parts, kind).flatMap(unstableIn)) faults.push(`${name} in CASE or COALESCE`);
    // Citus compares twice where it computes another value of the list first: `case a when b` becomes `case a when a = b`.
    if (ofKind(parts, 'CaseExpr').some(({ arg }) => arg)) faults.push('CASE with an argument');
    if (ofKind(own(targetList, false), 'SetToDefault').length > 0) faults.push('DEFAULT in SET');
    if (ofKind(values['valuesLists'], 'SubLink').length > 0) faults.push('a subquery in VALUES');
    if (values['valuesLists'] && ofKind(conflict, 'SubLink').length > 0) faults.push('a subquery in ON CONFLICT');
  }
  // Citus carries out nothing of a statement whose condition for one of its tables is false for every row.
  const changes = [...ofKind(tree, 'UpdateStmt'), ...ofKind(tree, 'DeleteStmt')];
  if (ofKind(tree, 'InsertStmt').length === 0 && changes.length + tables.length > 1)
    for (const { whereClause } of changes)
      if (ofKind(own(whereClause, false), 'NullTest').some(({ arg }) => !hasColumn(arg)))
        faults.push('a parameter that may be null');
  for (const name of functionsIn(tree).map(functionName))
    if (OVER_TABLES.has(name) && tables.some((table) => table !== name)) faults.push(`${name} beside tables`);
  if (isOfApps && tables.some((table) => table.startsWith('pg_'))) faults.push('a system catalog beside tables');
  if (isOfApps && !isRouted(tree)) {
    if (ofKind(tree, 'LockingClause').length > 0) faults.push('a lock over apps');
    if (ofKind(tree, 'withClause').some(({ recursive }) => recursive)) faults.push('a recursion over apps');
    if (CHANGES.flatMap((kind) => ofKind(tree, kind)).length > 1) faults.push('several changes over apps');
    if (
      ofKind(tree, 'SubLink').some(({ subselect }) => !('targetList' in (subselect as { SelectStmt: Node }).SelectStmt))
    )
      faults.push('a subquery without columns over apps');
    if (
      ofKind(tree, 'SubLink').some(({ subselect }) => !('fromClause' in (subselect as { SelectStmt: Node }).SelectStmt))
    )
      faults.push('a subquery without FROM over apps');
  }
  for (const name of functionsIn(tree).map(functionName))
    if (/^pg_(current_xact_id|xact_status)/.test(name)) faults.push('an id of a transaction');
  return faults;
}

/** What is wrong with a statement. `ofApps` are the tables with a column `app_id`. */
function faultsOf(text: string, ofApps: ReadonlySet<string>): string[] {
  const tree = parsed(text);
  if (!tree) return ['cannot be read'];
  const faults = new Set<string>();
  const withNames = new Set(ofKind(tree, 'CommonTableExpr').map(({ ctename }) => ctename as string));
  for (const { tables, conditions } of levelsOf(tree)) {
    const bound = boundIn(conditions);
    for (const { table, alias } of tables)
      if (ofApps.has(table) && !withNames.has(table) && !bound.has(alias) && !bound.has(''))
        faults.add(`${table} without app_id`);
  }
  // Citus takes from each query by itself which node has its rows. Where `app_id` is that of an outer query or of WITH, it asks all nodes.
  if (isRouted(tree))
    for (const { tables, conditions } of levelsOf(tree)) {
      const first = tables.find(({ table }) => ofApps.has(table) && !withNames.has(table));
      if (first && !isRouted(conditions)) faults.add(`${first.table} on all nodes`);
    }
  for (const { relation, cols } of ofKind(tree, 'InsertStmt')) {
    const columns = ((cols as Node[] | undefined) ?? []).map((each) => (each['ResTarget'] as { name: string }).name);
    const { relname } = relation as { relname: string };
    if (ofApps.has(relname) && !columns.includes('app_id')) faults.add(`${relname} without app_id`);
  }
  for (const call of functionsIn(tree)) {
    const name = functionName(call);
    if (/advisory/.test(name)) faults.add('an advisory lock');
    if (name === 'set_config' && isConstantFalse((call['args'] as Node[])[2])) faults.add('a state of the session');
  }
  for (const kind of ['UpdateStmt', 'onConflictClause'])
    for (const { targetList } of ofKind(tree, kind))
      for (const call of functionsIn(own(targetList, false)))
        if (VOLATILE.has(functionName(call))) faults.add(`${functionName(call)} in SET`);
  for (const { kind, is_local: isLocal } of ofKind(tree, 'VariableSetStmt'))
    if (!isLocal && kind !== 'VAR_SET_MULTI') faults.add('a state of the session');
  for (const kind of ['ListenStmt', 'PrepareStmt', 'DeallocateStmt', 'DiscardStmt', 'DeclareCursorStmt'])
    if (ofKind(tree, kind).length > 0) faults.add('a state of the session');
  if ([...ofKind(tree, 'CreateStmt'), ...ofKind(tree, 'CreateTableAsStmt')].some(isTemporary))
    faults.add('a state of the session');
  for (const fault of faultsOnCitus(tree, ofApps)) faults.add(fault);
  return [...faults];
}

const isTemporary = (node: Node): boolean =>
  ofKind(node, 'relation').length + ofKind(node, 'into').length > 0 &&
  JSON.stringify(node).includes('"relpersistence":"t"');

/** Statements with a fault, by a part of their text, and why each is right. */
const EXEMPT: readonly {
  readonly file: string;
  readonly part: string;
  readonly faults: string;
  readonly reason: string;
}[] = [
  ...['set statement_timeout', 'reset statement_timeout'].map((part) => ({
    file: 'src/postgres/migrate.ts',
    part,
    faults: 'a state of the session',
    reason: 'Migrations use a direct connection.',
  })),
  ...['pg_try_advisory_lock', 'pg_advisory_unlock_all'].map((part) => ({
    file: 'src/postgres/migrate.ts',
    part,
    faults: 'an advisory lock',
    reason: 'Migrations use a direct connection, lock the whole database and belong to no app.',
  })),
  {
    file: 'src/edge/idempotency/stored-bytes.ts',
    part: 'as bytes from idempotency_usage where hour',
    faults: 'idempotency_usage without app_id',
    reason: 'A metric over all apps, which has at most 24 rows of each.',
  },
  {
    file: 'src/modules/events/infrastructure/postgres-event-feed.ts',
    part: 'from (select) as one left join',
    faults: 'cannot be read',
    reason: 'The beginning of the statements of the feed, which are constants too.',
  },
  {
    file: 'src/modules/events/infrastructure/postgres-event-sequence.ts',
    part: 'select from unsequenced_events limit 1',
    faults: 'unsequenced_events without app_id',
    reason: 'Runs per shard: asks whether an event of any app waits.',
  },
  ...[
    'from wrapping_keys where provider',
    'from wrapping_keys where retired_at is null',
    'from wrapping_keys where app_id <>',
    'from wrapping_keys where app_id in',
    'set retired_at = now() where provider',
    'set retired_at = null where provider',
  ].map((part) => ({
    file: 'src/services/crypto/wrapping-key-table.ts',
    part,
    faults: 'wrapping_keys without app_id',
    reason: 'Commands of the operator, a metric, and checks against the keys of other apps and of the service.',
  })),
  ...['from wrapping_keys where (app_id', 'as newer from wrapping_keys where'].map((part) => ({
    file: 'src/services/crypto/escrow/escrow-table.ts',
    part,
    faults: 'wrapping_keys without app_id',
    reason: 'Commands of the operator over the keys of all apps.',
  })),
  {
    file: 'src/modules/webhooks/infrastructure/delivery-metrics.ts',
    part: 'disabled_reason as reason',
    faults: 'webhook_endpoints without app_id',
    reason: 'Runs per shard: counts the endpoints of all apps.',
  },
  {
    file: 'src/modules/events/infrastructure/sequence-metrics.ts',
    part: 'from unsequenced_events',
    faults: 'unsequenced_events without app_id',
    reason: 'Runs per shard: counts the events of all apps.',
  },
  {
    file: 'src/modules/audit/infrastructure/postgres-chain-reader.ts',
    part: 'last_hash as "lastHash", last_checkpoint',
    faults: 'audit_chains without app_id',
    reason: 'Runs per shard: reads the ends of all chains.',
  },
  {
    file: 'src/modules/audit/infrastructure/postgres-audit-chain.ts',
    part: 'select from audit_log where number is null',
    faults: 'audit_log without app_id',
    reason: 'Runs per shard: asks whether an entry of any app waits.',
  },
  ...['select stage', 'select stuck_reason'].map((part) => ({
    file: 'src/modules/transfer/tracking/infrastructure/transfer-metrics.ts',
    part,
    faults: 'transfers without app_id',
    reason: 'Runs per shard: counts for all apps, by partial indexes.',
  })),
  {
    file: 'src/modules/audit/audit-metrics.ts',
    part: 'where number is null',
    faults: 'audit_log without app_id',
    reason: 'Runs per shard: counts the entries of all apps.',
  },
  {
    file: 'src/services/refusals/refusal-counts.ts',
    part: 'select distinct app_id',
    faults: 'refusals without app_id',
    reason: 'Runs per shard: looks up the apps with refusals whose minute has ended.',
  },
  {
    file: 'src/modules/events/infrastructure/postgres-statistics.ts',
    part: 'insert into counted_events',
    faults: 'event_positions without app_id',
    reason: 'Runs per shard: begins to count the events of each app that is new.',
  },
  {
    file: 'src/services/jobs/job-queue.ts',
    part: 'jobs',
    faults: 'jobs without app_id',
    reason: 'The jobs stay on the coordinator. They run in one order over all apps; some belong to no app.',
  },
  {
    file: 'src/services/jobs/dead-jobs.ts',
    part: 'jobs',
    faults: 'jobs without app_id',
    reason: 'An operator lists the dead jobs of all apps; some belong to no app.',
  },
  ...[
    { file: 'src/services/request-trail.ts', table: 'jobs' },
    { file: 'src/modules/audit/request-trail.ts', table: 'audit_log' },
    { file: 'src/modules/audit/request-trail.ts', table: 'refused_calls' },
  ].map(({ file, table }) => ({
    file,
    part: `from ${table} where`,
    faults: `${table} without app_id`,
    reason: 'An operator follows a request, whose app is not known.',
  })),
  {
    file: 'src/services/jobs/waiting-jobs.ts',
    part: 'order by j.app_id desc',
    faults: 'jobs without app_id',
    reason: 'Compares app_id by <= and >=, which decides the index.',
  },
  {
    file: 'src/modules/transfer/tracking/infrastructure/postgres-tracking.repository.ts',
    part: "status = 'pending' and next_check_at <= now()) due",
    faults: 'transfers without app_id',
    reason: 'Runs per shard: finds the due transfers of all apps, without a lock.',
  },
  ...['order by t.expires_at limit $1', 'order by random()'].map((part) => ({
    file: 'src/modules/transfer/tracking/infrastructure/postgres-tracking.repository.ts',
    part,
    faults: 'transfers without app_id',
    reason: 'Runs per shard: finds the overdue quotes of all apps, without a lock.',
  })),
  ...['select from wallets where wallet_type = $1', 'w.public_address = any($2::text[])'].map((part) => ({
    file: 'src/modules/wallet/wallets/infrastructure/postgres-wallet.repository.ts',
    part,
    faults: 'wallets without app_id',
    reason:
      'Runs per shard: a payment names an address and no app. The wallets of all apps are found by an index of their own.',
  })),
  {
    file: 'src/modules/transfer/transfer/infrastructure/postgres-sender-queue.repository.ts',
    part: 'select distinct t.app_id',
    faults: 'transfers on all nodes',
    reason: 'Runs per shard: the command `reconcile` compares the queues of one app or of all apps.',
  },
  {
    file: 'src/modules/transfer/transfer/infrastructure/postgres-sender-queue.repository.ts',
    part: 'order by u.block desc',
    faults: 'sender_queues on all nodes, transfers on all nodes',
    reason: 'Runs per shard: the command `reconcile` compares the queues of one app or of all apps.',
  },
  ...['emails', 'phone_numbers'].map((table) => ({
    file: 'src/modules/identity/infrastructure/postgres-contact.repository.ts',
    part: `from ${table} where unverified_until < now()`,
    faults: `${table} without app_id`,
    reason: 'Runs per shard: finds the overdue addresses of all apps, without a lock.',
  })),
  {
    file: 'src/modules/webhooks/infrastructure/delivery-statements.ts',
    part: 'delete from webhook_health h where not exists',
    faults: 'webhook_health without app_id',
    reason: 'Runs per shard: forgets the health of endpoints that were deleted.',
  },
  {
    file: 'src/modules/webhooks/infrastructure/typeorm-webhook-endpoint.repository.ts',
    part: 'select e.app_id as "appId", e.key_id',
    faults: 'webhook_endpoints without app_id',
    reason: 'Runs per shard: finds the endpoints whose restricted key has ended, without a lock.',
  },
  {
    file: 'src/modules/audit/infrastructure/postgres-audit-heads.ts',
    part: 'former.*',
    faults: 'known_apps without app_id, audit_log without app_id, audit_checkpoints without app_id',
    reason: 'Runs per shard: asks whether anything was ever chained or signed.',
  },
];

/** Texts with parts of a call that no filling makes a statement, or that hold the comparison with `app_id`. */
const IN_PARTS: Readonly<Record<string, string>> = {
  'src/modules/policy/budgets/infrastructure/postgres-spend.repository.ts':
    'Its whole statements are among the constants.',
  'src/modules/session/infrastructure/postgres-session.repository.ts': 'Its whole statements are among the constants.',
  'src/modules/totp/infrastructure/postgres-totp.repository.ts': 'Its whole statements are among the constants.',
  'src/postgres/postgres-personal-data.ts': 'The tables are those that modules declare, and app_id is always compared.',
  'src/modules/transfer/transfer/infrastructure/postgres-transfer.repository.ts':
    'The condition always begins with app_id.',
};

/** The tables and views that have a column `app_id`. */
function tablesOfApps(): Set<string> {
  const schema = readFileSync(join(__dirname, '../../migrations/schema.sql'), 'utf8');
  const tables = [...schema.matchAll(/^create (?:table|view) (\w+) [^;]*;/gm)];
  return new Set(tables.filter(([text]) => /\bapp_id\b/.test(text)).map(([, name]) => name!));
}

const flat = (text: string): string => text.trim().replace(/\s+/g, ' ');
const brief = (text: string): string => flat(text).slice(0, 160);

describe('the statements of the sources', () => {
  let statements: SourceStatement[];
  let ofApps: Set<string>;
  beforeAll(async () => {
    await loadModule();
    statements = statementsOfSources();
    ofApps = tablesOfApps();
  });

  it('are found', () => {
    expect(statements.length).toBeGreaterThan(200);
    expect(ofApps.size).toBeGreaterThan(30);
  });

  it('compare app_id of every table of an app, take no advisory lock, leave no session state, and set no volatile value', () => {
    const faults = statements.flatMap(({ file, text, isInParts }) => {
      const found = faultsOf(text, ofApps).join(', ');
      const isExempt = EXEMPT.some(
        (each) => each.file === file && flat(text).includes(each.part) && each.faults === found,
      );
      return found === '' || isExempt || (isInParts && file in IN_PARTS) ? [] : [`${file}: ${found}: ${brief(text)}`];
    });
    expect(faults).toEqual([]);
  });

  it('have no exemption that is not needed', () => {
    const isNeeded = ({ file, part, faults }: (typeof EXEMPT)[number]): boolean =>
      statements.some(
        (each) =>
          each.file === file && flat(each.text).includes(part) && faultsOf(each.text, ofApps).join(', ') === faults,
      );
    expect(EXEMPT.filter((each) => !isNeeded(each))).toEqual([]);
  });
});

describe('the check of statements', () => {
  beforeAll(() => loadModule());
  const ofApps = new Set(['users', 'emails', 'live_users']);

  it.each([
    ['select from users where id = $1', ['users without app_id']],
    ['select from users where app_id = $1', []],
    ['select from users u join emails e on e.app_id = u.app_id where u.app_id = $1', []],
    ['select from users u join emails e on e.user_id = u.id where u.app_id = $1', ['emails without app_id']],
    [
      'select (select count(*) from emails e where e.user_id = u.id) from users u where u.app_id = $1',
      ['emails without app_id', 'emails on all nodes'],
    ],
    ['with users as (select 1 as id) select from users', []],
    ['delete from emails where user_id = $1', ['emails without app_id']],
    ['insert into users (id) values ($1)', ['users without app_id']],
    ['insert into users (app_id, id) values ($1, $2)', []],
    ['update users set updated_at = now() where app_id = $1', []],
    ['update users set id = gen_random_uuid() where app_id = $1', ['gen_random_uuid in SET']],
    [
      'insert into users (app_id) values ($1) on conflict (app_id) do update set at = clock_timestamp()',
      ['clock_timestamp in SET', 'clock_timestamp in ON CONFLICT'],
    ],
    ['select pg_advisory_xact_lock($1)', ['an advisory lock']],
    [`select set_config('lock_timeout', '1s', true)`, []],
    [`select set_config('lock_timeout', '1s', false)`, ['a state of the session']],
    [`set local lock_timeout = '1s'`, []],
    [`set lock_timeout = '1s'`, ['a state of the session']],
    ['listen news', ['a state of the session']],
    ['create temp table notes (id int)', ['a state of the session']],
    ['select where where', ['cannot be read']],
    // Citus refuses these, or carries them out otherwise.
    ['update users set at = case when a then now() end where app_id = $1', ['now in CASE or COALESCE']],
    ['update users set at = coalesce(at, now()) where app_id = $1', ['now in CASE or COALESCE']],
    [
      `update users set at = case when a then at + interval '1 s' end where app_id = $1`,
      ['a sum of a column with an interval', 'a sum with an interval in CASE or COALESCE'],
    ],
    [
      'with c as materialized (select now() as n) update users set at = case when a then c.n end from c where app_id = $1',
      [],
    ],
    ['update users set a = case b when 1 then 2 end where app_id = $1', ['CASE with an argument']],
    ['update users set at = now() where app_id = $1 returning now()', ['now in RETURNING']],
    ['insert into users (app_id) values ($1) on conflict (app_id) do update set at = now()', ['now in ON CONFLICT']],
    [
      `insert into users as u (app_id) values ($1) on conflict (app_id) do update set at = excluded.at
        where u.at <= excluded.at - interval '1 day'`,
      ['a sum with an interval in ON CONFLICT'],
    ],
    [
      `insert into users (app_id) values ($1) on conflict (app_id) do update
        set at = ((excluded.at at time zone 'UTC') + interval '1 s') at time zone 'UTC'`,
      [],
    ],
    [
      'insert into users (app_id) values ($1) on conflict (app_id) do update set (a, b) = (select 1, 2)',
      ['a subquery in ON CONFLICT'],
    ],
    [
      'insert into users (app_id, seq) values ($1, (select max(seq) from users where app_id = $1))',
      ['a subquery in VALUES'],
    ],
    [
      `select u.app_id from users u join emails e on e.app_id = u.app_id where u.seq in (select jsonb_array_elements(u.data))`,
      ['a subquery without FROM over apps'],
    ],
    ['insert into users (app_id, seq) select $1, max(seq) from users where app_id = $1', []],
    ["update users set at = at - interval '1 day' where app_id = $1", ['a sum of a column with an interval']],
    ["update users set at = ((at at time zone 'UTC') - interval '1 day') at time zone 'UTC' where app_id = $1", []],
    [
      `with a as (update emails set a = 1 where app_id = $1 and $2::text is not null) update users set a = 1 where app_id = $1`,
      ['a parameter that may be null'],
    ],
    ['update users set seq = default where app_id = $1', ['DEFAULT in SET']],
    ['insert into users (app_id, history) values ($1, database_history())', ['database_history in a change']],
    ['insert into users (app_id, history) select $1, database_history()', ['database_history in a change']],
    ['update users set a = 1 where app_id = $1 and history = database_history()', ['database_history in a change']],
    [
      `with here as materialized (select database_history() as history, exists (select from users where app_id = $1))
       insert into users (app_id, history) select $1, here.history from here`,
      [],
    ],
    ['select hold_user($1, $2)', []],
    ['select hold_user($1, u.id) from users u where u.app_id = $1', ['hold_user beside tables']],
    [
      'with o as (select hold_user($1, $2)) update users set a = 1 from o where app_id = $1',
      ['hold_user beside tables'],
    ],
    [`select (select min(relname) from pg_class) from users where app_id = $1`, ['a system catalog beside tables']],
    ['select from users u join emails e using (app_id) for update', ['a lock over apps']],
    ['select from users where app_id = $1 for update', []],
    [
      'with recursive a as (select app_id from users u join emails e using (app_id) union all select app_id from a) select from a',
      ['a recursion over apps'],
    ],
    [
      `with a as (update users u set a = 1 from emails e where u.app_id = e.app_id returning u.app_id)
       delete from emails e using a where e.app_id = a.app_id`,
      ['several changes over apps'],
    ],
    ['select exists (select from users u join emails e using (app_id))', ['a subquery without columns over apps']],
    ['select exists (select 1 from users u join emails e using (app_id))', []],
    [
      'select (select count(*) from emails e where e.app_id = u.app_id) from users u where u.app_id = $1',
      ['emails on all nodes'],
    ],
    ['select (select count(*) from emails e where e.app_id = $1) from users u where u.app_id = $1', []],
    [
      'with u as (select app_id from users where app_id = $1) update emails e set a = 1 from u where e.app_id = u.app_id',
      ['emails on all nodes'],
    ],
    ['select from users where app_id = $1 and xmin = pg_current_xact_id()::xid', ['an id of a transaction']],
  ])('%s: %j', (text, faults) => {
    expect(faultsOf(text, ofApps)).toEqual(faults);
  });

  it('reads constants, statements with named parameters, and literals in functions', () => {
    const texts = statementsOf(
      'src/postgres/example.ts',
      `import { named } from './statement.js';
       const FIND = 'select from users where id = $1';
       const ADD = named(\`insert into users (id) values ($id)\`);
       const find = (table: string) => \`\${FIND} and \${table}.id = 1\`;`,
    ).map(({ text }) => text);
    expect(texts).toEqual([
      'select from users where id = $1',
      'insert into users (id) values ($1)',
      `select from users where id = $1 and ${HOLE}.id = 1`,
    ]);
  });
});
