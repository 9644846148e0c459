import type { Client } from 'pg';
import { DataSource } from 'typeorm';
import { clientsOf } from '../../src/postgres/pg-internals.js';
import { poolOf } from '../../src/postgres/typeorm-internals.js';
import type { TestApp } from './app.js';
import type { ChainProxy } from './chain-proxy.js';
import { areAllCasesRun, isInRotation } from './sampled.js';
import { beforeEachRoundTrip, isOfOpening, isOfUsage, isRemembered } from './statements.js';

// A fault at every place where a use case waits for PostgreSQL or for a node. A place fails before its effect (the connection is lost
// before the statements or the call leave), or after it (PostgreSQL or the node has done everything, and the answer is lost). COMMIT is a
// place like each other one.

/** The effect did not happen, or it happened and its answer is lost. */
export type Moment = 'before' | 'after';

export interface Fault {
  readonly place: string;
  readonly moment: Moment;
}

/** A run of the use case with one fault. */
export interface FaultyRun<T> {
  readonly fault: Fault;
  readonly result: T;
}

/** A place that is not reached again, because what it read is remembered, is tried this often. */
const MOST_TRIES = 2;
/** A loop that asks again meets its place more often, and a fault at its third round is like one at its second. */
const MOST_ROUNDS = 2;

interface UseCase<Case, T> {
  readonly service: TestApp;
  /** The proxy of the node that the use case calls; absent: it calls none. */
  readonly node?: ChainProxy;
  /** Makes the case for a run. */
  prepare(): Promise<Case>;
  work(made: Case): Promise<T>;
  /** Examines the effects of the run. */
  check(made: Case, run: FaultyRun<T>): Promise<void>;
}

/** Every sample has these places, at which an effect begins to last. */
const DECISIVE = /\bcommit\b|eth_sendRawTransaction/;

/**
 * Runs a use case once for each of its places, or those of the sample, and for each moment, until no run shows a place that had no fault yet; then again on new
 * connections, where each statement is a round trip of its own. Returns the number of runs with a fault.
 */
export async function atEveryAwait<Case, T>(useCase: UseCase<Case, T>): Promise<number> {
  const onOpen = await faultAll(useCase, ['before', 'after'], async () => {});
  // Inside a transaction, a fault before a statement is one after the statement before it.
  return onOpen + (await faultAll(useCase, ['after'], async () => disconnect(useCase.service)));
}

async function faultAll<Case, T>(
  { node, prepare, work, check }: UseCase<Case, T>,
  moments: readonly Moment[],
  begin: () => Promise<void>,
): Promise<number> {
  const places = new Set<string>();
  const tries = new Map<string, number>();
  const next = (): Fault | undefined =>
    [...places]
      .filter((place, index) => DECISIVE.test(place) || isInRotation(index))
      .flatMap((place) => moments.map((moment) => ({ place, moment })))
      .find((fault) => (tries.get(keyOf(fault)) ?? 0) < MOST_TRIES);
  // The first run only shows places.
  const first = await prepare();
  await begin();
  await new Observed(null, places, node).run(() => work(first));
  let runs = 0;
  for (let fault; (fault = next());) {
    const made = await prepare();
    await begin();
    const observed = new Observed(fault, places, node);
    try {
      const result = await observed.run(() => work(made));
      if (observed.hasFailed) await check(made, { fault, result });
    } catch (error) {
      throw new Error(`With a fault ${fault.moment} ${fault.place}: ${(error as Error).message}`, { cause: error });
    }
    tries.set(keyOf(fault), observed.hasFailed ? MOST_TRIES : (tries.get(keyOf(fault)) ?? 0) + 1);
    if (observed.hasFailed) runs += 1;
  }
  return runs;
}

/** Closes the connections of the pool, so that the statements of the next call are prepared anew, one by one. */
function disconnect({ nest }: TestApp): void {
  for (const client of clientsOf(poolOf(nest.get(DataSource, { strict: false })))) cut(client);
}

const keyOf = ({ place, moment }: Fault): string => `${moment} ${place}`;

/** One run, which meets at most one fault. */
class Observed {
  hasFailed = false;
  private readonly counts = new Map<string, number>();
  private isOver = false;

  constructor(
    private readonly fault: Fault | null,
    private readonly places: Set<string>,
    private readonly node: ChainProxy | undefined,
  ) {}

  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.node)
      this.node.fault = (method) => {
        const moment = this.reach(`the node's ${method}`);
        return moment && (moment === 'before' ? 'request_lost' : 'answer_lost');
      };
    try {
      return await beforeEachRoundTrip(work, (client, statements) => {
        if (statements.every((each) => isOfOpening(each) || isRemembered(each)) || isOfUsage(statements)) return;
        const moment = this.reach(statements.map(({ text }) => nameOf(text)).join('; '));
        if (moment === 'before') cut(client);
        if (moment === 'after') cutAtAnswer(client);
      });
    } finally {
      this.isOver = true;
      if (this.node) this.node.fault = () => null;
    }
  }

  /** The moment at which this place fails now; null if it does not. */
  private reach(name: string): Moment | null {
    if (this.isOver) return null;
    const number = (this.counts.get(name) ?? 0) + 1;
    this.counts.set(name, number);
    if (number > MOST_ROUNDS) return null;
    const place = `${name} (${number})`;
    this.places.add(place);
    if (this.hasFailed || this.fault?.place !== place) return null;
    this.hasFailed = true;
    return this.fault.moment;
  }
}

/** The beginning of a statement, by which it differs from the other ones of a use case. */
function nameOf(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim().slice(0, 60);
}

/** Private parts of pg. */
interface PrivateClient {
  readonly connection: {
    readonly stream: { destroy(error: Error): void };
    emit(event: string, ...rest: unknown[]): boolean;
  };
}

const RESET = () => Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET', syscall: 'read' });

function cut(client: Client): void {
  (client as unknown as PrivateClient).connection.stream.destroy(RESET());
}

/** Drops all that the server sends until it is ready for the next statement, which it is after COMMIT too, and then cuts the connection. */
function cutAtAnswer(client: Client): void {
  const { connection } = client as unknown as PrivateClient;
  const { emit } = connection;
  connection.emit = function (event, ...rest) {
    if (['error', 'end', 'close'].includes(event)) return emit.call(this, event, ...rest);
    if (event === 'readyForQuery') cut(client);
    return true;
  };
}

/** Counts how often bad states happened, so that a test can say that it has reached each. */
export class Sometimes<Name extends string> {
  private readonly counts: Map<Name, number>;

  constructor(...names: readonly Name[]) {
    this.counts = new Map(names.map((name) => [name, 0]));
  }

  note(name: Name, happened = true): void {
    if (happened) this.counts.set(name, this.counts.get(name)! + 1);
  }

  /** The states that never happened: a test that expects none has not proven anything about them. Only all cases reach all of them. */
  get never(): Name[] {
    if (!areAllCasesRun) return [];
    return [...this.counts].filter(([, count]) => count === 0).map(([name]) => name);
  }
}
