import type { AppId } from '../../../src/kernel/ids.js';
import { FairShares } from '../../../src/services/jobs/waiting-jobs.js';

const [loud, quiet] = ['app_loud' as AppId, 'app_quiet' as AppId];

describe('the shares of apps', () => {
  let now = 0;
  let shares: FairShares;
  beforeEach(() => {
    now = 1_000;
    shares = new FairShares(() => now);
  });

  it('do not delay an app that stores 50 jobs a second', () => {
    for (let n = 0; n < 200; n++) {
      expect(shares.takeDelaySeconds(loud)).toBe(0);
      now += 20;
    }
  });

  it('delay each further job of an app that stores many at once, and no job of another app', () => {
    const delays = Array.from({ length: 101 }, () => shares.takeDelaySeconds(loud));
    expect(delays[0]).toBe(0);
    expect(delays[100]).toBeCloseTo(2);
    expect(shares.takeDelaySeconds(quiet)).toBe(0);
  });

  it('are whole again once the time for the stored jobs has passed', () => {
    for (let n = 0; n < 100; n++) shares.takeDelaySeconds(loud);
    now += 2_000;
    expect(shares.takeDelaySeconds(loud)).toBe(0);
  });

  it('delay a job by ten minutes at most', () => {
    let longest = 0;
    for (let n = 0; n < 50_000; n++) longest = Math.max(longest, shares.takeDelaySeconds(loud));
    expect(longest).toBe(600);
    now += 600_000;
    expect(shares.takeDelaySeconds(loud)).toBe(0);
  });

  it('forget apps that are within their share', () => {
    for (let n = 0; n < 25_000; n++) {
      shares.takeDelaySeconds(`app_${n}` as AppId);
      now += 1;
    }
    expect((shares as unknown as { usedUntil: Map<AppId, number> }).usedUntil.size).toBeLessThanOrEqual(10_001);
  });
});
