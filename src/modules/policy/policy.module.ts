import { Module, type OnModuleInit } from '@nestjs/common';
import { inBothScopes } from '../../edge/auth/both-scopes.js';
import { DomainEvents } from '../../kernel/domain-events.js';
import { AppsModule } from '../apps/index.js';
import { IdentityModule, UserDeleted } from '../identity/index.js';
import { PasskeyModule } from '../passkey/index.js';
import { ManageApproverGroups } from './application/manage-approver-groups.js';
import { ManagePolicies } from './application/manage-policies.js';
import { ApproverGroupRepository } from './domain/approver-group.js';
import { PolicyRepository } from './domain/policy.repository.js';
import { ApproverGroupsController } from './http/approver-groups.controller.js';
import { ManagedPoliciesController, PoliciesController } from './http/policies.controller.js';
import { PostgresApproverGroupRepository } from './infrastructure/postgres-approver-group.repository.js';
import { PostgresPolicyRepository } from './infrastructure/postgres-policy.repository.js';

/** Policies: which uses of wallets' keys are allowed, up to which budget, and with whose approval. */
@Module({
  imports: [AppsModule, IdentityModule, PasskeyModule],
  controllers: [...inBothScopes(PoliciesController), ManagedPoliciesController, ApproverGroupsController],
  providers: [
    { provide: ApproverGroupRepository, useClass: PostgresApproverGroupRepository },
    { provide: PolicyRepository, useClass: PostgresPolicyRepository },
    ManageApproverGroups,
    ManagePolicies,
  ],
})
export class PolicyModule implements OnModuleInit {
  constructor(
    private readonly events: DomainEvents,
    private readonly groups: ApproverGroupRepository,
  ) {}

  onModuleInit(): void {
    this.events.subscribe(UserDeleted, ({ appId, userId }) => this.groups.removeMember(appId, userId));
  }
}
