import { Body, Controller, Get, HttpCode, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { inBothScopes } from '../../../../edge/auth/both-scopes.js';
import { ManagementKey, RequestedBy } from '../../../../edge/auth/credentials.js';
import { Refuses } from '../../../../edge/errors/error-catalogue.js';
import { SafeToRepeat } from '../../../../edge/idempotency/post-routes.js';
import { pageIn } from '../../../../edge/http/list.dto.js';
import { LargestJson } from '../../../../edge/http/json-body.js';
import { PathId } from '../../../../edge/http/path-id.js';
import type { AppId, PolicyId } from '../../../../kernel/ids.js';
import type { Requester } from '../../../../kernel/requester.js';
import { AppNotFound, AppsFacade } from '../../../apps/index.js';
import { ManagePolicies } from '../application/manage-policies.js';
import { loosens } from '../../rules/domain/loosens.js';
import { Networks } from '../../rules/domain/networks.js';
import { APPROVAL_REFUSALS } from '../../approvals/domain/approval.errors.js';
import { ApproverGroupTooSmall, PolicyNotFound, TooManyPolicies } from '../../rules/domain/policy.errors.js';
import { BOUNDS } from '../../rules/domain/policy.js';
import { PolicyRepository } from '../../rules/domain/policy.repository.js';
import { ApprovableChange } from '../../approvals/http/exported-change.dto.js';
import {
  CreatePolicyRequest,
  ListPoliciesQuery,
  PolicyDetailsResponse,
  PolicyListResponse,
  PolicyResponse,
} from './policy.dto.js';
import { rulesIn } from '../../rules/http/rule.dto.js';

/** Rules that fit into a version, with amounts and doubled items that are shorter when they are stored. */
const LARGEST_POLICY = BOUNDS.bytes + 16 * 1024;

/** The versions of policies. An app reads its own; operators also change them. */
export const PoliciesControllers = inBothScopes(
  { path: 'v1/policies', tag: 'policies', resource: 'policies', scopes: 'policies:read' },
  ({ InScopes, Mounted, OfApp }) => {
    @Mounted()
    class PoliciesController {
      constructor(
        private readonly apps: AppsFacade,
        private readonly policies: PolicyRepository,
      ) {}

      /**
       * List the policies of an app
       *
       * @remarks Returns all versions, the newest first. `state=active` lists those in force.
       */
      @InScopes('auditor')
      @Get()
      async list(@OfApp(AppNotFound) appId: AppId, @Query() query: ListPoliciesQuery): Promise<PolicyListResponse> {
        await this.apps.requireLive(appId);
        const { state, name, scope: scopeKind, scope_id: scopeId } = query;
        return PolicyListResponse.of(
          await this.policies.list(appId, pageIn(query), { state, name, scopeKind, scopeId }),
        );
      }

      /** Get a policy */
      @InScopes('auditor')
      @Get(':policy_id')
      async get(
        @OfApp(AppNotFound) appId: AppId,
        @PathId('policy_id', 'policy', PolicyNotFound) id: PolicyId,
      ): Promise<PolicyDetailsResponse> {
        await this.apps.requireLive(appId);
        const policy = await this.policies.get(appId, id);
        const active = await this.policies.activeOf(appId);
        return PolicyDetailsResponse.ofDetails(
          policy,
          loosens(active.find(({ name }) => name === policy.name) ?? null, policy),
        );
      }
    }
    return PoliciesController;
  },
);

@ApiTags('management: policies')
@Controller('management/v1/apps/:app_id/policies')
export class ManagedPoliciesController {
  constructor(
    private readonly apps: AppsFacade,
    private readonly manage: ManagePolicies,
    private readonly networks: Networks,
  ) {}

  /**
   * Create a version of a policy
   *
   * @remarks Stores a draft, which has no effect until it is activated. The `name` of an existing policy makes its next version. Once a policy of
   * a scope is active, every signature in that scope needs a rule that allows it. A stored version never changes.
   */
  @Post()
  @HttpCode(200)
  @LargestJson(LARGEST_POLICY)
  @ManagementKey('operator')
  @Refuses(TooManyPolicies)
  async create(
    @RequestedBy() by: Requester,
    @PathId('app_id', 'app', AppNotFound) appId: AppId,
    @Body() body: CreatePolicyRequest,
  ): Promise<PolicyResponse> {
    const { assets } = await this.apps.settings(appId);
    const scope = CreatePolicyRequest.scopeIn(body, appId);
    const rules = rulesIn(body.rules, { ...this.networks, assets });
    return PolicyResponse.of(await this.manage.create(by, appId, { name: body.name, scope, rules }));
  }

  /**
   * Activate a version of a policy
   *
   * @remarks Puts the version in force and retires the active version of its name at the same time. A retired version may be activated again.
   * If the app has `policy_change`, a version that may allow more than the one it replaces needs an approval.
   */
  @Post(':policy_id/activate')
  @HttpCode(200)
  @SafeToRepeat()
  @ManagementKey('operator')
  @Refuses(TooManyPolicies, ApproverGroupTooSmall, ...APPROVAL_REFUSALS)
  async activate(
    @RequestedBy() by: Requester,
    @PathId('app_id', 'app', AppNotFound) appId: AppId,
    @PathId('policy_id', 'policy', PolicyNotFound) id: PolicyId,
    @Body() { approval_id: approvalId }: ApprovableChange,
  ): Promise<PolicyResponse> {
    return PolicyResponse.of(await this.manage.activate({ by, appId, approvalId }, id));
  }

  /**
   * Retire a version of a policy
   *
   * @remarks Puts the version out of force, or withdraws a draft. A scope whose last policy is retired is judged by the app's settings alone.
   * If the app has `policy_change`, an active version needs an approval.
   */
  @Post(':policy_id/retire')
  @HttpCode(200)
  @SafeToRepeat()
  @ManagementKey('operator')
  @Refuses(...APPROVAL_REFUSALS)
  async retire(
    @RequestedBy() by: Requester,
    @PathId('app_id', 'app', AppNotFound) appId: AppId,
    @PathId('policy_id', 'policy', PolicyNotFound) id: PolicyId,
    @Body() { approval_id: approvalId }: ApprovableChange,
  ): Promise<PolicyResponse> {
    return PolicyResponse.of(await this.manage.retire({ by, appId, approvalId }, id));
  }
}
