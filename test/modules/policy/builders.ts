import type { ApproverGroupId, AppId, PolicyId } from '../../../src/kernel/ids.js';
import type { Facts, Move } from '../../../src/modules/policy/rules/domain/facts.js';
import type { Match, Policy, Rule, Window } from '../../../src/modules/policy/rules/domain/policy.js';
import type { RuleOfPolicy, Usage, Verdict } from '../../../src/modules/policy/rules/domain/verdict.js';

const NOON = new Date('2026-01-01T12:00:00Z');

/** Builders with defaults: a test states only the members that it is about. */
export function policyOf(rules: readonly Rule[], given: Partial<Policy> = {}): Policy {
  const name = given.name ?? 'p0';
  return {
    appId: 'app_a' as AppId,
    id: `pol_${name}` as PolicyId,
    name,
    version: 1,
    state: 'active',
    scope: { kind: 'app', id: 'app_a' },
    rules,
    createdAt: NOON,
    activatedAt: NOON,
    networkIds: {},
    retiredAt: null,
    ...given,
  };
}

const EVERYTHING: Match = { operations: null, networks: null, assets: null, destinations: null, amount: null };

export function ruleOf(effect: Rule['effect'], id: string, match: Partial<Match> = {}, windows: Window[] = []): Rule {
  const approvals =
    effect === 'require_approval' ? { group: 'agrp_g' as ApproverGroupId, count: 2, expiresIn: 600 } : null;
  return { id, effect, match: { ...EVERYTHING, ...match }, windows, approvals };
}

export function windowOf(given: Partial<Window>): Window {
  return { seconds: 3600, maxAmount: null, maxCount: null, per: 'policy', ...given };
}

export function factsOf(given: Partial<Facts> = {}): Facts {
  return { operation: 'sign_transaction', network: 'ethereum', moves: [], isDelegation: false, ...given };
}

export const COIN = { network: 'ethereum', token: null, currency: 'ethereum', decimals: 18 };
export const TOKEN = { network: 'ethereum', token: '0xT', currency: 'usdc', decimals: 6 };
export const OTHER_COIN = { network: 'base', token: null, currency: 'base', decimals: 18 };

export function moveOf(amount: Move['amount'], given: Partial<Move> = {}): Move {
  const { network, token } = TOKEN;
  return { asset: { network, token }, destination: '0xA', amount, ...given };
}

/** A request that was counted by a rule. */
export interface PastSpend {
  /** The names of the policy and the rule: `p0/r1`. */
  readonly rule: string;
  readonly operationId: string;
  readonly destination: string | null;
  readonly amount: bigint;
  readonly ageSeconds: number;
}

export function usageOf(history: readonly PastSpend[]): Usage {
  return (of, { seconds, per }, destination) => {
    const counted = history.filter(
      (spend) =>
        spend.rule === `${of.policy.name}/${of.rule.id}` &&
        spend.ageSeconds < seconds &&
        (per === 'policy' || destination === null || spend.destination === destination),
    );
    return {
      amount: counted.reduce((sum, { amount }) => sum + amount, 0n),
      count: new Set(counted.map(({ operationId }) => operationId)).size,
    };
  };
}

/** A verdict as one line of text: `deny window_count p0/r1`, or `allow p0/r1 spends p0/r1 0xA:5`. */
export function textOf(verdict: Verdict): string {
  const named = ({ policy, rule }: RuleOfPolicy): string => `${policy.name}/${rule.id}`;
  if (verdict.outcome === 'deny') return `deny ${verdict.reason}${verdict.by ? ` ${named(verdict.by)}` : ''}`;
  const by = verdict.outcome === 'allow' ? verdict.by : [verdict.by];
  const spends = verdict.spends.map(
    (spend) =>
      ` spends ${named(spend)}${spend.parts.map((part) => ` ${part.destination ?? 'all'}:${part.amount}`).join('')}`,
  );
  return [verdict.outcome, ...by.map((of) => ` ${named(of)}`), ...spends].join('');
}
