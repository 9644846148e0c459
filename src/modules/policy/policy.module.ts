import { Module, type OnModuleInit } from '@nestjs/common';
import { inBothScopes } from '../../edge/auth/both-scopes.js';
import { DomainEvents } from '../../kernel/domain-events.js';
import { Config } from '../../services/config/config.js';
import { ethereumAddressOf } from '../../services/crypto/keccak.js';
import { AppsModule } from '../apps/index.js';
import { IdentityModule, UserDeleted } from '../identity/index.js';
import { PasskeyModule } from '../passkey/index.js';
import { Gate } from './application/gate.js';
import { ManageApproverGroups } from './application/manage-approver-groups.js';
import { ManagePolicies } from './application/manage-policies.js';
import { SigningStates } from './application/signing-states.js';
import { ApproverGroupRepository } from './domain/approver-group.js';
import { DecisionRepository } from './domain/decision.js';
import { Networks } from './domain/networks.js';
import { PolicyRepository } from './domain/policy.repository.js';
import { SigningStateRepository } from './domain/signing-state.js';
import { SpendRepository } from './domain/spend.repository.js';
import { ApproverGroupsController } from './http/approver-groups.controller.js';
import { ManagedPoliciesController, PoliciesController } from './http/policies.controller.js';
import { PostgresApproverGroupRepository } from './infrastructure/postgres-approver-group.repository.js';
import { PostgresDecisionRepository } from './infrastructure/postgres-decision.repository.js';
import { PostgresPolicyRepository } from './infrastructure/postgres-policy.repository.js';
import { PostgresSigningStateRepository } from './infrastructure/postgres-signing-state.repository.js';
import { PostgresSpendRepository } from './infrastructure/postgres-spend.repository.js';

/** Policies: which uses of wallets' keys are allowed, up to which budget, and with whose approval. */
@Module({
  imports: [AppsModule, IdentityModule, PasskeyModule],
  controllers: [...inBothScopes(PoliciesController), ManagedPoliciesController, ApproverGroupsController],
  providers: [
    { provide: ApproverGroupRepository, useClass: PostgresApproverGroupRepository },
    { provide: PolicyRepository, useClass: PostgresPolicyRepository },
    ManageApproverGroups,
    ManagePolicies,
    Gate,
    SigningStates,
    { provide: SigningStateRepository, useClass: PostgresSigningStateRepository },
    { provide: SpendRepository, useClass: PostgresSpendRepository },
    { provide: DecisionRepository, useClass: PostgresDecisionRepository },
    {
      provide: Networks,
      inject: [Config],
      useFactory: ({ ethereumChainId }: Config): Networks => ({
        nameOf: (network) => (network === `eip155:${ethereumChainId}` ? 'ethereum' : network),
        canonicalAddress: (lowerCase) => ethereumAddressOf(lowerCase)!,
      }),
    },
  ],
  exports: [Gate],
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
