import type { AppId, PolicyDecisionId, PolicyId, WalletId } from '../../../kernel/ids.js';
import type { Page, PageRequest } from '../../../kernel/paging.js';
import type { Facts } from './facts.js';
import type { Operation } from './policy.js';
import type { DenialReason, Verdict } from './verdict.js';

/** Decisions, spends and ended approvals are kept as long as the longest window counts, and two months more. */
export const KEPT = '90 days';

/** The outcome of one request, as it was decided. */
export interface Decision {
  readonly id: PolicyDecisionId;
  readonly at: Date;
  readonly outcome: Verdict['outcome'];
  /** The deciding rule; null where no rule decided. */
  readonly policyId: PolicyId | null;
  readonly version: number | null;
  readonly ruleId: string | null;
  /** Null unless denied. */
  readonly reason: DenialReason | null;
  readonly operation: Operation;
  readonly walletId: WalletId;
  /** The transfer, or the id of the decision itself. */
  readonly operationId: string;
  /** The id of the key that asked; empty if it is not known. */
  readonly actor: string;
  readonly facts: Facts;
  /** The requests that it stands for: over 1 where a key had many denials by one rule in a minute. */
  readonly calls: number;
}

/** A decision that is not stored yet: its time is that of the database. */
export type NewDecision = Omit<Decision, 'at' | 'calls'>;

export interface DecisionFilter {
  readonly outcome?: Verdict['outcome'];
  readonly walletId?: WalletId;
}

export abstract class DecisionRepository {
  /** Stores it in the current transaction, by COMMIT at the latest. */
  abstract add(appId: AppId, decision: NewDecision): void;

  /**
   * Stores it at once, also if the current transaction fails because of it. With `isTracked` only if the operation has no denial of the same
   * rule and reason yet. Those of one key by one rule beyond `BOUNDS.denialsPerMinute` are one decision with their number.
   */
  abstract addDenial(appId: AppId, decision: NewDecision, isTracked: boolean): Promise<void>;

  abstract list(appId: AppId, page: PageRequest, filter: DecisionFilter): Promise<Page<Decision>>;
}
