import type { AppId, ApproverGroupId, UserId } from '../../../kernel/ids.js';
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

  /** Removes a deleted user from all groups of the app. */
  abstract removeMember(appId: AppId, userId: UserId): Promise<void>;

  /**
   * Keeps these users from being deleted until the transaction ends, so that none of them becomes a member after the removal. Returns the
   * unknown ones.
   */
  abstract holdMembers(appId: AppId, userIds: readonly UserId[]): Promise<readonly UserId[]>;
}
