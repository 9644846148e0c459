import { createHash } from 'node:crypto';
import type { AppId, ApproverGroupId, Id, UserId } from '../../../kernel/ids.js';
import type { Page, PageRequest } from '../../../kernel/paging.js';
import type { Policy, Rule } from './policy.js';

/** The details of an approver group that an operator sets. */
export interface ApproverGroupDetails {
  /** The name, which is for people. */
  readonly name: string;
  readonly members: readonly UserId[];
}

/** Users of an app who may approve requests. */
export interface ApproverGroup extends ApproverGroupDetails {
  readonly appId: AppId;
  readonly id: ApproverGroupId;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** A member who wants to vote, with the passkey that proves the vote. */
export interface Voter {
  readonly userId: UserId;
  readonly passkey: { readonly id: Id<'passkey'>; readonly createdAt: Date };
  /** The hours after which a passkey that was made after its holder became a member votes. */
  readonly passkeyHours: number;
}

/** A passkey of a member that another member lets vote. */
export interface ApprovedPasskey {
  readonly appId: AppId;
  readonly groupId: ApproverGroupId;
  readonly passkeyId: Id<'passkey'>;
  readonly holder: UserId;
  readonly approvedBy: UserId;
}

/**
 * The challenge that a member's passkey signs to let the passkey of another member vote, in base64url. It names the membership, so that the
 * signature does not hold after the holder has left the group and come back.
 */
export function passkeyChallenge(approval: ApprovedPasskey, memberSince: Date): string {
  const { appId, groupId, passkeyId, holder, approvedBy } = approval;
  const since = memberSince.toISOString();
  const parts = ['approval of a passkey, version 1', appId, groupId, passkeyId, holder, since, approvedBy];
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64url');
}

/** The rules of the policies that ask this group. */
export function rulesThatAsk(group: ApproverGroupId, policies: readonly Policy[]): Rule[] {
  return policies.flatMap(({ rules }) => rules.filter(({ approvals }) => approvals?.group === group));
}

/** The approver groups of apps. The app is locked while an operator changes them. */
export abstract class ApproverGroupRepository {
  abstract add(group: Omit<ApproverGroup, 'createdAt' | 'updatedAt'>): Promise<ApproverGroup>;

  abstract count(appId: AppId): Promise<number>;

  /** Throws `ApproverGroupNotFound`. */
  abstract get(appId: AppId, id: ApproverGroupId): Promise<ApproverGroup>;

  /** The groups among these ids. */
  abstract among(appId: AppId, ids: readonly ApproverGroupId[]): Promise<readonly ApproverGroup[]>;

  /** Lists groups, newest first. */
  abstract list(appId: AppId, page: PageRequest): Promise<Page<ApproverGroup>>;

  /** Details that are absent stay, also if they change meanwhile. Throws `ApproverGroupNotFound`. */
  abstract update(appId: AppId, id: ApproverGroupId, changes: Partial<ApproverGroupDetails>): Promise<ApproverGroup>;

  /** Throws `ApproverGroupNotFound`. */
  abstract delete(appId: AppId, id: ApproverGroupId): Promise<void>;

  /** Since when the user is a member. A member whom a replica of the release before has added counts since the group was made. */
  abstract memberSince(appId: AppId, id: ApproverGroupId, userId: UserId): Promise<Date>;

  /**
   * Whether the passkey may prove a vote: its holder had it on becoming a member, it is old enough, or another member has approved it. The
   * group must exist.
   */
  abstract mayVote(appId: AppId, id: ApproverGroupId, voter: Voter): Promise<boolean>;

  /** Lets the passkey vote. Once more changes nothing. Returns when it was approved. */
  abstract approvePasskey(approved: ApprovedPasskey): Promise<Date>;

  /** Removes a deleted user from all groups of the app. */
  abstract removeMember(appId: AppId, userId: UserId): Promise<void>;

  /**
   * Keeps these users from being deleted until the transaction ends, so that none of them becomes a member after the removal. Returns the
   * unknown ones.
   */
  abstract holdMembers(appId: AppId, userIds: readonly UserId[]): Promise<readonly UserId[]>;
}
