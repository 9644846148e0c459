import { Controller, Get, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { ManagementKey } from '../../../edge/auth/credentials.js';
import { pageIn } from '../../../edge/http/list.dto.js';
import { PathId } from '../../../edge/http/path-id.js';
import type { AppId } from '../../../kernel/ids.js';
import { AppNotFound, AppsFacade } from '../../apps/index.js';
import { RefusedCalls } from '../domain/refused-calls.js';
import { ListRefusedCallsQuery, RefusedCallsOfHourResponse, RefusedCallsResponse } from './refused-calls.dto.js';

@ApiTags('management: keys')
@Controller('management/v1/apps/:app_id/refused_calls')
export class RefusedCallsController {
  constructor(
    private readonly refusedCalls: RefusedCalls,
    private readonly apps: AppsFacade,
  ) {}

  /**
   * List the refused calls of an app
   *
   * @remarks Counts the calls with keys of the app that were refused in the last 7 days (every status from 400 to 499) by hour, key,
   * operation and error type, newest first. A call is listed within seconds.
   */
  @Get()
  @ManagementKey('auditor')
  async list(
    @PathId('app_id', 'app', AppNotFound) appId: AppId,
    @Query() { key_id: keyId, ...page }: ListRefusedCallsQuery,
  ): Promise<RefusedCallsResponse> {
    await this.apps.requireLive(appId);
    const { items, hasMore } = await this.refusedCalls.list(appId, pageIn(page), keyId);
    return { refused_calls: items.map(RefusedCallsOfHourResponse.of), has_more: hasMore };
  }
}
