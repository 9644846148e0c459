import { Injectable } from '@nestjs/common';
import type { AppId, Id } from '../../kernel/ids.js';
import { type Page, pageFrom, type PageRequest } from '../../kernel/paging.js';
import { Database } from '../../postgres/database.js';
import { RecentlyUsed } from '../../kernel/recently-used.js';

export const JOB_STATES = ['waiting', 'running', 'retrying', 'dead'] as const;
export type JobState = (typeof JOB_STATES)[number];

/** Operators never see its payload. */
export interface WaitingJob {
  readonly id: Id<'job'>;
  readonly kind: string;
  readonly state: JobState;
  readonly attempts: number;
  readonly lastError: string | null;
  readonly createdAt: Date;
  /** While it runs: when another worker may take it. Null once dead. */
  readonly dueAt: Date | null;
}

interface JobQuery extends PageRequest<Id<'job'>> {
  readonly kind?: string;
  readonly state?: JobState;
}

/** Conditions of their own text, so that the index of dead jobs serves the search for them. */
const IN_STATE: Readonly<Record<JobState, string>> = {
  waiting: `and j.died_at is null and j.attempt = 0`,
  running: `and j.died_at is null and j.lease is not null and j.due_at > now()`,
  retrying: `and j.died_at is null and j.attempt > 0 and (j.lease is null or j.due_at <= now())`,
  dead: `and j.died_at is not null`,
};

/** The primary key lacks this order: the planner must not walk the jobs of other apps from the newest on. */
const OF_APP = 'j.app_id <= $1 and j.app_id >= $1';

const COLUMNS = `
  j.id, j.kind, j.attempt as attempts, j.error as "lastError", j.created_at as "createdAt",
  case when j.died_at is null then j.due_at end as "dueAt",
  case when j.died_at is not null then 'dead' when j.attempt = 0 then 'waiting'
       when j.lease is not null and j.due_at > now() then 'running' else 'retrying' end as state`;

const RETRY = `
  update jobs
     set attempt = case when died_at is null then attempt else 0 end, due_at = now(), rank_at = now(),
         unique_key = case when died_at is null then unique_key end, died_at = null
   where app_id = $1 and id = $2
     and (died_at is not null or attempt > 0 and (lease is null or due_at <= now()))`;

@Injectable()
export class WaitingJobs {
  constructor(private readonly database: Database) {}

  async list(appId: AppId, { kind, state, limit, startingAfter }: JobQuery): Promise<Page<WaitingJob>> {
    const filters = [
      ...(startingAfter === undefined ? [] : [{ sql: 'j.id <', value: startingAfter }]),
      ...(kind === undefined ? [] : [{ sql: 'j.kind =', value: kind }]),
    ];
    const rows = await this.database.list<WaitingJob>(
      `select ${COLUMNS} from jobs j
        where ${OF_APP} ${state === undefined ? '' : IN_STATE[state]} ${filters.map(({ sql }, i) => `and ${sql} $${i + 3}`).join(' ')}
        order by j.app_id desc, j.id desc limit $2`,
      [appId, limit + 1, ...filters.map(({ value }) => value)],
    );
    return pageFrom(rows, limit);
  }

  /** Runs in the current transaction. A job that waits or runs stays as it is. Null if the app has no such job. */
  async retry(appId: AppId, id: Id<'job'>): Promise<WaitingJob | null> {
    await this.database.write(RETRY, [appId, id]);
    const [job] = await this.database.list<WaitingJob>(
      `select ${COLUMNS} from jobs j where j.app_id = $1 and j.id = $2`,
      [appId, id],
    );
    return job ?? null;
  }
}

/** Jobs of an app above this rate run after those of apps below it. */
const JOBS_PER_SECOND = 50;
const LONGEST_DELAY_SECONDS = 600;
const MOST_APPS_REMEMBERED = 10_000;

/** 10,000 mails of one app must not delay the mail of another. A rank only orders jobs: with free slots they run at once. */
export class FairShares {
  /** Each app is back within its share at this time, by `now()`. */
  private readonly usedUntil = new RecentlyUsed<AppId, number>(MOST_APPS_REMEMBERED);

  constructor(private readonly now: () => number = () => performance.now()) {}

  /** Counts one job and returns how far it ranks behind a job that another app stores now. */
  takeDelaySeconds(appId: AppId): number {
    const now = this.now();
    const start = Math.max(now, this.usedUntil.get(appId) ?? 0);
    const delaySeconds = Math.min((start - now) / 1000, LONGEST_DELAY_SECONDS);
    if (delaySeconds < LONGEST_DELAY_SECONDS) this.usedUntil.set(appId, start + 1000 / JOBS_PER_SECOND);
    return delaySeconds;
  }
}
