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

/** Statements stay committed when the caller's transaction fails, on reserved connections: waiting transactions may hold the pool. */
@Injectable()
export class SeparateConnections implements OnApplicationShutdown {
  pool: Pool | undefined;

  constructor(
    private readonly database: Database,
    private readonly dataSource: DataSource,
  ) {}

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
