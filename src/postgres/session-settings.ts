import type { ClientBase, QueryResult } from 'pg';
import { conditionsOf, unmetOr } from './conditions.js';
import { DURABLE_COMMIT } from './durability.js';
import { processIdOf } from './pg-internals.js';
import { spoilsConnection } from './pool.js';
import { BEGIN, COMMIT, sendTogether, type Statement, statement } from './statement.js';

/** Milliseconds. */
export interface Bounds {
  readonly statement_timeout: number;
  readonly lock_timeout?: number;
  readonly idle_in_transaction_session_timeout?: number;
}

// Together with the watchdog they let no call wait for the database longer than 12 s, a connection and one statement included.
export const USUAL_BOUNDS: Bounds = { statement_timeout: 7_000, idle_in_transaction_session_timeout: 30_000 };

/** Each transaction may use another server connection, which later serves other clients, so every setting is local to a transaction. */
const pooled = new WeakSet<ClientBase>();

export function isPooled(client: ClientBase): boolean {
  return pooled.has(client);
}

/** Poolers refuse startup parameters. An unconfigured one is found by the process id, but may count from 1 and match by coincidence. */
export async function configureSession(client: ClientBase, bounds: Bounds, isKnownPooler: boolean): Promise<void> {
  if (isKnownPooler) {
    pooled.add(client);
    return;
  }
  const { rowCount } = await client.query(`select ${assignments(bounds, false)} where pg_backend_pid() = $1`, [
    processIdOf(client),
  ]);
  if (rowCount === 0) pooled.add(client);
}

export function localSettings(bounds: Bounds): Statement {
  return statement(`select ${assignments(bounds, true)}`);
}

/** The server ends a transaction that locks rows of many apps when its process is paused, so that other processes go on. */
export const ENDS_WHEN_PAUSED = `select set_config('idle_in_transaction_session_timeout', '1500ms', true)`;

const USUAL = localSettings(USUAL_BOUNDS);

export function opening(client: ClientBase): Statement[] {
  return isPooled(client) ? [BEGIN, USUAL] : [BEGIN];
}

export async function sendAlone(client: ClientBase, wanted: Statement) {
  const conditions = [...new Set(conditionsOf(wanted.values))];
  if (!isPooled(client) && conditions.length === 0) return (await sendTogether(client, [wanted]))[0]!;
  const before = [...opening(client), ...conditions.map((condition) => condition.statement)];
  return inTransaction(client, async () => {
    const results: QueryResult[] = [];
    await sendTogether(client, [...before, wanted, COMMIT], results).catch((error: unknown) => {
      throw unmetOr(conditions[results.length - before.length + conditions.length], error);
    });
    return results[before.length]!;
  });
}

/** `configureSession` has given the settings to the session unless it is a pooler's. */
export async function within<T>(client: ClientBase, settings: Statement, work: () => Promise<T>): Promise<T> {
  if (!isPooled(client)) return work();
  return inTransaction(client, async () => {
    await sendTogether(client, [BEGIN, settings]);
    const result = await work();
    await sendTogether(client, [COMMIT]);
    return result;
  });
}

async function inTransaction<T>(client: ClientBase, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    // The transaction of a spoiled connection ends when it is closed.
    if (!spoilsConnection(error)) await client.query('rollback');
    throw error;
  }
}

function assignments(bounds: Bounds, isLocal: boolean): string {
  const timeouts = Object.entries(bounds).map(([name, ms]) => `set_config('${name}', '${ms}ms', ${isLocal})`);
  return [
    `set_config('synchronous_commit', ${DURABLE_COMMIT}, ${isLocal})`,
    // pg reads no other style, and an unread time is null.
    `set_config('DateStyle', 'ISO', ${isLocal})`,
    // Statements outside a transaction need it.
    `set_config('default_transaction_isolation', 'read committed', ${isLocal})`,
    // The server would compile a long statement of which it then executes a short part.
    `set_config('jit', 'off', ${isLocal})`,
    ...timeouts,
  ].join(', ');
}
