import { runChaos } from './chaos.js';
import { NETWORKS } from './networks/names.js';
import { isGreen, missing } from './report.js';
import { SHORT, someTroubles } from './settings.js';

/** It chooses wallets of two apps, tokens, and keys that are used outside the service, also by authorisations. */
const SEED = 68;
/** `npm run chaos` has all. */
const SURROUNDINGS_IN_THE_GATE = 5;

describe('money on three networks, with faults everywhere', () => {
  // The hardest settings: with one endpoint only proofs help, and PostgreSQL loses commits that are not durable.
  it('moves exactly once', async () => {
    const report = await runChaos({
      ...SHORT,
      seed: SEED,
      troubles: someTroubles(SEED, SURROUNDINGS_IN_THE_GATE),
      endpoints: 1,
      finality: 'depth',
      synchronousCommit: 'off',
    });
    // First, because it shows everything known about the failed orders, and names the file with the whole history.
    const { evidence, unsettled, budgets, approvals } = report;
    expect({ evidence, unsettled, faults: [...budgets.faults, ...approvals.faults] }).toEqual({
      evidence: null,
      unsettled: [],
      faults: [],
    });
    expect(report).toMatchObject({
      unprovable: NETWORKS.length * SHORT.unprovable,
      paidTwice: 0,
      paidAstray: 0,
      neverPaid: 0,
      lost: 0,
      nonceGaps: 0,
      paidAgainstTheBooks: 0,
      jammed: 0,
    });
    for (const network of NETWORKS)
      expect(report.networks[network].orders).toBeGreaterThanOrEqual(SHORT.transfersPerNetwork + SHORT.unprovable);
    // The names show which kind of trouble a failed run lacks.
    expect(missing(report)).toEqual([]);
    expect(isGreen(report)).toBe(true);
  }, 1_200_000);
});
