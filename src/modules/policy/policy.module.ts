import { Module, type OnApplicationBootstrap, type OnModuleInit } from '@nestjs/common';
import { DomainEvents } from '../../kernel/domain-events.js';
import { Config } from '../../services/config/config.js';
import { ConfiguredNetworks } from '../../kernel/chain/networks.js';
import { ethereumAddressOf } from '../../services/crypto/keccak.js';
import type { DomainEvent } from '../../kernel/event-types.js';
import type { AppId } from '../../kernel/ids.js';
import { Jobs } from '../../kernel/jobs.js';
import { Log } from '../../kernel/log.js';
import { ObjectOwners } from '../../kernel/object-owners.js';
import { Retention } from '../../kernel/retention.js';
import { ServiceKeys } from '../../kernel/service-keys.js';
import { currentTransaction } from '../../postgres/current-transaction.js';
import { AppsModule, KeyRevoked, ModuleSettings } from '../apps/index.js';
import {
  AccountPassed,
  epochSecondsOf,
  IdentityModule,
  UserDeactivated,
  UserDeleted,
  UserProfileParts,
} from '../identity/index.js';
import { PasskeyModule } from '../passkey/index.js';
import { Approvals } from './approvals/application/approvals.js';
import { ApprovePasskey } from './approvals/application/approve-passkey.js';
import { AwaitingTransfers } from './approvals/application/awaiting-transfers.js';
import { BeginRecovery } from './policies/application/begin-recovery.js';
import { FreezeApp } from './policies/application/freeze-app.js';
import { FreezeObject } from './policies/application/freeze-object.js';
import { Gate } from './gate/application/gate.js';
import { ManageApproverGroups } from './approvals/application/manage-approver-groups.js';
import { ManagePolicies } from './policies/application/manage-policies.js';
import { ChangeTerms } from './approvals/application/change-terms.js';
import { PolicyChanges } from './approvals/application/policy-changes.js';
import { PreviewPolicies } from './gate/application/preview-policies.js';
import { SigningStates } from './rules/application/signing-states.js';
import { TokenPolicies } from './policies/application/token-policies.js';
import { VoteOnApproval } from './approvals/application/vote.js';
import { ApprovalRepository } from './approvals/domain/approval.js';
import { ApproverGroupRepository } from './approvals/domain/approver-group.js';
import { DecisionRepository } from './gate/domain/decision.js';
import { FreezeRepository } from './rules/domain/freeze.js';
import { Networks } from './rules/domain/networks.js';
import { KEPT } from './rules/domain/policy.js';
import { POLICY_CHANGE } from './approvals/domain/policy-change.js';
import { PolicyRetired } from './rules/domain/policy.events.js';
import { PolicyRepository } from './rules/domain/policy.repository.js';
import { SpendRepository } from './budgets/domain/spend.repository.js';
import { Budgets } from './budgets/http/exported-budget.dto.js';
import { ApprovalsControllers } from './approvals/http/approvals.controller.js';
import { ApproverGroupsController } from './approvals/http/approver-groups.controller.js';
import { DecisionsControllers } from './gate/http/decisions.controller.js';
import { FreezeOfManagedUser } from './policies/http/exported-freeze.dto.js';
import { RecoveryController } from './policies/http/recovery.controller.js';
import { FreezeController } from './policies/http/freeze.controller.js';
import { ManagedPoliciesController, PoliciesControllers } from './policies/http/policies.controller.js';
import { PolicyChangeRequest, PolicyChangeResponse } from './approvals/http/policy-change.dto.js';
import './infrastructure/personal-data.js';
import { PostgresApprovalRepository } from './approvals/infrastructure/postgres-approval.repository.js';
import { PostgresApproverGroupRepository } from './approvals/infrastructure/postgres-approver-group.repository.js';
import { PostgresDecisionRepository } from './gate/infrastructure/postgres-decision.repository.js';
import { PostgresFreezeRepository } from './rules/infrastructure/postgres-freeze.repository.js';
import { PostgresPolicyRepository } from './rules/infrastructure/postgres-policy.repository.js';
import { PostgresSpendRepository } from './budgets/infrastructure/postgres-spend.repository.js';

const END_APPROVALS = 'policy.end-approvals';
const FIVE_MINUTES = 300;

@Module({
  imports: [AppsModule, IdentityModule, PasskeyModule],
  // The path of decisions must not be taken for the id of a policy.
  controllers: [
    ...DecisionsControllers,
    ...ApprovalsControllers,
    ...PoliciesControllers,
    ManagedPoliciesController,
    ApproverGroupsController,
    FreezeController,
    RecoveryController,
  ],
  providers: [
    { provide: ApproverGroupRepository, useClass: PostgresApproverGroupRepository },
    { provide: PolicyRepository, useClass: PostgresPolicyRepository },
    ApprovePasskey,
    ManageApproverGroups,
    ManagePolicies,
    Gate,
    Approvals,
    AwaitingTransfers,
    VoteOnApproval,
    { provide: ApprovalRepository, useClass: PostgresApprovalRepository },
    PreviewPolicies,
    BeginRecovery,
    FreezeApp,
    FreezeObject,
    { provide: FreezeRepository, useClass: PostgresFreezeRepository },
    PolicyChanges,
    ChangeTerms,
    SigningStates,
    TokenPolicies,
    Budgets,
    { provide: SpendRepository, useClass: PostgresSpendRepository },
    { provide: DecisionRepository, useClass: PostgresDecisionRepository },
    {
      provide: Networks,
      inject: [ConfiguredNetworks, Config],
      useFactory: (networks: ConfiguredNetworks, config: Config): Networks => ({
        // The standard `ethereum` without a node may have the same id as a network with one.
        nameOf: (network) => networks.nameOf(networks.named(network)?.id ?? network),
        ids: Object.fromEntries(networks.all.map(({ name, id }) => [name, id ?? name])),
        coinOf: (name) => networks.named(name)?.native ?? null,
        maxTransactionFeeOf: (name) => {
          const network = config.networks.find((each) => each.name === name);
          return network && network.kind !== 'solana' ? network.maxTransactionFee : null;
        },
        walletTypeOf: (name) => networks.named(name)?.walletType ?? null,
        assetsNamed: (text, tokens, network) => networks.assetsNamed(text, tokens, network),
        canonicalAddress: (lowerCase) => ethereumAddressOf(lowerCase)!,
      }),
    },
  ],
  exports: [AwaitingTransfers, Budgets, FreezeObject, Gate, PreviewPolicies, TokenPolicies],
})
export class PolicyModule implements OnApplicationBootstrap, OnModuleInit {
  private readonly endsApprovals = new WeakSet<object>();

  constructor(
    private readonly retention: Retention,
    private readonly events: DomainEvents,
    private readonly groups: ApproverGroupRepository,
    private readonly approvals: Approvals,
    private readonly jobs: Jobs,
    private readonly owners: ObjectOwners,
    private readonly moduleSettings: ModuleSettings,
    private readonly changeTerms: ChangeTerms,
    private readonly userParts: UserProfileParts,
    private readonly policies: PolicyRepository,
    private readonly keys: ServiceKeys,
    private readonly log: Log,
  ) {}

  /**
   * Earlier versions name networks alone. They mean those of the first configuration that starts, before it judges anything. Without keys
   * no version can be checked, and none judges.
   */
  async onApplicationBootstrap(): Promise<void> {
    if (this.keys.isOpen) return this.policies.bindNetworks();
    this.log.warn('The networks that policies name are bound to their chains once the key provider is available.');
    void this.keys
      .whenOpen()
      .then(() => this.policies.bindNetworks())
      .catch((err: unknown) => this.log.error({ err }, 'The networks that policies name are not bound yet.'));
  }

  onModuleInit(): void {
    this.userParts.register({
      field: 'freezes',
      isForOperators: true,
      shownAs: FreezeOfManagedUser,
      table: 'freezes',
      fields: { id: 't.id', wallet_id: `coalesce(t.wallet_id, '')`, frozen_at: epochSecondsOf('t.frozen_at') },
    });
    this.moduleSettings.register({
      field: POLICY_CHANGE,
      change: PolicyChangeRequest.change,
      show: PolicyChangeResponse.of,
      permit: (asked) => this.changeTerms.permit(asked),
    });
    this.owners.register({
      kind: 'approval',
      table: 'approvals',
      wallet: 'wallet_id',
      where: `operation <> 'policy_change'`,
    });
    this.retention.register({ table: 'policies', endedWhen: 'retired_at', where: `scope_kind = 'grant'`, after: KEPT });
    this.retention.register({ table: 'policy_decisions', endedWhen: 'at', after: KEPT });
    this.retention.register({ table: 'policy_denials', endedWhen: 'minute', after: KEPT });
    this.retention.register({
      table: 'spend_events',
      endedWhen: 'greatest(at, settled_at)',
      where: 'not is_held',
      after: KEPT,
    });
    this.retention.register({ table: 'spend_sums', endedWhen: 'since', after: KEPT });
    this.retention.register({ table: 'approvals', endedWhen: 'ended_at', after: KEPT });
    // The last vote is older than the end of its approval by at most the longest time to approve.
    this.retention.register({ table: 'approval_votes', endedWhen: 'at', after: '120 days' });
    this.events.subscribe(UserDeleted, ({ appId, userId }) => this.groups.removeMember(appId, userId));
    // A use that has locked its approval waits for the user's lock: PostgreSQL ends one of the two transactions, which runs again.
    this.events.subscribe(AccountPassed, ({ appId, userId }) => this.approvals.withdrawOf(appId, userId));
    // These transactions hold other locks, so approvals end after them. Until then the gate refuses them.
    for (const change of [PolicyRetired, KeyRevoked, UserDeactivated, UserDeleted])
      this.events.subscribe<DomainEvent>(change, ({ appId }) => this.endApprovalsOnce(appId as AppId));
    this.jobs.handle(END_APPROVALS, ({ appId }) => this.approvals.endDueOf(appId as AppId));
    this.jobs.schedule('policy.expire-approvals', 15, () => this.approvals.endDue());
    // Replicas of the previous release store versions without them. Otherwise the next configuration would decide which chain was meant.
    this.jobs.schedule('policy.bind-networks', FIVE_MINUTES, () => this.policies.bindNetworks());
  }

  /** One job for each transaction. A job that is unique in the app would let a revocation wait for other transactions of the app. */
  private endApprovalsOnce(appId: AppId): void {
    const transaction = currentTransaction()!;
    if (this.endsApprovals.has(transaction)) return;
    this.endsApprovals.add(transaction);
    this.jobs.enqueue({ kind: END_APPROVALS, appId, payload: { appId } });
  }
}
