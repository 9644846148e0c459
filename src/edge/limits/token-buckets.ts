/** What a bucket says to one call. */
export interface Taken {
  readonly allowed: boolean;
  /** Whole calls left. */
  readonly remaining: number;
  /** Seconds until one more call is allowed; 0 while one is. */
  readonly secondsToNext: number;
  /** Seconds until the bucket is full again. */
  readonly secondsToFull: number;
}

interface Bucket {
  tokens: number;
  at: number;
}

/**
 * Token buckets in bounded memory, without timers. Buckets live in two generations: one used is moved to the young one,
 * and when the young one is older than a bucket takes to fill up, the old one is dropped whole. What is dropped was full
 * again, so nothing is forgotten; only a flood of more than `maxBuckets` keys drops earlier, the longest idle first.
 */
export class TokenBuckets {
  private young = new Map<string, Bucket>();
  private old = new Map<string, Bucket>();
  private bornAt: number;

  /** @param refillSeconds how long an empty bucket takes to fill up. */
  constructor(
    private readonly refillSeconds: number,
    private readonly maxBuckets = 100_000,
    /** Seconds of a clock that is never set back. */
    private readonly now: () => number = () => performance.now() / 1000,
  ) {
    this.bornAt = now();
  }

  /** Takes one call out of the bucket of `key`, which holds `capacity` when full. */
  take(key: string, capacity: number): Taken {
    const now = this.now();
    if (now - this.bornAt >= this.refillSeconds || this.young.size >= this.maxBuckets / 2) this.age(now);
    const rate = capacity / this.refillSeconds;
    const bucket = this.find(key) ?? { tokens: capacity, at: now };
    this.young.set(key, bucket);
    bucket.tokens = Math.min(capacity, bucket.tokens + (now - bucket.at) * rate);
    bucket.at = now;
    const allowed = bucket.tokens >= 1;
    if (allowed) bucket.tokens -= 1;
    return {
      allowed,
      remaining: Math.floor(bucket.tokens),
      secondsToNext: bucket.tokens >= 1 ? 0 : (1 - bucket.tokens) / rate,
      secondsToFull: (capacity - bucket.tokens) / rate,
    };
  }

  get size(): number {
    return this.young.size + this.old.size;
  }

  private find(key: string): Bucket | undefined {
    const young = this.young.get(key);
    if (young) return young;
    const old = this.old.get(key);
    if (old) this.old.delete(key);
    return old;
  }

  private age(now: number): void {
    this.old = this.young;
    this.young = new Map();
    this.bornAt = now;
  }
}
