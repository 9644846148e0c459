import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { ManagementKey, RequestedBy } from '../../../edge/auth/credentials.js';
import { Refuses } from '../../../edge/errors/error-catalogue.js';
import { SafeToRepeat } from '../../../edge/idempotency/post-routes.js';
import { PathId } from '../../../edge/http/path-id.js';
import type { AppId } from '../../../kernel/ids.js';
import type { Requester } from '../../../kernel/requester.js';
import { AppNotFound } from '../../apps/index.js';
import { FreezeApp } from '../application/freeze-app.js';
import { APPROVAL_REFUSALS } from '../domain/approval.errors.js';
import { FreezeResponse } from './freeze.dto.js';
import { ApprovableChange } from './policy-change.dto.js';

@ApiTags('management: policies')
@Controller('management/v1/apps/:app_id')
export class FreezeController {
  constructor(private readonly freezeApp: FreezeApp) {}

  /**
   * Freeze an app
   *
   * @remarks Once the call has returned, no wallet of the app signs anything on any replica: no message, no transaction, no payment, no
   * replacement and no export. Everything that was signed before may still be carried out by its chain. A queued transfer waits. A
   * repeated call keeps `frozen_at`.
   */
  @Post('freeze')
  @HttpCode(200)
  @SafeToRepeat()
  @ManagementKey('operator')
  @Refuses(AppNotFound)
  async freeze(
    @RequestedBy() by: Requester,
    @PathId('app_id', 'app', AppNotFound) appId: AppId,
  ): Promise<FreezeResponse> {
    return FreezeResponse.of(appId, await this.freezeApp.freeze(by, appId));
  }

  /**
   * Thaw an app
   *
   * @remarks The wallets of the app sign again, as its policies allow. If the app has `policy_change`, this needs an approval.
   */
  @Post('thaw')
  @HttpCode(200)
  @SafeToRepeat()
  @ManagementKey('operator')
  @Refuses(AppNotFound, ...APPROVAL_REFUSALS)
  async thaw(
    @RequestedBy() by: Requester,
    @PathId('app_id', 'app', AppNotFound) appId: AppId,
    @Body() { approval_id: approvalId }: ApprovableChange,
  ): Promise<FreezeResponse> {
    await this.freezeApp.thaw({ by, appId, approvalId });
    return FreezeResponse.of(appId, null);
  }
}
