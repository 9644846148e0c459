import { Injectable } from '@nestjs/common';
import type { QueryResult } from 'pg';
import { DataSource, type EntityManager } from 'typeorm';
import { withReadyKey } from '../kernel/app-keys.js';
import { currentTransaction } from './current-transaction.js';
import { causeOf } from './database-unavailable.js';
import { type ConnectionUse, connectionUseOf, roomOf, withClient } from './pool.js';
import { SharedConnections } from './shared-connections.js';
import { sendAlone } from './session-settings.js';
import { type Statement, statement } from './statement.js';
import { poolOf } from './typeorm-internals.js';

export interface WriteOptions {
  /** The statement stores signed bytes: it is refused outside a transaction that signs. */
  readonly storesSigned?: boolean;
}

/** Runs SQL on the current transaction's connection; outside a transaction, on a shared connection or one of the pool. */
@Injectable()
export class Database {
  constructor(
    private readonly dataSource: DataSource,
    private readonly shared: SharedConnections,
  ) {}

  /** The use of the pool. The connections that reads share are not part of it. */
  get connectionUse(): ConnectionUse {
    return connectionUseOf(poolOf(this.dataSource));
  }

  /** Whether as many calls of the app wait for a connection as may, so that another one is refused. It is counted then. */
  refusesCallOf(appId: string): boolean {
    return roomOf(poolOf(this.dataSource)).refuses(appId);
  }

  /** The entity manager of TypeORM; inside a transaction it is bound to that. */
  get manager(): EntityManager {
    return currentTransaction()?.manager ?? this.dataSource.manager;
  }

  /**
   * Rows of a short read by key that locks nothing. Outside a transaction it shares a connection with other reads, which all wait
   * behind a slow one: take `list` where many rows are read. Columns are named as in the text.
   */
  async read<R extends object>(sql: string, parameters: readonly unknown[] = []): Promise<R[]> {
    const wanted = statement(sql, parameters);
    const transaction = currentTransaction();
    if (transaction) return (await transaction.query(wanted)).rows as R[];
    return (await (this.shared.hasRoom ? this.shared.query(wanted) : this.onPool(wanted))).rows as R[];
  }

  /**
   * Rows of a read that may be many or take long, and locks nothing. Outside a transaction it has a connection of the pool to itself.
   * A read whose cost depends on the caller's input belongs to `SlowReads`.
   */
  async list<R extends object>(sql: string, parameters: readonly unknown[] = []): Promise<R[]> {
    const wanted = statement(sql, parameters);
    const transaction = currentTransaction();
    return (await (transaction ? transaction.query(wanted) : this.onPool(wanted))).rows as R[];
  }

  /**
   * Carries out a statement that changes or locks rows, and resolves to the rows it returns when it is done. In a transaction, and
   * only there, it may be left without `await` (`void database.write(…)`): it is then sent with the next statement, at the latest
   * with COMMIT, and its failure makes the transaction fail.
   */
  write<R extends object>(
    sql: string,
    parameters: readonly unknown[] = [],
    { storesSigned = false }: WriteOptions = {},
  ): Promise<R[]> {
    const wanted = statement(sql, parameters);
    const transaction = currentTransaction();
    if (storesSigned && !transaction?.signs)
      throw new Error('Signed bytes are stored only in a transaction that signs.');
    if (!transaction) return this.onPool(wanted).then(({ rows }) => rows as R[]);
    return transaction.write(wanted).map(({ rows }) => rows as R[]);
  }

  private onPool(wanted: Statement): Promise<QueryResult> {
    return withReadyKey(() => withClient(this.dataSource, (client) => sendAlone(client, wanted)));
  }
}

/**
 * Whether PostgreSQL refused a duplicate; of the named constraint, if one is given. On Citus only the message names the constraint, which
 * is that of a shard: its name ends with the number of the shard.
 */
export function isUniqueViolation(error: unknown, constraint?: string): boolean {
  const { code, message, constraint: broken = /"(.+)"/.exec(message)?.[1] } = causeOf(error);
  return code === '23505' && (constraint === undefined || broken?.replace(/_\d+$/, '') === constraint);
}
