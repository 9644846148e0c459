import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { Pool } from 'pg';
import { DataSource } from 'typeorm';
import { currentTransaction } from './current-transaction.js';
import { connectionOptions } from './data-source.js';
import { Database } from './database.js';

/**
 * For statements that must stay committed whatever becomes of the caller's transaction.
 *
 * Inside a transaction they take a connection set aside for them: if many transactions each waited for a second
 * connection of the pool they came from, all would wait for ever. Outside one the common pool serves.
 */
@Injectable()
export class SeparateConnections implements OnApplicationShutdown {
  private pool: Pool | undefined;

  constructor(
    private readonly database: Database,
    private readonly dataSource: DataSource,
  ) {}

  /** Runs one statement and commits it. */
  async query<R extends object>(sql: string, parameters: readonly unknown[]): Promise<R[]> {
    if (!currentTransaction()) return this.database.query<R>(sql, parameters);
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
