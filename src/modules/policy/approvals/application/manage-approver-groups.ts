import { Injectable } from '@nestjs/common';
import { InvalidRequest } from '../../../../kernel/errors.js';
import { type AppId, type ApproverGroupId, newId, type UserId } from '../../../../kernel/ids.js';
import type { Requester } from '../../../../kernel/requester.js';
import { Transactions } from '../../../../kernel/transactions.js';
import { AppsFacade, type AskedChange } from '../../../apps/index.js';
import { PasskeysFacade } from '../../../passkey/index.js';
import {
  type ApproverGroup,
  type ApproverGroupDetails,
  ApproverGroupRepository,
  rulesThatAsk,
} from '../domain/approver-group.js';
import { BOUNDS } from '../../rules/domain/policy.js';
import { groupChangeOf, type PolicyChangeTerms, termsIn } from '../domain/policy-change.js';
import { ApproverGroupInUse, ApproverGroupTooSmall, TooManyApproverGroups } from '../../rules/domain/policy.errors.js';
import { PolicyRepository } from '../../rules/domain/policy.repository.js';
import { Approvals } from './approvals.js';
import { PolicyChanges } from './policy-changes.js';

/** Each method locks the app first, so that no policy that asks a group is activated meanwhile. */
@Injectable()
export class ManageApproverGroups {
  constructor(
    private readonly apps: AppsFacade,
    private readonly groups: ApproverGroupRepository,
    private readonly policies: PolicyRepository,
    private readonly passkeys: PasskeysFacade,
    private readonly transactions: Transactions,
    private readonly changes: PolicyChanges,
    private readonly approvals: Approvals,
  ) {}

  create(by: Requester, appId: AppId, details: ApproverGroupDetails): Promise<ApproverGroup> {
    return this.transactions.run(async () => {
      await this.apps.lock(appId);
      if ((await this.groups.count(appId)) >= BOUNDS.groups) throw new TooManyApproverGroups();
      await this.assertMayApprove(appId, details.members);
      const group = await this.groups.add({ appId, id: newId('approverGroup'), ...details });
      await this.apps.audit(by, appId, 'approver_group.created', group.id);
      return group;
    });
  }

  /** Other members of a group that is in use may need an approval; fewer members, too, because each may reject. */
  update(asked: AskedChange, id: ApproverGroupId, changes: Partial<ApproverGroupDetails>): Promise<ApproverGroup> {
    const { by, appId } = asked;
    return this.changes.run(asked, async ({ terms, permit }) => {
      const before = await this.groups.get(appId, id);
      if (changes.members) await this.assertMayApprove(appId, changes.members);
      if (changes.members && !haveSame(before.members, changes.members)) {
        const counts = await this.countsOf(appId, id, terms);
        assertSuffices(id, counts, changes.members.length);
        const refusal = counts.length > 0 ? await permit(groupChangeOf(before, { ...before, ...changes })) : null;
        if (refusal) return refusal;
        if (terms?.group === id) await this.approvals.withdrawChanges(appId);
      }
      const group = await this.groups.update(appId, id, changes);
      await this.apps.audit(by, appId, 'approver_group.updated', id, Object.keys(changes));
      return group;
    });
  }

  delete(by: Requester, appId: AppId, id: ApproverGroupId): Promise<void> {
    return this.transactions.run(async () => {
      const { moduleSettings } = await this.apps.lock(appId);
      if ((await this.countsOf(appId, id, termsIn(moduleSettings))).length > 0) throw new ApproverGroupInUse();
      await this.groups.delete(appId, id);
      await this.apps.audit(by, appId, 'approver_group.deleted', id);
    });
  }

  /** Each member is named once, and can prove a vote by a passkey. */
  private async assertMayApprove(appId: AppId, members: readonly UserId[]): Promise<void> {
    const unknown = new Set(await this.groups.holdMembers(appId, members));
    const holders = await this.passkeys.haveOne(appId, members);
    const faults = members.flatMap((userId, index) => {
      const fault = faultOf(userId, members.indexOf(userId) < index, unknown, holders);
      return fault ? [{ field: `members[${index}].user_id`, ...fault }] : [];
    });
    if (faults.length > 0) throw new InvalidRequest(faults);
  }

  /** Empty if the group is not in use. */
  private async countsOf(appId: AppId, id: ApproverGroupId, terms: PolicyChangeTerms | null): Promise<number[]> {
    const rules = rulesThatAsk(id, await this.policies.activeOf(appId));
    return [...rules.map(({ approvals }) => approvals!.count), ...(terms?.group === id ? [terms.count] : [])];
  }
}

function assertSuffices(group: ApproverGroupId, counts: readonly number[], members: number): void {
  const count = Math.max(0, ...counts);
  if (count > members) throw new ApproverGroupTooSmall({ group, count, members });
}

function haveSame(before: readonly UserId[], after: readonly UserId[]): boolean {
  return before.length === after.length && before.every((id) => after.includes(id));
}

function faultOf(
  userId: UserId,
  isRepeated: boolean,
  unknown: ReadonlySet<UserId>,
  holders: ReadonlySet<UserId>,
): { readonly rule: string; readonly message: string } | null {
  if (isRepeated) return { rule: 'unique', message: 'is named already' };
  if (unknown.has(userId)) return { rule: 'exists', message: 'does not exist' };
  return holders.has(userId) ? null : { rule: 'passkey', message: 'must be a user who has a passkey' };
}
