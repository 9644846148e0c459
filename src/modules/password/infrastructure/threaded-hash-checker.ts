import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { TooManyRequests } from '../../../kernel/errors.js';
import { HashChecker, type PasswordHash } from '../domain/password-hash.js';

/** One processor stays for everything else. */
const THREADS = Math.max(1, availableParallelism() - 1);
/** More would wait longer than callers do. */
const MOST_WAITING = 128;

interface Comparison {
  readonly password: string;
  readonly hash: PasswordHash;
  readonly resolve: (isMatch: boolean) => void;
  readonly reject: (error: Error) => void;
}

/** Threads start with the first comparisons, and compare one password at a time. */
@Injectable()
export class ThreadedHashChecker extends HashChecker implements OnApplicationShutdown {
  private readonly waiting: Comparison[] = [];
  private readonly idle: Worker[] = [];
  private readonly running = new Map<Worker, Comparison | null>();

  requireRoom(): void {
    if (this.waiting.length < MOST_WAITING) return;
    const policy = { name: 'password-checks', quota: MOST_WAITING, windowSeconds: 1 };
    throw new TooManyRequests(1, policy, 'Too many passwords are being checked. Try again after Retry-After seconds.');
  }

  matches(password: string, hash: PasswordHash): Promise<boolean> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ password, hash, resolve, reject });
      this.startNext();
    });
  }

  async onApplicationShutdown(): Promise<void> {
    await Promise.all([...this.running.keys()].map((worker) => worker.terminate()));
  }

  private startNext(): void {
    if (this.waiting.length === 0) return;
    const worker = this.idle.pop() ?? (this.running.size < THREADS ? this.newWorker() : null);
    if (!worker) return;
    const { password, hash, ...comparison } = this.waiting.shift()!;
    this.running.set(worker, { password, hash, ...comparison });
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- threads have no origin
    worker.postMessage({ password, hash });
  }

  private newWorker(): Worker {
    const worker = new Worker(join(import.meta.dirname, 'hash-worker.mjs'));
    // A process that ends does not wait for it.
    worker.unref();
    worker.on('message', ({ isMatch, fault }: { readonly isMatch?: boolean; readonly fault?: string }) => {
      const comparison = this.running.get(worker)!;
      this.running.set(worker, null);
      this.idle.push(worker);
      if (isMatch === undefined) comparison?.reject(new Error(`A password hash could not be computed: ${fault}`));
      else comparison?.resolve(isMatch);
      this.startNext();
    });
    const lose = (error: Error): void => {
      this.running.get(worker)?.reject(error);
      this.running.delete(worker);
      this.startNext();
    };
    worker.on('error', lose);
    worker.on('exit', () => this.running.has(worker) && lose(new Error('The thread that checks passwords has ended.')));
    return worker;
  }
}
