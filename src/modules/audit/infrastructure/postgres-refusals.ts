import { Injectable } from '@nestjs/common';
import { Clock } from '../../../kernel/clock.js';
import { type AppId, newId } from '../../../kernel/ids.js';
import { Transactions } from '../../../kernel/transactions.js';
import { Database } from '../../../postgres/database.js';
import { NO_APP } from '../../apps/index.js';
import { PostgresAuditEntries, type NewAuditEntry } from './postgres-audit-entries.js';

/** Refused calls of one class within a minute that have an entry of their own. The remaining calls share one. */
const CALLS_WITH_ENTRY = 100;

/** Entries of an app and a key within a minute, from all networks: a caller may have any number of addresses. */
const MOST_ENTRIES = 500;
/** Stands for the network of calls beyond a bound. */
export const MANY = 'many';

const REFUSED = { action: 'call.refused', fields: [], outcome: 'refused' } as const;

/** Calls that were refused for the same reason, with the same key, from the same network. */
export interface RefusalClass {
  readonly appId: AppId;
  readonly errorType: string;
  readonly actor: string;
  readonly network: string;
}

interface Refusal {
  readonly id: string;
  readonly target: string;
  readonly requestId: string;
  readonly ip: string | null;
  readonly createdAt: Date;
  readonly errorType: string;
}

/**
 * All calls without a valid key, whichever app their path names, in the chain of no app. In a minute they have 100 entries together:
 * 99 of their own, and one for the rest, which names the error type of nearly all of them.
 */
export const WITHOUT_KEY: RefusalClass = {
  appId: NO_APP,
  errorType: 'unauthorized_credentials',
  actor: 'unknown',
  network: MANY,
};

/** How many calls of the class have an entry of their own in a minute. */
export function entriesOf(of: RefusalClass): number {
  if (of.actor === WITHOUT_KEY.actor) return CALLS_WITH_ENTRY - 1;
  return of.network === MANY ? 0 : CALLS_WITH_ENTRY;
}

export interface CallsOfClass {
  readonly class: RefusalClass;
  count: number;
  /** The first of them. */
  readonly entries: Refusal[];
}

const RECENT = `
  select app_id as "appId", actor, sum(written)::int as written from audit_refusals where app_id = any($1) group by app_id, actor`;

/** In one order, because two processes may count the same classes. */
const COUNT = `
  insert into audit_refusals as r (app_id, error_type, actor, network, calls)
  select * from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::integer[]) as c (app_id, error_type, actor, network, calls)
   order by app_id, error_type, actor, network
  on conflict (app_id, error_type, actor, network) do update set calls = r.calls + excluded.calls
  returning app_id as "appId", error_type as "errorType", actor, network, written, pg_current_xact_id()::text as transaction`;

const WRITTEN = `
  update audit_refusals r set written = r.written + w.count
    from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::integer[]) as w (app_id, error_type, actor, network, count)
   where r.app_id = w.app_id and r.error_type = w.error_type and r.actor = w.actor and r.network = w.network`;

/** The minute of a class begins with its first call. A row that another process counts or ends now is left to it. */
const END = `
  delete from audit_refusals r
   using (select app_id, error_type, actor, network from audit_refusals
           where since <= now() - interval '1 minute' limit 1000 for update skip locked) e
   where r.app_id = e.app_id and r.error_type = e.error_type and r.actor = e.actor and r.network = e.network
  returning r.app_id as "appId", r.error_type as "errorType", r.actor, r.network, r.calls - r.written as rest`;

/** Counts refused calls in the database, so that the bound holds across all processes. */
@Injectable()
export class PostgresRefusals {
  constructor(
    private readonly database: Database,
    private readonly transactions: Transactions,
    private readonly entries: PostgresAuditEntries,
    private readonly clock: Clock,
  ) {}

  /** Calls `onBegun` with the id of the transaction that stores the batch, before COMMIT: see `hasCommitted`. */
  async store(batch: readonly CallsOfClass[], onBegun: (transaction: string) => void): Promise<void> {
    const known = await this.knownApps(batch.map((calls) => calls.class.appId));
    const named = merged(batch, known);
    await this.end();
    const classes = bounded(named, await this.recent(named.map((calls) => calls.class.appId)));
    await this.transactions.run(async () => {
      const counted = await this.database.write<RefusalClass & { written: number; transaction: string }>(COUNT, [
        ...columnsOf(classes),
        classes.map(({ count }) => count),
      ]);
      onBegun(counted[0]!.transaction);
      const written = new Map(counted.map((row) => [keyOf(row), row.written]));
      const own = classes.map(({ class: of, entries }) => ({
        class: of,
        entries: entries.slice(0, Math.max(0, entriesOf(of) - written.get(keyOf(of))!)),
      }));
      await this.entries.add(own.flatMap(({ class: of, entries }) => entries.map((each) => entryOf(of, each))));
      await this.database.write(WRITTEN, [...columnsOf(own), own.map(({ entries }) => entries.length)]);
    });
  }

  /**
   * Whether the transaction has committed: its connection may be lost between COMMIT and the answer. Throws while it is not decided.
   * A transaction of very long ago, which PostgreSQL has forgotten, counts as committed: a batch must never be stored twice.
   */
  async hasCommitted(transaction: string): Promise<boolean> {
    const status = await this.statusOf(transaction);
    if (status === 'in progress') throw new Error('The transaction has not ended yet.');
    return status !== 'aborted';
  }

  private async statusOf(transaction: string): Promise<string | null> {
    const sql = 'select pg_xact_status($1::xid8) as status';
    try {
      const [row] = await this.database.read<{ status: string | null }>(sql, [transaction]);
      return row!.status;
    } catch (error) {
      // The id has not been given yet: the transaction was lost with the server that a standby has replaced.
      if ((error as { code?: unknown }).code === '22023') return 'aborted';
      throw error;
    }
  }

  /** Writes one entry for the rest of each class whose minute has ended. */
  async end(): Promise<void> {
    for (let ended = 1_000; ended === 1_000;) ended = await this.transactions.run(() => this.endOnce());
  }

  private async endOnce(): Promise<number> {
    const ended = await this.database.write<RefusalClass & { rest: number }>(END);
    const entries = ended
      .filter(({ rest }) => rest > 0)
      .map((row): NewAuditEntry => {
        const id = newId('auditEntry');
        const rest = { id, target: '', requestId: null, ip: row.network, createdAt: this.clock.now() };
        return { ...entryOf(row, { ...rest, errorType: row.errorType }), calls: row.rest };
      });
    await this.entries.add(entries);
    return ended.length;
  }

  /** The numbers of entries in the current minute. */
  private async recent(appIds: readonly string[]): Promise<Map<string, number>> {
    const rows = await this.database.list<Pick<RefusalClass, 'appId' | 'actor'> & { written: number }>(RECENT, [
      [...new Set(appIds)],
    ]);
    return new Map(rows.map((row) => [callerOf(row), row.written]));
  }

  private async knownApps(appIds: readonly string[]): Promise<ReadonlySet<string>> {
    const rows = await this.database.list<{ appId: string }>(
      'select app_id as "appId" from known_apps where app_id = any($1)',
      [[...new Set(appIds)]],
    );
    return new Set(rows.map(({ appId }) => appId));
  }
}

/** A path may name any number of apps that do not exist: the calls are then of no app, and of one class. */
function merged(batch: readonly CallsOfClass[], known: ReadonlySet<string>): CallsOfClass[] {
  const classes = new Map<string, CallsOfClass>();
  for (const { class: given, count, entries } of batch) {
    const of = known.has(given.appId) ? given : { ...given, appId: NO_APP };
    const calls = classes.get(keyOf(of)) ?? { class: of, count: 0, entries: [] };
    calls.count += count;
    calls.entries.push(...entries);
    classes.set(keyOf(of), calls);
  }
  return [...classes.values()];
}

/** Calls of callers with enough entries are only counted, as those of one network. */
function bounded(classes: readonly CallsOfClass[], written: Map<string, number>): CallsOfClass[] {
  const counted = new Map<string, CallsOfClass>();
  for (const { class: given, count, entries } of classes) {
    const room = Math.max(0, MOST_ENTRIES - (written.get(callerOf(given)) ?? 0));
    const own = entries.slice(0, room);
    written.set(callerOf(given), MOST_ENTRIES - room + own.length);
    const of = room > 0 ? given : { ...given, network: MANY };
    const calls = counted.get(keyOf(of)) ?? { class: of, count: 0, entries: [] };
    calls.count += count;
    calls.entries.push(...own);
    counted.set(keyOf(of), calls);
  }
  return [...counted.values()];
}

function callerOf({ appId, actor }: Pick<RefusalClass, 'appId' | 'actor'>): string {
  return `${appId} ${actor}`;
}

function entryOf(of: RefusalClass, { target, ...refusal }: Omit<Refusal, 'requestId'> & { requestId: string | null }) {
  const { appId, actor } = of;
  return { ...REFUSED, ...refusal, appId, actor, targetId: target, calls: 1 };
}

function columnsOf(classes: readonly { readonly class: RefusalClass }[]): unknown[] {
  const all = classes.map((each) => each.class);
  return [
    all.map(({ appId }) => appId),
    all.map(({ errorType }) => errorType),
    all.map(({ actor }) => actor),
    all.map(({ network }) => network),
  ];
}

export function keyOf({ appId, errorType, actor, network }: RefusalClass): string {
  return [appId, errorType, actor, network].join(' ');
}
