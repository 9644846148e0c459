import { setTimeout as pause } from 'node:timers/promises';
import { Batches } from '../../kernel/batches.js';
import type { Log } from '../../kernel/log.js';
import { type SpanText, traced } from '../../kernel/tracing.js';
import { isDatabaseUnavailable } from '../../postgres/database-unavailable.js';
import { type Worker, WorkerLoop } from '../../postgres/worker-loop.js';
import { failureText } from './failure-text.js';

const RETRY_MS = 1_000;
/** The tries last longer than a lease; then another process carries the tasks out again. */
const MOST_TRIES = 30;
/** Tasks whose results cannot be stored are repeated, so at most this many wait for each slot. */
const MOST_UNSTORED = 8;

export interface Leased {
  readonly id: string;
  /** Claims without a stored result, this one included. */
  readonly claims: number;
}

export interface LeaseSettings extends Pick<Worker<unknown>, 'slots' | 'pollMs' | 'drainMs'> {
  readonly heartbeatMs: number;
  /** Results that end within this time are stored together. */
  readonly batchMs: number;
}

/** A task without a stored result is claimed again when its lease ends. Statements match the lease, so a late result changes nothing. */
export abstract class LeasedWorker<Task extends Leased, Result> {
  protected abstract readonly tasks: string;
  protected abstract readonly settings: LeaseSettings;

  private loop: WorkerLoop<Task> | undefined;
  private heartbeat: NodeJS.Timeout | undefined;
  private results: Batches<Result> | undefined;
  private unstored = 0;

  constructor(protected readonly log: Log) {}

  /** No two callers get the same task. */
  protected abstract claim(limit: number): Promise<readonly Task[]>;
  protected abstract extend(tasks: readonly Task[]): Promise<void>;
  protected abstract carryOut(task: Task): Promise<Result>;
  protected abstract spanOf(task: Task): SpanText;
  protected abstract mostClaims(task: Task): number;
  protected abstract giveUp(task: Task): Result;
  protected abstract store(results: readonly Result[]): Promise<void>;
  /** It replaces a result that the database refuses. Without it the lease of the task ends. */
  protected instead?(refused: Result, error: unknown): Result;

  start(): void {
    const { slots, pollMs, drainMs, heartbeatMs } = this.settings;
    this.heartbeat = setInterval(() => void this.extendLeases(), heartbeatMs).unref();
    this.loop = new WorkerLoop<Task>({
      slots,
      pollMs,
      drainMs,
      claim: (limit) => this.claim(limit),
      perform: (task, freeSlot) => this.perform(task, freeSlot),
      report: (error) => this.log.warn({ err: failureText(error) }, `${this.tasks} cannot be claimed`),
    });
  }

  /** Waits only briefly for running tasks: another process repeats the remaining ones. */
  async stop(): Promise<void> {
    await this.loop?.stop();
    clearInterval(this.heartbeat);
  }

  wake(): void {
    this.loop?.wake();
  }

  /** Poison-pill guard: a task that keeps crashing its process is given up. */
  async attempt(task: Task): Promise<Result> {
    return task.claims > this.mostClaims(task) ? this.giveUp(task) : this.carriedOut(task);
  }

  private carriedOut(task: Task): Promise<Result> {
    return traced(
      () => ({ kind: 'consumer', ...this.spanOf(task) }),
      () => this.carryOut(task),
    );
  }

  /** One result that the database never takes must not cost the others of its batch. Rejects after a refusal or a long outage. */
  async record(result: Result): Promise<void> {
    const results = (this.results ??= new Batches(this.settings.batchMs, (batch) => this.store(batch)));
    let isAlone = false;
    this.unstored++;
    try {
      for (let tries = 1; ; tries++) {
        try {
          return await (isAlone ? results.alone(result) : results.add(result));
        } catch (error) {
          const isUnavailable = isDatabaseUnavailable(error);
          if (tries === MOST_TRIES || (isAlone && !isUnavailable)) throw error;
          if (isUnavailable) await pause(RETRY_MS);
          // One result that waits for a lock each time looks like an unavailable database.
          isAlone = !isUnavailable || tries > 1;
        }
      }
    } finally {
      this.unstored--;
    }
  }

  /** It never rejects. The slot is free before the result is stored, unless too many results wait. */
  private async perform(task: Task, freeSlot: () => void): Promise<void> {
    try {
      const result = await this.attempt(task);
      if (this.unstored < MOST_UNSTORED * this.settings.slots) freeSlot();
      await this.record(result).catch((error: unknown) => {
        if (!this.instead || isDatabaseUnavailable(error)) throw error;
        return this.record(this.instead(result, error));
      });
    } catch (error) {
      this.log.warn({ id: task.id, err: failureText(error) }, `results of ${this.tasks} could not be stored`);
    }
  }

  private async extendLeases(): Promise<void> {
    const tasks = this.loop?.tasks ?? [];
    if (tasks.length === 0) return;
    try {
      await this.extend(tasks);
    } catch (error) {
      this.log.warn({ err: failureText(error) }, `leases of ${this.tasks} could not be extended`);
    }
  }
}
