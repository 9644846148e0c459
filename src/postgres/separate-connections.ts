import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import type { Pool } from 'pg';
import { DataSource } from 'typeorm';
import { withReadyKey } from '../kernel/app-keys.js';
import { currentTransaction } from './current-transaction.js';
import { directConnectionOptions } from './data-source.js';
import { Database } from './database.js';
import { openPool, withPoolClient } from './pool.js';
import { sendAlone } from './session-settings.js';
import { statement } from './statement.js';

/**
 * Runs statements that must stay committed even when the caller's transaction fails. Inside a transaction they use connections reserved for
 * them: if many transactions each waited for a second connection of their own pool, none would ever get one. For the same reason these do
 * not use a pooler, whose server connections may all be held by such transactions.
 */
@Injectable()
export class SeparateConnections implements OnApplicationShutdown {
  /** Absent until it is first needed. */
  pool: Pool | undefined;

  constructor(
    private readonly database: Database,
    private readonly dataSource: DataSource,
  ) {}

  /** Runs one statement and commits it. */
  async query<R extends object>(sql: string, parameters: readonly unknown[]): Promise<R[]> {
    const transaction = currentTransaction();
    if (!transaction) return this.database.write<R>(sql, parameters);
    const pool = (this.pool ??= openPool({ ...directConnectionOptions(this.dataSource), max: RESERVED_CONNECTIONS }));
    const wanted = statement(sql, parameters);
    const { rows } = await withReadyKey(() => withPoolClient(pool, (client) => sendAlone(client, wanted)));
    return rows as R[];
  }

  async onApplicationShutdown(): Promise<void> {
    await this.pool?.end();
  }
}

const RESERVED_CONNECTIONS = 2;
