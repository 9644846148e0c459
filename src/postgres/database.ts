import { Injectable } from '@nestjs/common';
import type { QueryResult } from 'pg';
import { DataSource, type EntityManager } from 'typeorm';
import { currentTransaction, type OpenTransaction } from './current-transaction.js';
import { flushEventsWith } from './event-log.js';
import { withClient } from './pool.js';
import { SharedConnections } from './shared-connections.js';
import { sendTogether, type Statement, statement } from './statement.js';

/** SQL on the current transaction's connection, or on any of the pool's outside one. */
@Injectable()
export class Database {
  constructor(
    private readonly dataSource: DataSource,
    private readonly shared: SharedConnections,
  ) {}

  /** TypeORM's entity manager, inside a transaction bound to it. */
  get manager(): EntityManager {
    return currentTransaction()?.manager ?? this.dataSource.manager;
  }

  /**
   * Rows of a short read by key that locks nothing. Outside a transaction it shares a connection with other reads, which all wait
   * behind a slow one: a read whose cost depends on the caller's input belongs to `SlowReads`. Columns are named as in the text.
   */
  async read<R extends object>(sql: string, parameters: readonly unknown[] = []): Promise<R[]> {
    const wanted = statement(sql, parameters);
    const transaction = currentTransaction();
    if (transaction) return (await transaction.query(wanted)).rows as R[];
    return (await (this.shared.hasRoom ? this.shared.query(wanted) : this.onPool(wanted))).rows as R[];
  }

  /**
   * Carries out a statement that changes or locks rows, and resolves to the rows it returns when it is done. In a transaction it
   * also stores the events published before it. There, and only there, it may be left without `await` (`void database.write(…)`): it
   * is then sent with the next statement, at the latest with COMMIT, and its failure makes the transaction fail.
   */
  write<R extends object>(sql: string, parameters: readonly unknown[] = []): Promise<R[]> {
    const transaction = currentTransaction();
    if (!transaction) return this.onPool(statement(sql, parameters)).then(({ rows }) => rows as R[]);
    return transaction.write(statement(...withEvents(sql, parameters))).map(({ rows }) => rows as R[]);
  }

  /** Runs one statement and returns its rows, columns named as written. The text is prepared once per connection: keep it constant. */
  async query<R extends object>(sql: string, parameters: readonly unknown[] = []): Promise<R[]> {
    return (await this.send<R>(sql, parameters)).rows;
  }

  /** The first row, or null. */
  async one<R extends object>(sql: string, parameters: readonly unknown[] = []): Promise<R | null> {
    return (await this.send<R>(sql, parameters)).rows[0] ?? null;
  }

  /**
   * Like `one`, for a read of a few rows by their keys without locks: outside a transaction it shares a connection, so
   * a slow read would delay every other read on it.
   */
  async lookUp<R extends object>(sql: string, parameters: readonly unknown[] = []): Promise<R | null> {
    if (currentTransaction() || !this.shared.hasRoom) return this.one(sql, parameters);
    const { rows } = await this.shared.query(statement(sql, parameters));
    return (rows[0] as R | undefined) ?? null;
  }

  /** Like `query`, and writes the events the transaction has published so far in the same round trip. */
  async queryWithEvents<R extends object>(sql: string, parameters: readonly unknown[] = []): Promise<R[]> {
    return this.query(...withEvents(sql, parameters));
  }

  /**
   * Like `queryWithEvents` for the last statement of a transaction: COMMIT follows it, unless the transaction is part
   * of another. Nothing can be undone after it, so the statement must refuse by an error (see the function `refuse`),
   * and its receiver must let that error end the transaction.
   */
  async last<R extends object>(sql: string, parameters: readonly unknown[]): Promise<R[]> {
    const transaction = openTransaction();
    const { rows } = await transaction.last(statement(...withEvents(sql, parameters)));
    return rows as R[];
  }

  /** Like `write`, for signed bytes: refuses a transaction that is not one of `Transactions.runSigning`. */
  writeSigned(sql: string, parameters: readonly unknown[]): void {
    if (!openTransaction().signs) throw new Error('Signed bytes are stored only in a transaction that signs.');
    void this.write(sql, parameters);
  }

  private async send<R extends object>(sql: string, parameters: readonly unknown[]): Promise<QueryResult<R>> {
    const wanted = statement(sql, parameters);
    const transaction = currentTransaction();
    if (transaction) return transaction.query(wanted);
    return this.onPool(wanted) as Promise<QueryResult<R>>;
  }

  private onPool(wanted: Statement): Promise<QueryResult> {
    return withClient(this.dataSource, async (client) => (await sendTogether(client, [wanted]))[0]!);
  }
}

function openTransaction(): OpenTransaction {
  const transaction = currentTransaction();
  if (!transaction) throw new Error('Only inside a transaction can this be written.');
  return transaction;
}

function withEvents(sql: string, parameters: readonly unknown[]): [sql: string, parameters: readonly unknown[]] {
  const pending = openTransaction().takeEvents();
  if (pending.length === 0) return [sql, parameters];
  const whole = flushEventsWith(sql, parameters, pending);
  return [whole.sql, whole.parameters];
}

/** The reason a statement gave to the function `refuse`; undefined for any other error. */
export function refusalIn(error: unknown): string | undefined {
  const { code, message } = error as { code?: unknown; message?: string };
  return code === 'RF001' ? message : undefined;
}

/** Whether the error is PostgreSQL refusing a duplicate, of one constraint when it is named. */
export function isUniqueViolation(error: unknown, constraint?: string): boolean {
  const cause = (error as { driverError?: unknown }).driverError ?? error;
  const { code, constraint: broken } = cause as { code?: unknown; constraint?: unknown };
  return code === '23505' && (constraint === undefined || broken === constraint);
}
