import { Injectable } from '@nestjs/common';
import type { DomainError, FieldError } from '../../../../kernel/domain-error.js';
import { InvalidRequest } from '../../../../kernel/errors.js';
import type { AppId } from '../../../../kernel/ids.js';
import { APPROVER_PASSKEY_HOURS, type AskedSetting, type SettledApp } from '../../../apps/index.js';
import { PasskeysFacade } from '../../../passkey/index.js';
import { type ApproverGroup, ApproverGroupRepository } from '../domain/approver-group.js';
import {
  areSameTerms,
  passkeyHoursChangeOf,
  POLICY_CHANGE,
  type PolicyChangeTerms,
  termsChangeOf,
} from '../domain/policy-change.js';
import { Approvals } from './approvals.js';
import { PolicyChanges } from './policy-changes.js';

/** The transaction has locked the app. */
@Injectable()
export class ChangeTerms {
  constructor(
    private readonly groups: ApproverGroupRepository,
    private readonly passkeys: PasskeysFacade,
    private readonly changes: PolicyChanges,
    private readonly approvals: Approvals,
  ) {}

  /** The first setting needs no approval, every later change does. */
  async permit({ before, after, apps, ...asked }: AskedSetting<PolicyChangeTerms>): Promise<DomainError | null> {
    if (before && apps.before) {
      const [current, next] = [apps.before, apps.after].map(hoursOf) as [number, number];
      const change = passkeyHoursChangeOf(apps.before.name, current, next);
      const refusal = next < current ? await this.changes.permit(asked, before, change) : null;
      if (refusal) return refusal;
    }
    if (areSameTerms(before, after)) return null;
    const { appId } = asked;
    const next = after && { ...after, group: await this.groupThatSuffices(appId, after) };
    if (!before) return null;
    const current = { ...before, group: await this.groups.get(appId, before.group) };
    const refusal = await this.changes.permit(asked, before, termsChangeOf(current, next));
    if (!refusal) await this.approvals.withdrawChanges(appId);
    return refusal;
  }

  private async groupThatSuffices(appId: AppId, { group: id, count }: PolicyChangeTerms): Promise<ApproverGroup> {
    const [group] = await this.groups.among(appId, [id]);
    if (!group) throw refusal('group', 'exists', 'does not exist');
    const { size } = await this.passkeys.haveOne(appId, group.members);
    if (count > size)
      throw refusal('count', 'max', `must be at most the number of members who have a passkey (${size})`);
    return group;
  }
}

function hoursOf({ approverPasskeyHours }: SettledApp): number {
  return approverPasskeyHours ?? APPROVER_PASSKEY_HOURS.standard;
}

function refusal(field: string, rule: string, message: string): InvalidRequest {
  const fault: FieldError = { field: `${POLICY_CHANGE}.${field}`, rule, message };
  return new InvalidRequest([fault]);
}
