import { Injectable } from '@nestjs/common';
import { DomainEvents } from '../../../../kernel/domain-events.js';
import { InvalidRequest } from '../../../../kernel/errors.js';
import {
  type AppId,
  type GrantId,
  newId,
  type OauthClientId,
  type PolicyId,
  type UserId,
} from '../../../../kernel/ids.js';
import type { Rule } from '../../rules/domain/policy.js';
import { PolicyNotFound } from '../../rules/domain/policy.errors.js';
import { eventDataOf, PolicyActivated, PolicyRetired } from '../../rules/domain/policy.events.js';
import { PolicyRepository } from '../../rules/domain/policy.repository.js';
import { SigningStates } from '../../rules/application/signing-states.js';

/** A budget to which a user has consented. */
export interface NewBudget {
  readonly userId: UserId;
  readonly walletId: string;
  readonly rules: readonly Rule[];
}

@Injectable()
export class TokenPolicies {
  constructor(
    private readonly states: SigningStates,
    private readonly policies: PolicyRepository,
    private readonly events: DomainEvents,
  ) {}

  /** Whether an active policy bounds what is signed for the client itself. */
  async bound(appId: AppId, clientId: OauthClientId): Promise<boolean> {
    const { policies } = await this.states.of(appId, false);
    return policies.some(({ scope: { kind, id } }) => kind === 'client' && id === clientId);
  }

  async isOpen(appId: AppId, grantId: GrantId): Promise<boolean> {
    return (await this.policies.ofGrant(appId, grantId)).some(({ state }) => state === 'active');
  }

  /** Runs in the current transaction. */
  async open(appId: AppId, grantId: GrantId, { userId, walletId, rules }: NewBudget): Promise<PolicyId> {
    if (!(await this.policies.ownsWallet(appId, userId, walletId))) {
      const message = 'must be a wallet of the user';
      throw new InvalidRequest([{ field: 'authorization_details[0].wallet_id', rule: 'exists', message }]);
    }
    const scope = { kind: 'grant', id: grantId } as const;
    const { id } = await this.policies.add({ appId, id: newId('policy'), name: grantId, scope, rules });
    const policy = await this.policies.activate(appId, id);
    await this.events.publish(new PolicyActivated(appId, { ...eventDataOf(policy), allows_more: false }));
    return id;
  }

  /** A budget that SQL has deleted or moved allows nothing, and keeps no grant from ending. */
  async close(appId: AppId, grantId: GrantId, id: PolicyId): Promise<void> {
    try {
      const retired = await this.policies.retire(appId, id, { kind: 'grant', id: grantId });
      await this.events.publish(new PolicyRetired(appId, eventDataOf(retired)));
    } catch (error) {
      if (!(error instanceof PolicyNotFound)) throw error;
    }
  }
}
