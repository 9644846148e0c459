import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import type { Pool } from 'pg';
import { DataSource } from 'typeorm';
import { Bulkhead } from '../kernel/bulkhead.js';
import { DatabaseUnavailable, TooManyRequests } from '../kernel/errors.js';
import type { AppId } from '../kernel/ids.js';
import { connectionOptions } from './data-source.js';
import { DatabaseProbe } from './database-probe.js';
import { openPool, withPoolClient } from './pool.js';
import { localSettings, within } from './session-settings.js';

/** The bounds hold in each replica. One app never uses all connections, so two apps can always read at the same time. */
const BOUNDS = { perApp: 2, inAll: 4, waitingPerApp: 50, longestWaitMs: 2_000 };
const REFUSALS = {
  busyApp: () =>
    new TooManyRequests(1, undefined, 'The app runs too many searches and counts at a time. Try again later.'),
  busyService: () => new DatabaseUnavailable(),
};
const LIMITS = { statement_timeout: 2_000, idle_in_transaction_session_timeout: 5_000 };
const LOCAL_LIMITS = localSettings(LIMITS);
/** The statement timeout of the server does not help if the server does not respond at all. */
const SILENCE_TIMEOUT_MS = 5_000;

/** Reads whose cost depends on the request have connections of their own, few for each app, so that no other call waits behind them. */
@Injectable()
export class SlowReads implements OnApplicationShutdown {
  private pool: Pool | undefined;
  private readonly bulkhead = new Bulkhead(BOUNDS, REFUSALS);

  constructor(
    private readonly dataSource: DataSource,
    private readonly probe: DatabaseProbe,
  ) {}

  /** Throws `ReadTooSlow` after 2 s; `TooManyRequests` or `DatabaseUnavailable` when no connection becomes free in time. */
  async run<T>(appId: AppId, work: (query: Query) => Promise<T>): Promise<T> {
    try {
      return await this.bulkhead.run(appId, () => work((sql, parameters) => this.query(sql, parameters)));
    } catch (error) {
      // The app's own reads also keep its slots when PostgreSQL does not respond to them.
      if (error instanceof TooManyRequests && !(await this.probe.isAvailable())) throw new DatabaseUnavailable();
      throw error;
    }
  }

  async onApplicationShutdown(): Promise<void> {
    await this.pool?.end();
  }

  private async query<R extends object>(sql: string, parameters: readonly unknown[]): Promise<R[]> {
    this.pool ??= this.open();
    try {
      return await withPoolClient(this.pool, (client) =>
        // The texts differ with the filters, and each is planned for its values, so the statement is not prepared.
        within(client, LOCAL_LIMITS, async () => (await client.query<R>(sql, [...parameters])).rows),
      );
    } catch (error) {
      throw isTimeout(error) ? new ReadTooSlow() : error;
    }
  }

  private open(): Pool {
    return openPool({
      ...connectionOptions(this.dataSource, LIMITS),
      max: BOUNDS.inAll,
      query_timeout: SILENCE_TIMEOUT_MS,
      idleTimeoutMillis: 60_000,
    });
  }
}

export type Query = <R extends object>(sql: string, parameters: readonly unknown[]) => Promise<R[]>;

export class ReadTooSlow extends Error {
  constructor() {
    super('The read took too long.');
  }
}

/** query_canceled. */
function isTimeout(error: unknown): boolean {
  return (error as { code?: unknown }).code === '57014';
}
