import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { DatabaseUnavailable, TooManyRequests } from '../../../kernel/errors.js';
import type { AppId } from '../../../kernel/ids.js';
import { HashChecker, type PasswordHash } from '../domain/password-hash.js';

/** One processor stays for everything else. Each thread may take 128 MiB. */
const THREADS = Math.min(4, Math.max(1, availableParallelism() - 1));
/** More would wait longer than callers do. */
const MOST_WAITING = 128;
/** The logins of one app leave room for those of the others, and an app of which none waits always has room. */
const MOST_WAITING_OF_APP = MOST_WAITING / 4;

interface Comparison {
  readonly password: string;
  readonly hash: PasswordHash;
  readonly resolve: (isMatch: boolean) => void;
  readonly reject: (error: Error) => void;
}

interface RunningComparison extends Comparison {
  readonly timer: NodeJS.Timeout;
}

/** A thread compares one password at a time. Apps take turns. */
@Injectable()
export class ThreadedHashChecker extends HashChecker implements OnApplicationShutdown {
  /** The app whose turn is next is first. */
  private readonly waiting = new Map<AppId, Comparison[]>();
  private readonly idle: Worker[] = [];
  /** Null while the thread is idle or ends. */
  private readonly running = new Map<Worker, RunningComparison | null>();
  /** A hash within the bounds takes about half a second. */
  protected readonly timeLimitMs: number = 15_000;

  requireRoom(appId: AppId): void {
    const ofApp = this.waiting.get(appId)?.length ?? 0;
    if (ofApp === 0) return;
    const ofAll = [...this.waiting.values()].reduce((sum, { length }) => sum + length, 0);
    if (ofAll < MOST_WAITING && ofApp < MOST_WAITING_OF_APP) return;
    const policy = { name: 'password-checks', quota: MOST_WAITING_OF_APP, windowSeconds: 1 };
    throw new TooManyRequests(1, policy, 'Too many passwords are being checked. Try again after Retry-After seconds.');
  }

  async matches(appId: AppId, password: string, hash: PasswordHash): Promise<boolean> {
    // All of many simultaneous calls may have found room before the first of them waited.
    this.requireRoom(appId);
    return new Promise((resolve, reject) => {
      const ofApp = this.waiting.get(appId) ?? [];
      this.waiting.set(appId, [...ofApp, { password, hash, resolve, reject }]);
      this.startNext();
    });
  }

  async onApplicationShutdown(): Promise<void> {
    await Promise.all([...this.running.keys()].map((worker) => worker.terminate()));
  }

  private startNext(): void {
    const [next] = this.waiting;
    if (!next) return;
    const worker = this.idle.pop() ?? (this.running.size < THREADS ? this.newWorker() : null);
    if (!worker) return;
    const [appId, queue] = next;
    this.waiting.delete(appId);
    if (queue.length > 1) this.waiting.set(appId, queue.slice(1));
    const comparison = queue[0]!;
    const timer = setTimeout(() => this.end(worker), this.timeLimitMs).unref();
    this.running.set(worker, { ...comparison, timer });
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- threads have no origin
    worker.postMessage({ password: comparison.password, hash: comparison.hash });
  }

  /** The thread counts until it has ended, so that no more of them run at the same time. */
  private end(worker: Worker): void {
    const message = 'The password could not be checked in time. Try again after Retry-After seconds.';
    this.running.get(worker)?.reject(new DatabaseUnavailable(message));
    this.running.set(worker, null);
    void worker.terminate();
  }

  private newWorker(): Worker {
    const worker = new Worker(join(import.meta.dirname, 'hash-worker.mjs'));
    // A process that ends does not wait for the thread.
    worker.unref();
    worker.on('message', ({ isMatch, fault }: { readonly isMatch?: boolean; readonly fault?: string }) => {
      const comparison = this.running.get(worker);
      // Its time was over.
      if (!comparison) return;
      clearTimeout(comparison.timer);
      this.running.set(worker, null);
      this.idle.push(worker);
      if (isMatch === undefined) comparison.reject(new Error(`A password hash could not be computed: ${fault}`));
      else comparison.resolve(isMatch);
      this.startNext();
    });
    const lose = (error: Error): void => {
      const comparison = this.running.get(worker);
      clearTimeout(comparison?.timer);
      comparison?.reject(error);
      this.running.delete(worker);
      if (this.idle.includes(worker)) this.idle.splice(this.idle.indexOf(worker), 1);
      this.startNext();
    };
    worker.on('error', lose);
    worker.on('exit', () => this.running.has(worker) && lose(new Error('The thread that checks passwords has ended.')));
    return worker;
  }
}
