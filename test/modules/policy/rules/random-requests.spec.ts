import { isDeepStrictEqual } from 'node:util';
import { candidates, evaluate, fit } from '../../../../src/modules/policy/rules/domain/evaluate.js';
import type { Rule } from '../../../../src/modules/policy/rules/domain/policy.js';
import type { Usage, Verdict } from '../../../../src/modules/policy/rules/domain/verdict.js';
import { tenth } from '../../../support/sampled.js';
import { textOf, usageOf } from '../builders.js';
import { Chance, randomFacts, randomHistory, randomPolicy } from '../random-policies.js';
import { judge } from '../reference-evaluator.js';

const SEEDS = tenth(Array.from({ length: 100_000 }, (_, seed) => seed));
const REQUESTS = SEEDS.length;

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

/** The seeds of the first requests that have a fault; a test expects none. */
function faultsIn(requests: number, isFault: (request: ReturnType<typeof randomRequest>) => boolean): number[] {
  return SEEDS.slice(0, requests)
    .filter((seed) => isFault(randomRequest(seed)))
    .slice(0, 5);
}

describe('random requests', () => {
  it('have the verdict of the reference evaluator', () => {
    const counts: Record<string, number> = {};
    const faults = faultsIn(REQUESTS, ({ policies, facts, usage, approved }) => {
      const verdict = evaluate(fit(policies, facts), usage, approved);
      for (const kind of kindsOf(verdict)) counts[kind] = (counts[kind] ?? 0) + 1;
      return textOf(verdict) !== textOf(judge(policies, facts, usage, approved));
    });
    expect(faults).toEqual([]);
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
    let read = 0;
    const faults = faultsIn(REQUESTS / 10, ({ policies, facts, usage, approved }) => {
      const known = candidates(fit(policies, facts)).map(({ rule }) => rule);
      const unknown: Rule[] = [];
      const watched: Usage = (of, window, destination) => {
        read += 1;
        if (!known.includes(of.rule)) unknown.push(of.rule);
        return usage(of, window, destination);
      };
      evaluate(fit(policies, facts), watched, approved);
      return unknown.length > 0;
    });
    expect(faults).toEqual([]);
    expect(read).toBeGreaterThan(REQUESTS / 100);
  });

  it('spend the same before and after they are approved', () => {
    let asked = 0;
    const faults = faultsIn(REQUESTS / 10, ({ policies, facts, usage, approved, rules }) => {
      const before = evaluate(fit(policies, facts), usage, approved);
      const after = evaluate(fit(policies, facts), usage, new Set(rules));
      if (before.outcome !== 'require_approval' || after.outcome !== 'allow') return false;
      asked += 1;
      return !isDeepStrictEqual(before.spends, after.spends);
    });
    expect(faults).toEqual([]);
    expect(asked).toBeGreaterThan(REQUESTS / 500);
  });
});
