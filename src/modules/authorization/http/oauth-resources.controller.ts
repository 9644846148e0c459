import { Body, Controller, Delete, Get, HttpCode, Patch, Post, Query } from '@nestjs/common';
import { ManagementKey, RequestedBy } from '../../../edge/auth/credentials.js';
import { Refuses } from '../../../edge/errors/error-catalogue.js';
import { pageIn } from '../../../edge/http/list.dto.js';
import { PathId } from '../../../edge/http/path-id.js';
import { OperationGroup } from '../../../edge/openapi/tags.js';
import type { AppId, OauthResourceId } from '../../../kernel/ids.js';
import type { Requester } from '../../../kernel/requester.js';
import { AppNotFound, AppsFacade } from '../../apps/index.js';
import { ManageResources } from '../application/manage-resources.js';
import {
  DuplicateAudience,
  OauthResourceRepository,
  ResourceNotFound,
  TooManyResources,
} from '../domain/oauth-resource.js';
import {
  CreateOauthResourceRequest,
  ListOauthResourcesQuery,
  OauthResourceDeletedResponse,
  OauthResourceListResponse,
  OauthResourceResponse,
  UpdateOauthResourceRequest,
} from './oauth-resource.dto.js';

@OperationGroup({
  name: 'management: resources',
  description: 'The APIs that accept access tokens of an app.',
  after: 'management: oauth connections',
})
@Controller('management/v1/apps/:app_id/resources')
export class OauthResourcesController {
  constructor(
    private readonly apps: AppsFacade,
    private readonly resources: OauthResourceRepository,
    private readonly manage: ManageResources,
  ) {}

  /**
   * Register a resource
   *
   * @remarks Clients get access tokens for its audience (RFC 8707), which are JWTs (RFC 9068). An app has at most 100 resources.
   */
  @Post()
  @HttpCode(200)
  @ManagementKey('owner')
  @Refuses(DuplicateAudience, TooManyResources)
  async create(
    @RequestedBy() by: Requester,
    @PathId('app_id', 'app', AppNotFound) appId: AppId,
    @Body() { audience, name, scopes, token_seconds: tokenSeconds }: CreateOauthResourceRequest,
  ): Promise<OauthResourceResponse> {
    const details = { name, scopes: [...new Set(scopes)], tokenSeconds };
    return OauthResourceResponse.of(await this.manage.create(by, appId, audience, details));
  }

  /**
   * List the resources of an app
   *
   * @remarks Returns the resources, the newest first.
   */
  @Get()
  @ManagementKey('auditor')
  async list(
    @PathId('app_id', 'app', AppNotFound) appId: AppId,
    @Query() query: ListOauthResourcesQuery,
  ): Promise<OauthResourceListResponse> {
    await this.apps.requireLive(appId);
    return OauthResourceListResponse.of(await this.resources.list(appId, pageIn(query)));
  }

  /**
   * Get a resource
   *
   * @remarks Returns one resource of the app.
   */
  @Get(':resource_id')
  @ManagementKey('auditor')
  async get(
    @PathId('app_id', 'app', AppNotFound) appId: AppId,
    @PathId('resource_id', 'oauthResource', ResourceNotFound) id: OauthResourceId,
  ): Promise<OauthResourceResponse> {
    await this.apps.requireLive(appId);
    return OauthResourceResponse.of(await this.resources.get(appId, id));
  }

  /**
   * Change a resource
   *
   * @remarks The change applies to tokens that are issued from now on.
   */
  @Patch(':resource_id')
  @ManagementKey('owner')
  async update(
    @RequestedBy() by: Requester,
    @PathId('app_id', 'app', AppNotFound) appId: AppId,
    @PathId('resource_id', 'oauthResource', ResourceNotFound) id: OauthResourceId,
    @Body() body: UpdateOauthResourceRequest,
  ): Promise<OauthResourceResponse> {
    const changes = UpdateOauthResourceRequest.changesOf(body);
    return OauthResourceResponse.of(await this.manage.update(by, appId, id, changes, Object.keys(body)));
  }

  /**
   * Delete a resource
   *
   * @remarks No more tokens are issued for its audience.
   */
  @Delete(':resource_id')
  @ManagementKey('owner')
  async delete(
    @RequestedBy() by: Requester,
    @PathId('app_id', 'app', AppNotFound) appId: AppId,
    @PathId('resource_id', 'oauthResource', ResourceNotFound) id: OauthResourceId,
  ): Promise<OauthResourceDeletedResponse> {
    await this.manage.delete(by, appId, id);
    return { id, message: 'The resource was deleted.' };
  }
}
