import { Body, Controller, Delete, Get, HttpCode, Patch, Post, Query } from '@nestjs/common';
import { OperationGroup } from '../../../edge/openapi/tags.js';
import { ManagementKey, RequestedBy } from '../../../edge/auth/credentials.js';
import { Refuses } from '../../../edge/errors/error-catalogue.js';
import { pageIn } from '../../../edge/http/list.dto.js';
import { PathId } from '../../../edge/http/path-id.js';
import type { AppId, ApproverGroupId } from '../../../kernel/ids.js';
import type { Requester } from '../../../kernel/requester.js';
import { AppNotFound, AppsFacade } from '../../apps/index.js';
import { ManageApproverGroups } from '../application/manage-approver-groups.js';
import { ApproverGroupRepository } from '../domain/approver-group.js';
import { APPROVAL_REFUSALS } from '../domain/approval.errors.js';
import {
  ApproverGroupInUse,
  ApproverGroupNotFound,
  ApproverGroupTooSmall,
  TooManyApproverGroups,
} from '../domain/policy.errors.js';
import {
  ApproverGroupDeletedResponse,
  ApproverGroupListResponse,
  ApproverGroupResponse,
  CreateApproverGroupRequest,
  ListApproverGroupsQuery,
  UpdateApproverGroupRequest,
} from './approver-group.dto.js';

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
  ) {}

  /**
   * Create an approver group
   *
   * @remarks Each member is a user of the app who has a passkey.
   */
  @Post()
  @HttpCode(200)
  @ManagementKey('operator')
  @Refuses(AppNotFound, TooManyApproverGroups)
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
  @Refuses(AppNotFound)
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
  @Refuses(AppNotFound, ApproverGroupNotFound)
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
  @Refuses(AppNotFound, ApproverGroupNotFound, ApproverGroupTooSmall, ...APPROVAL_REFUSALS)
  async update(
    @RequestedBy() by: Requester,
    @PathId('app_id', 'app', AppNotFound) appId: AppId,
    @PathId('agrp_id', 'approverGroup', ApproverGroupNotFound) id: ApproverGroupId,
    @Body() body: UpdateApproverGroupRequest,
  ): Promise<ApproverGroupResponse> {
    const changes = UpdateApproverGroupRequest.changesOf(body);
    const asked = { by, appId, approvalId: body.approval_id };
    return ApproverGroupResponse.of(await this.manage.update(asked, id, changes));
  }

  /**
   * Delete an approver group
   *
   * @remarks A group whose approval an active policy, or `policy_change` of the app, needs cannot be deleted.
   */
  @Delete(':agrp_id')
  @ManagementKey('operator')
  @Refuses(AppNotFound, ApproverGroupNotFound, ApproverGroupInUse)
  async delete(
    @RequestedBy() by: Requester,
    @PathId('app_id', 'app', AppNotFound) appId: AppId,
    @PathId('agrp_id', 'approverGroup', ApproverGroupNotFound) id: ApproverGroupId,
  ): Promise<ApproverGroupDeletedResponse> {
    await this.manage.delete(by, appId, id);
    return { id, message: 'The approver group was deleted.' };
  }
}
