import { setImmediate as turn } from 'node:timers/promises';
import { PostgresQueryRunner } from 'typeorm/driver/postgres/PostgresQueryRunner.js';
import { currentTransaction } from '../../src/postgres/current-transaction.js';
import { Database } from '../../src/postgres/database.js';
import { PendingWrite } from '../../src/postgres/pending-write.js';
import { SeparateConnections } from '../../src/postgres/separate-connections.js';
import { SlowReads } from '../../src/postgres/slow-reads.js';

/**
 * Jest's setup of a test file whose statements are all delayed at random, before they are sent and before their results
 * arrive. Code that depends on the order in which promises are created then fails. A write of a transaction keeps its
 * place, because the verb promises call order; only its result is delayed. `npx jest --seed=…` repeats a run.
 */
const random = seeded(jest.getSeed());
Object.assign(globalThis, { areStatementsDelayed: true });
const MOST_TURNS = 3;

/** Often none: many callers that wait for one lock must still get it before the time for a connection is over. */
async function someTurns(): Promise<void> {
  for (let turns = Math.floor(random() ** 2 * (MOST_TURNS + 1)); turns > 0; turns--) await turn();
}

async function delayed<T>(work: () => PromiseLike<T>): Promise<T> {
  await someTurns();
  try {
    return await work();
  } finally {
    await someTurns();
  }
}

const { read, list, write } = Database.prototype;
Database.prototype.read = function <R extends object>(this: Database, ...args: Parameters<typeof read>): Promise<R[]> {
  return delayed(() => read.call(this, ...args) as Promise<R[]>);
};
Database.prototype.list = function <R extends object>(this: Database, ...args: Parameters<typeof list>): Promise<R[]> {
  return delayed(() => list.call(this, ...args) as Promise<R[]>);
};
Database.prototype.write = function <R extends object>(
  this: Database,
  ...args: Parameters<typeof write>
): Promise<R[]> {
  const send = () => write.call(this, ...args) as Promise<R[]>;
  return currentTransaction() ? send() : delayed(send);
};

const { then } = PendingWrite.prototype;
// oxlint-disable-next-line unicorn/no-thenable -- Its `then` is what sends the write and reports its result.
PendingWrite.prototype.then = function <T, A, B>(this: PendingWrite<T>, ...handlers: Parameters<typeof then<A, B>>) {
  return delayed(() => then.call(this) as Promise<T>).then(...(handlers as []));
} as typeof then;

const { query: separately } = SeparateConnections.prototype;
SeparateConnections.prototype.query = function <R extends object>(
  this: SeparateConnections,
  ...args: Parameters<typeof separately>
): Promise<R[]> {
  return delayed(() => separately.call(this, ...args) as Promise<R[]>);
};

const { run } = SlowReads.prototype;
SlowReads.prototype.run = function (this: SlowReads, appId, work) {
  return run.call(this, appId, (query) => work((...args) => delayed(() => query(...args)))) as ReturnType<typeof work>;
};

// TypeORM's statements, of its repositories and of managers in a transaction.
const { query } = PostgresQueryRunner.prototype;
PostgresQueryRunner.prototype.query = function (this: PostgresQueryRunner, ...args: unknown[]): Promise<unknown> {
  return delayed(() => (query as (...args: unknown[]) => Promise<unknown>).apply(this, args));
} as typeof query;

/** Numbers in [0, 1) that depend on the seed only (mulberry32). */
function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
