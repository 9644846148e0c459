import { Body, Controller, Delete, Get, HttpCode, Patch, Post, Query } from '@nestjs/common';
import { OperationGroup } from '../../../../edge/openapi/tags.js';
import { ManagementKey, RequestedBy } from '../../../../edge/auth/credentials.js';
import { RefusedAsPrefilled } from '../../../../edge/openapi/examples.js';
import { ChangesNothing, SafeToRepeat } from '../../../../edge/idempotency/post-routes.js';
import { Refuses } from '../../../../edge/errors/error-catalogue.js';
import { pageIn } from '../../../../edge/http/list.dto.js';
import { PathId } from '../../../../edge/http/path-id.js';
import type { AppId, ApproverGroupId } from '../../../../kernel/ids.js';
import type { Requester } from '../../../../kernel/requester.js';
import { AppNotFound, AppsFacade } from '../../../apps/index.js';
import { UserInactive } from '../../../identity/index.js';
import {
  BegunPasskeySignInResponse,
  InvalidPasskey,
  type PasskeyId,
  PasskeyNotFound,
  PasskeysNotConfigured,
} from '../../../passkey/index.js';
import { ApprovePasskey } from '../application/approve-passkey.js';
import { ManageApproverGroups } from '../application/manage-approver-groups.js';
import { ApproverGroupRepository } from '../domain/approver-group.js';
import { APPROVAL_REFUSALS, NotAnApprover, PasskeyMayNotVote } from '../domain/approval.errors.js';
import {
  ApproverGroupInUse,
  ApproverGroupNotFound,
  ApproverGroupTooSmall,
  TooManyApproverGroups,
} from '../../rules/domain/policy.errors.js';
import { VoteRequest } from './approval.dto.js';
import {
  ApprovedPasskeyResponse,
  BeginPasskeyApprovalRequest,
  ApproverGroupDeletedResponse,
  ApproverGroupListResponse,
  ApproverGroupResponse,
  CreateApproverGroupRequest,
  ListApproverGroupsQuery,
  UpdateApproverGroupRequest,
} from './approver-group.dto.js';

const AS_PREFILLED = 'The only member of the demo app’s group holds its passkey.';

@OperationGroup({
  name: 'management: approver groups',
  description: 'The users of an app who approve requests.',
  after: 'management: policies',
})
@Controller('management/v1/apps/:app_id/approver_groups')
export class ApproverGroupsController {
  constructor(
    private readonly apps: AppsFacade,
    private readonly groups: ApproverGroupRepository,
    private readonly manage: ManageApproverGroups,
    private readonly passkeys: ApprovePasskey,
  ) {}

  /**
   * Create an approver group
   *
   * @remarks Each member is a user of the app who has a passkey. The passkeys that members have now vote at once.
   */
  @Post()
  @HttpCode(200)
  @ManagementKey('operator')
  @Refuses(TooManyApproverGroups)
  async create(
    @RequestedBy() by: Requester,
    @PathId('app_id', 'app', AppNotFound) appId: AppId,
    @Body() body: CreateApproverGroupRequest,
  ): Promise<ApproverGroupResponse> {
    const group = await this.manage.create(by, appId, CreateApproverGroupRequest.detailsOf(body));
    return ApproverGroupResponse.of(group);
  }

  /** List the approver groups of an app */
  @Get()
  @ManagementKey('auditor')
  async list(
    @PathId('app_id', 'app', AppNotFound) appId: AppId,
    @Query() query: ListApproverGroupsQuery,
  ): Promise<ApproverGroupListResponse> {
    await this.apps.requireLive(appId);
    return ApproverGroupListResponse.of(await this.groups.list(appId, pageIn(query)));
  }

  /** Get an approver group */
  @Get(':agrp_id')
  @ManagementKey('auditor')
  async get(
    @PathId('app_id', 'app', AppNotFound) appId: AppId,
    @PathId('agrp_id', 'approverGroup', ApproverGroupNotFound) id: ApproverGroupId,
  ): Promise<ApproverGroupResponse> {
    await this.apps.requireLive(appId);
    return ApproverGroupResponse.of(await this.groups.get(appId, id));
  }

  /**
   * Change an approver group
   *
   * @remarks The group keeps as many members as an active policy, or `policy_change` of the app, needs approvals. If the app has
   * `policy_change`, other members of a group that is in use need an approval.
   */
  @Patch(':agrp_id')
  @ManagementKey('operator')
  @Refuses(ApproverGroupTooSmall, ...APPROVAL_REFUSALS)
  async update(
    @RequestedBy() by: Requester,
    @PathId('app_id', 'app', AppNotFound) appId: AppId,
    @PathId('agrp_id', 'approverGroup', ApproverGroupNotFound) id: ApproverGroupId,
    @Body() body: UpdateApproverGroupRequest,
  ): Promise<ApproverGroupResponse> {
    const changes = UpdateApproverGroupRequest.changesOf(body);
    const request = { by, appId, approvalId: body.approval_id };
    return ApproverGroupResponse.of(await this.manage.update(request, id, changes));
  }

  /**
   * Delete an approver group
   *
   * @remarks A group whose approval an active policy, or `policy_change` of the app, needs cannot be deleted.
   */
  @Delete(':agrp_id')
  @ManagementKey('operator')
  @Refuses(ApproverGroupInUse)
  async delete(
    @RequestedBy() by: Requester,
    @PathId('app_id', 'app', AppNotFound) appId: AppId,
    @PathId('agrp_id', 'approverGroup', ApproverGroupNotFound) id: ApproverGroupId,
  ): Promise<ApproverGroupDeletedResponse> {
    await this.manage.delete(by, appId, id);
    return { id, message: 'The approver group was deleted.' };
  }

  /**
   * Begin the approval of a passkey
   *
   * @remarks Returns the options with which a passkey of another member signs that this passkey may vote. A passkey that its holder had on
   * becoming a member votes without; a later one after `approver_passkey_hours`, or once it is approved.
   */
  @Post(':agrp_id/passkeys/:webauthn_id/begin')
  @RefusedAsPrefilled(AS_PREFILLED)
  @HttpCode(200)
  @ChangesNothing()
  @ManagementKey('operator')
  @Refuses(NotAnApprover, PasskeysNotConfigured)
  async beginPasskey(
    @PathId('app_id', 'app', AppNotFound) appId: AppId,
    @PathId('agrp_id', 'approverGroup', ApproverGroupNotFound) groupId: ApproverGroupId,
    @PathId('webauthn_id', 'passkey', PasskeyNotFound) passkeyId: PasskeyId,
    @Body() { user_id: approvedBy }: BeginPasskeyApprovalRequest,
  ): Promise<BegunPasskeySignInResponse> {
    await this.apps.requireLive(appId);
    const begun = await this.passkeys.begin({ appId, groupId, passkeyId, approvedBy });
    return BegunPasskeySignInResponse.of(approvedBy, begun);
  }

  /**
   * Approve a passkey
   *
   * @remarks From now on the passkey votes in this group. `user_id` is the member who approves, not the holder, with a passkey that votes.
   */
  @Post(':agrp_id/passkeys/:webauthn_id/approve')
  @RefusedAsPrefilled(AS_PREFILLED)
  @HttpCode(200)
  @SafeToRepeat()
  @ManagementKey('operator')
  @Refuses(NotAnApprover, PasskeysNotConfigured)
  @Refuses(InvalidPasskey, PasskeyMayNotVote, UserInactive)
  async approvePasskey(
    @RequestedBy() by: Requester,
    @PathId('app_id', 'app', AppNotFound) appId: AppId,
    @PathId('agrp_id', 'approverGroup', ApproverGroupNotFound) groupId: ApproverGroupId,
    @PathId('webauthn_id', 'passkey', PasskeyNotFound) passkeyId: PasskeyId,
    @Body() { user_id: approvedBy, public_key_credential: credential }: VoteRequest,
  ): Promise<ApprovedPasskeyResponse> {
    await this.apps.requireLive(appId);
    const request = { appId, groupId, passkeyId, approvedBy };
    return ApprovedPasskeyResponse.of(await this.passkeys.execute(by, request, credential));
  }
}
