import pg from 'pg';
import type { TestApp } from './app.js';

/** Half of the shortest time that the service lets a statement wait: 4 s for a lock where it signs, else 7 s. */
const LONGEST_HOLD_SECONDS = 2;

/** A separate connection of the test to the service's database. */
export class Observer {
  private constructor(private readonly client: pg.Client) {}

  static async of({ databaseUrl }: TestApp): Promise<Observer> {
    const client = new pg.Client({ connectionString: databaseUrl });
    await client.connect();
    return new Observer(client);
  }

  async rows<R extends pg.QueryResultRow>(sql: string, parameters: unknown[] = []): Promise<R[]> {
    return (await this.client.query<R>(sql, parameters)).rows;
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
   * calls that come late are not waited for, because the service ends statements that wait for long.
   */
  async together<T>(table: string, calls: readonly (() => Promise<T>)[]): Promise<T[]> {
    await this.client.query(`begin; lock table ${table} in access exclusive mode`);
    let settled = 0;
    const answers = Promise.all(calls.map((call) => call().finally(() => settled++)));
    // An early failure is reported below, not as an unhandled rejection.
    answers.catch(() => undefined);
    await this.untilWaiting(table, () => calls.length - settled, LONGEST_HOLD_SECONDS);
    await this.client.query('commit');
    return answers;
  }

  /**
   * Returns when `count` other connections wait for a lock on the table or on one of its rows, or when one of them has waited for the
   * number of seconds. Connections to other databases of the server, where the table has the same number, do not count.
   */
  async untilWaiting(table: string, count: () => number, longestSeconds = Infinity): Promise<void> {
    for (let waiting = 0, seconds = 0; waiting < count() && seconds < longestSeconds;) {
      const [row] = await this.rows<{ waiting: number; seconds: number }>(
        `select count(distinct w.pid)::int as waiting,
                coalesce(extract(epoch from clock_timestamp() - min(w.waitstart)), 0)::float8 as seconds
           from pg_locks w
           join pg_stat_activity a on a.pid = w.pid and a.datname = current_database()
          where not w.granted
            and (w.relation = $1::regclass or exists (select from pg_locks t where t.pid = w.pid and t.locktype = 'tuple' and t.relation = $1::regclass))`,
        [table],
      );
      ({ waiting, seconds } = row!);
    }
  }

  close(): Promise<void> {
    return this.client.end();
  }
}
