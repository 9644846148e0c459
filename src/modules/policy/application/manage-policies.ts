import { Injectable } from '@nestjs/common';
import { DomainEvents } from '../../../kernel/domain-events.js';
import { InvalidRequest } from '../../../kernel/errors.js';
import { type AppId, newId, type PolicyId } from '../../../kernel/ids.js';
import type { Requester } from '../../../kernel/requester.js';
import { Transactions } from '../../../kernel/transactions.js';
import { AppsFacade } from '../../apps/index.js';
import { ApproverGroupRepository } from '../domain/approver-group.js';
import { loosens } from '../domain/loosens.js';
import { BOUNDS, type Policy, type Rule } from '../domain/policy.js';
import { ApproverGroupTooSmall, TooManyPolicies } from '../domain/policy.errors.js';
import { eventDataOf, PolicyActivated, PolicyRetired } from '../domain/policy.events.js';
import { type NewPolicy, PolicyRepository } from '../domain/policy.repository.js';

/**
 * Stores versions of policies, and puts them in and out of force. Its methods throw `AppNotFound`, and `PolicyNotFound` for an unknown id.
 * Each locks the app before all else, so that one call at a time counts and changes the policies of an app.
 */
@Injectable()
export class ManagePolicies {
  constructor(
    private readonly apps: AppsFacade,
    private readonly policies: PolicyRepository,
    private readonly groups: ApproverGroupRepository,
    private readonly events: DomainEvents,
    private readonly transactions: Transactions,
  ) {}

  /** Stores a draft, as the next version if the name exists. Throws `InvalidRequest`, `TooManyPolicies`. */
  create(by: Requester, appId: AppId, asked: Pick<NewPolicy, 'name' | 'scope' | 'rules'>): Promise<Policy> {
    return this.transactions.run(async () => {
      await this.apps.lock(appId);
      if (!(await this.policies.hasScope(appId, asked.scope))) throw doesNotExist(['scope.id']);
      await this.assertGroupsExist(appId, asked.rules);
      if ((await this.policies.count(appId)) >= BOUNDS.versions)
        throw new TooManyPolicies(`The app has ${BOUNDS.versions} versions of policies, and no more are kept.`);
      const policy = await this.policies.add({ appId, id: newId('policy'), ...asked });
      await this.apps.audit(by, appId, 'policy.created', policy.id);
      return policy;
    });
  }

  /**
   * Puts a version in force, also one that was retired, and retires the active version of its name. An active version stays as it is.
   * Throws `TooManyPolicies`, `ApproverGroupTooSmall`.
   */
  activate(by: Requester, appId: AppId, id: PolicyId): Promise<Policy> {
    return this.transactions.run(async () => {
      await this.apps.changeSigning(appId);
      const policy = await this.policies.get(appId, id);
      const activated = policy.state === 'active' ? policy : await this.putInForce(policy);
      await this.apps.audit(by, appId, 'policy.activated', id);
      return activated;
    });
  }

  /** Puts a version out of force, or withdraws a draft. A retired version stays as it is. */
  retire(by: Requester, appId: AppId, id: PolicyId): Promise<Policy> {
    return this.transactions.run(async () => {
      await this.apps.changeSigning(appId);
      const policy = await this.policies.get(appId, id);
      const retired = policy.state === 'retired' ? policy : await this.putOutOfForce(policy);
      await this.apps.audit(by, appId, 'policy.retired', id);
      return retired;
    });
  }

  private async putInForce(policy: Policy): Promise<Policy> {
    await this.assertGroupsSuffice(policy);
    const active = await this.policies.activeOf(policy.appId);
    const previous = active.find(({ name }) => name === policy.name);
    if (previous) await this.putOutOfForce(previous);
    else if (active.length >= BOUNDS.active)
      throw new TooManyPolicies(`The app has ${BOUNDS.active} active policies. Retire one first.`);
    const activated = await this.policies.activate(policy.appId, policy.id);
    const allowsMore = loosens(previous ?? null, policy);
    await this.events.publish(new PolicyActivated(policy.appId, { ...eventDataOf(policy), allows_more: allowsMore }));
    return activated;
  }

  private async putOutOfForce(policy: Policy): Promise<Policy> {
    const retired = await this.policies.retire(policy.appId, policy.id);
    await this.events.publish(new PolicyRetired(policy.appId, eventDataOf(policy)));
    return retired;
  }

  private async assertGroupsExist(appId: AppId, rules: readonly Rule[]): Promise<void> {
    const sizes = await this.sizesOfGroups(appId, rules);
    const unknown = rules.flatMap(({ approvals }, index) =>
      approvals && !sizes.has(approvals.group) ? [`rules[${index}].approvals.group`] : [],
    );
    if (unknown.length > 0) throw doesNotExist(unknown);
  }

  /** A group may have been changed or deleted since the version was stored. */
  private async assertGroupsSuffice({ appId, rules }: Policy): Promise<void> {
    const sizes = await this.sizesOfGroups(appId, rules);
    for (const { approvals } of rules) {
      if (!approvals) continue;
      const { group, count } = approvals;
      const members = sizes.get(group) ?? 0;
      if (members < count) throw new ApproverGroupTooSmall({ group, count, members });
    }
  }

  /** The number of members of each group that the rules ask and that exists. */
  private async sizesOfGroups(appId: AppId, rules: readonly Rule[]): Promise<ReadonlyMap<string, number>> {
    const asked = rules.flatMap(({ approvals }) => (approvals ? [approvals.group] : []));
    const groups = asked.length > 0 ? await this.groups.among(appId, asked) : [];
    return new Map(groups.map(({ id, members }) => [id, members.length]));
  }
}

function doesNotExist(fields: readonly string[]): InvalidRequest {
  return new InvalidRequest(fields.map((field) => ({ field, rule: 'exists', message: 'does not exist' })));
}
