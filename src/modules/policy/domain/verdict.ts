import type { ApprovalTerms, Policy, Rule, Window } from './policy.js';

/** Why a request is denied. `no_rule`: no rule of a scope allows it. `missing_fact`: a rule would, but a fact cannot be read. */
export const DENIAL_REASONS = [
  'no_rule',
  'denied_by_rule',
  'window_amount',
  'window_count',
  'missing_fact',
  'unlimited',
] as const;
export type DenialReason = (typeof DENIAL_REASONS)[number];

/** A rule with the version that it belongs to. */
export interface RuleOfPolicy {
  readonly policy: Pick<Policy, 'id' | 'name' | 'version' | 'scope'>;
  readonly rule: Rule;
}

/** What a request adds to the budget of a rule that lets it pass: for each destination, because windows may count them apart. */
export interface Spend extends RuleOfPolicy {
  readonly parts: readonly {
    /** Null where the request has no destination. */
    readonly destination: string | null;
    /** In smallest units of the rule's asset; zero where the rule bounds no amount. */
    readonly amount: bigint;
  }[];
}

/** What has been counted in a window so far. */
export interface Used {
  readonly amount: bigint;
  readonly count: number;
}

/** Returns what the window of the rule has counted: for this destination, or for all (null). */
export type Usage = (of: RuleOfPolicy, window: Window, destination: string | null) => Used;

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
