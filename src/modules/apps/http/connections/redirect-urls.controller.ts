import { Body, Controller, Delete, Get, HttpCode, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { AppId, RedirectUrlId } from '../../../../kernel/ids.js';
import type { Requester } from '../../../../kernel/requester.js';
import { ManagementKey, RequestedBy } from '../../../../edge/auth/credentials.js';
import { Refuses } from '../../../../edge/errors/error-catalogue.js';
import { PathId } from '../../../../edge/http/path-id.js';
import { ManageRedirectUrls } from '../../application/manage-redirect-urls.js';
import {
  AppNotFound,
  DuplicateRedirectUrl,
  InvalidRedirectUrl,
  RedirectUrlNotFound,
} from '../../domain/apps.errors.js';
import { RedirectUrlRepository } from '../../domain/redirect-url.js';
import { DeletedResponse } from '../deleted.dto.js';
import { ListRedirectUrlsQuery } from '../list.dto.js';
import { pageIn } from '../../../../edge/http/list.dto.js';
import { RedirectUrlListResponse, RedirectUrlResponse, RegisterRedirectUrlRequest } from './redirect-url.dto.js';

@ApiTags('management: redirect urls')
@Controller('management/v1/apps/:app_id/redirect_urls')
export class RedirectUrlsController {
  constructor(
    private readonly redirectUrls: RedirectUrlRepository,
    private readonly manage: ManageRedirectUrls,
  ) {}

  /**
   * Register a redirect URL
   *
   * @remarks Browsers are sent only to registered URLs. The default URL of a kind is used where a request names none.
   */
  @Post()
  @HttpCode(200)
  @ManagementKey('owner')
  @Refuses(InvalidRedirectUrl, DuplicateRedirectUrl)
  async register(
    @RequestedBy() by: Requester,
    @PathId('app_id', 'app', AppNotFound) appId: AppId,
    @Body() { url, kind, is_default }: RegisterRedirectUrlRequest,
  ): Promise<RedirectUrlResponse> {
    return RedirectUrlResponse.of(await this.manage.register(by, appId, { url, kind, isDefault: is_default }));
  }

  /**
   * List an app's redirect URLs
   *
   * @remarks Returns the registered URLs of the app, the newest first.
   */
  @Get()
  @ManagementKey('auditor')
  async list(
    @PathId('app_id', 'app', AppNotFound) appId: AppId,
    @Query() query: ListRedirectUrlsQuery,
  ): Promise<RedirectUrlListResponse> {
    const { items, hasMore } = await this.redirectUrls.list(appId, pageIn(query), query);
    return { redirect_urls: items.map(RedirectUrlResponse.of), has_more: hasMore };
  }

  /**
   * Remove a redirect URL
   *
   * @remarks Browsers are no longer sent to this URL. A default URL has no successor until another one is registered as the default.
   */
  @Delete(':rurl_id')
  @ManagementKey('owner')
  async remove(
    @RequestedBy() by: Requester,
    @PathId('app_id', 'app', AppNotFound) appId: AppId,
    @PathId('rurl_id', 'redirectUrl', RedirectUrlNotFound) id: RedirectUrlId,
  ): Promise<DeletedResponse> {
    await this.manage.remove(by, appId, id);
    return { id, message: 'The redirect URL was removed.' };
  }
}
