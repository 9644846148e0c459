import { Body, Controller, Delete, Get, HttpCode, Patch, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { ConfiguredNetworks } from '../../../../kernel/chain/networks.js';
import type { AppId } from '../../../../kernel/ids.js';
import type { Requester } from '../../../../kernel/requester.js';
import { ManagementKey, RequestedBy } from '../../../../edge/auth/credentials.js';
import { Refuses } from '../../../../edge/errors/error-catalogue.js';
import { PathId } from '../../../../edge/http/path-id.js';
import { ManageApps } from '../../application/manage-apps.js';
import { AppRepository, type App, type AppChanges } from '../../domain/app.js';
import {
  AppInUse,
  AppNotFound,
  InvalidAllowedOrigin,
  InvalidAsset,
  InvalidTemplate,
} from '../../domain/apps.errors.js';
import { ModuleSettings } from '../../domain/module-settings.js';
import {
  AppListResponse,
  AppResponse,
  changesIn,
  CreateAppRequest,
  CreatedAppResponse,
  UpdateAppRequest,
} from './app.dto.js';
import { DeletedResponse } from '../deleted.dto.js';
import { ListAppsQuery } from '../list.dto.js';
import { pageIn } from '../../../../edge/http/list.dto.js';

@ApiTags('management: apps')
@Controller('management/v1/apps')
export class AppsController {
  constructor(
    private readonly apps: AppRepository,
    private readonly manage: ManageApps,
    private readonly moduleSettings: ModuleSettings,
    private readonly networks: ConfiguredNetworks,
  ) {}

  /**
   * Create an app
   *
   * @remarks The response also holds the app's first secret key and public token, which are shown only once.
   */
  @Post()
  @HttpCode(200)
  @ManagementKey('owner')
  @Refuses(InvalidAllowedOrigin, InvalidTemplate, InvalidAsset)
  async create(@RequestedBy() by: Requester, @Body() body: CreateAppRequest): Promise<CreatedAppResponse> {
    const settings = { ...this.changesIn(body), name: body.name };
    const { app, secretKey, publicToken } = await this.manage.create(by, body.mode, settings);
    return { ...this.shown(app), secret_key: secretKey, public_token: publicToken };
  }

  /**
   * List apps
   *
   * @remarks Returns all apps, the newest first. Deleted apps are left out.
   */
  @Get()
  @ManagementKey('auditor')
  async list(@Query() query: ListAppsQuery): Promise<AppListResponse> {
    const { items, hasMore } = await this.apps.list(pageIn(query), query);
    return { apps: items.map((app) => this.shown(app)), has_more: hasMore };
  }

  /**
   * Get an app
   *
   * @remarks Returns the app with its settings, limits and policies. A limit that is not set shows its default.
   */
  @Get(':app_id')
  @ManagementKey('auditor')
  async get(@PathId('app_id', 'app', AppNotFound) appId: AppId): Promise<AppResponse> {
    return this.shown(await this.apps.get(appId));
  }

  /**
   * Change an app's settings
   *
   * @remarks Settings that the request omits stay. The change takes effect on every replica within a second.
   */
  @Patch(':app_id')
  @ManagementKey('owner')
  @Refuses(InvalidAllowedOrigin, InvalidTemplate, InvalidAsset)
  async update(
    @RequestedBy() by: Requester,
    @PathId('app_id', 'app', AppNotFound) appId: AppId,
    @Body() body: UpdateAppRequest,
  ): Promise<AppResponse> {
    return this.shown(await this.manage.update({ by, appId, approvalId: body.approval_id }, this.changesIn(body)));
  }

  /**
   * Delete an app
   *
   * @remarks The app's keys end at once. No sealed value is erased, and an app with a pending transfer is not deleted.
   */
  @Delete(':app_id')
  @ManagementKey('owner')
  @Refuses(AppInUse)
  async delete(
    @RequestedBy() by: Requester,
    @PathId('app_id', 'app', AppNotFound) appId: AppId,
  ): Promise<DeletedResponse> {
    await this.manage.delete(by, appId);
    return { id: appId, message: 'The app was deleted.' };
  }

  private changesIn(body: UpdateAppRequest): AppChanges {
    return { ...changesIn(body, this.networks), moduleSettings: this.moduleSettings.changesIn(body) };
  }

  private shown(app: App): AppResponse {
    return AppResponse.of(app, this.moduleSettings.shown(app.moduleSettings));
  }
}
