import { runChaos } from './chaos.js';

describe('money on both chains, with everything going wrong', () => {
  it('moves exactly once', async () => {
    const report = await runChaos({ transfersPerChain: 60 });
    // First, as it says what there is to know of the others.
    expect(report.unsettled).toEqual([]);
    expect(report).toMatchObject({
      transfers: 120,
      paidOnce: 120,
      paidTwice: 0,
      lost: 0,
      nonceGaps: 0,
      paidAgainstTheBooks: 0,
    });
    // Otherwise it would show nothing.
    expect(report.kills).toBeGreaterThan(2);
    expect(report.faults).toBeGreaterThan(100);
    expect(report.reorganisations).toBeGreaterThan(5);
  }, 240_000);
});
