import { candidates, evaluate, fit } from '../../../../src/modules/policy/rules/domain/evaluate.js';
import { type Facts, UNREADABLE } from '../../../../src/modules/policy/rules/domain/facts.js';
import { OPERATIONS, type Policy, type Rule } from '../../../../src/modules/policy/rules/domain/policy.js';
import {
  COIN,
  factsOf,
  moveOf,
  OTHER_COIN,
  type PastSpend,
  policyOf,
  ruleOf,
  textOf,
  TOKEN,
  usageOf,
  windowOf,
} from '../builders.js';

const WALLET = { scope: { kind: 'wallet', id: 'wallet_w' } } as const;
const all = ruleOf('allow', 'all');
const token = { assets: [TOKEN] };

const arePolicies = (given: readonly (Policy | Rule)[]): given is readonly Policy[] =>
  given.every((each) => 'rules' in each);

function verdictOf(
  given: readonly Policy[] | readonly Rule[],
  facts: Facts,
  { history = [], approved = [] }: { history?: readonly PastSpend[]; approved?: readonly string[] } = {},
): string {
  const judged = arePolicies(given) ? given : [policyOf(given)];
  return textOf(evaluate(fit(judged, facts), usageOf(history), new Set(approved.map((rule) => `pol_${rule}`))));
}

function spent(rule: string, amount: bigint, given: Partial<PastSpend> = {}): PastSpend {
  return {
    rule,
    operationId: `op_${amount}_${given.destination ?? ''}`,
    destination: '0xA',
    amount,
    ageSeconds: 10,
    ...given,
  };
}

const paying = (amount: bigint | 'unlimited' | 'missing', given: Parameters<typeof moveOf>[1] = {}): Facts =>
  factsOf({ moves: [moveOf(amount, given)] });
const message = factsOf({ operation: 'sign_message', network: 'not_applicable', moves: 'not_applicable' });

describe('a request', () => {
  it('is allowed without any policy', () => {
    expect(verdictOf([], paying('missing'))).toBe('allow');
  });

  it('is denied by a policy without rules', () => {
    expect(verdictOf([policyOf([])], paying(1n))).toBe('deny no_rule');
  });

  it.each<[string, readonly Rule[], Facts, string]>([
    ['a rule for everything', [all], paying('missing'), 'allow p0/all'],
    ['the first rule that fits', [ruleOf('allow', 'base', { networks: ['base'] }), all], paying(1n), 'allow p0/all'],
    [
      'a rule for its operation',
      [ruleOf('allow', 'a', { operations: ['sign_transaction'] })],
      paying(1n),
      'allow p0/a',
    ],
    ['a rule for its network', [ruleOf('allow', 'a', { networks: ['base', 'ethereum'] })], paying(1n), 'allow p0/a'],
    ['a rule for its asset', [ruleOf('allow', 'a', { assets: [COIN, TOKEN] })], paying(1n), 'allow p0/a'],
    ['a rule for its destination', [ruleOf('allow', 'a', { destinations: ['0xB', '0xA'] })], paying(1n), 'allow p0/a'],
    [
      'a rule whose least amount it has',
      [ruleOf('allow', 'a', { ...token, amount: { min: 5n, max: null } })],
      paying(5n),
      'allow p0/a',
    ],
    [
      'a rule whose largest amount it has',
      [ruleOf('allow', 'a', { ...token, amount: { min: null, max: 5n } })],
      paying(5n),
      'allow p0/a',
    ],
    [
      'a rule that fits each move',
      [ruleOf('allow', 'a', token)],
      factsOf({ moves: [moveOf(1n), moveOf(2n)] }),
      'allow p0/a',
    ],
    [
      'a rule that needs no fact that is missing',
      [ruleOf('allow', 'a', { networks: ['ethereum'] })],
      paying('missing'),
      'allow p0/a',
    ],
    [
      'a rule for a message that names it',
      [ruleOf('allow', 'a', { operations: ['sign_message'], destinations: ['0xA'], networks: ['base'] })],
      message,
      'allow p0/a',
    ],
    [
      'a rule that names the operation, where nothing is moved',
      [ruleOf('allow', 'a', { operations: ['sign_transaction'], ...token })],
      factsOf(),
      'allow p0/a',
    ],
    ['a rule without conditions, where nothing is moved', [all], factsOf(), 'allow p0/all'],
    [
      'a rule without windows and amount, though it is unlimited',
      [ruleOf('allow', 'a', token)],
      paying('unlimited'),
      'allow p0/a',
    ],
    [
      'a rule that names the operation of a delegation',
      [ruleOf('allow', 'a', { operations: ['sign_transaction'] })],
      factsOf({ isDelegation: true }),
      'allow p0/a',
    ],
  ])('is allowed by %s', (_, rules, facts, verdict) => {
    expect(verdictOf(rules, facts)).toBe(verdict);
  });

  it.each<[string, readonly Rule[], Facts, string]>([
    ['another operation', [ruleOf('allow', 'a', { operations: ['transfer'] })], paying(1n), 'deny no_rule'],
    ['another network', [ruleOf('allow', 'a', { networks: ['base'] })], paying(1n), 'deny no_rule'],
    [
      'a network that is not known',
      [ruleOf('allow', 'a', { networks: ['base'] })],
      factsOf({ network: 'missing' }),
      'deny missing_fact p0/a',
    ],
    ['another asset', [ruleOf('allow', 'a', { assets: [COIN] })], paying(1n), 'deny no_rule'],
    [
      'the asset of another network',
      [ruleOf('allow', 'a', { assets: [OTHER_COIN] })],
      paying(1n, { asset: { network: 'ethereum', token: null } }),
      'deny no_rule',
    ],
    ['an unknown asset', [ruleOf('allow', 'a', token)], paying(1n, { asset: 'missing' }), 'deny missing_fact p0/a'],
    ['another destination', [ruleOf('allow', 'a', { destinations: ['0xB'] })], paying(1n), 'deny no_rule'],
    [
      'an unknown destination',
      [ruleOf('allow', 'a', { destinations: ['0xA'] })],
      paying(1n, { destination: 'missing' }),
      'deny missing_fact p0/a',
    ],
    [
      'a smaller amount',
      [ruleOf('allow', 'a', { ...token, amount: { min: 5n, max: null } })],
      paying(4n),
      'deny no_rule',
    ],
    [
      'a larger amount',
      [ruleOf('allow', 'a', { ...token, amount: { min: null, max: 5n } })],
      paying(6n),
      'deny no_rule',
    ],
    [
      'an unlimited amount',
      [ruleOf('allow', 'a', { ...token, amount: { min: 5n, max: null } })],
      paying('unlimited'),
      'deny unlimited p0/a',
    ],
    [
      'an unlimited amount with a window',
      [ruleOf('allow', 'a', {}, [windowOf({ maxCount: 5 })])],
      paying('unlimited'),
      'deny unlimited p0/a',
    ],
    [
      'an unknown amount with a window',
      [ruleOf('allow', 'a', {}, [windowOf({ maxCount: 5 })])],
      paying('missing'),
      'deny missing_fact p0/a',
    ],
    [
      'an unknown destination with a window for each',
      [ruleOf('allow', 'a', {}, [windowOf({ maxCount: 5, per: 'destination' })])],
      paying(1n, { destination: 'missing' }),
      'deny missing_fact p0/a',
    ],
    [
      'moves that cannot be read',
      [ruleOf('allow', 'a', token)],
      factsOf({ moves: 'missing' }),
      'deny missing_fact p0/a',
    ],
    [
      'one move that cannot be read',
      [ruleOf('allow', 'a', token)],
      factsOf({ moves: [moveOf(1n), UNREADABLE] }),
      'deny missing_fact p0/a',
    ],
    [
      'one move of another asset',
      [ruleOf('allow', 'a', token)],
      factsOf({ moves: [moveOf(1n), moveOf(1n, { asset: COIN })] }),
      'deny no_rule',
    ],
    [
      'one move of another asset, beside one that cannot be read',
      [ruleOf('allow', 'a', token)],
      factsOf({ moves: [moveOf(1n, { asset: COIN }), UNREADABLE] }),
      'deny no_rule',
    ],
    [
      'moves that fit different rules',
      [ruleOf('allow', 'a', { assets: [COIN] }), ruleOf('allow', 'b', token)],
      factsOf({ moves: [moveOf(1n), moveOf(1n, { asset: COIN })] }),
      'deny no_rule',
    ],
    [
      'a message that the rule does not name',
      [ruleOf('allow', 'a', { destinations: ['0xA'] })],
      message,
      'deny no_rule',
    ],
    ['a message, which has no network', [ruleOf('allow', 'a', { networks: ['ethereum'] })], message, 'deny no_rule'],
    ['no move, without a name', [ruleOf('allow', 'a', token)], factsOf(), 'deny no_rule'],
    ['a delegation that the rule does not name', [all], factsOf({ isDelegation: true }), 'deny no_rule'],
    [
      'a missing fact rather than an unlimited amount',
      [
        ruleOf('allow', 'a', { ...token, amount: { min: 1n, max: null } }),
        ruleOf('allow', 'b', { destinations: ['0xA'] }),
      ],
      factsOf({ moves: [moveOf('unlimited', { destination: 'missing' })] }),
      'deny missing_fact p0/b',
    ],
    ['only rules that deny', [ruleOf('deny', 'd', { networks: ['base'] })], paying(1n), 'deny no_rule'],
  ])('is denied for %s', (_, rules, facts, verdict) => {
    expect(verdictOf(rules, facts)).toBe(verdict);
  });

  it.each<[string, Facts]>([
    ['a missing fact', factsOf({ moves: 'missing' })],
    ['an unlimited amount', factsOf({ moves: [moveOf('unlimited')] })],
    ['one of several moves', factsOf({ moves: [moveOf(9n), moveOf(1n, { asset: { network: 'base', token: null } })] })],
    ['a delegation that the rule does not name', factsOf({ isDelegation: true, moves: [moveOf(9n)] })],
  ])('is put to approvers for %s, also beside a rule that allows everything', (_, facts) => {
    const asking = ruleOf('require_approval', 'r', { ...token, amount: { min: 5n, max: null } });
    const everything = ruleOf('allow', 'a', { operations: [...OPERATIONS] });
    expect(verdictOf([everything, asking], facts)).toBe('require_approval p0/r');
  });

  it.each<[string, Rule, Facts]>([
    ['fits', ruleOf('deny', 'd', token), paying(1n)],
    [
      'fits one of several moves',
      ruleOf('deny', 'd', { destinations: ['0xB'] }),
      factsOf({ moves: [moveOf(1n), moveOf(1n, { destination: '0xB' })] }),
    ],
    [
      'needs a missing destination',
      ruleOf('deny', 'd', { destinations: ['0xB'] }),
      paying(1n, { destination: 'missing' }),
    ],
    ['needs a missing asset', ruleOf('deny', 'd', { assets: [COIN] }), paying(1n, { asset: 'missing' })],
    ['needs a missing amount', ruleOf('deny', 'd', { ...token, amount: { min: 9n, max: null } }), paying('missing')],
    ['needs a missing network', ruleOf('deny', 'd', { networks: ['base'] }), factsOf({ network: 'missing' })],
    ['needs moves that cannot be read', ruleOf('deny', 'd', { destinations: ['0xB'] }), factsOf({ moves: 'missing' })],
    [
      'bounds an amount that is unlimited',
      ruleOf('deny', 'd', { ...token, amount: { min: 9n, max: null } }),
      paying('unlimited'),
    ],
    [
      'names the operation of a message',
      ruleOf('deny', 'd', { operations: ['sign_message'], destinations: ['0xB'] }),
      message,
    ],
    [
      'does not name the operation of a delegation',
      ruleOf('deny', 'd', token),
      factsOf({ moves: [moveOf(1n)], isDelegation: true }),
    ],
  ])('is denied by a rule that %s', (_, rule, facts) => {
    expect(verdictOf([all, rule], facts)).toBe('deny denied_by_rule p0/d');
  });

  it.each<[string, Rule, Facts]>([
    ['another destination', ruleOf('deny', 'd', { destinations: ['0xB'] }), paying(1n)],
    [
      'another asset with a missing destination',
      ruleOf('deny', 'd', { assets: [COIN], destinations: ['0xB'] }),
      paying(1n, { destination: 'missing' }),
    ],
    [
      'two moves that fit half of it each',
      ruleOf('deny', 'd', { ...token, destinations: ['0xB'] }),
      factsOf({ moves: [moveOf(1n), moveOf(1n, { asset: COIN, destination: '0xB' })] }),
    ],
    ['a message without its name', ruleOf('deny', 'd', { destinations: ['0xB'] }), message],
    ['no move, without its name', ruleOf('deny', 'd', token), factsOf()],
  ])('is not denied by a rule for %s', (_, rule, facts) => {
    expect(verdictOf([all, rule], facts)).toBe('allow p0/all');
  });
});

describe('the windows of a rule', () => {
  const amounts = ruleOf('allow', 'a', token, [windowOf({ maxAmount: 10n })]);
  const counts = ruleOf('allow', 'c', {}, [windowOf({ maxCount: 2 })]);
  const apart = ruleOf('allow', 'a', token, [windowOf({ maxAmount: 10n, maxCount: 2, per: 'destination' })]);

  it('have room up to the limit', () => {
    expect(verdictOf([amounts], paying(4n), { history: [spent('p0/a', 6n)] })).toBe('allow p0/a spends p0/a 0xA:4');
    expect(verdictOf([amounts], paying(5n), { history: [spent('p0/a', 6n)] })).toBe('deny window_amount p0/a');
  });

  it('sum the moves of a request, which counts once', () => {
    const facts = factsOf({ moves: [moveOf(4n), moveOf(3n, { destination: '0xB' }), moveOf(3n)] });
    expect(verdictOf([amounts], facts)).toBe('allow p0/a spends p0/a 0xA:7 0xB:3');
    expect(verdictOf([amounts], facts, { history: [spent('p0/a', 1n)] })).toBe('deny window_amount p0/a');
    expect(verdictOf([counts], facts, { history: [spent('p0/c', 0n)] })).toBe('allow p0/c spends p0/c 0xA:0 0xB:0');
  });

  it('count requests', () => {
    const history = [spent('p0/c', 0n, { operationId: '1' }), spent('p0/c', 0n, { operationId: '2' })];
    expect(verdictOf([counts], paying(1n), { history })).toBe('deny window_count p0/c');
    expect(verdictOf([counts], message, { history: history.slice(1) })).toBe('allow p0/c spends p0/c all:0');
  });

  it('count each destination apart, with its parts merged', () => {
    const facts = factsOf({ moves: [moveOf(4n), moveOf(10n, { destination: '0xB' }), moveOf(3n)] });
    expect(verdictOf([apart], facts, { history: [spent('p0/a', 3n)] })).toBe('allow p0/a spends p0/a 0xA:7 0xB:10');
    expect(verdictOf([apart], facts, { history: [spent('p0/a', 4n)] })).toBe('deny window_amount p0/a');
    const two = [
      spent('p0/a', 0n, { destination: '0xB' }),
      spent('p0/a', 0n, { destination: '0xB', operationId: '2' }),
    ];
    expect(verdictOf([apart], facts, { history: two })).toBe('deny window_count p0/a');
  });

  it('all count, of the first rule that has room', () => {
    const narrow = ruleOf('allow', 'n', token, [windowOf({ maxCount: 9 }), windowOf({ maxAmount: 3n })]);
    expect(verdictOf([narrow, amounts], paying(3n))).toBe('allow p0/n spends p0/n 0xA:3');
    expect(verdictOf([narrow, amounts], paying(4n))).toBe('allow p0/a spends p0/a 0xA:4');
    expect(verdictOf([narrow, amounts], paying(11n))).toBe('deny window_amount p0/n');
  });

  it('of each scope count', () => {
    const policies = [policyOf([amounts]), policyOf([counts], { name: 'p1', ...WALLET })];
    expect(verdictOf(policies, paying(4n))).toBe('allow p0/a p1/c spends p0/a 0xA:4 spends p1/c 0xA:0');
    expect(verdictOf(policies, paying(11n))).toBe('deny window_amount p0/a');
  });

  it('are candidates where the rule fits and may pass a request', () => {
    const other = ruleOf('allow', 'o', { networks: ['base'] }, [windowOf({ maxCount: 1 })]);
    const asks = ruleOf('require_approval', 'r', {}, [windowOf({ maxCount: 1 })]);
    const found = candidates(
      fit([policyOf([amounts, other, all, asks]), policyOf([counts], { name: 'p1' })], paying(1n)),
    );
    expect(found.map(({ policy, rule }) => `${policy.name}/${rule.id}`)).toEqual(['p0/a', 'p0/r', 'p1/c']);
  });
});

describe('an approval', () => {
  const asks = ruleOf('require_approval', 'r', { ...token, amount: { min: 5n, max: null } });
  const bounded = { ...asks, windows: [windowOf({ maxAmount: 10n })] };
  const base = ruleOf('allow', 'base', { networks: ['base'] });
  const small = ruleOf('allow', 's', token, [windowOf({ maxAmount: 7n })]);

  it('is needed although another rule allows', () => {
    expect(verdictOf([all, asks], paying(5n))).toBe('require_approval p0/r');
    expect(verdictOf([all, asks], paying(4n))).toBe('allow p0/all');
  });

  it('allows in the scope of its rule', () => {
    expect(verdictOf([asks], paying(5n), { approved: ['p0/r'] })).toBe('allow p0/r');
    expect(verdictOf([asks], paying(5n), { approved: ['p1/r'] })).toBe('require_approval p0/r');
    expect(verdictOf([policyOf([asks]), policyOf([base], { name: 'p1' })], paying(5n), { approved: ['p0/r'] })).toBe(
      'allow p0/r',
    );
  });

  it('does not allow in another scope', () => {
    const policies = [policyOf([asks]), policyOf([base], { name: 'p1', ...WALLET })];
    expect(verdictOf(policies, paying(5n))).toBe('require_approval p0/r');
    expect(verdictOf(policies, paying(5n), { approved: ['p0/r'] })).toBe('deny no_rule');
  });

  it('is needed of each rule that requires it', () => {
    const second = { ...asks, id: 'r2' };
    expect(verdictOf([asks, second], paying(5n), { approved: ['p0/r'] })).toBe('require_approval p0/r2');
    expect(verdictOf([asks, second], paying(5n), { approved: ['p0/r', 'p0/r2'] })).toBe('allow p0/r');
  });

  it('is not asked for where the windows of its rule have no room', () => {
    expect(verdictOf([bounded], paying(10n))).toBe('require_approval p0/r spends p0/r 0xA:10');
    expect(verdictOf([bounded], paying(11n))).toBe('deny window_amount p0/r');
    expect(verdictOf([all, bounded], paying(11n))).toBe('deny window_amount p0/r');
    expect(verdictOf([all, bounded], paying(11n), { approved: ['p0/r'] })).toBe('deny window_amount p0/r');
  });

  it('is not asked for where another scope has no room', () => {
    const policies = [policyOf([asks]), policyOf([small], { name: 'p1', ...WALLET })];
    expect(verdictOf(policies, paying(7n))).toBe('require_approval p0/r spends p1/s 0xA:7');
    expect(verdictOf(policies, paying(8n))).toBe('deny window_amount p1/s');
  });

  it('may be asked for where a rule that allows has no room', () => {
    expect(verdictOf([small, bounded], paying(8n))).toBe('require_approval p0/r spends p0/r 0xA:8');
    expect(verdictOf([small, bounded], paying(8n), { approved: ['p0/r'] })).toBe('allow p0/r spends p0/r 0xA:8');
  });

  it('counts in the windows of its rule although another rule decides', () => {
    const verdict = 'p0/s spends p0/s 0xA:6 spends p0/r 0xA:6';
    expect(verdictOf([small, bounded], paying(6n), { approved: ['p0/r'] })).toBe(`allow ${verdict}`);
    expect(verdictOf([small, bounded], paying(6n))).toBe('require_approval p0/r spends p0/s 0xA:6 spends p0/r 0xA:6');
  });

  it('does not help against a rule that denies', () => {
    expect(verdictOf([asks, ruleOf('deny', 'd', token)], paying(5n), { approved: ['p0/r'] })).toBe(
      'deny denied_by_rule p0/d',
    );
  });

  it('has the terms of its rule', () => {
    expect(evaluate(fit([policyOf([asks])], paying(5n)), usageOf([]), new Set())).toMatchObject({
      approvals: asks.approvals,
    });
  });
});
