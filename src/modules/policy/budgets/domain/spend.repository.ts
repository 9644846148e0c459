import type { AppId } from '../../../../kernel/ids.js';
import type { Window } from '../../rules/domain/policy.js';
import type { RuleOfPolicy, Spend, Usage, Used } from '../../rules/domain/verdict.js';

export interface Counted {
  readonly usage: Usage;
  readonly now: Date;
}

export interface LockedWindows extends Counted {
  /** `isHeld`: the request has not ended yet. */
  spend(operationId: string, spends: readonly Spend[], isHeld: boolean): void;
}

export interface CountedRule extends RuleOfPolicy {
  /** The destinations that its windows count apart. */
  readonly destinations: ReadonlySet<string>;
}

export interface Inspected extends Counted {
  readonly windows: readonly {
    readonly of: RuleOfPolicy;
    readonly window: Window;
    /** Null: all destinations together. */
    readonly destination: string | null;
    readonly all: Used;
    readonly held: Used;
    /** When the oldest amount was spent. */
    readonly oldest: Date | null;
  }[];
}

/** Budgets have a spent part, and a part held by requests whose end is not known. */
export abstract class SpendRepository {
  /**
   * Locks the windows in one order for all callers and sums them: two statements, because a sum in the statement that locks would be older
   * than the lock it waited for. The requests' own spends do not count.
   */
  abstract count(appId: AppId, rules: readonly CountedRule[], operationIds: readonly string[]): Promise<LockedWindows>;

  /** Takes no locks, unless the sums are behind: then it brings them nearer, as `count` does. Needs at least one rule. */
  abstract inspect(appId: AppId, rules: readonly CountedRule[]): Promise<Inspected>;

  /** Null gives the amount back, only in the transaction that records the proof that nothing was paid. */
  abstract settle(appId: AppId, operationId: string, spentAt: Date | null): Promise<void>;
}
