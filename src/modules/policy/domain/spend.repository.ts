import type { AppId } from '../../../kernel/ids.js';
import type { RuleOfPolicy, Spend, Usage } from './verdict.js';

/** The sums of windows. */
export interface Counted {
  readonly usage: Usage;
  /** The database's time after the locks were granted. */
  readonly now: Date;
}

/** The budgets of rules: the spent part, and the part that is held by requests whose end is not known. */
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

  /** Sums the windows without locks. */
  abstract peek(appId: AppId, rules: readonly RuleOfPolicy[], destinations: readonly string[]): Promise<Counted>;

  /** Adds spends at this time, in the transaction that has locked their windows. With `isHeld` the request has not ended yet. */
  abstract add(appId: AppId, operationId: string, spends: readonly Spend[], now: Date, isHeld: boolean): void;

  /**
   * Ends the hold of a request: its amount counts as spent, or is given back. Give it back only in the transaction that records the proof
   * that nothing was paid.
   */
  abstract settle(appId: AppId, operationId: string, isSpent: boolean): void;
}
