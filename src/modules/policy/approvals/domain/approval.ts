import { createHash } from 'node:crypto';
import type { AppId, ApprovalId, ApproverGroupId, PolicyId, UserId, WalletId } from '../../../../kernel/ids.js';
import type { Page, PageRequest } from '../../../../kernel/paging.js';
import { AlreadyVoted, ApprovalEnded, ApprovalMismatch, NotAnApprover } from './approval.errors.js';
import type { Payload } from '../../rules/domain/payload.js';
import type { Operation } from '../../rules/domain/policy.js';

/** The first two are open: an approved one waits for its use. */
export const APPROVAL_STATES = ['waiting', 'approved', 'rejected', 'expired', 'executed', 'void'] as const;
export type ApprovalState = (typeof APPROVAL_STATES)[number];

export const VOTES = ['approve', 'reject'] as const;
export type VoteDecision = (typeof VOTES)[number];

/** All but the first two make the approval void. */
export const END_REASONS = [
  'rejected_by_approver',
  'expired',
  'policy_changed',
  'key_revoked',
  'user_inactive',
  'user_claimed',
  'transfer_ended',
] as const;
export type EndReason = (typeof END_REASONS)[number];

export interface Vote {
  readonly userId: UserId;
  readonly decision: VoteDecision;
  readonly at: Date;
}

/** Approvers of a group are asked by a rule, for one payload and one version of a policy; or for `policy_change` by the app's setting. */
export interface Approval {
  readonly appId: AppId;
  readonly id: ApprovalId;
  readonly state: ApprovalState;
  readonly reason: EndReason | null;
  readonly operation: Operation | 'policy_change';
  /** The id of the transfer; otherwise the hash of the payload. */
  readonly operationId: string;
  /** Null for a change of policies, as are the other nullable ids. */
  readonly walletId: WalletId | null;
  readonly userId: UserId | null;
  readonly namesUser: boolean;
  /** The app's key that asked; for a change of policies, the management key or the operator. */
  readonly keyId: string;
  readonly policyId: PolicyId | null;
  readonly version: number | null;
  readonly ruleId: string | null;
  readonly groupId: ApproverGroupId;
  readonly needed: number;
  readonly payload: Payload;
  readonly payloadHash: string;
  readonly createdAt: Date;
  readonly expiresAt: Date;
  /** Null while it is open, and while the transfer that it ends may have been paid. */
  readonly endedAt: Date | null;
  readonly votes: readonly Vote[];
}

export type ApprovalKey = Pick<Approval, 'appId' | 'id'>;

/** The database sets its times. */
export type NewApproval = Omit<Approval, 'state' | 'reason' | 'createdAt' | 'expiresAt' | 'endedAt' | 'votes'> & {
  readonly expiresIn: number;
};

export interface CurrentApproval extends Approval {
  /** Why it must end now, and its transfer with it; null while it may be given or used, and after that end. */
  readonly end: EndReason | null;
  readonly members: readonly UserId[];
  readonly supporters: readonly UserId[];
}

export function isOpen({ state }: Approval): boolean {
  return state === 'waiting' || state === 'approved';
}

/** Once enough members have approved, no further vote is taken. */
export function assertMayVote(approval: CurrentApproval, voter: UserId): void {
  const { id, state, end, members, userId, namesUser, votes } = approval;
  if (end !== null) throw new ApprovalEnded(id, stateAfter(end));
  if (state !== 'waiting') throw new ApprovalEnded(id, state);
  // A user who could approve their own request would need no second person.
  if (!members.includes(voter) || (namesUser && userId === voter)) throw new NotAnApprover();
  if (votes.some((vote) => vote.userId === voter)) throw new AlreadyVoted();
}

/** Throws `ApprovalMismatch` or `ApprovalEnded`. */
export function assertUsable(approval: CurrentApproval, hash: string): void {
  const { id, state, end, payloadHash } = approval;
  if (payloadHash !== hash) throw new ApprovalMismatch();
  if (end !== null) throw new ApprovalEnded(id, stateAfter(end));
  if (!isOpen(approval)) throw new ApprovalEnded(id, state);
}

/** One rejection ends it. `supporters` does not include the new vote. */
export function stateWith(decision: VoteDecision, supporters: number, needed: number): ApprovalState {
  if (decision === 'reject') return 'rejected';
  return supporters + 1 >= needed ? 'approved' : 'waiting';
}

export function stateAfter(end: EndReason): 'rejected' | 'expired' | 'void' {
  if (end === 'rejected_by_approver') return 'rejected';
  return end === 'expired' ? 'expired' : 'void';
}

/**
 * The passkey signs this to vote, in base64url. It names everything that the vote is about, so that the signature is no vote for anything
 * else. It needs no random part: a user has one vote.
 */
export function challengeFor(
  { appId, id, payloadHash, policyId, version }: Approval,
  voter: UserId,
  decision: VoteDecision,
): string {
  const parts = ['vote on an approval, version 1', appId, id, payloadHash, policyId, version, decision, voter];
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64url');
}

/** A transfer is locked before its approval. */
export abstract class ApprovalRepository {
  abstract find(appId: AppId, id: ApprovalId): Promise<CurrentApproval | null>;

  abstract list(appId: AppId, page: PageRequest, state?: ApprovalState): Promise<Page<CurrentApproval>>;

  /** Reads the approval as it is under the lock. */
  abstract lock(appId: AppId, id: ApprovalId): Promise<CurrentApproval>;

  /** The approvals that have not ended, and those that were used for a transfer. It sends its statements at once. */
  abstract lockOf(appId: AppId, operationId: string): Promise<readonly CurrentApproval[]>;

  /**
   * Returns the id of an open one of the same request and rule if there is one. With `lostVotes` that one waits again, because some of its
   * votes count no more; if it was approved, the time to approve begins anew.
   */
  abstract request(approval: NewApproval, lostVotes: boolean): Promise<ApprovalId>;

  abstract addVote(appId: AppId, id: ApprovalId, userId: UserId, decision: VoteDecision): void;

  abstract store(appId: AppId, id: ApprovalId, state: ApprovalState, reason?: EndReason): void;

  /** An approval whose end is stored is due until its transfer has ended, too. */
  abstract markEnded(appId: AppId, id: ApprovalId, isEnded: boolean): void;

  /** Returns those that were open: they are void. */
  abstract withdraw(appId: AppId, operationId: string): Promise<readonly Pick<Approval, 'id' | 'payloadHash'>[]>;

  /** The user has got the account. Returns the voided ones. */
  abstract withdrawOf(appId: AppId, userId: UserId): Promise<readonly Pick<Approval, 'id' | 'payloadHash'>[]>;

  /** `policy_change` or its group has changed. Returns the voided ones. */
  abstract withdrawChanges(appId: AppId): Promise<readonly Pick<Approval, 'id' | 'payloadHash'>[]>;

  /** The next approvals that must end now, or whose transfers must, in the order of app and id; of all apps if `appId` is null. */
  abstract due(appId: AppId | null, after: ApprovalKey, limit: number): Promise<readonly ApprovalKey[]>;
}
