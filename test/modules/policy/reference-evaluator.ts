import type { Facts, Move } from '../../../src/modules/policy/rules/domain/facts.js';
import type { Policy, Rule } from '../../../src/modules/policy/rules/domain/policy.js';
import type {
  DenialReason,
  RuleOfPolicy,
  Spend,
  Usage,
  Verdict,
} from '../../../src/modules/policy/rules/domain/verdict.js';

/**
 * A second evaluator, written from the contract sentence by sentence. Where `evaluate` computes how a rule fits, this one asks whether a
 * rule matches, and asks again with the missing facts or the unlimited amounts forgiven.
 */
interface Forgiven {
  readonly missing: boolean;
  readonly unlimited: boolean;
}

const NOTHING: Forgiven = { missing: false, unlimited: false };
const UNLIMITED: Forgiven = { missing: false, unlimited: true };
const ALL: Forgiven = { missing: true, unlimited: true };

/** The members of a policy that judge. */
export type JudgedPolicy = Pick<Policy, 'id' | 'name' | 'version' | 'scope' | 'rules'>;

export function judge(
  policies: readonly JudgedPolicy[],
  facts: Facts,
  usage: Usage,
  approved: ReadonlySet<string>,
): Verdict {
  if (policies.length === 0) return { outcome: 'allow', by: [], spends: [] };

  // Scopes are visited in the order of their first policy.
  const scopes: JudgedPolicy[][] = [];
  for (const policy of policies) {
    const scope = scopes.find(
      ([first]) => first!.scope.kind === policy.scope.kind && first!.scope.id === policy.scope.id,
    );
    if (scope) scope.push(policy);
    else scopes.push([policy]);
  }
  const rulesOf = (scope: readonly JudgedPolicy[]): RuleOfPolicy[] =>
    scope.flatMap((policy) => policy.rules.map((rule) => ({ policy, rule })));

  // A rule asks as a deny rule denies: also because of one move, or of a fact that is missing. Its windows count only what it can read.
  const asks = ({ rule }: RuleOfPolicy): boolean => rule.effect === 'require_approval' && denies(rule, facts);
  const lets = (of: RuleOfPolicy): boolean =>
    asks(of) || (of.rule.effect === 'allow' && matches(of.rule, facts, NOTHING));
  const lackOf = (of: RuleOfPolicy): DenialReason | null => {
    const known = { ...facts, isDelegation: false };
    if (of.rule.effect === 'allow' || matches(of.rule, known, NOTHING)) return lackOfRoom(of, facts, usage);
    if (of.rule.windows.length === 0) return null;
    return matches(of.rule, known, UNLIMITED) ? 'unlimited' : 'missing_fact';
  };

  // Any deny denies.
  for (const scope of scopes)
    for (const each of rulesOf(scope))
      if (each.rule.effect === 'deny' && denies(each.rule, facts))
        return { outcome: 'deny', by: each, reason: 'denied_by_rule' };

  // A request that can't be paid is not put before approvers.
  const spends: Spend[] = [];
  const deciders: RuleOfPolicy[] = [];
  for (const scope of scopes) {
    const matching = rulesOf(scope).filter(lets);
    for (const each of matching) {
      const reason = lackOf(each);
      if (each.rule.effect === 'require_approval' && reason) return { outcome: 'deny', by: each, reason };
    }
    const decider = matching.find((of) => lackOf(of) === null);
    if (matching.length > 0 && !decider) return { outcome: 'deny', by: matching[0]!, reason: lackOf(matching[0]!)! };
    if (decider) deciders.push(decider);
    for (const each of matching)
      if (each.rule.windows.length > 0 && (each === decider || each.rule.effect === 'require_approval'))
        spends.push({ ...each, parts: parts(each.rule, facts) });
  }

  // Any require_approval asks.
  for (const scope of scopes)
    for (const each of rulesOf(scope)) {
      const { policy, rule } = each;
      if (asks(each) && !approved.has(`${policy.id}/${rule.id}`))
        return { outcome: 'require_approval', by: each, approvals: rule.approvals!, spends };
    }

  // Each scope with an active policy needs an allow.
  for (const scope of scopes) {
    const rules = rulesOf(scope).filter(({ rule }) => rule.effect !== 'deny');
    if (rules.some(lets)) continue;
    const isOnlyUnlimited = ({ rule }: RuleOfPolicy): boolean => matches(rule, facts, UNLIMITED);
    const missing = rules.find((of) => !isOnlyUnlimited(of) && matches(of.rule, facts, ALL));
    if (missing) return { outcome: 'deny', by: missing, reason: 'missing_fact' };
    const unlimited = rules.find(isOnlyUnlimited);
    if (unlimited) return { outcome: 'deny', by: unlimited, reason: 'unlimited' };
    return { outcome: 'deny', by: null, reason: 'no_rule' };
  }
  return { outcome: 'allow', by: deciders, spends };
}

/** A missing fact makes a deny rule match, and one move is enough. */
function denies(rule: Rule, facts: Facts): boolean {
  const moves = facts.moves === 'missing' ? [unreadable] : facts.moves;
  const eachAlone = typeof moves !== 'string' && moves.length > 0 ? moves.map((move) => [move]) : [moves];
  return eachAlone.some((alone) => matches(rule, { ...facts, moves: alone, isDelegation: false }, ALL));
}

const unreadable: Move = { asset: 'missing', destination: 'missing', amount: 'missing' };

function matches({ match, windows }: Rule, facts: Facts, forgiven: Forgiven): boolean {
  if (match.operations !== null && !match.operations.includes(facts.operation)) return false;
  const namesOperation = match.operations !== null;
  if (facts.isDelegation && !namesOperation) return false;
  if (match.networks !== null) {
    if (facts.network === 'not_applicable') {
      if (!namesOperation) return false;
    } else if (facts.network === 'missing') {
      if (!forgiven.missing) return false;
    } else if (!match.networks.includes(facts.network)) return false;
  }
  if (facts.moves === 'not_applicable' || facts.moves.length === 0)
    return namesOperation || (match.assets === null && match.destinations === null && match.amount === null);
  for (const { asset, destination, amount } of facts.moves === 'missing' ? [unreadable] : facts.moves) {
    if (match.assets !== null) {
      if (asset === 'missing') {
        if (!forgiven.missing) return false;
      } else if (!match.assets.some(({ network, token }) => network === asset.network && token === asset.token))
        return false;
    }
    if (destination === 'missing') {
      const isNeeded = match.destinations !== null || windows.some(({ per }) => per === 'destination');
      if (isNeeded && !forgiven.missing) return false;
    } else if (match.destinations !== null && !match.destinations.includes(destination)) return false;
    if (match.amount === null && windows.length === 0) continue;
    if (amount === 'missing') {
      if (!forgiven.missing) return false;
    } else if (amount === 'unlimited') {
      if (!forgiven.unlimited) return false;
    } else {
      if (match.amount !== null && match.amount.min !== null && amount < match.amount.min) return false;
      if (match.amount !== null && match.amount.max !== null && amount > match.amount.max) return false;
    }
  }
  return true;
}

function lackOfRoom(of: RuleOfPolicy, facts: Facts, usage: Usage): 'window_amount' | 'window_count' | null {
  const all = parts(of.rule, facts);
  let sum = 0n;
  for (const { amount } of all) sum += amount;
  for (const window of of.rule.windows) {
    const counted = window.per === 'policy' ? [{ destination: null, amount: sum }] : all;
    for (const { destination, amount } of counted) {
      const used = usage(of, window, destination);
      if (window.maxAmount !== null && window.maxAmount < used.amount + amount) return 'window_amount';
      if (window.maxCount !== null && window.maxCount <= used.count) return 'window_count';
    }
  }
  return null;
}

function parts({ windows }: Rule, { moves }: Facts): { destination: string | null; amount: bigint }[] {
  const sums: Record<string, bigint> = {};
  for (const { destination, amount } of Array.isArray(moves) ? (moves as Move[]) : []) {
    const counts = windows.some(({ maxAmount }) => maxAmount !== null) && typeof amount === 'bigint';
    sums[destination] = (sums[destination] ?? 0n) + (counts ? amount : 0n);
  }
  const found = Object.entries(sums).map(([to, amount]) => ({ destination: to === 'missing' ? null : to, amount }));
  return found.length > 0 ? found : [{ destination: null, amount: 0n }];
}
