import type { AppId } from './ids.js';

/** At least once after a commit, even when processes crash. */
export abstract class Jobs {
  /** Stored sealed with the current transaction, outside of which it throws. A job whose `uniqueKey` already waits is not stored twice. */
  abstract enqueue(job: NewJob): void;

  /**
   * A handler must be idempotent: it may run again after a crash. `onDone` records effects in the transaction that deletes done jobs. A
   * kind that waits for a server has own slots: a silent server would keep all kinds waiting.
   */
  abstract handle(kind: string, handler: JobHandler, onDone?: OnJobsDone, hasOwnSlots?: boolean): void;

  /** In one replica at a time, first after `everySeconds`. */
  abstract schedule(kind: string, everySeconds: number, handler: () => Promise<void>): void;
}

export type JobPayload = Readonly<Record<string, unknown>>;

export interface NewJob {
  readonly kind: string;
  readonly payload: JobPayload;
  /** Uses the app's share of the workers; absent for work of the service itself. */
  readonly appId?: AppId;
  /** By default as soon as the transaction has committed. */
  readonly runAt?: Date;
  readonly uniqueKey?: string;
}

/** When it throws, the job is tried again after growing pauses, except after the last attempt or `JobRefused`. */
export type JobHandler = (payload: JobPayload, attempt: number, isLastAttempt: boolean) => Promise<void>;

/** For jobs of all apps that are deleted together; again when that transaction must be repeated. */
export type OnJobsDone = (payloads: readonly JobPayload[]) => void;

/** Another attempt cannot succeed. The job is kept as dead for the operator. */
export class JobRefused extends Error {
  override readonly name = 'JobRefused';
}
