import { AsyncLocalStorage } from 'node:async_hooks';
import type { ClientBase, QueryResult } from 'pg';
import type { DataSource, EntityManager } from 'typeorm';
import type { DomainEvent } from '../kernel/event-types.js';
import { DatabaseUnavailable } from '../kernel/errors.js';
import { SIGNING_SETTINGS } from './durability.js';
import { type Condition, conditionsOf, unmetOr } from './conditions.js';
import { insertOf } from './event-rows.js';
import { PendingWrite } from './pending-write.js';
import { opening } from './session-settings.js';
import { BEGIN, COMMIT, sendTogether, type Statement } from './statement.js';
import { managerOn } from './typeorm-internals.js';

interface Waiting {
  readonly wanted: Statement;
  readonly settle?: { resolve(result: QueryResult): void; reject(error: unknown): void };
  readonly condition?: Condition;
}

/** Statements follow one another; the first that fails ends the transaction. */
export class OpenTransaction implements TransactionContext {
  readonly transaction = this;
  /** First of all BEGIN and the transaction's settings. */
  private waiting: Waiting[];
  private readonly opening: number;
  /** Resolves when every sent statement has its result. */
  private turn: Promise<void> = Promise.resolve();
  private failure: { readonly error: unknown } | undefined;
  private hasBegun = false;
  private isOver = false;
  private hasCommitted = false;
  private readonly events: DomainEvent[] = [];
  /** They are sent when all locks are granted, before the events. */
  private readonly atCommit: Statement[] = [];
  private readonly conditionsAtCommit: Condition[] = [];
  private readonly committed: (() => void)[] = [];
  private readonly conditions = new Set<Condition>();
  private boundManager: EntityManager | undefined;

  constructor(
    private readonly client: ClientBase,
    private readonly dataSource: DataSource,
    readonly signs: boolean,
  ) {
    this.waiting = (signs ? [BEGIN, SIGNING_SETTINGS] : opening(client)).map((wanted) => ({ wanted }));
    this.opening = this.waiting.length;
  }

  get manager(): EntityManager {
    return (this.boundManager ??= managerOn(this.dataSource, (text, values) => this.queryOnce(text, values)));
  }

  /** Statements sent in one event loop turn, or while earlier ones run, share a round trip. */
  query(wanted: Statement): Promise<QueryResult> {
    return new Promise((resolve, reject) => {
      this.enqueue({ wanted, settle: { resolve, reject } });
      this.sendThisTurn();
    });
  }

  /** The write is sent with the next statement or COMMIT; at the end of this event loop turn once its result is awaited. */
  write(wanted: Statement): PendingWrite<QueryResult> {
    // The error is thrown, not only rejected: the rejection of a write that is not awaited would go unnoticed.
    if (this.isOver) throw new TransactionOver();
    const answer = new Promise<QueryResult>((resolve, reject) => this.enqueue({ wanted, settle: { resolve, reject } }));
    return new PendingWrite(answer, () => this.sendThisTurn());
  }

  addEvent(event: DomainEvent): void {
    if (this.isOver) throw new TransactionOver();
    this.events.push(event);
  }

  /** The statement is sent together with COMMIT, so it must not wait for a lock. */
  writeAtCommit(wanted: Statement): void {
    if (this.isOver) throw new TransactionOver();
    this.atCommit.push(wanted);
  }

  /** The transaction fails unless the condition holds at COMMIT. Its statement must not wait for a lock. */
  requireAtCommit(condition: Condition): void {
    if (this.isOver) throw new TransactionOver();
    this.conditionsAtCommit.push(condition);
  }

  onCommit(action: () => void): void {
    this.committed.push(action);
  }

  /** Throws the failure of writes that wait. Events wait for COMMIT: a later statement may still take a lock. */
  async flush(): Promise<void> {
    if (this.isUntouched) return;
    this.sendThisTurn();
    await this.turn;
    if (this.failure) throw this.failure.error;
  }

  async commit(): Promise<void> {
    for (const wanted of this.atCommit) void this.write(wanted);
    if (this.events.length > 0) void this.write(insertOf(this.events));
    if (!this.isUntouched) {
      for (const condition of this.conditionsAtCommit) this.waiting.push({ wanted: condition.statement, condition });
      const committed = this.query(COMMIT);
      this.isOver = true;
      const warning = warningDuring(this.client, committed);
      const { command } = await committed;
      // A rollback by PostgreSQL itself shows only here.
      if (command !== 'COMMIT') throw new Error('The transaction was rolled back.');
      this.hasCommitted = true;
      // The server warns for instance when the wait for a synchronous standby was cancelled. A failover may then forget the commit.
      if (this.signs && (await warning)) throw new CommitUncertain();
    }
    this.hasCommitted = true;
  }

  announceCommit(): void {
    if (!this.hasCommitted) return;
    for (const action of this.committed) action();
  }

  /** Rejects when the connection can no longer be used. */
  async rollback(): Promise<void> {
    if (this.hasCommitted) return;
    this.isOver = true;
    this.failure ??= { error: new TransactionOver() };
    // A statement that is under way would otherwise be carried out after the rollback.
    await this.turn;
    if (this.hasBegun) await this.client.query('rollback');
  }

  /** The connection must not be used again. */
  abandon(error: Error): Error {
    this.isOver = true;
    this.failure ??= { error };
    return error;
  }

  private get isUntouched(): boolean {
    return !this.hasBegun && this.waiting.length === this.opening;
  }

  /** The statement is not prepared, as TypeORM builds them. */
  private queryOnce(text: string, values?: unknown[]): Promise<QueryResult> {
    if (this.isOver) return Promise.reject(new TransactionOver());
    this.require(conditionsOf(values));
    return new Promise((resolve, reject) => {
      this.turn = this.turn.then(async () => {
        await this.sendWaiting();
        await this.attempt(() => this.client.query(text, values)).then(resolve, reject);
      });
    });
  }

  private enqueue(entry: Waiting): void {
    // The statement would be carried out by itself on the connection of an ended transaction.
    if (this.isOver) throw new TransactionOver();
    this.require(conditionsOf(entry.wanted.values));
    this.waiting.push(entry);
  }

  private require(wanted: readonly Condition[]): void {
    for (const condition of wanted) {
      if (this.conditions.has(condition)) continue;
      this.conditions.add(condition);
      this.waiting.push({ wanted: condition.statement, condition });
    }
  }

  private sendThisTurn(): void {
    this.turn = this.turn.then(endOfTurn).then(() => this.sendWaiting());
  }

  private async sendWaiting(): Promise<void> {
    const sent = this.waiting;
    if (sent.length === 0) return;
    this.waiting = [];
    const statements = sent.map(({ wanted }) => wanted);
    const results: QueryResult[] = [];
    const send = (): Promise<unknown> =>
      sendTogether(this.client, statements, results).catch((error: unknown) => {
        throw unmetOr(sent[results.length]?.condition, error);
      });
    await this.attempt(send).catch((error: unknown) => {
      for (const { settle } of sent.slice(results.length)) settle?.reject(error);
    });
    for (const [index, result] of results.entries()) sent[index]!.settle?.resolve(result);
  }

  private async attempt<T>(send: () => Promise<T>): Promise<T> {
    if (this.failure) throw this.failure.error;
    this.hasBegun = true;
    try {
      return await send();
    } catch (error) {
      this.failure = { error };
      throw error;
    }
  }
}

async function warningDuring(client: ClientBase, answer: Promise<unknown>): Promise<boolean> {
  let hasWarned = false;
  const note = ({ severity }: { readonly severity?: string | undefined }): void => {
    hasWarned ||= severity === 'WARNING';
  };
  client.on('notice', note);
  try {
    await answer.catch(() => undefined);
    return hasWarned;
  } finally {
    client.off('notice', note);
  }
}

/** Resolves when everything that does not wait for the outside is done. */
function endOfTurn(): Promise<void> {
  return new Promise((resolve) => process.nextTick(resolve));
}

/** A failover may lose this commit: the outcome must be read again before anything rests on it. */
class CommitUncertain extends DatabaseUnavailable {}

class TransactionOver extends Error {
  constructor() {
    super('The transaction is over: a statement of it was not awaited.');
  }
}

export interface TransactionContext {
  /** Undefined when each statement is a transaction of its own. */
  readonly transaction: OpenTransaction | undefined;
}

const storage = new AsyncLocalStorage<TransactionContext | undefined>();

export function currentContext(): TransactionContext | undefined {
  return storage.getStore();
}

export function currentTransaction(): OpenTransaction | undefined {
  return currentContext()?.transaction;
}

export function runIn<T>(context: TransactionContext | undefined, work: () => Promise<T>): Promise<T> {
  return storage.run(context, work);
}
