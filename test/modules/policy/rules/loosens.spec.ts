import type { ApproverGroupId } from '../../../../src/kernel/ids.js';
import { evaluate, fit } from '../../../../src/modules/policy/rules/domain/evaluate.js';
import { loosens } from '../../../../src/modules/policy/rules/domain/loosens.js';
import type { Policy, Rule } from '../../../../src/modules/policy/rules/domain/policy.js';
import { COIN, policyOf, ruleOf, TOKEN, usageOf, windowOf } from '../builders.js';
import {
  Chance,
  randomFacts,
  randomHistory,
  randomMatch,
  randomPolicy,
  randomRule,
  randomWindow,
} from '../random-policies.js';

/** Fewer where each of many mutants is tried. */
const TIGHTER_PAIRS = Number(process.env['TIGHTER_PAIRS'] ?? 10_000);
const REQUESTS_OF_A_PAIR = 6;
const IDS = ['r0', 'r1', 'r2', 'r3', 'r4'];

const token = { assets: [TOKEN] };
const daily = windowOf({ seconds: 86_400, maxAmount: 100n, maxCount: 5 });
const pay = ruleOf('allow', 'pay', { ...token, destinations: ['0xA', '0xB'], amount: { min: null, max: 50n } }, [
  daily,
]);
const sign = ruleOf('allow', 'sign', { operations: ['sign_message', 'sign_typed_data'] });
const ask = ruleOf('require_approval', 'ask', { ...token, amount: { min: 20n, max: null } });
const stop = ruleOf('deny', 'stop', { destinations: ['0xC'] });

const payWith = (given: Partial<Rule>): Rule => ({ ...pay, ...given });
const payWindow = (given: Parameters<typeof windowOf>[0]): Rule => payWith({ windows: [{ ...daily, ...given }] });
const payMatch = (given: Partial<Rule['match']>): Rule => payWith({ match: { ...pay.match, ...given } });
const askWith = (given: Partial<NonNullable<Rule['approvals']>>): Rule => ({
  ...ask,
  approvals: { ...ask.approvals!, ...given },
});

describe('a new version', () => {
  it.each<[string, readonly Rule[]]>([
    ['has the same rules', [pay, sign, ask, stop]],
    ['has the same rules in another order', [stop, ask, sign, pay]],
    ['denies more', [pay, sign, ask, stop, ruleOf('deny', 'more')]],
    ['denies what needed approval', [pay, sign, stop, ruleOf('deny', 'more', token)]],
    ['removes a rule that allows', [pay, ask, stop]],
    ['lets more approvers agree', [pay, sign, askWith({ count: 3 }), stop]],
    ['gives approvers less time', [pay, sign, askWith({ expiresIn: 60 }), stop]],
    ['lowers an amount', [payMatch({ amount: { min: null, max: 49n } }), sign, ask, stop]],
    ['has a least amount', [payMatch({ amount: { min: 1n, max: 50n } }), sign, ask, stop]],
    ['removes a destination', [payMatch({ destinations: ['0xA'] }), sign, ask, stop]],
    ['adds a condition', [payMatch({ networks: ['ethereum'] }), sign, ask, stop]],
    ['lowers a limit', [payWindow({ maxAmount: 99n }), sign, ask, stop]],
    ['has a longer window with the same limit', [payWindow({ seconds: 90_000 }), sign, ask, stop]],
    ['has another window', [payWith({ windows: [daily, windowOf({ maxCount: 1 })] }), sign, ask, stop]],
    ['has a new window', [pay, { ...sign, windows: [windowOf({ maxCount: 1 })] }, ask, stop]],
    ['removes an operation', [pay, { ...sign, match: { ...sign.match, operations: ['sign_message'] } }, ask, stop]],
  ])('that %s is tighter', (_, rules) => {
    expect(loosens(policyOf([pay, sign, ask, stop]), policyOf(rules))).toBe(false);
  });

  it.each<[string, readonly Rule[]]>([
    ['asks for what was allowed without windows', [pay, sign, ask, stop, { ...ask, id: 'new', match: sign.match }]],
    [
      'asks for what a window bounded',
      [payWith({ effect: 'require_approval', approvals: ask.approvals }), sign, ask, stop],
    ],
    ['denies less', [pay, sign, ask]],
    [
      'denies fewer destinations',
      [pay, sign, ask, ruleOf('deny', 'stop', { destinations: ['0xC'], networks: ['base'] })],
    ],
    ['asks where it denied', [pay, sign, ask, { ...ask, id: 'stop', match: stop.match }]],
    ['does not ask', [pay, sign, stop]],
    ['asks another group', [pay, sign, askWith({ group: 'agrp_h' as ApproverGroupId }), stop]],
    ['asks fewer approvers', [pay, sign, askWith({ count: 1 }), stop]],
    ['gives approvers more time', [pay, sign, askWith({ expiresIn: 601 }), stop]],
    [
      'asks from a greater amount',
      [pay, sign, { ...ask, match: { ...ask.match, amount: { min: 21n, max: null } } }, stop],
    ],
    ['asks under another id', [pay, sign, { ...ask, id: 'other' }, stop]],
    ['asks only where windows can be counted', [pay, sign, { ...ask, windows: [windowOf({ maxCount: 9 })] }, stop]],
    ['allows where it asked', [pay, sign, { ...ask, effect: 'allow', approvals: null }, stop]],
    ['adds a rule that allows', [pay, sign, ask, stop, ruleOf('allow', 'new', { networks: ['base'] })]],
    ['asks for what was not allowed', [pay, sign, ask, stop, { ...ask, id: 'new', match: stop.match }]],
    ['refills a budget by another id', [payWith({ id: 'pay2' }), sign, ask, stop]],
    ['has two budgets for one', [pay, payWith({ id: 'pay2' }), sign, ask, stop]],
    ['raises an amount', [payMatch({ amount: { min: null, max: 51n } }), sign, ask, stop]],
    ['bounds no amount', [payMatch({ amount: null }), sign, ask, stop]],
    ['has another asset', [payMatch({ assets: [COIN] }), sign, ask, stop]],
    ['adds a destination', [payMatch({ destinations: ['0xA', '0xB', '0xC'] }), sign, ask, stop]],
    ['drops a condition', [payMatch({ destinations: null }), sign, ask, stop]],
    ['names operations, and so allows delegations', [payMatch({ operations: ['sign_transaction'] }), sign, ask, stop]],
    ['raises a limit', [payWindow({ maxAmount: 101n }), sign, ask, stop]],
    ['drops a limit', [payWindow({ maxCount: null }), sign, ask, stop]],
    ['has a shorter window', [payWindow({ seconds: 86_399 }), sign, ask, stop]],
    ['counts each destination apart', [payWindow({ per: 'destination' }), sign, ask, stop]],
    ['drops a window', [payWith({ windows: [] }), sign, ask, stop]],
    [
      'adds an operation',
      [
        pay,
        { ...sign, match: { ...sign.match, operations: ['sign_message', 'sign_typed_data', 'export'] } },
        ask,
        stop,
      ],
    ],
  ])('that %s is looser', (_, rules) => {
    expect(loosens(policyOf([pay, sign, ask, stop]), policyOf(rules))).toBe(true);
  });

  it('for another scope is looser', () => {
    expect(loosens(policyOf([pay]), policyOf([pay], { scope: { kind: 'wallet', id: 'wallet_w' } }))).toBe(true);
    expect(loosens(policyOf([pay]), policyOf([pay], { scope: { kind: 'app', id: 'app_b' } }))).toBe(true);
  });

  it('is looser if it is the first and allows or asks, because other policies may not', () => {
    expect(loosens(null, policyOf([pay]))).toBe(true);
    expect(loosens(null, policyOf([ask]))).toBe(true);
    expect(loosens(null, policyOf([stop]))).toBe(false);
  });
});

it('retiring a policy is looser, because it may be the only one of its scope', () => {
  expect(loosens(policyOf([stop]), null)).toBe(true);
  expect(loosens(policyOf([pay]), null)).toBe(true);
  expect(loosens(null, null)).toBe(false);
});

/** A change of one rule, of which about half are tighter. */
function changed(chance: Chance, rule: Rule): Rule {
  const other = randomRule(chance, rule.id);
  switch (chance.below(9)) {
    case 0:
      return { ...rule, match: { ...rule.match, operations: randomMatch(chance).operations } };
    case 1:
      return { ...rule, match: { ...rule.match, networks: randomMatch(chance).networks } };
    case 2:
      return { ...rule, match: { ...rule.match, destinations: randomMatch(chance).destinations } };
    case 3:
      return { ...rule, match: { ...rule.match, amount: rule.match.assets?.length === 1 ? other.match.amount : null } };
    case 4:
      return {
        ...rule,
        effect: other.effect,
        approvals: other.approvals,
        windows: other.effect === 'deny' ? [] : rule.windows,
      };
    case 5:
      return { ...rule, approvals: rule.approvals && { ...rule.approvals, count: 1 + chance.below(3) } };
    case 6:
      return rule.effect === 'deny' ? rule : { ...rule, windows: [...rule.windows, randomWindow(chance, rule.match)] };
    case 7:
      return { ...rule, windows: rule.windows.slice(1) };
    default:
      return {
        ...rule,
        windows: rule.windows.map((window) => {
          const { seconds, maxAmount, maxCount, per } = randomWindow(chance, rule.match);
          const some: typeof window = { ...window, ...chance.of([{ seconds }, { maxAmount }, { maxCount }, { per }]) };
          return some.maxAmount === null && some.maxCount === null ? window : some;
        }),
      };
  }
}

function changedPolicy(chance: Chance, policy: Policy): Policy {
  let rules = [...policy.rules];
  for (let change = 0; change <= chance.below(2); change++) {
    const at = chance.below(rules.length + 1);
    const id = IDS.find((each) => rules.every((rule) => rule.id !== each))!;
    if (at === rules.length) rules.push(randomRule(chance, id));
    else if (chance.is(0.1)) rules.splice(at, chance.below(2), { ...rules[at]!, id });
    else if (chance.is(0.2)) rules = rules.filter((_, index) => index !== at);
    else rules[at] = changed(chance, rules[at]!);
  }
  return { ...policy, rules };
}

it('a version that is called tighter allows no random request that the previous one does not allow', () => {
  const faults: number[] = [];
  let [seed, pairs, allowed, refusedNow] = [0, 0, 0, 0];
  for (; pairs < TIGHTER_PAIRS; seed++) {
    const chance = new Chance(seed);
    const older = randomPolicy(chance, 'p0');
    const newer = changedPolicy(chance, older);
    if (loosens(older, newer)) continue;
    pairs += 1;
    const beside = chance.is(0.3) ? [randomPolicy(chance, 'p1')] : [];
    for (let request = 0; request < REQUESTS_OF_A_PAIR; request++) {
      const [facts, usage] = [randomFacts(chance), usageOf(randomHistory(chance))];
      const approved = new Set(IDS.filter(() => chance.is(0.7)).map((id) => `${older.id}/${id}`));
      const [before, now] = [older, newer].map(
        (policy) => evaluate(fit([policy, ...beside], facts), usage, approved).outcome,
      );
      if (now === 'allow') allowed += 1;
      if (now === 'allow' && before !== 'allow') faults.push(seed);
      if (now !== 'allow' && before === 'allow') refusedNow += 1;
    }
  }
  expect(faults.slice(0, 5)).toEqual([]);
  // Otherwise the pairs would not show that `loosens` sees the difference.
  expect(seed).toBeGreaterThan(2 * TIGHTER_PAIRS);
  expect(allowed).toBeGreaterThan(TIGHTER_PAIRS);
  expect(refusedNow).toBeGreaterThan(TIGHTER_PAIRS / 5);
});
