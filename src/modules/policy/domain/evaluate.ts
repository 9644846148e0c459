import type { Facts } from './facts.js';
import type { Policy } from './policy.js';
import type { RuleOfPolicy, Usage, Verdict } from './verdict.js';
export declare function candidates(policies: readonly Policy[], facts: Facts): readonly RuleOfPolicy[];
export declare function evaluate(
  policies: readonly Policy[],
  facts: Facts,
  usage: Usage,
  approved: ReadonlySet<string>,
): Verdict;
