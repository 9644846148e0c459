import { runChaos } from './chaos.js';
import { SHORT } from './settings.js';

describe('money on both chains, with faults everywhere', () => {
  // The hardest settings: with one endpoint only proofs help, and PostgreSQL loses commits that are not durable.
  it('moves exactly once', async () => {
    const report = await runChaos({ ...SHORT, seed: 10, endpoints: 1, finality: 'depth', synchronousCommit: 'off' });
    // First, because it shows everything known about the failed orders.
    expect(report.unsettled).toEqual([]);
    expect(report).toMatchObject({
      paidOnce: 2 * SHORT.transfersPerChain,
      unprovable: 2 * SHORT.unprovable,
      paidTwice: 0,
      neverPaid: 0,
      lost: 0,
      nonceGaps: 0,
      paidAgainstTheBooks: 0,
    });
  }, 1_200_000);
});
