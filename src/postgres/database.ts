import { Injectable } from '@nestjs/common';
import type { QueryResult } from 'pg';
import { DataSource, type EntityManager } from 'typeorm';
import { withReadyKey } from '../kernel/app-keys.js';
import type { CurrentCall } from '../kernel/current-call.js';
import { currentTransaction } from './current-transaction.js';
import { causeOf } from './database-unavailable.js';
import { type ConnectionUse, connectionUseOf, roomOf, withClient } from './pool.js';
import { SharedConnections } from './shared-connections.js';
import { sendAlone } from './session-settings.js';
import { type Statement, statement } from './statement.js';
import { poolOf } from './typeorm-internals.js';

export interface WriteOptions {
  /** Signed bytes are refused outside a transaction that signs. */
  readonly storesSigned?: boolean;
}

@Injectable()
export class Database {
  constructor(
    private readonly dataSource: DataSource,
    private readonly shared: SharedConnections,
  ) {}

  /** The connections that reads share are not part of it. */
  get connectionUse(): ConnectionUse {
    return connectionUseOf(poolOf(this.dataSource));
  }

  /** False while as many calls of the app wait as may. */
  admitsCall(call: CurrentCall, appId: string): boolean {
    return roomOf(poolOf(this.dataSource)).admits(call, appId);
  }

  forgetCall(call: CurrentCall): void {
    roomOf(poolOf(this.dataSource)).forget(call);
  }

  get manager(): EntityManager {
    return currentTransaction()?.manager ?? this.dataSource.manager;
  }

  /** All reads on a shared connection wait behind a slow one, so use `list` for many rows. The read must lock nothing. */
  async read<R extends object>(sql: string, parameters: readonly unknown[] = []): Promise<R[]> {
    const wanted = statement(sql, parameters);
    const transaction = currentTransaction();
    if (transaction) return (await transaction.query(wanted)).rows as R[];
    return (await (this.shared.hasRoom ? this.shared.query(wanted) : this.onPool(wanted))).rows as R[];
  }

  /** The read has a connection to itself and locks nothing. One whose cost depends on the caller's input belongs to `SlowReads`. */
  async list<R extends object>(sql: string, parameters: readonly unknown[] = []): Promise<R[]> {
    const wanted = statement(sql, parameters);
    const transaction = currentTransaction();
    return (await (transaction ? transaction.query(wanted) : this.onPool(wanted))).rows as R[];
  }

  /** In a transaction it may be left without `await`: it is then sent with the next statement or COMMIT, where it fails the transaction. */
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

/** Citus names the constraint only in the message, and that of a shard: its name ends with the number of the shard. */
export function isUniqueViolation(error: unknown, constraint?: string): boolean {
  const { code, message, constraint: broken = /"(.+)"/.exec(message)?.[1] } = causeOf(error);
  return code === '23505' && (constraint === undefined || broken?.replace(/_\d+$/, '') === constraint);
}
