import type { AppId, PolicyDecisionId, PolicyId, WalletId } from '../../../../kernel/ids.js';
import type { Page, PageRequest } from '../../../../kernel/paging.js';
import type { Facts } from '../../rules/domain/facts.js';
import type { Operation } from '../../rules/domain/policy.js';
import type { DenialReason, Verdict } from '../../rules/domain/verdict.js';

export interface Decision {
  readonly id: PolicyDecisionId;
  readonly at: Date;
  readonly outcome: Verdict['outcome'];
  readonly policyId: PolicyId | null;
  readonly version: number | null;
  readonly ruleId: string | null;
  readonly reason: DenialReason | null;
  readonly operation: Operation;
  readonly walletId: WalletId;
  /** The transfer, or the id of the decision itself. */
  readonly operationId: string;
  readonly actor: string;
  readonly facts: Facts;
  /** Over 1 where a key had many denials by one rule in a minute. */
  readonly calls: number;
}

export type NewDecision = Omit<Decision, 'at' | 'calls'>;

export interface DecisionFilter {
  readonly outcome?: Verdict['outcome'];
  readonly walletId?: WalletId;
}

export abstract class DecisionRepository {
  abstract add(appId: AppId, decision: NewDecision): void;

  /**
   * Is stored even if the current transaction fails. With `isTracked` only the operation's first denial by a rule and reason is. Those of
   * one key by one rule beyond `BOUNDS.denialsPerMinute` are one decision with their number.
   */
  abstract addDenial(appId: AppId, decision: NewDecision, isTracked: boolean): Promise<void>;

  abstract list(appId: AppId, page: PageRequest, filter: DecisionFilter): Promise<Page<Decision>>;
}
