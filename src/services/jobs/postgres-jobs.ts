import { type BeforeApplicationShutdown, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { type JobHandler, JobRefused, Jobs, type NewJob, type OnJobsDone } from '../../kernel/jobs.js';
import { Log } from '../../kernel/log.js';
import { Registry } from '../../kernel/registry.js';
import { currentTransaction } from '../../postgres/current-transaction.js';
import { WorkerLoop } from '../../postgres/worker-loop.js';
import { Config } from '../config/config.js';
import { HttpMetrics } from '../observability/metrics.js';
import { failureText } from './failure-text.js';
import { FairShares } from './waiting-jobs.js';
import { registerJobMetrics } from './job-metrics.js';
import { type ClaimedJob, JobQueue } from './job-queue.js';

interface Work {
  readonly handler: JobHandler;
  readonly onDone?: OnJobsDone | undefined;
  readonly hasOwnSlots?: boolean;
  /** Absent for jobs that are not a schedule. */
  readonly everySeconds?: number;
}

/**
 * Jobs in a table of the database. A worker claims jobs when this process has committed one, when a slot becomes free while more
 * jobs are due, and every second for the jobs of other processes and those that became due.
 */
@Injectable()
export class PostgresJobs extends Jobs implements OnApplicationBootstrap, BeforeApplicationShutdown {
  protected readonly settings = {
    workerSlots: 8,
    pollSeconds: 1,
    /** The jobs of a killed worker run elsewhere after this time. */
    leaseSeconds: 15,
    heartbeatSeconds: 5,
    firstPauseSeconds: 5,
    longestPauseSeconds: 1800,
    /** The attempts take about a day with these pauses. */
    attempts: 56,
    drainSeconds: 8,
  };

  private readonly shares = new FairShares();
  private readonly work = new Registry<Work>('The job');
  /** By the kind that has the worker slots; an empty kind stands for all kinds without slots of their own. None in a process that runs no jobs. */
  private readonly loops = new Map<string, WorkerLoop<ClaimedJob>>();
  private heartbeat: NodeJS.Timeout | undefined;

  constructor(
    private readonly queue: JobQueue,
    private readonly config: Config,
    private readonly log: Log,
    { registry }: HttpMetrics,
  ) {
    super();
    registerJobMetrics(registry, () => queue.counts());
  }

  enqueue(job: NewJob): void {
    const transaction = currentTransaction();
    if (!transaction) throw new Error(`A job of the kind ${job.kind} was stored outside a transaction.`);
    this.queue.add(job, job.appId === undefined ? 0 : this.shares.takeDelaySeconds(job.appId));
    transaction.onCommit(() => (this.loops.get(job.kind) ?? this.loops.get(''))?.wake());
  }

  handle(kind: string, handler: JobHandler, onDone?: OnJobsDone, hasOwnSlots = false): void {
    this.work.add(kind, { handler, onDone, hasOwnSlots });
  }

  schedule(kind: string, everySeconds: number, handler: () => Promise<void>): void {
    this.work.add(kind, { handler, everySeconds });
  }

  async onApplicationBootstrap(): Promise<void> {
    if (this.config.role === 'api') return;
    for (const [kind, { everySeconds }] of this.work) {
      if (everySeconds !== undefined) await this.queue.addSchedule(kind, everySeconds);
    }
    this.heartbeat = setInterval(() => void this.extendLeases(), this.settings.heartbeatSeconds * 1000).unref();
    const kinds = () => [...this.work].filter(([, { hasOwnSlots }]) => !hasOwnSlots).map(([kind]) => kind);
    this.loops.set('', this.loopOf(kinds));
    for (const [kind, { hasOwnSlots }] of this.work)
      if (hasOwnSlots)
        this.loops.set(
          kind,
          this.loopOf(() => [kind]),
        );
  }

  private loopOf(kinds: () => readonly string[]): WorkerLoop<ClaimedJob> {
    const { workerSlots, pollSeconds, leaseSeconds, drainSeconds } = this.settings;
    return new WorkerLoop({
      slots: workerSlots,
      pollMs: pollSeconds * 1000,
      drainMs: drainSeconds * 1000,
      claim: (limit) => this.queue.claim(kinds(), limit, leaseSeconds),
      perform: (job, freeSlot) => this.perform(job, freeSlot),
      report: (error) => this.log.warn({ err: failureText(error) }, 'jobs cannot be read'),
    });
  }

  /** Begins no more jobs and waits for those that run, but not for long: the remaining jobs run again elsewhere. */
  async beforeApplicationShutdown(): Promise<void> {
    await Promise.all([...this.loops.values()].map((loop) => loop.stop()));
    clearInterval(this.heartbeat);
  }

  /** Runs one job and stores its end. Never rejects: a job whose end cannot be stored runs again when its lease ends. */
  private async perform(job: ClaimedJob, freeSlot: () => void): Promise<void> {
    const { handler, onDone, everySeconds } = this.work.get(job.kind)!;
    let failure: unknown;
    try {
      // The guard against poison pills: a job that keeps crashing its process is marked dead.
      if (job.attempt > this.settings.attempts && everySeconds === undefined)
        throw new JobRefused('never came to an end');
      const payload = this.queue.open(job);
      await handler(payload, job.attempt, job.attempt >= this.settings.attempts);
      if (everySeconds === undefined) {
        if (this.queue.storesPromptly) freeSlot();
        await this.queue.done(job, payload, onDone);
      }
    } catch (error) {
      failure = error ?? new Error('failed without saying why');
    }
    freeSlot();
    try {
      if (failure !== undefined) await this.fail(job, failure, everySeconds);
      else if (everySeconds !== undefined) await this.queue.doneUntil(job, everySeconds);
    } catch (error) {
      this.log.warn({ kind: job.kind, job: job.id, err: failureText(error) }, 'the end of a job could not be stored');
    }
  }

  private async fail(job: ClaimedJob, failure: unknown, everySeconds: number | undefined): Promise<void> {
    const err = failureText(failure);
    const isFinal = failure instanceof JobRefused || job.attempt >= this.settings.attempts;
    if (isFinal && everySeconds === undefined) {
      this.log.error({ kind: job.kind, job: job.id, attempt: job.attempt, err }, 'job is dead');
      await this.queue.markDead(job, err);
    } else {
      this.log.warn({ kind: job.kind, job: job.id, attempt: job.attempt, err }, 'job failed');
      await this.queue.retryIn(job, Math.min(this.pauseSeconds(job.attempt), everySeconds ?? Infinity), err);
    }
  }

  /** Doubles with each attempt. The random tenth keeps jobs that failed together from running together again. */
  private pauseSeconds(attempt: number): number {
    const { firstPauseSeconds, longestPauseSeconds } = this.settings;
    return Math.min(firstPauseSeconds * 2 ** (attempt - 1), longestPauseSeconds) * (1 + Math.random() / 10);
  }

  private async extendLeases(): Promise<void> {
    const jobs = [...this.loops.values()].flatMap(({ tasks }) => tasks);
    if (jobs.length === 0) return;
    try {
      await this.queue.extend(jobs, this.settings.leaseSeconds);
    } catch (error) {
      this.log.warn({ err: failureText(error) }, 'leases of jobs could not be extended');
    }
  }
}
