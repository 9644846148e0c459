import pg from 'pg';
import type { TestApp } from './app.js';

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
      `select type from events where app_id = $1 and ($2::text is null or data->>'user_id' = $2) order by position, seq`,
      [appId, userId],
    );
    return rows.map(({ type }) => type);
  }

  /** Runs the calls simultaneously: each until it needs the table, and none further before all have come that far. */
  async together<T>(table: string, calls: readonly (() => Promise<T>)[]): Promise<T[]> {
    await this.client.query(`begin; lock table ${table} in access exclusive mode`);
    let settled = 0;
    const answers = Promise.all(calls.map((call) => call().finally(() => settled++)));
    // An early failure is reported below, not as an unhandled rejection.
    answers.catch(() => undefined);
    await this.untilWaiting(table, () => calls.length - settled);
    await this.client.query('commit');
    return answers;
  }

  /** Returns when `count` other connections wait for a lock on the table or on one of its rows. */
  async untilWaiting(table: string, count: () => number): Promise<void> {
    for (let waiting = 0; waiting < count();) {
      const [row] = await this.rows<{ waiting: number }>(
        `select count(distinct w.pid)::int as waiting
           from pg_locks w
          where not w.granted
            and (w.relation = $1::regclass or exists (select from pg_locks t where t.pid = w.pid and t.locktype = 'tuple' and t.relation = $1::regclass))`,
        [table],
      );
      waiting = row!.waiting;
    }
  }

  close(): Promise<void> {
    return this.client.end();
  }
}
