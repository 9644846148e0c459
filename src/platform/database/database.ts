import { Injectable } from '@nestjs/common';
import { createHash } from 'node:crypto';
import type { ClientBase, Pool, QueryResult } from 'pg';
import { DataSource, type EntityManager } from 'typeorm';
import { currentTransaction, type OpenTransaction } from './current-transaction.js';
import { flushEventsWith } from './event-log.js';

/** SQL on the current transaction's connection, or on any of the pool's outside one. */
@Injectable()
export class Database {
  constructor(private readonly dataSource: DataSource) {}

  /** TypeORM's entity manager, inside a transaction bound to it. */
  get manager(): EntityManager {
    return currentTransaction()?.manager ?? this.dataSource.manager;
  }

  /** Runs one statement and returns its rows, columns named as written. The text is prepared once per connection: keep it constant. */
  async query<R extends object>(sql: string, parameters: readonly unknown[] = []): Promise<R[]> {
    return (await this.send<R>(sql, parameters)).rows;
  }

  /** The first row, or null. */
  async one<R extends object>(sql: string, parameters: readonly unknown[] = []): Promise<R | null> {
    return (await this.send<R>(sql, parameters)).rows[0] ?? null;
  }

  /** Like `query`, and writes the events the transaction has published so far in the same round trip. */
  async queryWithEvents<R extends object>(sql: string, parameters: readonly unknown[] = []): Promise<R[]> {
    const transaction = currentTransaction();
    if (!transaction) throw new Error('Events can only be written inside a transaction.');
    const pending = transaction.takeEvents();
    if (pending.length === 0) return this.query(sql, parameters);
    const whole = flushEventsWith(sql, parameters, pending);
    return this.query(whole.sql, whole.parameters);
  }

  private send<R extends object>(sql: string, parameters: readonly unknown[]): Promise<QueryResult<R>> {
    const transaction: OpenTransaction | undefined = currentTransaction();
    const connection: Pool | ClientBase = transaction?.client ?? poolOf(this.dataSource);
    return connection.query<R>({ name: statementName(sql), text: sql, values: parameters as unknown[] });
  }
}

/** Whether the error is PostgreSQL refusing a duplicate, of one constraint when it is named. */
export function isUniqueViolation(error: unknown, constraint?: string): boolean {
  const cause = (error as { driverError?: unknown }).driverError ?? error;
  const { code, constraint: broken } = cause as { code?: unknown; constraint?: unknown };
  return code === '23505' && (constraint === undefined || broken === constraint);
}

/** The pg pool underneath TypeORM, which itself sends no named prepared statements (about a third slower on short reads). */
export function poolOf(dataSource: DataSource): Pool {
  return (dataSource.driver as unknown as { master: Pool }).master;
}

const names = new Map<string, string>();

/** Statement texts are a small fixed set, so the map stays small; a text built from values would be a leak and an injection. */
function statementName(sql: string): string {
  let name = names.get(sql);
  if (name === undefined) {
    name = createHash('sha1').update(sql).digest('base64url').slice(0, 20);
    names.set(sql, name);
  }
  return name;
}
