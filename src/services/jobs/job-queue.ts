import { Injectable } from '@nestjs/common';
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { NewJob } from '../../kernel/jobs.js';
import { Vault } from '../../kernel/vault.js';
import { currentTransaction } from '../../postgres/current-transaction.js';
import { Database, isUniqueViolation } from '../../postgres/database.js';

/** A job that is ours to run until its lease ends. */
export interface ClaimedJob {
  readonly id: string;
  readonly kind: string;
  readonly payload: Buffer | null;
  readonly attempt: number;
  readonly lease: string;
  /** What is sealed in `payload`, where it was sealed here. */
  readonly content?: string;
}

/** A job that was given up. */
export interface DeadJob {
  readonly id: string;
  readonly kind: string;
  readonly attempts: number;
  readonly createdAt: Date;
  readonly diedAt: Date;
  readonly error: string;
}

export interface JobCounts {
  /** Not yet done, schedules left out. */
  readonly waiting: number;
  readonly dead: number;
  /** Seconds for which the job that has waited longest could have run; 0 when none could. */
  readonly oldestDueSeconds: number;
}

/** Milliseconds. Short beside what a job takes, for one whose worker is killed meanwhile runs again. */
const DONE_TOGETHER_MS = 20;
/** Milliseconds. Well within a lease: were those that are done not deleted, all of them would run again. */
const DELETED_ANEW_MS = 1_000;

const ADD = `
  insert into jobs (id, kind, payload, unique_key, lease, attempt, due_at)
  values ($1, $2, $3, $4, $5, $6, coalesce($7, clock_timestamp() + make_interval(secs => $8)))
  on conflict (kind, unique_key) where unique_key is not null and lease is null and died_at is null do nothing`;

/**
 * The table of jobs. Claiming takes rows that are due and that nobody else is looking at (SKIP LOCKED) and moves them
 * into the future by one lease. So no transaction stays open while a job runs, and the jobs of a worker that was killed
 * come back by themselves. Times are the database's.
 */
@Injectable()
export class JobQueue {
  private ended: ClaimedJob[] = [];
  private nextDeletion: Promise<void> | undefined;
  private lastDeletion: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly database: Database,
    private readonly vault: Vault,
  ) {}

  /** Stores a job: for whoever claims it, or with a lease of so many seconds as if the caller had claimed it by now. */
  async add(job: NewJob): Promise<null>;
  async add(job: NewJob, leaseSeconds: number): Promise<ClaimedJob>;
  async add({ kind, payload, runAt, uniqueKey }: NewJob, leaseSeconds?: number): Promise<ClaimedJob | null> {
    const id = randomUUID();
    const content = JSON.stringify(payload);
    const sealed = this.vault.seal(Buffer.from(content), ['job', kind, id]);
    const lease = leaseSeconds === undefined ? null : randomUUID();
    const attempt = lease === null ? 0 : 1;
    const parameters = [id, kind, sealed, uniqueKey ?? null, lease, attempt, runAt ?? null, leaseSeconds ?? 0];
    if (currentTransaction()) void this.database.write(ADD, parameters);
    else await this.database.query(ADD, parameters);
    return lease === null ? null : { id, kind, payload: sealed, attempt, lease, content };
  }

  /** Makes a schedule known. One that is already there keeps its time, unless it would now come round earlier. */
  async addSchedule(kind: string, everySeconds: number): Promise<void> {
    await this.database.query(
      `insert into jobs (id, kind) values ('schedule:' || $1, $1)
       on conflict (id) do update set due_at = least(jobs.due_at, now() + make_interval(secs => $2)) where jobs.lease is null`,
      [kind, everySeconds],
    );
  }

  /** Up to `limit` jobs that are due, the oldest first, each given to one caller only. */
  async claim(kinds: readonly string[], limit: number, leaseSeconds: number): Promise<ClaimedJob[]> {
    return this.database.query<ClaimedJob>(
      `with due as (
         select id from jobs
          where died_at is null and due_at <= now() and kind = any($2)
          order by due_at limit $3 for update skip locked
       )
       update jobs set lease = $1, attempt = attempt + 1, due_at = now() + make_interval(secs => $4)
         from due where jobs.id = due.id
       returning jobs.id, kind, payload, attempt, lease`,
      [randomUUID(), kinds, limit, leaseSeconds],
    );
  }

  open({ id, kind, payload, content }: ClaimedJob): Readonly<Record<string, unknown>> {
    if (payload === null) return {};
    const text = content ?? this.vault.open(payload, ['job', kind, id]).toString();
    return JSON.parse(text) as Record<string, unknown>;
  }

  /**
   * Keeps leases, and tells the ids of the jobs whose leases are kept. Those being settled at this moment are passed over,
   * as two who wait for each other's rows wait in vain.
   */
  async extend(jobs: readonly ClaimedJob[], leaseSeconds: number): Promise<Set<string>> {
    const rows = await this.database.query<{ id: string }>(
      `with kept as (select id from jobs where id = any($1) and lease = any($2) for update skip locked)
       update jobs set due_at = now() + make_interval(secs => $3) from kept where jobs.id = kept.id returning jobs.id`,
      [jobs.map(({ id }) => id), [...new Set(jobs.map(({ lease }) => lease))], leaseSeconds],
    );
    return new Set(rows.map(({ id }) => id));
  }

  // What ends a run matches the lease: a worker that was too slow to keep it has no say any more.

  /** Those done within a moment, or while others are being deleted, are deleted together. */
  done(job: ClaimedJob): Promise<void> {
    this.ended.push(job);
    return (this.nextDeletion ??= this.deleteEnded());
  }

  private async deleteEnded(): Promise<void> {
    await Promise.all([pause(DONE_TOGETHER_MS), this.lastDeletion]);
    const jobs = this.ended;
    this.ended = [];
    this.nextDeletion = undefined;
    const deleted = this.delete(jobs).catch(() => pause(DELETED_ANEW_MS).then(() => this.delete(jobs)));
    this.lastDeletion = deleted.catch(() => undefined);
    await deleted;
  }

  private async delete(jobs: readonly ClaimedJob[]): Promise<void> {
    await this.database.query(
      `delete from jobs using unnest($1::text[], $2::text[]) as ended(id, lease)
        where jobs.id = ended.id and jobs.lease = ended.lease`,
      [jobs.map(({ id }) => id), jobs.map(({ lease }) => lease)],
    );
  }

  /** Leaves a job that was never begun to others. */
  async giveBack({ id, lease }: ClaimedJob): Promise<void> {
    await this.database.query(
      `update jobs set lease = null, attempt = attempt - 1, due_at = now() where id = $1 and lease = $2`,
      [id, lease],
    );
  }

  async doneUntil({ id, lease }: ClaimedJob, seconds: number): Promise<void> {
    await this.database.query(
      `update jobs set lease = null, attempt = 0, error = null, due_at = now() + make_interval(secs => $3)
        where id = $1 and lease = $2`,
      [id, lease, seconds],
    );
  }

  async retryIn({ id, lease }: ClaimedJob, seconds: number, error: string): Promise<void> {
    try {
      await this.database.query(
        `update jobs set lease = null, error = $4, due_at = now() + make_interval(secs => $3) where id = $1 and lease = $2`,
        [id, lease, seconds, error],
      );
    } catch (violation) {
      if (!isUniqueViolation(violation, 'jobs_unique_key')) throw violation;
      // The same work was asked for again while this ran and waits already, so this has no need to.
      await this.database.query(`delete from jobs where id = $1 and lease = $2`, [id, lease]);
    }
  }

  async bury({ id, lease }: ClaimedJob, error: string): Promise<void> {
    await this.database.query(
      `update jobs set lease = null, died_at = now(), error = $3 where id = $1 and lease = $2`,
      [id, lease, error],
    );
  }

  async counts(): Promise<JobCounts> {
    const [row] = await this.database.query<JobCounts>(`
      select (count(*) filter (where died_at is null))::int as waiting,
             count(died_at)::int as dead,
             coalesce(extract(epoch from now() - min(due_at) filter (where died_at is null and due_at <= now())), 0)::float8
               as "oldestDueSeconds"
        from jobs where payload is not null`);
    return row!;
  }

  /** The jobs given up last, the newest first. */
  dead(limit: number): Promise<DeadJob[]> {
    return this.database.query<DeadJob>(
      `select id, kind, attempt as attempts, created_at as "createdAt", died_at as "diedAt", error
         from jobs where died_at is not null order by died_at desc limit $1`,
      [limit],
    );
  }

  /** Gives a dead job all its attempts again. False when there is no such job. */
  async revive(id: string): Promise<boolean> {
    const revived = await this.database.query(
      `update jobs set died_at = null, attempt = 0, due_at = now(), unique_key = null where id = $1 and died_at is not null
       returning id`,
      [id],
    );
    return revived.length === 1;
  }
}
