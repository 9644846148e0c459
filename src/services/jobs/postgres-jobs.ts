import { type BeforeApplicationShutdown, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { runCausedBy } from '../../kernel/current-call.js';
import { KeysUnavailable } from '../../kernel/errors.js';
import { type JobHandler, JobRefused, Jobs, type NewJob, type OnJobsDone } from '../../kernel/jobs.js';
import { Log } from '../../kernel/log.js';
import type { SpanText } from '../../kernel/tracing.js';
import { Registry } from '../../kernel/registry.js';
import { currentTransaction } from '../../postgres/current-transaction.js';
import { Config } from '../config/config.js';
import { HttpMetrics, tableGauge } from '../observability/metrics.js';
import { failureText } from './failure-text.js';
import { type ClaimedJob, type EndedJob, JobQueue } from './job-queue.js';
import { LeasedWorker, type LeaseSettings } from './leased-worker.js';
import { FairShares } from './waiting-jobs.js';

interface Work {
  readonly handler: JobHandler;
  readonly onDone?: OnJobsDone | undefined;
  readonly hasOwnSlots?: boolean;
  readonly everySeconds?: number;
}

/** A worker claims after commits of this process, when a slot becomes free, and every second for jobs of other processes. */
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
    /** About a day with these pauses. */
    attempts: 56,
    drainSeconds: 8,
  };

  private readonly shares = new FairShares();
  private readonly work = new Registry<Work>('The job');
  /** The empty kind stands for all kinds without slots of their own. A process that runs no jobs has no workers. */
  private readonly workers = new Map<string, JobWorker>();

  constructor(
    private readonly queue: JobQueue,
    private readonly config: Config,
    private readonly log: Log,
    metrics: HttpMetrics,
  ) {
    super();
    tableGauge(metrics, { name: 'jobs', help: 'Jobs by state.', label: 'state' }, async () => {
      const { waiting, dead } = await queue.counts();
      return { waiting, dead };
    });
    const help = 'Seconds since the oldest waiting job became due.';
    tableGauge(metrics, { name: 'jobs_oldest_due_seconds', help }, async () => (await queue.counts()).oldestDueSeconds);
  }

  enqueue(job: NewJob): void {
    const transaction = currentTransaction();
    if (!transaction) throw new Error(`A job of the kind ${job.kind} was stored outside a transaction.`);
    this.queue.add(job, job.appId === undefined ? 0 : this.shares.takeDelaySeconds(job.appId));
    transaction.onCommit(() => (this.workers.get(job.kind) ?? this.workers.get(''))?.wake());
  }

  handle(kind: string, handler: JobHandler, onDone?: OnJobsDone, hasOwnSlots = false): void {
    this.work.add(kind, { handler, onDone, hasOwnSlots });
  }

  schedule(kind: string, everySeconds: number, handler: () => Promise<void>): void {
    this.work.add(kind, { handler, everySeconds });
  }

  async onApplicationBootstrap(): Promise<void> {
    if (!this.config.hasWorkers) return;
    const schedules = [...this.work].flatMap(([kind, { everySeconds }]) =>
      everySeconds === undefined ? [] : [[kind, everySeconds] as const],
    );
    await this.queue.addSchedules(new Map(schedules));
    const own = [...this.work].flatMap(([kind, { hasOwnSlots }]) => (hasOwnSlots ? [kind] : []));
    for (const kind of ['', ...own]) {
      const worker = new JobWorker(kind, this.work, this.queue, this.settings, this.log);
      this.workers.set(kind, worker);
      worker.start();
    }
  }

  async beforeApplicationShutdown(): Promise<void> {
    await Promise.all([...this.workers.values()].map((worker) => worker.stop()));
  }
}

/** The kinds without slots of their own may be registered later. */
class JobWorker extends LeasedWorker<ClaimedJob, EndedJob> {
  protected readonly tasks = 'jobs';
  protected readonly settings: LeaseSettings;

  constructor(
    private readonly kind: string,
    private readonly work: ReadonlyMap<string, Work>,
    private readonly queue: JobQueue,
    private readonly times: PostgresJobs['settings'],
    log: Log,
  ) {
    super(log);
    this.settings = {
      slots: times.workerSlots,
      pollMs: times.pollSeconds * 1000,
      drainMs: times.drainSeconds * 1000,
      heartbeatMs: times.heartbeatSeconds * 1000,
      // When the process is killed within this time, the jobs that it has just done run again.
      batchMs: 20,
    };
  }

  protected claim(limit: number): Promise<readonly ClaimedJob[]> {
    const kinds = this.kind ? [this.kind] : [...this.work.keys()].filter((kind) => !this.work.get(kind)!.hasOwnSlots);
    return this.queue.claim(kinds, limit, this.times.leaseSeconds);
  }

  protected extend(jobs: readonly ClaimedJob[]): Promise<void> {
    return this.queue.extend(jobs, this.times.leaseSeconds);
  }

  protected carryOut(job: ClaimedJob): Promise<EndedJob> {
    return runCausedBy(job.requestId ?? undefined, () => this.run(job));
  }

  private async run(job: ClaimedJob): Promise<EndedJob> {
    const { handler, onDone, everySeconds } = this.work.get(job.kind)!;
    try {
      await this.queue.ready(job);
      const payload = this.queue.open(job);
      await handler(payload, job.claims, job.claims >= this.times.attempts);
      if (everySeconds !== undefined) return { job, outcome: 'again', waitSeconds: everySeconds, error: null };
      return { job, outcome: 'done', payload, onDone };
    } catch (error) {
      return this.failed(job, error);
    }
  }

  protected spanOf({ kind, id, appId }: ClaimedJob): SpanText {
    return { name: `job ${kind}`, attributes: { 'job.id': id, ...(appId && { 'app.id': appId }) } };
  }

  protected mostClaims({ kind }: ClaimedJob): number {
    return this.work.get(kind)!.everySeconds === undefined ? this.times.attempts : Infinity;
  }

  protected giveUp(job: ClaimedJob): EndedJob {
    return this.failed(job, new JobRefused('never came to an end'));
  }

  protected store(ended: readonly EndedJob[]): Promise<void> {
    return this.queue.record(ended);
  }

  protected override instead({ job }: EndedJob, error: unknown): EndedJob {
    return this.failed(job, error);
  }

  private failed(job: ClaimedJob, failure: unknown): EndedJob {
    const { everySeconds } = this.work.get(job.kind)!;
    // The job was not tried: it waits as long as the outage lasts, and its attempts are counted anew.
    if (failure instanceof KeysUnavailable)
      return { job, outcome: 'again', waitSeconds: this.keysPauseSeconds(failure, everySeconds), error: null };
    const error = failureText(failure);
    const logged = {
      kind: job.kind,
      job: job.id,
      attempt: job.claims,
      request_id: job.requestId ?? undefined,
      err: error,
    };
    const isFinal = failure instanceof JobRefused || job.claims >= this.times.attempts;
    if (isFinal && everySeconds === undefined) {
      this.log.error(logged, 'job is dead');
      return { job, outcome: 'dead', error };
    }
    this.log.warn(logged, 'job failed');
    const waitSeconds = Math.min(this.pauseSeconds(job.claims), everySeconds ?? Infinity);
    return { job, outcome: 'again', waitSeconds, error };
  }

  /** Random, because an outage of the key provider stops the jobs of all apps together. */
  private keysPauseSeconds({ retryAfterSeconds }: KeysUnavailable, everySeconds = Infinity): number {
    return Math.min(retryAfterSeconds * (1 + Math.random()), everySeconds);
  }

  /** The random tenth keeps jobs that failed together from running together again. */
  private pauseSeconds(attempt: number): number {
    const { firstPauseSeconds, longestPauseSeconds } = this.times;
    return Math.min(firstPauseSeconds * 2 ** (attempt - 1), longestPauseSeconds) * (1 + Math.random() / 10);
  }
}
