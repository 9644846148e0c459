import { AsyncLocalStorage } from 'node:async_hooks';
import pg from 'pg';
import { BEGIN } from '../../src/postgres/statement.js';
import { PostgresJobs } from '../../src/services/jobs/postgres-jobs.js';

/** `it` for a test of which statements share a round trip: skipped where statements are delayed, as that depends on the delays. */
export const itOfRoundTrips = 'areStatementsDelayed' in globalThis ? it.skip : it;

/** A statement as it was sent. */
export interface SentStatement {
  readonly text: string;
  readonly values: unknown[];
}

/** Set in what a schedule carries out. Each process of a test has about thirty, some of them every few seconds. */
const schedules = new AsyncLocalStorage<boolean>();
const { schedule } = PostgresJobs.prototype;
PostgresJobs.prototype.schedule = function (this: PostgresJobs, kind, everySeconds, handler) {
  schedule.call(this, kind, everySeconds, () => schedules.run(true, handler));
};

type Sent = string | (Partial<SentStatement> & { readonly statements?: readonly SentStatement[] });

/**
 * The round trips of all connections of this process while `work` runs, with their statements. Those of schedules and of the loops
 * that run in the background are left out; those of the job runner only unless `jobs` is given.
 */
export async function roundTripsOf(
  work: () => Promise<unknown>,
  { jobs = false }: { readonly jobs?: boolean } = {},
): Promise<SentStatement[][]> {
  const trips: Trip[] = [];
  const { query } = pg.Client.prototype;
  pg.Client.prototype.query = function (this: pg.Client, sent: Sent, ...rest: unknown[]) {
    const [values] = rest;
    const statements =
      typeof sent === 'string'
        ? [{ text: sent, values: Array.isArray(values) ? values : [] }]
        : [...(sent.statements ?? [{ text: sent.text ?? '', values: sent.values ?? [] }])];
    if (!schedules.getStore() && !statements.every(isOfOpening)) trips.push({ client: this, statements });
    return (query as (...args: unknown[]) => unknown).call(this, sent, ...rest);
  } as typeof query;
  try {
    await work();
  } finally {
    pg.Client.prototype.query = query;
  }
  return withoutFrames(withoutLoops(trips, jobs ? SEQUENCES : SEQUENCES_AND_JOBS))
    .map(({ statements }) => withoutPooling(statements))
    .filter((statements) => !statements.every(({ text }) => OF_LOOPS.test(text) || (!jobs && OF_JOBS.test(text))));
}

/** A connection gets its settings first. One is opened when background loops use all open connections. */
function isOfOpening({ text }: SentStatement): boolean {
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

/** Statements of the loops that sequence events, deliver them, count them, and chain audit entries. */
const SEQUENCES =
  /^select set_config\('enable_seqscan'|delete from unsequenced_events|\baudit_chains\b|\brefusals\b|\brefusal_batches\b|\bcounted_events\b/;
/** Also those of the job runner when it deletes jobs and stores what follows from them. */
const SEQUENCES_AND_JOBS = new RegExp(`${SEQUENCES.source}|^(?:delete from|update) jobs\\b`);
/** In a transaction of its own, the entries of refused calls are stored. */
const STORES_REFUSED_CALLS = /insert into audit_personal_data/;
const ONLY_REFUSED_CALLS = /^(?:begin|commit)$|insert into audit_personal_data/;

/** Leaves out the transactions of the loops that run in the background. */
function withoutLoops(trips: readonly Trip[], isOfLoop: RegExp): Trip[] {
  const omitted = new Set<Trip>();
  for (const client of new Set(trips.map((trip) => trip.client))) {
    let transaction: Trip[] = [];
    for (const trip of trips.filter((one) => one.client === client)) {
      transaction.push(trip);
      const texts = transaction.flatMap(({ statements }) => statements.map(({ text }) => text));
      // The observed time may begin within such a transaction.
      const isEndOnly = texts[0] === 'commit';
      const isOfRefusedCalls =
        texts.some((text) => STORES_REFUSED_CALLS.test(text)) && texts.every((text) => ONLY_REFUSED_CALLS.test(text));
      if (isEndOnly || isOfRefusedCalls || texts.some((text) => isOfLoop.test(text)))
        for (const part of transaction) omitted.add(part);
      if (/^(?:commit|rollback)$/.test(texts.at(-1)!) || texts[0] !== BEGIN.text) transaction = [];
    }
    // A call ends its transactions before its answer, so one that still runs at the end of the observed time is of a loop.
    for (const part of transaction) omitted.add(part);
  }
  return trips.filter((trip) => !omitted.has(trip));
}

/** Not the reads of the management API, nor those of the feed: they name the dropped position. */
const OF_JOBS = /\bjobs\b(?! j\b)/;
const OF_LOOPS =
  /^select from unsequenced_events|^select set_config\('idle_in_transaction_session_timeout', '1500ms', true\)$|^\s*insert into event_positions|\bcounted_events\b|\brefusals\b|\brefusal_batches\b|from audit_log where number is null|\bwebhook_queue\b|from apps_in\(|^(?!.*"droppedPosition").*\bevent_positions\b|from known_apps|\bidempotency_usage\b/s;
const REMEMBERED =
  /\bapi_keys\b|\bmanagement_keys\b|from apps a where a\.id = \$1|from live_apps a left join signing_keys/;

/**
 * Whether a statement belongs to a background loop or the key uses, or reads anew what a process remembers of an app: its keys and
 * settings for half a second, its signing keys for a minute. A busy machine decides during which call they are sent.
 */
export function isOfBackground({ text }: SentStatement): boolean {
  return OF_JOBS.test(text) || OF_LOOPS.test(text) || REMEMBERED.test(text);
}

/** All statements of `work` in order, except those of the background. */
export async function statementsOf(work: () => Promise<unknown>): Promise<SentStatement[]> {
  return (await roundTripsOf(work)).flat().filter((statement) => !isOfBackground(statement));
}

/** Their texts. */
export async function textsOf(work: () => Promise<unknown>): Promise<string[]> {
  return (await statementsOf(work)).map(({ text }) => text.trim());
}
