import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { ManagementKey, RequestedBy } from '../../../../edge/auth/credentials.js';
import { Refuses } from '../../../../edge/errors/error-catalogue.js';
import { SafeToRepeat } from '../../../../edge/idempotency/post-routes.js';
import { PathId } from '../../../../edge/http/path-id.js';
import type { AppId, UserId } from '../../../../kernel/ids.js';
import type { Requester } from '../../../../kernel/requester.js';
import { AppNotFound } from '../../../apps/index.js';
import { UserNotFound } from '../../../identity/index.js';
import { FreezeApp } from '../application/freeze-app.js';
import { FreezeObject } from '../application/freeze-object.js';
import { APPROVAL_REFUSALS } from '../../approvals/domain/approval.errors.js';
import { UserFreezeResponse } from './exported-freeze.dto.js';
import { FreezeResponse } from './freeze.dto.js';
import { ApprovableChange } from '../../approvals/http/exported-change.dto.js';

@ApiTags('management: policies')
@Controller('management/v1/apps/:app_id')
export class FreezeController {
  constructor(
    private readonly freezeApp: FreezeApp,
    private readonly freezeObject: FreezeObject,
  ) {}

  /**
   * Freeze an app
   *
   * @remarks Once the call has returned, no wallet of the app signs anything on any replica: no message, no transaction, no payment, no
   * replacement and no export. Nothing that was signed before is sent again, but its chain may still carry it out. A queued transfer waits. An
   * operator may still cancel a transfer. A repeated call keeps `frozen_at`.
   */
  @Post('freeze')
  @HttpCode(200)
  @SafeToRepeat()
  @ManagementKey('operator')
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
  @ManagementKey('operator', { needsProof: true })
  @Refuses(...APPROVAL_REFUSALS)
  async thaw(
    @RequestedBy() by: Requester,
    @PathId('app_id', 'app', AppNotFound) appId: AppId,
    @Body() { approval_id: approvalId }: ApprovableChange,
  ): Promise<FreezeResponse> {
    await this.freezeApp.thaw({ by, appId, approvalId });
    return FreezeResponse.of(appId, null);
  }

  /**
   * Freeze a user
   *
   * @remarks Once the call has returned, no wallet of the user signs anything on any replica, as `freeze` of an app does it for all of its
   * users: 403 `wallet_frozen`. The user may still log in. A repeated call keeps `frozen_at`.
   */
  @Post('users/:user_id/freeze')
  @HttpCode(200)
  @SafeToRepeat()
  @ManagementKey('support')
  async freezeUser(
    @RequestedBy() by: Requester,
    @PathId('app_id', 'app', AppNotFound) appId: AppId,
    @PathId('user_id', 'user', UserNotFound) userId: UserId,
  ): Promise<UserFreezeResponse> {
    const frozenAt = await this.freezeObject.freeze(by, appId, userId);
    if (!frozenAt) throw new UserNotFound();
    return UserFreezeResponse.of(userId, frozenAt);
  }

  /**
   * Thaw a user
   *
   * @remarks The wallets of the user that are not frozen themselves sign again. If the app has `policy_change`, this needs an approval.
   */
  @Post('users/:user_id/thaw')
  @HttpCode(200)
  @SafeToRepeat()
  @ManagementKey('operator', { needsProof: true })
  @Refuses(...APPROVAL_REFUSALS)
  async thawUser(
    @RequestedBy() by: Requester,
    @PathId('app_id', 'app', AppNotFound) appId: AppId,
    @PathId('user_id', 'user', UserNotFound) userId: UserId,
    @Body() { approval_id: approvalId }: ApprovableChange,
  ): Promise<UserFreezeResponse> {
    if (!(await this.freezeObject.thaw({ by, appId, approvalId }, userId))) throw new UserNotFound();
    return UserFreezeResponse.of(userId, null);
  }
}
