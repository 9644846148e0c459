import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { Pool } from 'pg';
import { DataSource } from 'typeorm';
import { currentTransaction } from './current-transaction.js';
import { connectionOptions } from './data-source.js';
import { Database } from './database.js';
import { statement } from './statement.js';

/**
 * For statements that must stay committed whatever happens to the caller's transaction. Before a transaction's first
 * statement they are sent ahead of it on the same connection, in the same round trip. Later they use reserved
 * connections: if many transactions each waited for a second connection of their own pool, all would wait without end.
 * Outside a transaction they use the common pool.
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
    if (!transaction) return this.database.query<R>(sql, parameters);
    const ahead = transaction.ahead(statement(sql, parameters));
    if (ahead) return (await ahead).rows as R[];
    this.pool ??= this.open();
    return (await this.pool.query<R>(sql, [...parameters])).rows;
  }

  async onApplicationShutdown(): Promise<void> {
    await this.pool?.end();
  }

  private open(): Pool {
    const pool = new Pool({ ...connectionOptions(this.dataSource), max: SET_ASIDE });
    // A connection that breaks while idle is replaced; without a listener its error would end the process.
    return pool.on('error', () => undefined);
  }
}

const SET_ASIDE = 2;
