import type { AppId } from '../../../kernel/ids.js';
import type { RuleOfPolicy, Spend, Usage } from './verdict.js';

/** What the windows of rules have counted, while their locks are held. */
export interface Counted {
  readonly usage: Usage;
  /** The database's time after the locks were granted. */
  readonly now: Date;
}

/** The budgets of rules: what was spent of them, and what is held by requests whose end is not known. */
export abstract class SpendRepository {
  /**
   * Locks the windows of these rules, in one order for all callers, until the transaction ends, and sums them: two statements, because a
   * sum in the statement that locks would be older than the lock it waited for. `destinations` are those that windows count apart. The
   * request's own spends do not count.
   */
  abstract count(
    appId: AppId,
    rules: readonly RuleOfPolicy[],
    destinations: readonly string[],
    operationId: string,
  ): Promise<Counted>;

  /** What the windows have counted, without locks. */
  abstract peek(appId: AppId, rules: readonly RuleOfPolicy[], destinations: readonly string[]): Promise<Counted>;

  /** Adds spends at this time, in the transaction that has locked their windows. `isHeld`: the request has not ended yet. */
  abstract add(appId: AppId, operationId: string, spends: readonly Spend[], now: Date, isHeld: boolean): void;

  /**
   * Ends what the request holds: it counts as spent, or is given back. Call the latter only in the transaction that records the proof that
   * nothing was paid.
   */
  abstract settle(appId: AppId, operationId: string, isSpent: boolean): void;
}
