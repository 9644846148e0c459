import type { AppId } from './ids.js';

/** Work that happens at least once after a commit, even when processes crash. */
export abstract class Jobs {
  /** Throws outside a transaction. The job is stored with the current one, unless its `uniqueKey` already waits. */
  abstract enqueue(job: NewJob): void;

  /** A handler must be idempotent. A kind that waits for a server has own slots: a silent server would keep all kinds waiting. */
  abstract handle(kind: string, handler: JobHandler, onDone?: OnJobsDone, hasOwnSlots?: boolean): void;

  /** One replica at a time runs it, first after `everySeconds`. */
  abstract schedule(kind: string, everySeconds: number, handler: () => Promise<void>): void;
}

export type JobPayload = Readonly<Record<string, unknown>>;

export interface NewJob {
  readonly kind: string;
  readonly payload: JobPayload;
  /** Uses the app's share of the workers; absent for work of the service itself. */
  readonly appId?: AppId;
  /** The default is the commit of the transaction. */
  readonly runAt?: Date;
  readonly uniqueKey?: string;
}

/** When it throws, the job is tried again after growing pauses, except after the last attempt or `JobRefused`. */
export type JobHandler = (payload: JobPayload, attempt: number, isLastAttempt: boolean) => Promise<void>;

/** The payloads are those of jobs that are deleted together, of all apps. It runs again when that transaction must be repeated. */
export type OnJobsDone = (payloads: readonly JobPayload[]) => void;

/** Another attempt cannot succeed. The job is kept as dead for the operator. */
export class JobRefused extends Error {
  override readonly name = 'JobRefused';
}
