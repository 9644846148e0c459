import { candidates, evaluate, fit } from '../../../../src/modules/policy/rules/domain/evaluate.js';
import { BOUNDS, type Window } from '../../../../src/modules/policy/rules/domain/policy.js';
import { NOTHING_USED, RunningUsage } from '../../../../src/modules/policy/rules/domain/verdict.js';
import { leastUnitsOf } from '../../../support/processor-time.js';
import { COIN, factsOf, moveOf, policyOf, ruleOf, windowOf } from '../builders.js';

const ITEMS = 100;

function requestsUnder(policies: number, rules: number, windows: number, per: Window['per']) {
  const stored = Array.from({ length: policies }, (_, policy) =>
    policyOf(
      Array.from({ length: rules }, (_, rule) =>
        ruleOf(
          'allow',
          `r${rule}`,
          { assets: [COIN] },
          Array.from({ length: windows }, (_, window) => windowOf({ seconds: 60 + window, maxCount: 1_000, per })),
        ),
      ),
      { name: `p${policy}` },
    ),
  );
  return Array.from({ length: ITEMS }, (_, item) => {
    const move = moveOf(1n, { asset: { network: 'ethereum', token: null }, destination: `0x${item}` });
    return fit(stored, factsOf({ operation: 'transfer', moves: [move] }));
  });
}

describe.each([
  [1, 50, 2, 'policy'],
  [1, 50, 10, 'policy'],
  [20, 50, 2, 'policy'],
  [20, 50, 2, 'destination'],
] as const)(
  `${ITEMS} requests under %i policies of %i rules with %i windows per %s`,
  (policies, rules, windowsOfRule, per) => {
    // 50 units for as many windows as a batch may have.
    it('are decided one after the other in processor time that is proportional to their windows', async () => {
      const requests = requestsUnder(policies, rules, windowsOfRule, per);
      const units = await leastUnitsOf(() => {
        const windows = new RunningUsage(NOTHING_USED);
        for (const request of requests) {
          const verdict = evaluate(request, windows.usage, new Set());
          if (verdict.outcome !== 'allow') throw new Error(verdict.outcome);
          windows.add(verdict.spends);
        }
      });
      const counted = requests.flatMap(candidates).reduce((sum, { rule }) => sum + rule.windows.length, 0);
      expect(units).toBeLessThan(Math.max(1, counted / BOUNDS.windowsOfBatch) * 50);
    });
  },
);
