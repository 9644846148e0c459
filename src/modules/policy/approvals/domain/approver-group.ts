import { createHash } from 'node:crypto';
import type { AppId, ApproverGroupId, Id, UserId } from '../../../../kernel/ids.js';
import type { Page, PageRequest } from '../../../../kernel/paging.js';
import type { Policy, Rule } from '../../rules/domain/policy.js';

export interface ApproverGroupDetails {
  readonly name: string;
  readonly members: readonly UserId[];
}

export interface ApproverGroup extends ApproverGroupDetails {
  readonly appId: AppId;
  readonly id: ApproverGroupId;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

export interface Voter {
  readonly userId: UserId;
  readonly passkey: { readonly id: Id<'passkey'>; readonly createdAt: Date };
  /** Hours until a passkey votes that was made after its holder became a member. */
  readonly passkeyHours: number;
}

/** Another member lets it vote. */
export interface ApprovedPasskey {
  readonly appId: AppId;
  readonly groupId: ApproverGroupId;
  readonly passkeyId: Id<'passkey'>;
  readonly holder: UserId;
  readonly approvedBy: UserId;
}

/** Another member's passkey signs this. It names the membership, so that it does not hold after the holder has left and come back. */
export function passkeyChallenge(approval: ApprovedPasskey, memberSince: Date): string {
  const { appId, groupId, passkeyId, holder, approvedBy } = approval;
  const since = memberSince.toISOString();
  const parts = ['approval of a passkey, version 1', appId, groupId, passkeyId, holder, since, approvedBy];
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64url');
}

export function rulesThatAsk(group: ApproverGroupId, policies: readonly Policy[]): Rule[] {
  return policies.flatMap(({ rules }) => rules.filter(({ approvals }) => approvals?.group === group));
}

/** The app is locked while an operator changes them. */
export abstract class ApproverGroupRepository {
  abstract add(group: Omit<ApproverGroup, 'createdAt' | 'updatedAt'>): Promise<ApproverGroup>;

  abstract count(appId: AppId): Promise<number>;

  abstract get(appId: AppId, id: ApproverGroupId): Promise<ApproverGroup>;

  abstract among(appId: AppId, ids: readonly ApproverGroupId[]): Promise<readonly ApproverGroup[]>;

  abstract list(appId: AppId, page: PageRequest): Promise<Page<ApproverGroup>>;

  /** Absent details stay, also if they change meanwhile. */
  abstract update(appId: AppId, id: ApproverGroupId, changes: Partial<ApproverGroupDetails>): Promise<ApproverGroup>;

  abstract delete(appId: AppId, id: ApproverGroupId): Promise<void>;

  /** A member whom a replica of the previous release has added counts since the group was made. */
  abstract memberSince(appId: AppId, id: ApproverGroupId, userId: UserId): Promise<Date>;

  /** Whether the holder had the passkey on joining, it is old enough, or another member has approved it. The group must exist. */
  abstract mayVote(appId: AppId, id: ApproverGroupId, voter: Voter): Promise<boolean>;

  /** A second call changes nothing. Returns when it was approved. */
  abstract approvePasskey(approved: ApprovedPasskey): Promise<Date>;

  /** Removes a deleted user from all groups of the app. */
  abstract removeMember(appId: AppId, userId: UserId): Promise<void>;

  /** Keeps users from being deleted until the transaction ends, so that none becomes a member after the removal. Returns unknown ones. */
  abstract holdMembers(appId: AppId, userIds: readonly UserId[]): Promise<readonly UserId[]>;
}
