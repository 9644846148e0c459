import { Controller, Delete, Get, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { AuthenticatedApp } from '../../../edge/http/authenticated-request.js';
import { App, ManagementKey, RequestedBy, SecretKey } from '../../../edge/auth/credentials.js';
import { Refuses } from '../../../edge/errors/error-catalogue.js';
import { pageIn } from '../../../edge/http/list.dto.js';
import { PathId } from '../../../edge/http/path-id.js';
import { OperationGroup } from '../../../edge/openapi/tags.js';
import type { AppId, GrantId } from '../../../kernel/ids.js';
import type { Requester } from '../../../kernel/requester.js';
import { AppNotFound, AppsFacade } from '../../apps/index.js';
import { UserNotFound } from '../../identity/index.js';
import { ManageGrants } from '../application/manage-grants.js';
import { GrantNotFound, GrantRepository } from '../domain/grant.js';
import { GrantListResponse, GrantRevokedResponse, ListGrantsQuery, ListManagedGrantsQuery } from './grant.dto.js';

@OperationGroup({
  name: 'oauth2 grants',
  description: 'What users have consented to: the programs that get tokens for them.',
  after: 'sessions',
})
@Controller('v1/oauth2/grants')
export class GrantsController {
  constructor(private readonly manage: ManageGrants) {}

  /**
   * List the grants of a user
   *
   * @remarks Returns what the user has consented to and has not ended since, the newest first.
   */
  @Get()
  @SecretKey()
  @Refuses(UserNotFound)
  async list(@App() app: AuthenticatedApp, @Query() query: ListGrantsQuery): Promise<GrantListResponse> {
    return GrantListResponse.of(await this.manage.listOf(app.id, query.user_id, pageIn(query)));
  }

  /**
   * Revoke a grant
   *
   * @remarks The tokens of the grant end: where this service is asked they are refused within a second, and they are not refreshed.
   */
  @Delete(':grant_id')
  @SecretKey()
  @Refuses(AppNotFound)
  async revoke(
    @RequestedBy() by: Requester,
    @App() app: AuthenticatedApp,
    @PathId('grant_id', 'grant', GrantNotFound) id: GrantId,
  ): Promise<GrantRevokedResponse> {
    await this.manage.revoke(by, app.id, id);
    return { id, message: 'The grant was revoked.' };
  }
}

@ApiTags('management: oauth clients')
@Controller('management/v1/apps/:app_id/oauth2/grants')
export class ManagedGrantsController {
  constructor(
    private readonly apps: AppsFacade,
    private readonly grants: GrantRepository,
    private readonly manage: ManageGrants,
  ) {}

  /**
   * List the grants of an app
   *
   * @remarks Returns what users have consented to and has not ended since, the newest first.
   */
  @Get()
  @ManagementKey('auditor')
  async list(
    @PathId('app_id', 'app', AppNotFound) appId: AppId,
    @Query() query: ListManagedGrantsQuery,
  ): Promise<GrantListResponse> {
    await this.apps.requireLive(appId);
    return GrantListResponse.of(await this.grants.list(appId, pageIn(query), query.user_id));
  }

  /**
   * Revoke a grant of a user
   *
   * @remarks The tokens of the grant end: where this service is asked they are refused within a second, and they are not refreshed.
   */
  @Delete(':grant_id')
  @ManagementKey('support')
  async revoke(
    @RequestedBy() by: Requester,
    @PathId('app_id', 'app', AppNotFound) appId: AppId,
    @PathId('grant_id', 'grant', GrantNotFound) id: GrantId,
  ): Promise<GrantRevokedResponse> {
    await this.manage.revoke(by, appId, id);
    return { id, message: 'The grant was revoked.' };
  }
}
