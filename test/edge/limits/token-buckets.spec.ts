import { TokenBuckets } from '../../../src/edge/limits/token-buckets.js';

/** Buckets that fill up in three seconds, on a clock that stands still unless moved. */
function bucketsOf(maxBuckets?: number) {
  let now = 1000;
  const buckets = new TokenBuckets(3, maxBuckets, () => now);
  const takeMany = (key: string, times: number) =>
    Array.from({ length: times }, () => buckets.take(key, 300)).filter(({ allowed }) => allowed).length;
  return { buckets, takeMany, pass: (seconds: number) => (now += seconds) };
}

describe('a token bucket', () => {
  it('allows a burst of its capacity at once and then no more', () => {
    const { takeMany } = bucketsOf();
    expect(takeMany('a', 1000)).toBe(300);
  });

  it('refills at its rate, never above its capacity', () => {
    const { takeMany, pass } = bucketsOf();
    takeMany('a', 300);
    pass(0.5);
    expect(takeMany('a', 1000)).toBe(50);
    pass(1);
    expect(takeMany('a', 1000)).toBe(100);
    pass(60);
    expect(takeMany('a', 1000)).toBe(300);
  });

  it('is not emptied further by calls it refuses', () => {
    const { takeMany, pass } = bucketsOf();
    expect(takeMany('a', 100_000)).toBe(300);
    pass(0.015);
    expect(takeMany('a', 5)).toBe(1);
  });

  it('says what is left, when one more is allowed, and when it is full again', () => {
    const { buckets, takeMany, pass } = bucketsOf();
    expect(buckets.take('a', 300)).toEqual({ allowed: true, remaining: 299, secondsToNext: 0, secondsToFull: 0.01 });
    takeMany('a', 299);
    expect(buckets.take('a', 300)).toEqual({ allowed: false, remaining: 0, secondsToNext: 0.01, secondsToFull: 3 });
    pass(1.5);
    expect(buckets.take('a', 300)).toMatchObject({ allowed: true, remaining: 149 });
  });

  it('is one per key', () => {
    const { takeMany } = bucketsOf();
    takeMany('a', 300);
    expect(takeMany('b', 400)).toBe(300);
  });

  it('follows a capacity that changes', () => {
    const { buckets } = bucketsOf();
    buckets.take('a', 300);
    expect(buckets.take('a', 10).remaining).toBe(9);
    expect(buckets.take('a', 300).remaining).toBe(8);
  });

  it.each([0.1, 1, 2.9, 3, 4, 7])('is not forgiven by time that passes %d s at a time', (step) => {
    const { takeMany, pass } = bucketsOf();
    let allowed = takeMany('a', 1000);
    for (let passed = step; passed <= 30; passed += step) {
      pass(step);
      allowed += takeMany('a', 1000);
    }
    // Full at the start, plus at most its rate since.
    expect(allowed).toBeLessThanOrEqual(300 + 30 * 100);
  });
});

describe('the memory of buckets', () => {
  it('is given back as they fill up again', () => {
    const { buckets, pass } = bucketsOf();
    for (let i = 0; i < 1000; i++) buckets.take(`old ${i}`, 300);
    expect(buckets.size).toBe(1000);
    pass(4);
    buckets.take('a', 300);
    pass(4);
    buckets.take('a', 300);
    expect(buckets.size).toBe(1);
  });

  it('is bounded when there are more keys than it holds, and keeps the busy ones', () => {
    const { buckets, takeMany } = bucketsOf(1000);
    expect(takeMany('busy', 300)).toBe(300);
    let [forgiven, largest] = [0, 0];
    for (let i = 0; i < 50_000; i++) {
      buckets.take(`flood ${i}`, 300);
      if (i % 100 === 0) forgiven += takeMany('busy', 1);
      largest = Math.max(largest, buckets.size);
    }
    expect(forgiven).toBe(0);
    expect(largest).toBeLessThanOrEqual(1000);
  });
});
