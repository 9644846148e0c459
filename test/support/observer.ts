import pg from 'pg';
import { DataSource } from 'typeorm';
import { poolOf } from '../../src/postgres/typeorm-internals.js';
import type { TestApp } from './app.js';
import { nodesOfDatabase } from './citus.js';
import { patiently, untilAvailable } from './eventually.js';

/** Half of the shortest time that the service lets a statement wait: 4 s for a lock where it signs, else 7 s. */
const LONGEST_HOLD_SECONDS = 2;

/** The connections that wait for a lock, on the table or one of its rows if one is named. On Citus the name of a shard ends with its id. */
const WAITING = `
  select count(distinct w.pid)::int as waiting,
         coalesce(extract(epoch from clock_timestamp() - min(w.waitstart)), 0)::float8 as seconds
    from pg_locks w
    join pg_stat_activity a on a.pid = w.pid and a.datname = current_database()
   where not w.granted and ($1::text is null or exists (
     select from pg_locks t
      where t.pid = w.pid and (t.locktype = 'tuple' or not t.granted) and t.relation::regclass::text ~ ('^' || $1 || '(_[0-9]{6})?$')))`;

const ACTIVITY = `
  select jsonb_agg(jsonb_build_object('state', state, 'waits', wait_event, 'since', xact_start, 'query', left(query, 200))) as connections
    from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`;

/** Below the time limit of a test, so that the error is reported. High, because the machine may be busy. */
const MEETING_MS = 120_000;

/** Separate connections of the test to the service's database: one to each node of a cluster, else one. */
export class Observer {
  private constructor(
    private readonly client: pg.Client,
    private readonly ofWorkers: readonly pg.Client[],
  ) {}

  static async of({ databaseUrl }: { readonly databaseUrl: string }): Promise<Observer> {
    const [client, ...ofWorkers] = (await nodesOfDatabase(databaseUrl)).map((url) => new pg.Client(url));
    await Promise.all([client!, ...ofWorkers].map((each) => each.connect()));
    return new Observer(client!, ofWorkers);
  }

  async rows<R extends pg.QueryResultRow>(sql: string, parameters: unknown[] = []): Promise<R[]> {
    return (await this.client.query<R>(sql, parameters)).rows;
  }

  /** Runs a statement on each node, such as one that takes an advisory lock, which a node keeps for itself. */
  async onEachNode<R extends pg.QueryResultRow>(sql: string, parameters: unknown[] = []): Promise<R[]> {
    const results = await Promise.all([this.client, ...this.ofWorkers].map((each) => each.query<R>(sql, parameters)));
    return results.flatMap(({ rows }) => rows);
  }

  /** Puts the confirmation of the transfer, and the signing of everything for it, this long ago. */
  async age(transferId: string, seconds: number): Promise<void> {
    await this.rows(
      `update transfers set confirmed_at = ((confirmed_at at time zone 'UTC') - make_interval(secs => $2)) at time zone 'UTC' where id = $1`,
      [transferId, seconds],
    );
    await this.rows(
      `update transfer_attempts set created_at = ((created_at at time zone 'UTC') - make_interval(secs => $2)) at time zone 'UTC'
        where transfer_id = $1`,
      [transferId, seconds],
    );
  }

  /** How many connections wait for a lock. */
  async waiting(): Promise<number> {
    const nodes = await this.look(null);
    return nodes.reduce((sum, { waiting }) => sum + waiting, 0);
  }

  /** The types of an app's events, in the order of publication. */
  async events(appId: string, userId?: string): Promise<string[]> {
    const rows = await this.rows<{ type: string }>(
      `select type from stored_events where app_id = $1 and ($2::text is null or data->>'user_id' = $2) order by position, seq`,
      [appId, userId],
    );
    return rows.map(({ type }) => type);
  }

  /**
   * Runs the calls simultaneously: each until it needs the table, and none further before all have come that far. On a slow machine
   * calls that come late are not waited for, because the service ends statements that wait for long; a call that it has ended is repeated.
   */
  async together<T>(table: string, calls: readonly (() => Promise<T>)[]): Promise<T[]> {
    await this.client.query(`begin; lock table ${table} in access exclusive mode`);
    let settled = 0;
    const repeated = <R>(call: () => Promise<R>): Promise<R> => untilAvailable(() => patiently(call));
    const answers = Promise.all(calls.map((call) => repeated(call).finally(() => settled++)));
    // An early failure is reported below, not as an unhandled rejection.
    answers.catch(() => undefined);
    await this.untilWaiting(table, () => calls.length - settled, LONGEST_HOLD_SECONDS);
    await this.client.query('commit');
    return answers;
  }

  /**
   * Returns when `count` other connections wait for a lock on the table or on one of its rows, or when one of them has waited for the
   * number of seconds. Connections to other databases of the server, where the table has the same number, do not count. If none of this
   * happens, because a call has ended before it came to the lock, it throws an error that says what each connection does.
   */
  async untilWaiting(table: string, count: () => number, longestSeconds = Infinity): Promise<void> {
    const deadline = performance.now() + MEETING_MS;
    for (let waiting = 0, seconds = 0; waiting < count() && seconds < longestSeconds;) {
      if (performance.now() > deadline) {
        const activity = JSON.stringify(await this.onEachNode(ACTIVITY), null, 1);
        throw new Error(`${waiting} instead of ${count()} connections wait for ${table}: ${activity}`);
      }
      const nodes = await this.look(table);
      waiting = nodes.reduce((sum, each) => sum + each.waiting, 0);
      seconds = Math.max(...nodes.map((each) => each.seconds));
    }
  }

  private async look(table: string | null): Promise<{ readonly waiting: number; readonly seconds: number }[]> {
    // Within a transaction `pg_stat_activity` shows the connections of the first look, and the pool may have opened another one since.
    await this.onEachNode('select pg_stat_clear_snapshot()');
    return this.onEachNode(WAITING, [table]);
  }

  async close(): Promise<void> {
    await Promise.all([this.client, ...this.ofWorkers].map((each) => each.end()));
  }
}

/**
 * Opens this many connections of the service's pool, one after another. Calls that are made together would open them at once, and on a
 * busy machine that takes longer than the 3 s for which the service waits.
 */
export async function openConnections({ nest }: Pick<TestApp, 'nest'>, count: number): Promise<void> {
  const clients: pg.PoolClient[] = [];
  while (clients.length < count) clients.push(await untilAvailable(() => poolOf(nest.get(DataSource)).connect()));
  for (const client of clients) client.release();
}
