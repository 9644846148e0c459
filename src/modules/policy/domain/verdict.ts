import type { ApprovalTerms, Policy, Rule, Window } from './policy.js';

/**
 * The reasons of a denial. With `no_rule` no rule of a scope allows it, with `missing_fact` a rule would if a fact could be read, with
 * `unknown_network` a rule that restricts names a network that is not configured.
 */
export const DENIAL_REASONS = [
  'no_rule',
  'denied_by_rule',
  'window_amount',
  'window_count',
  'missing_fact',
  'unlimited',
  'unknown_network',
] as const;
export type DenialReason = (typeof DENIAL_REASONS)[number];

/** A rule with the version that it belongs to. */
export interface RuleOfPolicy {
  readonly policy: Pick<Policy, 'id' | 'name' | 'version' | 'scope'>;
  readonly rule: Rule;
}

/** The amounts that a request takes from the budget of a rule: for each destination, because windows may count them apart. */
export interface Spend extends RuleOfPolicy {
  readonly parts: readonly {
    /** Null where the request has no destination. */
    readonly destination: string | null;
    /** The amount in smallest units of the rule's asset; zero where the rule bounds no amount. */
    readonly amount: bigint;
  }[];
}

/** The sum of a window so far. */
export interface Used {
  readonly amount: bigint;
  readonly count: number;
}

/** Returns the sum of a window of the rule: for this destination, or for all (null). */
export type Usage = (of: RuleOfPolicy, window: Window, destination: string | null) => Used;

/** Whether a rule that lets the request pass, or puts it to approvers, bounds an amount. */
export function boundsAmount({ by, spends }: Exclude<Verdict, { outcome: 'deny' }>): boolean {
  const rules = [by, spends].flat().map(({ rule }) => rule);
  return rules.some(
    ({ match, windows }) => match.amount !== null || windows.some(({ maxAmount }) => maxAmount !== null),
  );
}

/** The usage of windows that have counted nothing. */
export const NOTHING_USED: Usage = () => ({ amount: 0n, count: 0 });

/** The usage of windows that count the spends of further requests, too. */
export class RunningUsage {
  // All windows of a rule count the same: the spends are of this moment.
  private readonly added = new Map<Rule, Map<string | null, Used>>();

  constructor(private readonly before: Usage) {}

  readonly usage: Usage = (of, window, destination) => {
    const before = this.before(of, window, destination);
    const added = this.added.get(of.rule)?.get(destination);
    return added ? { amount: before.amount + added.amount, count: before.count + added.count } : before;
  };

  /** Counts the spends of one request. */
  add(spends: readonly Spend[]): void {
    for (const { rule, parts } of spends) {
      const sums = this.added.get(rule) ?? new Map<string | null, Used>();
      this.added.set(rule, sums);
      const all = parts.reduce((sum, { amount }) => sum + amount, 0n);
      for (const { destination, amount } of [{ destination: null, amount: all }, ...parts.filter(hasDestination)]) {
        const { amount: before, count } = sums.get(destination) ?? { amount: 0n, count: 0 };
        sums.set(destination, { amount: before + amount, count: count + 1 });
      }
    }
  }
}

function hasDestination({ destination }: Spend['parts'][number]): boolean {
  return destination !== null;
}

export type Verdict =
  | { readonly outcome: 'allow'; readonly by: readonly RuleOfPolicy[]; readonly spends: readonly Spend[] }
  | {
      readonly outcome: 'require_approval';
      /** The first rule that asks and is not approved yet. */
      readonly by: RuleOfPolicy;
      readonly approvals: ApprovalTerms;
      readonly spends: readonly Spend[];
    }
  | {
      readonly outcome: 'deny';
      /** Null for `no_rule`. */
      readonly by: RuleOfPolicy | null;
      readonly reason: DenialReason;
    };
