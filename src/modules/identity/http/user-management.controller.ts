import { Controller, HttpCode, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { AppId, UserId } from '../../../kernel/ids.js';
import type { Requester } from '../../../kernel/requester.js';
import { ManagementKey } from '../../../edge/auth/credentials.js';
import { RequestedBy } from '../../../edge/auth/requested-by.js';
import { Refuses } from '../../../edge/errors/error-catalogue.js';
import { PathId } from '../../../edge/http/path-id.js';
import { AppNotFound } from '../../apps/index.js';
import { ChangeActivation } from '../application/change-activation.js';
import { UserNotFound } from '../domain/identity.errors.js';
import { UserResponse } from './user.dto.js';

@ApiTags('management')
@Controller('management/v1/apps/:app_id/users/:user_id')
export class UserManagementController {
  constructor(private readonly changeActivation: ChangeActivation) {}

  /**
   * Deactivate a user
   *
   * @remarks Ends the user's sessions at once. Until reactivated the user can neither sign in nor hold a session, and the user's wallets
   * neither pay, sign nor export. A confirmed transfer that is not signed yet waits; a signed one goes on.
   */
  @Post('deactivate')
  @HttpCode(200)
  @ManagementKey('operator')
  @Refuses(AppNotFound, UserNotFound)
  async deactivate(
    @RequestedBy() by: Requester,
    @PathId('app_id', 'app', AppNotFound) appId: AppId,
    @PathId('user_id', 'user', UserNotFound) userId: UserId,
  ): Promise<UserResponse> {
    return UserResponse.of(await this.changeActivation.execute(by, appId, userId, 'deactivated'));
  }

  /**
   * Reactivate a user
   *
   * @remarks They can sign in again. The sessions of before stay ended.
   */
  @Post('reactivate')
  @HttpCode(200)
  @ManagementKey('operator')
  @Refuses(AppNotFound, UserNotFound)
  async reactivate(
    @RequestedBy() by: Requester,
    @PathId('app_id', 'app', AppNotFound) appId: AppId,
    @PathId('user_id', 'user', UserNotFound) userId: UserId,
  ): Promise<UserResponse> {
    return UserResponse.of(await this.changeActivation.execute(by, appId, userId, 'reactivated'));
  }
}
