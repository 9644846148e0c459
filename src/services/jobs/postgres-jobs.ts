import { type BeforeApplicationShutdown, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { setTimeout as pause } from 'node:timers/promises';
import { Gauge } from 'prom-client';
import { type JobHandler, JobRefused, Jobs, type NewJob } from '../../kernel/jobs.js';
import { Config } from '../config/config.js';
import { currentTransaction } from '../../postgres/current-transaction.js';
import { Log } from '../../kernel/log.js';
import { HttpMetrics } from '../observability/metrics.js';
import { type ClaimedJob, type JobCounts, JobQueue } from './job-queue.js';

interface Work {
  readonly handler: JobHandler;
  /** Only a schedule has it. */
  readonly everySeconds?: number;
}

/**
 * Jobs in a table of the database. A worker begins what its own process stored right after the commit, or keeps a few of
 * those ready for the next free hand, and looks every second for what is left over and for the jobs of other processes.
 */
@Injectable()
export class PostgresJobs extends Jobs implements OnApplicationBootstrap, BeforeApplicationShutdown {
  /** Seconds, but for the counts. */
  protected readonly timing = {
    concurrency: 8,
    /** Few: while they wait for a hand here, they cannot be taken by another one. */
    ready: 24,
    poll: 1,
    /** A worker that was killed loses its jobs to others after so long. */
    lease: 15,
    heartbeat: 5,
    firstPause: 5,
    longestPause: 1800,
    /** With these pauses, about a day. */
    attempts: 56,
    drain: 8,
  };

  private readonly work = new Map<string, Work>();
  /** Those that were begun and whose end is not stored yet: their leases are kept. */
  private readonly running = new Map<ClaimedJob, Promise<void>>();
  /** How many handlers are under way: each takes a hand. */
  private busy = 0;
  /** Stored by this process and claimed with that, but no hand was free yet. */
  private readonly ready: { readonly job: ClaimedJob; leaseEnds: number }[] = [];
  private loop: Promise<void> | undefined;
  private heartbeat: NodeJS.Timeout | undefined;
  private stopping = false;
  private isAway = false;
  /** Whether the last look may have left due jobs behind. */
  private hasMore = false;
  /** Hands that jobs now being claimed will take. */
  private claiming = 0;
  private isAwake = false;
  private rouse: (() => void) | undefined;

  constructor(
    private readonly queue: JobQueue,
    private readonly config: Config,
    private readonly log: Log,
    metrics: HttpMetrics,
  ) {
    super();
    const gauge = (name: string, help: string, fill: (gauge: Gauge, counts: JobCounts) => void): Gauge =>
      new Gauge({
        name,
        help,
        labelNames: ['state'],
        registers: [metrics.registry],
        async collect() {
          this.reset();
          // Without the database the other metrics are wanted all the more.
          const counts = await queue.counts().catch(() => null);
          if (counts) fill(this, counts);
        },
      });
    gauge('jobs', 'Jobs by state.', (jobs, { waiting, dead }) => {
      jobs.set({ state: 'waiting' }, waiting);
      jobs.set({ state: 'dead' }, dead);
    });
    gauge(
      'jobs_oldest_due_seconds',
      'For how long the job that has waited longest could have run.',
      (oldest, counts) => {
        oldest.set(counts.oldestDueSeconds);
      },
    );
  }

  async enqueue(job: NewJob): Promise<void> {
    const committed = await this.store(job);
    const transaction = currentTransaction();
    if (transaction) transaction.onCommit(committed);
    else committed();
  }

  /** Stores the job, and returns what is to be done once that is committed. */
  private async store(job: NewJob): Promise<() => void> {
    // One of a later time or of which no second may wait is for the table to judge; and what waits already comes first.
    const isForNow = job.runAt === undefined && job.uniqueKey === undefined && this.work.has(job.kind);
    if (!isForNow || !this.loop || this.hasMore || !this.hasRoom()) {
      await this.queue.add(job);
      return () => this.wake();
    }
    const { lease, heartbeat } = this.timing;
    const stored = performance.now();
    const claimed = await this.queue.add(job, lease);
    return () => {
      // A transaction may have gone on for long, so that the lease is nearly over and no heartbeat in time for it.
      const isLate = performance.now() - stored > heartbeat * 1000;
      if (isLate || !this.hasRoom()) return void this.giveBack(claimed);
      this.ready.push({ job: claimed, leaseEnds: stored + lease * 1000 });
      this.beginReady();
    };
  }

  private hasRoom(): boolean {
    const { concurrency, ready } = this.timing;
    return !this.stopping && this.busy + this.claiming + this.ready.length < concurrency + ready;
  }

  private beginReady(): void {
    while (!this.stopping && this.busy + this.claiming < this.timing.concurrency) {
      const next = this.ready.shift();
      if (!next) return;
      // One whose lease could not be kept is somebody else's by now.
      if (performance.now() < next.leaseEnds) this.begin(next.job);
    }
  }

  private begin(job: ClaimedJob): void {
    this.running.set(job, this.perform(job));
  }

  private async giveBack(job: ClaimedJob): Promise<void> {
    try {
      await this.queue.giveBack(job);
      this.wake();
    } catch (error) {
      this.log.warn({ kind: job.kind, job: job.id, err: described(error) }, 'job waits until its lease ends');
    }
  }

  handle(kind: string, handler: JobHandler): void {
    this.register(kind, { handler });
  }

  schedule(kind: string, everySeconds: number, handler: () => Promise<void>): void {
    this.register(kind, { handler, everySeconds });
  }

  private register(kind: string, work: Work): void {
    if (this.work.has(kind)) throw new Error(`Two handlers for jobs of the kind ${kind}.`);
    this.work.set(kind, work);
  }

  async onApplicationBootstrap(): Promise<void> {
    if (this.config.role === 'api') return;
    for (const [kind, { everySeconds }] of this.work) {
      if (everySeconds !== undefined) await this.queue.addSchedule(kind, everySeconds);
    }
    this.heartbeat = setInterval(() => void this.keepLeases(), this.timing.heartbeat * 1000).unref();
    this.loop = this.run();
  }

  /** Begins nothing more and waits for what runs, but not for long: what is left over is run again elsewhere. */
  async beforeApplicationShutdown(): Promise<void> {
    this.stopping = true;
    this.wake();
    await this.loop;
    await Promise.all(this.ready.splice(0).map(({ job }) => this.giveBack(job)));
    const patience = new AbortController();
    await Promise.race([
      Promise.all(this.running.values()).then(() => patience.abort()),
      pause(this.timing.drain * 1000, undefined, { signal: patience.signal }).catch(() => undefined),
    ]);
    clearInterval(this.heartbeat);
  }

  private async run(): Promise<void> {
    while (!this.stopping) {
      const free = this.timing.concurrency - this.busy;
      this.claiming = free;
      const claimed = free > 0 ? await this.claim(free) : [];
      this.claiming = 0;
      this.hasMore = claimed.length === free;
      for (const job of claimed) this.begin(job);
      this.beginReady();
      await this.sleep();
    }
  }

  private async claim(limit: number): Promise<ClaimedJob[]> {
    try {
      const claimed = await this.queue.claim([...this.work.keys()], limit, this.timing.lease);
      this.isAway = false;
      return claimed;
    } catch (error) {
      if (!this.isAway) this.log.warn({ err: described(error) }, 'jobs cannot be read');
      this.isAway = true;
      return [];
    }
  }

  /** Runs one job and settles it. Never rejects: what cannot be settled comes back when its lease ends. */
  private async perform(job: ClaimedJob): Promise<void> {
    const { handler, everySeconds } = this.work.get(job.kind)!;
    let failure: unknown;
    this.busy++;
    try {
      // Begun often enough without an end: a job that brings its process down must not do so for ever.
      if (job.attempt > this.timing.attempts && everySeconds === undefined)
        throw new JobRefused('never came to an end');
      await handler(this.queue.open(job), job.attempt);
    } catch (error) {
      failure = error ?? new Error('failed without saying why');
    }
    this.busy--;
    this.beginReady();
    if (this.hasMore) this.wake();
    try {
      if (failure !== undefined) await this.fail(job, failure, everySeconds);
      else if (everySeconds === undefined) await this.queue.done(job);
      else await this.queue.doneUntil(job, everySeconds);
    } catch (error) {
      this.log.warn({ kind: job.kind, job: job.id, err: described(error) }, 'job could not be settled');
    } finally {
      this.running.delete(job);
    }
  }

  private async fail(job: ClaimedJob, failure: unknown, everySeconds: number | undefined): Promise<void> {
    const err = described(failure);
    const isHopeless = failure instanceof JobRefused || job.attempt >= this.timing.attempts;
    if (isHopeless && everySeconds === undefined) {
      this.log.error({ kind: job.kind, job: job.id, attempt: job.attempt, err }, 'job is dead');
      await this.queue.bury(job, err);
    } else {
      this.log.warn({ kind: job.kind, job: job.id, attempt: job.attempt, err }, 'job failed');
      await this.queue.retryIn(job, Math.min(this.pauseAfter(job.attempt), everySeconds ?? Infinity), err);
    }
  }

  /** Doubling, with a tenth of chance so that what failed together does not return together. */
  private pauseAfter(attempt: number): number {
    const { firstPause, longestPause } = this.timing;
    return Math.min(firstPause * 2 ** (attempt - 1), longestPause) * (1 + Math.random() / 10);
  }

  private async keepLeases(): Promise<void> {
    const ready = [...this.ready];
    const ours = [...this.running.keys(), ...ready.map(({ job }) => job)];
    if (ours.length === 0) return;
    const leaseEnds = performance.now() + this.timing.lease * 1000;
    try {
      const kept = await this.queue.extend(ours, this.timing.lease);
      for (const entry of ready) if (kept.has(entry.job.id)) entry.leaseEnds = leaseEnds;
    } catch (error) {
      this.log.warn({ err: described(error) }, 'leases of jobs could not be kept');
    }
  }

  private wake(): void {
    this.isAwake = true;
    this.rouse?.();
  }

  /** Until woken, or for one poll. */
  private async sleep(): Promise<void> {
    if (!this.isAwake) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, this.timing.poll * 1000);
        this.rouse = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
    this.isAwake = false;
  }
}

/** What kind of error it was, for a table and a log that hold no secrets: addresses, codes and tokens are blotted out. */
function described(error: unknown): string {
  if (!(error instanceof Error)) return typeof error;
  const { code } = error as { code?: unknown };
  const message = error.message.slice(0, 1000).replace(/\S*@\S*|\+?\d{4,}|[\w.~%/+=-]{20,}/g, '…');
  return `${error.name}${typeof code === 'string' ? ` ${code}` : ''}: ${message}`.slice(0, 300);
}
