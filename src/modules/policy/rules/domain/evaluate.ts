import { grouped } from '../../../../kernel/collections.js';
import { type Facts, type Known, type Move, movesIn } from './facts.js';
import type { AssetOnNetwork, Match, Policy, Rule } from './policy.js';
import type { DenialReason, RuleOfPolicy, Spend, Usage, Verdict } from './verdict.js';
import type { PolicyId } from '../../../../kernel/ids.js';

/** A rule is included too if it would fit with a fact that the request lacks. */
export interface Fitted {
  readonly facts: Facts;
  readonly scopes: readonly (readonly FittedRule[])[];
}

/** `policies` are the active versions in whose scope the request lies, sorted by name. */
export function fit(policies: readonly Policy[], facts: Facts): Fitted {
  const scopes = grouped(policies, ({ scope }) => `${scope.kind} ${scope.id}`);
  const moves = movesIn(facts.moves);
  return { facts, scopes: [...scopes.values()].map((policiesOfScope) => fittedRules(policiesOfScope, facts, moves)) };
}

/** The caller locks and sums the windows of these rules before `evaluate`. */
export function candidates({ scopes }: Fitted): RuleOfPolicy[] {
  return scopes
    .flat()
    .filter(({ of: { rule }, fit }) => fit === 'fits' && rule.effect !== 'deny' && rule.windows.length > 0)
    .map(({ of }) => of);
}

export function requirementOf(policyId: PolicyId, ruleId: string): string {
  return `${policyId}/${ruleId}`;
}

/**
 * Any deny rule that fits denies. Otherwise each scope must let the request pass. If a scope has no room it is denied before approvers are
 * asked, if a scope has no rule only afterwards. `approved` has rules by `requirementOf`.
 */
export function evaluate({ facts, scopes }: Fitted, usage: Usage, approved: ReadonlySet<string>): Verdict {
  const denying = scopes.flat().find(({ of: { rule } }) => rule.effect === 'deny');
  if (denying) {
    const reason = denying.of.rule.namesUnknownNetwork ? 'unknown_network' : 'denied_by_rule';
    return { outcome: 'deny', by: denying.of, reason };
  }

  const outcomes = scopes.map((rules) => outcomeOf(rules, facts, usage));
  const full = outcomes.find((each) => each.outcome === 'full');
  if (full) return { outcome: 'deny', by: full.by, reason: full.reason };
  const open = outcomes.filter((each) => each.outcome === 'open');
  const spends = open.flatMap(({ spends }) => spends);
  const asking = open
    .flatMap((each) => each.asking)
    .find(({ policy, rule }) => !approved.has(requirementOf(policy.id, rule.id)));
  if (asking) return { outcome: 'require_approval', by: asking, approvals: asking.rule.approvals!, spends };
  const closed = outcomes.find((each) => each.outcome === 'closed');
  if (closed) return { outcome: 'deny', by: closed.by, reason: closed.reason };
  return { outcome: 'allow', by: open.map(({ by }) => by), spends };
}

type ScopeOutcome =
  | { readonly outcome: 'closed'; readonly by: RuleOfPolicy | null; readonly reason: DenialReason }
  /** A rule that fits must have room and has none. */
  | { readonly outcome: 'full'; readonly by: RuleOfPolicy; readonly reason: DenialReason }
  | {
      readonly outcome: 'open';
      readonly by: RuleOfPolicy;
      readonly asking: readonly RuleOfPolicy[];
      /** It counts in the windows of all these rules, so that it spends the same before and after it is approved. */
      readonly spends: readonly Spend[];
    };

interface Fitting {
  readonly of: RuleOfPolicy;
  readonly spend: Spend;
  readonly shortage: DenialReason | null;
}

function outcomeOf(rules: readonly FittedRule[], facts: Facts, usage: Usage): ScopeOutcome {
  const passing = rules.filter(({ of: { rule } }) => rule.effect !== 'deny');
  const fitting = passing.flatMap(({ of, fit }): Fitting[] => {
    if (fit === 'fits') {
      const spend = { ...of, parts: partsOf(of.rule, facts) };
      return [{ of, spend, shortage: shortageOf(spend, usage) }];
    }
    if (of.rule.effect !== 'require_approval') return [];
    // Windows cannot count a request whose facts they lack.
    return [{ of, spend: { ...of, parts: [] }, shortage: of.rule.windows.length > 0 ? fit : null }];
  });
  const asking = fitting.filter(({ of: { rule } }) => rule.effect === 'require_approval');
  const decider = fitting.find(({ shortage }) => shortage === null);
  // An allow rule must not make up for the room that a rule lacks that requires approval: the approval would be evaded.
  const full = asking.find(({ shortage }) => shortage !== null) ?? (decider ? undefined : fitting[0]);
  if (full) return { outcome: 'full', by: full.of, reason: full.shortage! };
  if (!decider) {
    const reason = LACKS.find((lack) => passing.some(({ fit }) => fit === lack)) ?? 'no_rule';
    return { outcome: 'closed', by: passing.find(({ fit }) => fit === reason)?.of ?? null, reason };
  }
  const counting = fitting.filter(
    (each) => (each === decider || asking.includes(each)) && each.of.rule.windows.length > 0,
  );
  return {
    outcome: 'open',
    by: decider.of,
    asking: asking.map(({ of }) => of),
    spends: counting.map(({ spend }) => spend),
  };
}

/** A request without moves is one part. */
function partsOf({ windows }: Rule, { moves }: Facts): Spend['parts'] {
  if (windows.length === 0) return [];
  const boundsAmount = windows.some(({ maxAmount }) => maxAmount !== null);
  const amounts = movesIn(moves).map(({ destination, amount }): [string | null, bigint] => [
    destination === 'missing' ? null : destination,
    // A rule that bounds an amount does not fit one that is no number.
    boundsAmount ? (amount as bigint) : 0n,
  ]);
  const sums = new Map<string | null, bigint>(amounts.length > 0 ? [] : [[null, 0n]]);
  for (const [destination, amount] of amounts) sums.set(destination, (sums.get(destination) ?? 0n) + amount);
  return [...sums].map(([destination, amount]) => ({ destination, amount }));
}

function shortageOf(spend: Spend, usage: Usage): 'window_amount' | 'window_count' | null {
  const { rule, parts } = spend;
  const whole = { destination: null, amount: parts.reduce((sum, { amount }) => sum + amount, 0n) };
  for (const window of rule.windows) {
    for (const { destination, amount } of window.per === 'destination' ? parts : [whole]) {
      const used = usage(spend, window, destination);
      if (window.maxAmount !== null && used.amount + amount > window.maxAmount) return 'window_amount';
      if (window.maxCount !== null && used.count + 1 > window.maxCount) return 'window_count';
    }
  }
  return null;
}

/** Why a rule does not fit that would fit otherwise. */
const LACKS = ['missing_fact', 'unlimited'] as const;
type Fit = 'fits' | 'differs' | (typeof LACKS)[number];

interface FittedRule {
  readonly of: RuleOfPolicy;
  readonly fit: Exclude<Fit, 'differs'>;
}

function fittedRules(policies: readonly Policy[], facts: Facts, moves: readonly Move[]): FittedRule[] {
  return policies.flatMap((policy) =>
    policy.rules.flatMap((rule) => {
      const fit = fitOf(rule, facts, moves);
      return fit === 'differs' ? [] : [{ of: { policy, rule }, fit }];
    }),
  );
}

/**
 * A rule that allows needs every move to fit. For a rule that denies or asks, any move that may fit is enough: otherwise a second move or
 * unreadable bytes could evade it. A condition on facts that the request does not have fits if the rule names the operation.
 */
function fitOf(rule: Rule, facts: Facts, moves: readonly Move[]): Fit {
  const { effect, match } = rule;
  const named: Fit = match.operations?.includes(facts.operation) ? 'fits' : 'differs';
  const operation = match.operations ? named : 'fits';
  if (operation === 'differs') return 'differs';
  const network =
    match.networks && facts.network === 'not_applicable' ? named : fitOfFact(facts.network, isAmong(match.networks));
  if (network === 'differs') return 'differs';
  const ofNoMove = match.assets || match.destinations || match.amount ? named : 'fits';
  const { least, greatest } = moves.length > 0 ? fitsOfMoves(rule, moves) : { least: ofNoMove, greatest: ofNoMove };
  if (effect === 'deny') return greatest === 'differs' ? 'differs' : network;
  if (effect === 'require_approval') {
    if (greatest === 'differs') return 'differs';
    return lesser(network, least === 'differs' ? 'missing_fact' : least);
  }
  return lesser(lesser(network, facts.isDelegation ? named : 'fits'), least);
}

/** It stops at the move that decides: a request may have dozens of moves, and an app a thousand rules. */
function fitsOfMoves(rule: Rule, moves: readonly Move[]): { readonly least: Fit; readonly greatest: Fit } {
  let [least, greatest]: [Fit, Fit] = ['fits', 'differs'];
  for (const move of moves) {
    const fit = fitOfMove(rule, move);
    least = lesser(least, fit);
    if (RANKS[fit] > RANKS[greatest]) greatest = fit;
    if (rule.effect === 'allow' && fit === 'differs') break;
    if (rule.effect === 'deny' && fit !== 'differs') break;
  }
  return { least, greatest };
}

function fitOfMove({ match, windows }: Rule, { asset, destination, amount }: Move): Fit {
  const { assets, destinations } = match;
  let fit: Fit = 'fits';
  if (assets) fit = asset === 'missing' ? 'missing_fact' : isAssetAmong(assets, asset) ? 'fits' : 'differs';
  if (fit === 'differs') return fit;
  if (destination === 'missing') {
    if (destinations || windows.some(({ per }) => per === 'destination')) fit = 'missing_fact';
  } else if (destinations && !setOf(destinations).has(destination)) return 'differs';
  return match.amount || windows.length > 0 ? lesser(fit, fitOfAmount(match.amount, amount)) : fit;
}

const SETS = new WeakMap<readonly string[], ReadonlySet<string>>();

/** The policies of an app stay in memory, so each set is made once. */
function setOf(list: readonly string[]): ReadonlySet<string> {
  let set = SETS.get(list);
  if (!set) SETS.set(list, (set = new Set(list)));
  return set;
}

function isAssetAmong(assets: readonly AssetOnNetwork[], { network, token }: AssetOnNetwork): boolean {
  return assets.some((each) => each.token === token && each.network === network);
}

function fitOfFact<T>(fact: Known<T>, condition: ((fact: T) => boolean) | null): Fit {
  if (condition === null) return 'fits';
  if (fact === 'missing') return 'missing_fact';
  return condition(fact as T) ? 'fits' : 'differs';
}

function fitOfAmount(bounds: Match['amount'], amount: Move['amount']): Fit {
  if (amount === 'missing') return 'missing_fact';
  if (amount === 'unlimited') return 'unlimited';
  return amount >= (bounds?.min ?? amount) && amount <= (bounds?.max ?? amount) ? 'fits' : 'differs';
}

function isAmong(allowed: readonly string[] | null): ((fact: string) => boolean) | null {
  return allowed && ((fact) => allowed.includes(fact));
}

const RANKS: Readonly<Record<Fit, number>> = { differs: 0, missing_fact: 1, unlimited: 2, fits: 3 };

function lesser(one: Fit, other: Fit): Fit {
  return RANKS[one] <= RANKS[other] ? one : other;
}
