import { AsyncLocalStorage } from 'node:async_hooks';
import { Server } from 'node:http';
import pg from 'pg';
import { BEGIN } from '../../src/postgres/statement.js';

/** `it` for a test of which statements share a round trip: skipped where statements are delayed, as that depends on the delays. */
export const itOfRoundTrips = 'areStatementsDelayed' in globalThis ? it.skip : it;

/** A statement as it was sent. */
export interface SentStatement {
  readonly text: string;
  readonly values: unknown[];
}

/** Background loops began before a piece of work, so their statements are not sent in its context. */
const observed = new AsyncLocalStorage<unknown>();

type Sent = string | (Partial<SentStatement> & { readonly statements?: readonly SentStatement[] });

/** The round trips of `work` and of the requests that arrive while it runs, with their statements, on all connections of this process. */
export async function roundTripsOf(work: () => Promise<unknown>): Promise<SentStatement[][]> {
  const trips: Trip[] = [];
  await beforeEachRoundTrip(work, (client, statements) => trips.push({ client, statements }));
  return withoutFrames(trips.filter(({ statements }) => !statements.every(isOfOpening)))
    .map(({ statements }) => withoutPooling(statements))
    .filter((statements) => !isOfUsage(statements));
}

/** Calls `before` with each round trip of `work` and of the requests that arrive while it runs, right before it is sent. */
export async function beforeEachRoundTrip<T>(
  work: () => Promise<T>,
  before: (client: pg.Client, statements: SentStatement[]) => void,
): Promise<T> {
  const { query } = pg.Client.prototype;
  const emit = Server.prototype.emit as (...args: unknown[]) => boolean;
  pg.Client.prototype.query = function (this: pg.Client, sent: Sent, ...rest: unknown[]) {
    if (observed.getStore() === before) before(this, statementsIn(sent, rest[0]));
    return (query as (...args: unknown[]) => unknown).call(this, sent, ...rest);
  } as typeof query;
  // A request comes from a socket, whose context is not that of its caller. Its body is read in the same context.
  Server.prototype.emit = function (this: Server, event: string, ...rest: unknown[]) {
    if (event === 'request') observed.enterWith(before);
    return emit.call(this, event, ...rest);
  } as typeof Server.prototype.emit;
  try {
    return await observed.run(before, work);
  } finally {
    pg.Client.prototype.query = query;
    Server.prototype.emit = emit as typeof Server.prototype.emit;
  }
}

function statementsIn(sent: Sent, values: unknown): SentStatement[] {
  if (typeof sent === 'string') return [{ text: sent, values: Array.isArray(values) ? values : [] }];
  return [...(sent.statements ?? [{ text: sent.text ?? '', values: sent.values ?? [] }])];
}

/** Whether a timer that a call sets sends the statements, some time after its answer: uses, or refusals with their personal data. */
export function isOfUsage(statements: readonly SentStatement[]): boolean {
  const own = statements.filter(({ text }) => !text.includes('insert into audit_personal_data'));
  return own.length > 0 && own.every(({ text }) => /\bidempotency_usage\b|\brefusals\b|\brefusal_batches\b/.test(text));
}

/** A connection gets its settings first. One is opened when background loops use all open connections. */
export function isOfOpening({ text }: SentStatement): boolean {
  return /^select set_config\(.* where pg_backend_pid\(\) = \$1$/s.test(text);
}

/** Behind a pooler each transaction begins with its settings, and a statement of its own is a transaction. */
function withoutPooling(statements: SentStatement[]): SentStatement[] {
  if (!('isPooled' in globalThis)) return statements;
  const own = statements.filter(({ text }) => !text.startsWith(`select set_config('synchronous_commit'`));
  const isAlone = own.length === 3 && own[0]!.text === BEGIN.text && own[2]!.text === 'commit';
  return isAlone ? [own[1]!] : own;
}

/** Behind a pooler a slow read has a transaction of its own, whose BEGIN, settings and COMMIT are separate round trips. */
function withoutFrames(trips: readonly Trip[]): Trip[] {
  const omitted = new Set<Trip | undefined>();
  for (const client of new Set(trips.map((trip) => trip.client))) {
    const own = trips.filter((trip) => trip.client === client);
    for (const [index, { statements }] of own.entries()) {
      if (withoutPooling(statements).length > 0 || !statements.some(({ text }) => OF_BOUNDED_READS.test(text)))
        continue;
      omitted.add(own.slice(0, index).findLast((trip) => isOnly(trip, BEGIN.text)));
      omitted.add(own.slice(index).find((trip) => isOnly(trip, 'commit')));
    }
  }
  return trips.filter((trip) => !omitted.has(trip));
}

/** The settings of a read that may take 2 s. Those of other transactions may be sent separately too, before they are prepared. */
const OF_BOUNDED_READS = /'statement_timeout', '2000ms', true/;

function isOnly({ statements }: Trip, text: string): boolean {
  return statements.length === 1 && statements[0]!.text === text;
}

interface Trip {
  readonly client: pg.Client;
  readonly statements: SentStatement[];
}

const REMEMBERED =
  /\bapi_keys\b|\bmanagement_keys\b|from apps a where a\.id = \$1|from live_apps a left join signing_keys|authorization_resources r where .*canonical = \$2/;

/**
 * Whether a statement stores key uses, or reads anew what a process remembers of an app: its keys and settings for half a second, its
 * signing keys for a minute. A busy machine decides during which call they are sent.
 */
export function isRemembered({ text }: SentStatement): boolean {
  return REMEMBERED.test(text);
}

/** All statements of `work` in order, except those that read anew what a process remembers. */
export async function statementsOf(work: () => Promise<unknown>): Promise<SentStatement[]> {
  return (await roundTripsOf(work)).flat().filter((statement) => !isRemembered(statement));
}

/** Their texts. */
export async function textsOf(work: () => Promise<unknown>): Promise<string[]> {
  return (await statementsOf(work)).map(({ text }) => text.trim());
}
