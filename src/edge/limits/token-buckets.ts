export interface Taken {
  readonly allowed: boolean;
  readonly remaining: number;
  readonly secondsToNext: number;
  readonly secondsToFull: number;
}

interface Bucket {
  tokens: number;
  at: number;
  owesUntil?: number;
}

/** No timers: a used bucket moves to the current generation; a generation older than the refill time is dropped, full as it is. */
export class TokenBuckets {
  private current = new Map<string, Bucket>();
  private previous = new Map<string, Bucket>();
  private bornAt: number;

  constructor(
    private readonly refillSeconds: number,
    private readonly maxBuckets = 100_000,
    /** Seconds of a monotonic clock. */
    private readonly now: () => number = () => performance.now() / 1000,
  ) {
    this.bornAt = now();
  }

  take(key: string, capacity: number): Taken {
    const rate = capacity / this.refillSeconds;
    const bucket = this.filled(key, capacity, rate);
    const allowed = bucket.tokens >= 1;
    if (allowed) bucket.tokens -= 1;
    return {
      allowed,
      remaining: Math.max(0, Math.floor(bucket.tokens)),
      secondsToNext: bucket.tokens >= 1 ? 0 : (1 - bucket.tokens) / rate,
      secondsToFull: (capacity - bucket.tokens) / rate,
    };
  }

  /** May take more than the bucket holds. */
  charge(key: string, capacity: number, calls: number): void {
    const rate = capacity / this.refillSeconds;
    const bucket = this.filled(key, capacity, rate);
    bucket.tokens -= calls;
    bucket.owesUntil = bucket.at - bucket.tokens / rate;
  }

  get size(): number {
    return this.current.size + this.previous.size;
  }

  private filled(key: string, capacity: number, rate: number): Bucket {
    const now = this.now();
    if (now - this.bornAt >= this.refillSeconds || this.current.size >= this.maxBuckets / 2) this.age(now);
    const bucket = this.find(key) ?? { tokens: capacity, at: now };
    this.current.set(key, bucket);
    bucket.tokens = Math.min(capacity, bucket.tokens + (now - bucket.at) * rate);
    bucket.at = now;
    return bucket;
  }

  private find(key: string): Bucket | undefined {
    const current = this.current.get(key);
    if (current) return current;
    const previous = this.previous.get(key);
    if (previous) this.previous.delete(key);
    return previous;
  }

  private age(now: number): void {
    const owing = [...this.previous].filter(([, { owesUntil = 0 }]) => owesUntil > now);
    this.previous = this.current;
    this.current = new Map(owing);
    this.bornAt = now;
  }
}
