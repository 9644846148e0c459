import type { AppId } from '../../../kernel/ids.js';
import type { Window } from './policy.js';
import type { RuleOfPolicy, Spend, Usage, Used } from './verdict.js';

/** The sums of windows. */
export interface Counted {
  readonly usage: Usage;
  /** The database's time after the locks were granted. */
  readonly now: Date;
}

/** A rule whose windows are summed. */
export interface CountedRule extends RuleOfPolicy {
  /** The destinations that its windows count apart. */
  readonly destinations: ReadonlySet<string>;
}

/** The sums of windows, and their parts. */
export interface Inspected extends Counted {
  readonly windows: readonly {
    readonly of: RuleOfPolicy;
    readonly window: Window;
    /** Null: all destinations together. */
    readonly destination: string | null;
    /** The spent and the held part. */
    readonly all: Used;
    readonly held: Used;
    /** The time of the oldest amount that is spent; null if there is none. */
    readonly oldest: Date | null;
  }[];
}

/** The budgets of rules: the spent part, and the part that is held by requests whose end is not known. */
export abstract class SpendRepository {
  /**
   * Locks the windows of these rules, in one order for all callers, until the transaction ends, and sums them: two statements, because a
   * sum in the statement that locks would be older than the lock it waited for. The own spends of the requests do not count.
   */
  abstract count(appId: AppId, rules: readonly CountedRule[], operationIds: readonly string[]): Promise<Counted>;

  /** Sums windows without locks, at least one. */
  abstract inspect(appId: AppId, rules: readonly CountedRule[]): Promise<Inspected>;

  /** Adds spends at this time, in the transaction that has locked their windows. With `isHeld` the request has not ended yet. */
  abstract add(appId: AppId, operationId: string, spends: readonly Spend[], now: Date, isHeld: boolean): void;

  /**
   * Ends the hold of a request: its amount counts as spent at this time, or is given back (null). Give it back only in the transaction that
   * records the proof that nothing was paid.
   */
  abstract settle(appId: AppId, operationId: string, spentAt: Date | null): void;
}
