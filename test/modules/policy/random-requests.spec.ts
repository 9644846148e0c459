import { candidates, evaluate } from '../../../src/modules/policy/domain/evaluate.js';
import type { Usage, Verdict } from '../../../src/modules/policy/domain/verdict.js';
import { textOf, usageOf } from './builders.js';
import { Chance, randomFacts, randomHistory, randomPolicy } from './random-policies.js';
import { judge } from './reference-evaluator.js';

const REQUESTS = 100_000;

function randomRequest(seed: number) {
  const chance = new Chance(seed);
  const names = ['p0', 'p1', 'p2'].slice(0, chance.of([0, 1, 1, 1, 1, 1, 2, 2, 2, 3]));
  const policies = names.map((name) => randomPolicy(chance, name));
  const rules = policies.flatMap(({ id, rules }) => rules.map((rule) => `${id}/${rule.id}`));
  const approved = new Set(rules.filter(() => chance.is(0.5)));
  return { policies, facts: randomFacts(chance), usage: usageOf(randomHistory(chance)), approved, rules };
}

function kindsOf(verdict: Verdict): string[] {
  if (verdict.outcome === 'deny') return [verdict.reason];
  const kinds: string[] = [verdict.outcome];
  if (verdict.spends.length > 0) kinds.push(`${verdict.outcome} in windows`);
  if (verdict.outcome === 'require_approval') return kinds;
  if (verdict.by.length > 1) kinds.push('allow of two scopes');
  if (verdict.by.some(({ rule }) => rule.effect === 'require_approval')) kinds.push('allow by approval');
  return kinds;
}

describe('random requests', () => {
  it('have the verdict of the reference evaluator', () => {
    const counts: Record<string, number> = {};
    for (let seed = 0; seed < REQUESTS; seed++) {
      const { policies, facts, usage, approved } = randomRequest(seed);
      const verdict = evaluate(policies, facts, usage, approved);
      const [actual, expected] = [textOf(verdict), textOf(judge(policies, facts, usage, approved))];
      if (actual !== expected)
        expect({ seed, policies, facts, verdict: actual }).toEqual({ seed, policies, facts, verdict: expected });
      for (const kind of kindsOf(verdict)) counts[kind] = (counts[kind] ?? 0) + 1;
    }
    // Otherwise the requests would not show that the evaluators agree.
    const frequent = Object.keys(counts).filter((kind) => counts[kind]! >= REQUESTS / 100);
    expect(frequent.sort()).toEqual([
      'allow',
      'allow by approval',
      'allow in windows',
      'allow of two scopes',
      'denied_by_rule',
      'missing_fact',
      'no_rule',
      'require_approval',
      'require_approval in windows',
      'unlimited',
      'window_amount',
      'window_count',
    ]);
  });

  it('read no window of a rule that is no candidate', () => {
    for (let seed = 0; seed < REQUESTS / 10; seed++) {
      const { policies, facts, usage, approved } = randomRequest(seed);
      const known = candidates(policies, facts).map(({ policy, rule }) => `${policy.name}/${rule.id}`);
      const checked: Usage = (of, window, destination) => {
        const name = `${of.policy.name}/${of.rule.id}`;
        if (!known.includes(name)) expect({ seed, known }).toEqual({ seed, known: expect.arrayContaining([name]) });
        return usage(of, window, destination);
      };
      evaluate(policies, facts, checked, approved);
    }
  });

  it('spend the same before and after they are approved', () => {
    let asked = 0;
    for (let seed = 0; seed < REQUESTS / 10; seed++) {
      const { policies, facts, usage, approved, rules } = randomRequest(seed);
      const [before, after] = [approved, new Set(rules)].map((given) => evaluate(policies, facts, usage, given));
      if (before!.outcome !== 'require_approval' || after!.outcome !== 'allow') continue;
      asked += 1;
      expect(after!.spends).toEqual(before!.spends);
    }
    expect(asked).toBeGreaterThan(REQUESTS / 500);
  });
});
