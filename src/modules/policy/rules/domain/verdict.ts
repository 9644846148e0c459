import type { ApprovalTerms, Policy, Rule, Window } from './policy.js';

/** `no_rule`: no rule of a scope allows it. `missing_fact`: a rule would if a fact could be read. */
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

export interface RuleOfPolicy {
  readonly policy: Pick<Policy, 'id' | 'name' | 'version' | 'scope'>;
  readonly rule: Rule;
}

/** What a request takes from the budget of a rule: windows may count destinations apart. */
export interface Spend extends RuleOfPolicy {
  readonly parts: readonly {
    readonly destination: string | null;
    /** Smallest units of the rule's asset; zero where the rule bounds no amount. */
    readonly amount: bigint;
  }[];
}

export interface Used {
  readonly amount: bigint;
  readonly count: number;
}

/** Null: all destinations together. */
export type Usage = (of: RuleOfPolicy, window: Window, destination: string | null) => Used;

/** Whether a rule that lets the request pass, or puts it to approvers, bounds an amount. */
export function boundsAmount({ by, spends }: Exclude<Verdict, { outcome: 'deny' }>): boolean {
  const rules = [by, spends].flat().map(({ rule }) => rule);
  return rules.some(
    ({ match, windows }) => match.amount !== null || windows.some(({ maxAmount }) => maxAmount !== null),
  );
}

export const NOTHING_USED: Usage = () => ({ amount: 0n, count: 0 });

/** Also counts spends of further requests of the transaction. */
export class RunningUsage {
  // All windows of a rule count the same: the spends are of this moment.
  private readonly added = new Map<Rule, Map<string | null, Used>>();

  constructor(private readonly before: Usage) {}

  readonly usage: Usage = (of, window, destination) => {
    const before = this.before(of, window, destination);
    const added = this.added.get(of.rule)?.get(destination);
    return added ? { amount: before.amount + added.amount, count: before.count + added.count } : before;
  };

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
      readonly by: RuleOfPolicy;
      readonly approvals: ApprovalTerms;
      readonly spends: readonly Spend[];
    }
  | {
      readonly outcome: 'deny';
      readonly by: RuleOfPolicy | null;
      readonly reason: DenialReason;
    };
