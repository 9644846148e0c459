import type { AppId } from './ids.js';

/** Work that must happen after a commit, at least once, even when processes crash. */
export abstract class Jobs {
  /**
   * Stores a job with the current transaction, at the latest with its COMMIT. Throws outside a transaction. The payload is kept
   * sealed. A job whose `uniqueKey` is already waiting is not stored twice.
   */
  abstract enqueue(job: NewJob): void;

  /**
   * Registers the handler for jobs of a kind. A handler may be called again after a crash, so it must be idempotent. `onDone` records the
   * effect of done jobs, in the transaction that deletes them. A job for which that fails is tried again. A kind that waits for a server of
   * its own has worker slots of its own: otherwise a silent server would keep the jobs of all kinds waiting.
   */
  abstract handle(kind: string, handler: JobHandler, onDone?: OnJobsDone, hasOwnSlots?: boolean): void;

  /** Runs `kind` about every `everySeconds` in one replica at a time. The first run is after that time. */
  abstract schedule(kind: string, everySeconds: number, handler: () => Promise<void>): void;
}

export type JobPayload = Readonly<Record<string, unknown>>;

export interface NewJob {
  readonly kind: string;
  readonly payload: JobPayload;
  /** The app whose share of the workers the job uses; absent for work of the service itself. */
  readonly appId?: AppId;
  /** The job first runs at this time; default: as soon as the transaction has committed. */
  readonly runAt?: Date;
  readonly uniqueKey?: string;
}

/**
 * Resolves when the job is done. When it throws, the job is tried again after growing pauses, unless it was the last attempt;
 * after `JobRefused` it is not.
 */
export type JobHandler = (payload: JobPayload, attempt: number, isLastAttempt: boolean) => Promise<void>;

/** Called with the payloads of the jobs that are deleted together, of all apps; again when that transaction must be repeated. */
export type OnJobsDone = (payloads: readonly JobPayload[]) => void;

/** Thrown by a handler when another attempt cannot succeed. The job is kept as dead for the operator. */
export class JobRefused extends Error {
  override readonly name = 'JobRefused';
}
