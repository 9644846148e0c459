import { Injectable } from '@nestjs/common';
import { randomUUID } from 'node:crypto';
import { causingRequest } from '../../kernel/current-call.js';
import { type AppId, newId } from '../../kernel/ids.js';
import type { JobPayload, NewJob, OnJobsDone } from '../../kernel/jobs.js';
import { Transactions } from '../../kernel/transactions.js';
import { type SealBinding, Vault } from '../../kernel/vault.js';
import { Database } from '../../postgres/database.js';
import { named } from '../../postgres/statement.js';
import { ENDS_WHEN_PAUSED } from '../../postgres/session-settings.js';
import type { Leased } from './leased-worker.js';

/** Each claim is an attempt. */
export interface ClaimedJob extends Leased {
  readonly kind: string;
  readonly appId: AppId | null;
  readonly payload: Buffer | null;
  readonly lease: string;
  readonly requestId: string | null;
}

/** The app of a job decides only which operators see it and whose key seals the payload, so the context does not name it. */
export function jobBinding(kind: string, id: string, appId: AppId | null): SealBinding {
  return { context: ['job', kind, id], owner: appId ?? 'service' };
}

/** `again`: due after `waitSeconds`; without an error the attempts are counted anew. */
export type EndedJob = { readonly job: ClaimedJob } & (
  | { readonly outcome: 'done'; readonly payload: JobPayload; readonly onDone?: OnJobsDone | undefined }
  | { readonly outcome: 'again'; readonly waitSeconds: number; readonly error: string | null }
  | { readonly outcome: 'dead'; readonly error: string }
);

export interface JobCounts {
  readonly waiting: number;
  readonly dead: number;
  readonly oldestDueSeconds: number;
}

// The update only locks a job that waits: begun before COMMIT, it would not see the change that counts on it.
const ADD = named(`
  insert into jobs (id, kind, payload, app_id, unique_key, request_id, due_at, rank_at)
  select $id, $kind, $sealed, $appId, $uniqueKey, $requestId, due_at, due_at + make_interval(secs => $delaySeconds)
    from coalesce($runAt::timestamptz, clock_timestamp()) as due_at
  on conflict (kind, unique_key) where unique_key is not null and lease is null and died_at is null
    do update set unique_key = excluded.unique_key`);

/** Jobs whose rank has come, then jobs that are only due. `is true` hides a condition from the planner, which would use the wrong index. */
const CLAIM = `
  with ranked as (
    select id from jobs
     where died_at is null and rank_at <= now() and (due_at <= now()) is true and kind = any($2)
     order by rank_at limit $3 for update skip locked
  ), surplus as (
    select id from jobs
     where died_at is null and (rank_at > now()) is true and due_at <= now() and kind = any($2)
     order by due_at limit $3 - (select count(*) from ranked) for update skip locked
  )
  update jobs set lease = $1, attempt = attempt + 1, due_at = lease_end, rank_at = lease_end
    from (select now() + make_interval(secs => $4) as lease_end) as lease_end
   where id = any(array(select id from ranked union all select id from surplus))
  returning id, kind, app_id as "appId", payload, attempt as claims, lease, request_id as "requestId"`;

const ENDED = `from json_to_recordset($1::json) as r(id text, lease text, outcome text, wait float8, error text)`;

/** A job with the same key that was stored meanwhile does the work of one that failed. */
const DELETE = `delete from jobs using (select * ${ENDED}) as r
  where jobs.id = r.id and jobs.lease = r.lease
    and (r.outcome = 'done' or r.outcome = 'again' and jobs.unique_key is not null and exists (
      select from jobs next
       where next.kind = jobs.kind and next.unique_key = jobs.unique_key and next.lease is null and next.died_at is null))`;

const KEEP = `
  update jobs
     set lease = null, error = r.error, due_at = coalesce(r.next_at, due_at), rank_at = coalesce(r.next_at, rank_at),
         attempt = case when r.error is null then 0 else attempt end,
         died_at = case when r.outcome = 'dead' then now() end
    from (select *, now() + make_interval(secs => wait) as next_at ${ENDED} where outcome <> 'done') as r
   where jobs.id = r.id and jobs.lease = r.lease`;

/** A claim moves rows a lease ahead: no transaction stays open, and jobs of a killed worker become due again, by the database's clock. */
@Injectable()
export class JobQueue {
  constructor(
    private readonly database: Database,
    private readonly transactions: Transactions,
    private readonly vault: Vault,
  ) {}

  /** The job ranks `delaySeconds` behind others that are due at the same time. */
  add({ kind, payload, appId, runAt, uniqueKey }: NewJob, delaySeconds: number, id = newId('job')): void {
    const sealed = this.vault.seal(Buffer.from(JSON.stringify(payload)), jobBinding(kind, id, appId ?? null));
    const requestId = causingRequest() ?? null;
    const optional = { appId: appId ?? null, uniqueKey: uniqueKey ?? null, runAt: runAt ?? null, requestId };
    void this.database.write(...ADD({ id, kind, sealed, ...optional, delaySeconds }));
  }

  /** A schedule that exists keeps its time, unless the new interval makes it due earlier. */
  async addSchedules(everySeconds: ReadonlyMap<string, number>): Promise<void> {
    await this.database.write(
      `insert into jobs (id, kind, due_at, rank_at)
       select 'schedule:' || kind, kind, due, due
         from unnest($1::text[], $2::float8[]) as schedules (kind, seconds), make_interval(secs => seconds) as pause,
              lateral (select now() + pause as due) as first
        order by kind
       on conflict (id) do update set due_at = least(jobs.due_at, excluded.due_at), rank_at = least(jobs.due_at, excluded.due_at)
       where jobs.lease is null`,
      [[...everySeconds.keys()], [...everySeconds.values()]],
    );
  }

  async claim(kinds: readonly string[], limit: number, leaseSeconds: number): Promise<ClaimedJob[]> {
    return this.database.write<ClaimedJob>(CLAIM, [randomUUID(), kinds, limit, leaseSeconds]);
  }

  /** Call it before `open`. */
  async ready({ appId, payload }: ClaimedJob): Promise<void> {
    if (payload !== null) await this.vault.ready(appId ?? 'service');
  }

  open({ id, kind, appId, payload }: ClaimedJob): JobPayload {
    if (payload === null) return {};
    return JSON.parse(this.vault.open(payload, jobBinding(kind, id, appId)).toString()) as JobPayload;
  }

  /** Locked rows are skipped: waiting for them in any order may deadlock. */
  async extend(jobs: readonly ClaimedJob[], leaseSeconds: number): Promise<void> {
    await this.database.write(
      `with kept as (select id from jobs where id = any($1) and lease = any($2) for update skip locked)
       update jobs set due_at = now() + make_interval(secs => $3), rank_at = now() + make_interval(secs => $3)
         from kept where jobs.id = kept.id`,
      [jobs.map(({ id }) => id), [...new Set(jobs.map(({ lease }) => lease))], leaseSeconds],
    );
  }

  /** One transaction ends the runs; `onDone` may add statements to it. */
  async record(ended: readonly EndedJob[]): Promise<void> {
    const rows = ended.map(({ job: { id, lease }, ...end }) => ({
      id,
      lease,
      outcome: end.outcome,
      wait: end.outcome === 'again' ? end.waitSeconds : null,
      error: end.outcome === 'done' ? null : end.error,
    }));
    await this.transactions.run(async () => {
      void this.database.write(ENDS_WHEN_PAUSED);
      void this.database.write(DELETE, [JSON.stringify(rows)]);
      if (rows.some(({ outcome }) => outcome !== 'done')) void this.database.write(KEEP, [JSON.stringify(rows)]);
      const done = ended.filter((end) => end.outcome === 'done');
      // In one order, or two processes could deadlock.
      for (const kind of [...new Set(done.map(({ job }) => job.kind))].sort()) {
        const same = done.filter(({ job }) => job.kind === kind);
        same[0]!.onDone?.(same.map(({ payload }) => payload));
      }
    });
  }

  async counts(): Promise<JobCounts> {
    const [row] = await this.database.list<JobCounts>(`
      select (count(*) filter (where died_at is null))::int as waiting,
             count(died_at)::int as dead,
             coalesce(extract(epoch from now() - min(due_at) filter (where died_at is null and due_at <= now())), 0)::float8
               as "oldestDueSeconds"
        from jobs where payload is not null`);
    return row!;
  }

  async oldestSeconds(kinds: readonly string[]): Promise<Record<string, number>> {
    const rows = await this.database.list<{ kind: string; seconds: number }>(
      `select kind, extract(epoch from now() - min(created_at))::float8 as seconds from jobs
        where died_at is null and kind = any($1::text[]) group by kind`,
      [kinds],
    );
    return Object.fromEntries(rows.map(({ kind, seconds }) => [kind, seconds]));
  }
}
