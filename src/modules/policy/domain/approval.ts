import { createHash } from 'node:crypto';
import type { AppId, ApprovalId, ApproverGroupId, PolicyId, UserId, WalletId } from '../../../kernel/ids.js';
import type { Page, PageRequest } from '../../../kernel/paging.js';
import { AlreadyVoted, ApprovalEnded, ApprovalMismatch, NotAnApprover } from './approval.errors.js';
import type { Payload } from './payload.js';
import type { Operation } from './policy.js';

/** The first two are open: an approved one waits for its use. */
export const APPROVAL_STATES = ['waiting', 'approved', 'rejected', 'expired', 'executed', 'void'] as const;
export type ApprovalState = (typeof APPROVAL_STATES)[number];

export const VOTES = ['approve', 'reject'] as const;
export type VoteDecision = (typeof VOTES)[number];

/** The reason why an approval ends. All but the first two make it void. */
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

/**
 * A request that is put to the members of an approver group. For the use of a key a rule asks them: it is for one payload and one version of a
 * policy. For `policy_change` the app's setting asks them.
 */
export interface Approval {
  readonly appId: AppId;
  readonly id: ApprovalId;
  readonly state: ApprovalState;
  /** Why it ended without a vote; otherwise null. */
  readonly reason: EndReason | null;
  readonly operation: Operation | 'policy_change';
  /** The transfer; otherwise the hash of the payload. */
  readonly operationId: string;
  /** Null for a change of policies, like the owner, the version and the rule. */
  readonly walletId: WalletId | null;
  /** The owner of the wallet. */
  readonly userId: UserId | null;
  /** Whether a call named the owner: then the owner must not vote. */
  readonly namesUser: boolean;
  /** The app's key that asked; for a change of policies, the management key or the operator. */
  readonly keyId: string;
  readonly policyId: PolicyId | null;
  readonly version: number | null;
  readonly ruleId: string | null;
  readonly groupId: ApproverGroupId;
  /** The number of members who must approve. */
  readonly needed: number;
  readonly payload: Payload;
  /** The SHA-256 of the payload in hexadecimal. */
  readonly payloadHash: string;
  readonly createdAt: Date;
  readonly expiresAt: Date;
  /** Null while it is open, and while a transfer that it has ended for may have been paid. */
  readonly endedAt: Date | null;
  /** The votes, the oldest first. */
  readonly votes: readonly Vote[];
}

/** The app and the id of an approval. */
export type ApprovalKey = Pick<Approval, 'appId' | 'id'>;

/** An approval that is requested now: its times are those of the database. */
export type NewApproval = Omit<Approval, 'state' | 'reason' | 'createdAt' | 'expiresAt' | 'endedAt' | 'votes'> & {
  /** The number of seconds after which it expires. */
  readonly expiresIn: number;
};

/** An approval with the facts on which its next step depends. */
export interface CurrentApproval extends Approval {
  /** Why it must end now, and its transfer with it; null while it may be given or used, and after that end. */
  readonly end: EndReason | null;
  /** The members of the group. */
  readonly members: readonly UserId[];
  /** The users who have approved and are still active members. */
  readonly supporters: readonly UserId[];
}

export function isOpen({ state }: Approval): boolean {
  return state === 'waiting' || state === 'approved';
}

/** Throws `ApprovalEnded`, `NotAnApprover`, `AlreadyVoted`. Once enough have approved, no further vote is taken. */
export function assertMayVote(approval: CurrentApproval, voter: UserId): void {
  const { id, state, end, members, userId, namesUser, votes } = approval;
  if (end !== null) throw new ApprovalEnded(id, stateAfter(end));
  if (state !== 'waiting') throw new ApprovalEnded(id, state);
  // A user who could approve their own request would need no second person.
  if (!members.includes(voter) || (namesUser && userId === voter)) throw new NotAnApprover();
  if (votes.some((vote) => vote.userId === voter)) throw new AlreadyVoted();
}

/** Whether it may be used for the payload with this hash once it is approved. Throws `ApprovalMismatch`, `ApprovalEnded`. */
export function assertUsable(approval: CurrentApproval, hash: string): void {
  const { id, state, end, payloadHash } = approval;
  if (payloadHash !== hash) throw new ApprovalMismatch();
  if (end !== null) throw new ApprovalEnded(id, stateAfter(end));
  if (!isOpen(approval)) throw new ApprovalEnded(id, state);
}

/** The state after one more vote, with this number of other supporters. One rejection ends it. */
export function stateWith(decision: VoteDecision, supporters: number, needed: number): ApprovalState {
  if (decision === 'reject') return 'rejected';
  return supporters + 1 >= needed ? 'approved' : 'waiting';
}

export function stateAfter(end: EndReason): 'rejected' | 'expired' | 'void' {
  if (end === 'rejected_by_approver') return 'rejected';
  return end === 'expired' ? 'expired' : 'void';
}

/**
 * The challenge that a passkey signs to vote, in base64url. It names everything that the vote is about, so that a signature is no vote for
 * anything else. It needs no random part: a user has one vote.
 */
export function challengeFor(
  { appId, id, payloadHash, policyId, version }: Approval,
  voter: UserId,
  decision: VoteDecision,
): string {
  const parts = ['vote on an approval, version 1', appId, id, payloadHash, policyId, version, decision, voter];
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64url');
}

/** The approvals of apps. The transfer of an approval is locked before the approval. */
export abstract class ApprovalRepository {
  abstract find(appId: AppId, id: ApprovalId): Promise<CurrentApproval | null>;

  /** Lists approvals, newest first. */
  abstract list(appId: AppId, page: PageRequest, state?: ApprovalState): Promise<Page<CurrentApproval>>;

  /** Locks the approval until the transaction ends and reads it as it is then. */
  abstract lock(appId: AppId, id: ApprovalId): Promise<CurrentApproval>;

  /** Locks the approvals of an operation that have not ended, and those that were used for a transfer. It sends its statements at once. */
  abstract lockOf(appId: AppId, operationId: string): Promise<readonly CurrentApproval[]>;

  /**
   * Stores it, unless an open one of the same request and rule exists. With `lostVotes` that one waits again, because some of its votes
   * count no more; if it was approved, the time to approve begins anew. Returns the id of the open one. Throws `TooManyApprovals`.
   */
  abstract request(approval: NewApproval, lostVotes: boolean): Promise<ApprovalId>;

  /** Adds the vote at the time of the database. */
  abstract addVote(appId: AppId, id: ApprovalId, userId: UserId, decision: VoteDecision): void;

  /** Stores the next state of a locked approval. */
  abstract store(appId: AppId, id: ApprovalId, state: ApprovalState, reason?: EndReason): void;

  /** Stores whether a locked approval, whose end is stored, has ended its transfer, too. It is due until it has. */
  abstract markEnded(appId: AppId, id: ApprovalId, isEnded: boolean): void;

  /** Ends the approvals of a transfer, and returns those that were open: they are void. */
  abstract withdraw(appId: AppId, operationId: string): Promise<readonly Pick<Approval, 'id' | 'payloadHash'>[]>;

  /** Makes the open approvals of uses of the user's wallets void, because the user has got the account, and returns them. */
  abstract withdrawOf(appId: AppId, userId: UserId): Promise<readonly Pick<Approval, 'id' | 'payloadHash'>[]>;

  /** Makes the open approvals of changes of policies void, because `policy_change` or its group has changed, and returns them. */
  abstract withdrawChanges(appId: AppId): Promise<readonly Pick<Approval, 'id' | 'payloadHash'>[]>;

  /** The next approvals after this one, of one app or of all (null), that must end now, or their transfers: in the order of app and id. */
  abstract due(appId: AppId | null, after: ApprovalKey, limit: number): Promise<readonly ApprovalKey[]>;
}
