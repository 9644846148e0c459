/** Work that must happen after a commit, at least once, however often the process dies. */
export abstract class Jobs {
  /**
   * Stores a job with the current transaction (or on its own outside one). The payload is kept sealed. It first runs
   * at `runAt` (default: as soon as the transaction has committed). A job whose `uniqueKey` is already waiting is not stored twice.
   */
  abstract enqueue(job: NewJob): Promise<void>;

  /** Names who does the jobs of a kind. A handler may be called again after a crash, so it must be idempotent. */
  abstract handle(kind: string, handler: JobHandler): void;

  /** Runs `kind` about every `everySeconds` in one replica at a time, starting soon after boot. */
  abstract schedule(kind: string, everySeconds: number, handler: () => Promise<void>): void;
}

export interface NewJob {
  readonly kind: string;
  readonly payload: Readonly<Record<string, unknown>>;
  readonly runAt?: Date;
  readonly uniqueKey?: string;
}

/** Resolves when the job is done for good. Throwing means try again later, with growing pauses; `JobRefused` means never. */
export type JobHandler = (payload: Readonly<Record<string, unknown>>, attempt: number) => Promise<void>;

/** Thrown by a handler when trying again cannot help; the job is kept as dead for the operator to see. */
export class JobRefused extends Error {
  override readonly name = 'JobRefused';
}
