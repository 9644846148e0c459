import { Injectable } from '@nestjs/common';
import { DomainEvents } from '../../../../kernel/domain-events.js';
import { InvalidRequest } from '../../../../kernel/errors.js';
import { type AppId, isId, newId, type PolicyId } from '../../../../kernel/ids.js';
import type { Requester } from '../../../../kernel/requester.js';
import { Transactions } from '../../../../kernel/transactions.js';
import { AppsFacade, type AskedChange } from '../../../apps/index.js';
import { type ApproverGroup, ApproverGroupRepository } from '../../approvals/domain/approver-group.js';
import { loosens } from '../../rules/domain/loosens.js';
import { BOUNDS, isOfTokens, type Policy, type Rule } from '../../rules/domain/policy.js';
import { activationOf, retirementOf } from '../../approvals/domain/policy-change.js';
import {
  ApprovalRequired,
  ApproverGroupTooSmall,
  PolicyNotFound,
  TooManyPolicies,
} from '../../rules/domain/policy.errors.js';
import { eventDataOf, PolicyActivated, PolicyRetired } from '../../rules/domain/policy.events.js';
import { type NewPolicy, PolicyRepository } from '../../rules/domain/policy.repository.js';
import { type ChangedApp, PolicyChanges } from '../../approvals/application/policy-changes.js';

/** Each method locks the app first, so that one call at a time counts and changes its policies. */
@Injectable()
export class ManagePolicies {
  constructor(
    private readonly apps: AppsFacade,
    private readonly policies: PolicyRepository,
    private readonly groups: ApproverGroupRepository,
    private readonly events: DomainEvents,
    private readonly transactions: Transactions,
    private readonly changes: PolicyChanges,
  ) {}

  /** If no more versions are kept, the oldest that nothing refers to is removed. */
  async create(by: Requester, appId: AppId, asked: Pick<NewPolicy, 'name' | 'scope' | 'rules'>): Promise<Policy> {
    if (isId('grant', asked.name)) {
      const message = 'must not be the id of a grant, after which its budget is named';
      throw new InvalidRequest([{ field: 'name', rule: 'format', message }]);
    }
    return this.transactions.run(async () => {
      await this.apps.lock(appId);
      if (!(await this.policies.hasScope(appId, asked.scope))) throw doesNotExist(['scope.id']);
      await this.assertGroupsExist(appId, asked.rules);
      if ((await this.policies.count(appId)) >= BOUNDS.versions && !(await this.policies.removeOldest(appId)))
        throw new TooManyPolicies(`The app has ${BOUNDS.versions} versions of policies, and each is still needed.`);
      const policy = await this.policies.add({ appId, id: newId('policy'), ...asked });
      await this.apps.audit(by, appId, 'policy.created', policy.id);
      return policy;
    });
  }

  /** Retires the active version of the name. An approval may be needed unless the version is proven to allow no more than before. */
  activate(asked: AskedChange, id: PolicyId): Promise<Policy> {
    const { by, appId } = asked;
    return this.changes.run(asked, async (changed) => {
      const policy = await this.policies.get(appId, id);
      // A budget does not outlive its grant.
      if (policy.scope.kind === 'grant' && policy.state !== 'active') throw new PolicyNotFound();
      const activated = policy.state === 'active' ? policy : await this.putInForce(policy, changed);
      if (activated instanceof ApprovalRequired) return activated;
      await this.apps.audit(by, appId, 'policy.activated', id);
      return activated;
    });
  }

  /** Also withdraws a draft, or a version that SQL has altered. An active version may need an approval. */
  retire(asked: AskedChange, id: PolicyId): Promise<Policy> {
    const { by, appId } = asked;
    return this.changes.run(
      asked,
      async ({ permit }) => {
        const policy = await this.policies.getToRetire(appId, id);
        // One that SQL has altered has no rules, and its scope may be altered.
        const isCover = policy.state === 'active' && !(isOfTokens(policy) && policy.rules.length > 0);
        const refusal = isCover ? await permit(retirementOf(policy)) : null;
        if (refusal) return refusal;
        const retired = policy.state === 'retired' ? policy : await this.putOutOfForce(policy);
        if (isCover && !(await this.policies.hasActive(appId))) await this.apps.changeCover(appId, false, false);
        await this.apps.audit(by, appId, 'policy.retired', id);
        return retired;
      },
      { isEnd: true },
    );
  }

  private async putInForce(policy: Policy, { permit }: ChangedApp): Promise<Policy | ApprovalRequired> {
    const groups = await this.groupsThatSuffice(policy);
    const active = await this.policies.activeOf(policy.appId);
    const previous = active.find(({ name }) => name === policy.name) ?? null;
    if (!previous && active.length >= BOUNDS.active)
      throw new TooManyPolicies(`The app has ${BOUNDS.active} active policies. Retire one first.`);
    const allowsMore = loosens(previous, policy);
    const isCover = !isOfTokens(policy);
    // A version replaces that of its name, in any scope.
    const isFree = !isCover && (previous === null || isOfTokens(previous));
    const refusal = allowsMore && !isFree ? await permit(activationOf(policy, previous, groups)) : null;
    if (refusal) return refusal;
    // Another policy may be in force without it, because a replica of the previous release has activated that one.
    const isFirst = isCover && active.every(isOfTokens) && !(await this.policies.hasHadOne(policy.appId));
    const isCovered = isCover || active.some((each) => each !== previous && !isOfTokens(each));
    await this.apps.changeCover(policy.appId, isCovered, isFirst);
    if (previous) await this.putOutOfForce(previous);
    const activated = await this.policies.activate(policy.appId, policy.id);
    await this.events.publish(new PolicyActivated(policy.appId, { ...eventDataOf(policy), allows_more: allowsMore }));
    return activated;
  }

  private async putOutOfForce(policy: Policy): Promise<Policy> {
    const retired = await this.policies.retire(policy.appId, policy.id);
    await this.events.publish(new PolicyRetired(policy.appId, eventDataOf(policy)));
    return retired;
  }

  private async assertGroupsExist(appId: AppId, rules: readonly Rule[]): Promise<void> {
    const known = new Set((await this.groupsOf(appId, rules)).map(({ id }) => id));
    const unknown = rules.flatMap(({ approvals }, index) =>
      approvals && !known.has(approvals.group) ? [`rules[${index}].approvals.group`] : [],
    );
    if (unknown.length > 0) throw doesNotExist(unknown);
  }

  /** A group may have been changed or deleted since the version was stored. */
  private async groupsThatSuffice({ appId, rules }: Policy): Promise<readonly ApproverGroup[]> {
    const groups = await this.groupsOf(appId, rules);
    for (const { approvals } of rules) {
      if (!approvals) continue;
      const { group, count } = approvals;
      const members = groups.find(({ id }) => id === group)?.members.length ?? 0;
      if (members < count) throw new ApproverGroupTooSmall({ group, count, members });
    }
    return groups;
  }

  private async groupsOf(appId: AppId, rules: readonly Rule[]): Promise<readonly ApproverGroup[]> {
    const asked = rules.flatMap(({ approvals }) => (approvals ? [approvals.group] : []));
    return asked.length > 0 ? this.groups.among(appId, asked) : [];
  }
}

function doesNotExist(fields: readonly string[]): InvalidRequest {
  return new InvalidRequest(fields.map((field) => ({ field, rule: 'exists', message: 'does not exist' })));
}
