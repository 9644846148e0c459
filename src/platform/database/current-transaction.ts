import { AsyncLocalStorage } from 'node:async_hooks';
import type { ClientBase, QueryResult } from 'pg';
import type { DataSource, EntityManager } from 'typeorm';
import type { DomainEvent } from '../../kernel/domain-event.js';
import { flushEvents } from './event-log.js';
import { sendTogether, type Statement, statement } from './statement.js';

const BEGIN = statement('begin');
const COMMIT = statement('commit');

/** A statement to be sent, and whoever waits for its answer. */
interface Waiting {
  readonly wanted: Statement;
  readonly settle?: { resolve(result: QueryResult): void; reject(error: unknown): void };
}

/** One open transaction and what belongs to it. */
export class OpenTransaction {
  /** What goes out next, in this order: first of all BEGIN. */
  private waiting: Waiting[] = [{ wanted: BEGIN }];
  private beginning: Promise<unknown> | undefined;
  private isOver = false;
  private events: DomainEvent[] = [];
  private readonly committed: (() => void)[] = [];
  private boundManager: EntityManager | undefined;

  constructor(
    private readonly client: ClientBase,
    private readonly dataSource: DataSource,
  ) {}

  /** TypeORM's entity manager, bound to this transaction. */
  get manager(): EntityManager {
    if (!this.boundManager) {
      const runner = this.dataSource.createQueryRunner();
      // Given a connection, a runner neither takes one from the pool nor begins or ends anything on it.
      const databaseConnection = { query: (text: string, values?: unknown[]) => this.queryOnce(text, values) };
      this.boundManager = Object.assign(runner, { databaseConnection, isTransactionActive: true }).manager;
    }
    return this.boundManager;
  }

  /** Statements asked for in one turn go out together. */
  query(wanted: Statement): Promise<QueryResult> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ wanted, settle: { resolve, reject } });
      queueMicrotask(() => void this.sendWaiting());
    });
  }

  /** Sends the statement with the next one, or with COMMIT: what it answers is of no interest, its failure is the transaction's. */
  write(wanted: Statement): void {
    this.waiting.push({ wanted });
  }

  addEvent(event: DomainEvent): void {
    this.events.push(event);
  }

  /** The events not yet written, which become the caller's to write. */
  takeEvents(): DomainEvent[] {
    const taken = this.events;
    this.events = [];
    return taken;
  }

  /** Runs `action` once the transaction has committed; not at all when it rolls back. */
  onCommit(action: () => void): void {
    this.committed.push(action);
  }

  async commit(): Promise<void> {
    const pending = this.takeEvents();
    if (pending.length > 0) {
      const { sql, parameters } = flushEvents(pending);
      this.write(statement(sql, parameters));
    }
    const isUntouched = !this.beginning && this.waiting.length === 1;
    if (isUntouched) return;
    const { command } = await this.query(COMMIT);
    // Of a transaction in which a failure was passed over PostgreSQL says so only here.
    if (command !== 'COMMIT') throw new Error('A statement of the transaction had failed, so it was rolled back.');
  }

  announceCommit(): void {
    for (const action of this.committed) action();
  }

  /** Rejects when the connection can no longer be used. */
  async rollback(): Promise<void> {
    this.isOver = true;
    if (this.beginning) await this.client.query('rollback');
  }

  /** A statement that is not prepared, as TypeORM builds them. */
  private async queryOnce(text: string, values?: unknown[]): Promise<QueryResult> {
    await this.sendWaiting();
    if (this.isOver) throw new TransactionOver();
    return this.client.query(text, values);
  }

  private async sendWaiting(): Promise<void> {
    let sent: Waiting[] = [];
    try {
      // What is sent behind a BEGIN that fails would be carried out by itself.
      if (this.beginning) await this.beginning;
      sent = this.waiting;
      this.waiting = [];
      if (sent.length === 0) return;
      // So would what comes after the end.
      if (this.isOver) throw new TransactionOver();
      this.isOver = sent.at(-1)!.wanted === COMMIT;
      const answers = sendTogether(
        this.client,
        sent.map(({ wanted }) => wanted),
      );
      this.beginning ??= answers;
      const results = await answers;
      sent.forEach(({ settle }, index) => settle?.resolve(results[index]!));
    } catch (error) {
      // The first failure is that of all: none of the others has any effect.
      for (const { settle } of [...sent, ...this.waiting]) settle?.reject(error);
      this.waiting = [];
    }
  }
}

class TransactionOver extends Error {
  constructor() {
    super('The transaction is over: somebody did not wait for a statement of it.');
  }
}

const storage = new AsyncLocalStorage<OpenTransaction | undefined>();

export function currentTransaction(): OpenTransaction | undefined {
  return storage.getStore();
}

export function runIn<T>(transaction: OpenTransaction | undefined, work: () => Promise<T>): Promise<T> {
  return storage.run(transaction, work);
}
