import { SealBroken } from '../../kernel/vault.js';
import {
  type KeyPlace,
  type KeyProvider,
  KeyRefused,
  ProviderFailed,
  type ProviderFault,
  type Wrapped,
} from './key-provider.js';

export type Operation = 'wrap' | 'unwrap' | 'rewrap' | 'health';

export type ProviderObserver = (
  provider: string,
  operation: Operation,
  outcome: 'done' | 'refused' | 'skipped' | ProviderFault,
  seconds: number,
) => void;

export interface ProviderState {
  readonly fault: ProviderFailed | null;
  /** The end of the first failure since the last success. */
  readonly failingSince: Date | null;
  readonly checkedAt: Date | null;
}

const LONGEST_MS = 2_000;
/** After this many failures in a row the provider is called only as a probe, after a pause that doubles. */
const FAILURES = 3;
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 3_000;
const JITTER = 0.25;
const FRESH_MS = 10_000;

/** Bounds each call to 2 s. A circuit breaker spares callers the wait in an outage, and the returning provider a storm of requests. */
export class BoundedProvider {
  private failures = 0;
  private probeAt = 0;
  private last: ProviderState = { fault: null, failingSince: null, checkedAt: null };
  private calledAt = -Infinity;

  constructor(
    private readonly provider: KeyProvider,
    private readonly observe: ProviderObserver = () => undefined,
  ) {}

  get name() {
    return this.provider.name;
  }

  /** The result of the last call. When it is not recent, this begins a probe, whose result the next reader gets. */
  get state(): ProviderState {
    if (performance.now() - this.calledAt > FRESH_MS) void this.health().catch(() => undefined);
    return this.last;
  }

  wrap(key: Uint8Array, place: KeyPlace): Promise<Wrapped> {
    return this.bounded('wrap', (signal) => this.provider.wrap(key, place, signal));
  }

  unwrap(wrapped: Wrapped, place: KeyPlace): Promise<Buffer> {
    return this.bounded('unwrap', (signal) => this.provider.unwrap(wrapped, place, signal));
  }

  rewrap(wrapped: Wrapped, place: KeyPlace): Promise<Wrapped> {
    return this.bounded('rewrap', (signal) => this.provider.rewrap(wrapped, place, signal));
  }

  health(): Promise<void> {
    return this.bounded('health', (signal) => this.provider.health(signal));
  }

  close(): void {
    this.provider.close();
  }

  private async bounded<T>(operation: Operation, call: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const began = performance.now();
    if (began < this.probeAt) {
      this.observe(this.name, operation, 'skipped', 0);
      throw this.last.fault!;
    }
    this.calledAt = began;
    // The calls beside a probe do not wait for its result.
    if (this.failures >= FAILURES) this.probeAt = began + LONGEST_MS;
    const observe = (outcome: Parameters<ProviderObserver>[2]): void =>
      this.observe(this.name, operation, outcome, (performance.now() - began) / 1_000);
    try {
      const result = await withinLimit(call);
      this.responded();
      this.remember(null);
      observe('done');
      return result;
    } catch (error) {
      if (error instanceof SealBroken) {
        // The wrapped key may be malformed, so the refusal says nothing about the provider: the next call probes.
        this.probeAt = 0;
        observe('refused');
        throw error;
      }
      if (error instanceof KeyRefused) {
        this.responded();
        // It may concern one key alone. A new key or a probe shows whether the service may use the provider.
        if (operation === 'unwrap' || operation === 'rewrap') this.calledAt = -Infinity;
        else this.remember(error);
        observe(error.fault);
        throw error;
      }
      const failed =
        error instanceof ProviderFailed
          ? error
          : new ProviderFailed('failed', `The call to ${this.name} failed.`, { cause: error });
      this.failed(failed);
      observe(failed.fault);
      throw failed;
    }
  }

  private remember(fault: ProviderFailed | null): void {
    const checkedAt = new Date();
    this.last = { fault, failingSince: fault && (this.last.failingSince ?? checkedAt), checkedAt };
  }

  private responded(): void {
    this.failures = 0;
    this.probeAt = 0;
  }

  private failed(fault: ProviderFailed): void {
    this.remember(fault);
    this.failures++;
    if (this.failures < FAILURES) return;
    const pauseMs = Math.min(FIRST_PAUSE_MS * 2 ** (this.failures - FAILURES), LONGEST_PAUSE_MS);
    // Replicas that lost the provider at the same time must not probe it at the same times.
    this.probeAt = performance.now() + pauseMs * (1 - JITTER * Math.random());
  }
}

/** An adapter may ignore the signal, so the time is bounded here too. */
async function withinLimit<T>(call: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const limit = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const expired = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      const failed = new ProviderFailed('timeout', `The key provider did not respond within ${LONGEST_MS} ms.`);
      reject(failed);
      limit.abort(failed);
    }, LONGEST_MS);
  });
  try {
    return await Promise.race([call(limit.signal), expired]);
  } finally {
    clearTimeout(timer);
  }
}
