import { Body, Controller, Get, HttpCode, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { ManagementKey, RequestedBy } from '../../../edge/auth/credentials.js';
import { Refuses } from '../../../edge/errors/error-catalogue.js';
import { pageIn } from '../../../edge/http/list.dto.js';
import { PathId } from '../../../edge/http/path-id.js';
import { ChangesNothing } from '../../../edge/idempotency/post-routes.js';
import type { AppId, UserId } from '../../../kernel/ids.js';
import { AppNotFound, AppsFacade } from '../../apps/index.js';
import { SearchUsers } from '../application/search-users.js';
import {
  InvalidEmail,
  InvalidPhoneNumber,
  InvalidSearch,
  SearchTooBroad,
  UserNotFound,
} from '../domain/identity.errors.js';
import { UserProfiles } from '../domain/user-profiles.js';
import { ListManagedUsersQuery, ManagedUserListResponse, ManagedUserResponse } from './managed-user.dto.js';
import { SearchUsersRequest, SearchUsersResponse } from './search-users.dto.js';
import { UserResponse } from './user.dto.js';
import type { Requester } from '../../../kernel/requester.js';
import { ChangeActivation } from '../application/change-activation.js';

/** An app's users, for operators. */
@ApiTags('management')
@Controller('management/v1/apps/:app_id/users')
export class ManagedUsersController {
  constructor(
    private readonly apps: AppsFacade,
    private readonly profiles: UserProfiles,
    private readonly searchUsers: SearchUsers,
  ) {}

  /**
   * List an app's users
   *
   * @remarks Returns the users of the app, the newest first.
   */
  @Get()
  @ManagementKey('auditor')
  @Refuses(AppNotFound)
  async list(
    @PathId('app_id', 'app', AppNotFound) appId: AppId,
    @Query() query: ListManagedUsersQuery,
  ): Promise<ManagedUserListResponse> {
    await this.apps.requireLive(appId);
    const { items, hasMore } = await this.profiles.list(appId, pageIn(query));
    return { users: items.map(UserResponse.of), has_more: hasMore };
  }

  /**
   * Search an app's users
   *
   * @remarks Finds users by the same filters as `POST /v1/auth/users/search`.
   */
  @Post('search')
  @HttpCode(200)
  @ChangesNothing()
  @ManagementKey('support')
  @Refuses(AppNotFound, InvalidSearch, SearchTooBroad, InvalidEmail, InvalidPhoneNumber)
  async search(
    @PathId('app_id', 'app', AppNotFound) appId: AppId,
    @Body() body: SearchUsersRequest,
  ): Promise<SearchUsersResponse> {
    await this.apps.requireLive(appId);
    const page = await this.searchUsers.execute(appId, ...SearchUsersRequest.searchIn(body));
    return SearchUsersResponse.of(page);
  }

  /**
   * Get a user of an app
   *
   * @remarks Returns the same user as `GET /v1/auth/users/{user_id}`, with the user's live sessions.
   */
  @Get(':user_id')
  @ManagementKey('auditor')
  @Refuses(AppNotFound, UserNotFound)
  async get(
    @PathId('app_id', 'app', AppNotFound) appId: AppId,
    @PathId('user_id', 'user', UserNotFound) userId: UserId,
  ): Promise<ManagedUserResponse> {
    await this.apps.requireLive(appId);
    return ManagedUserResponse.of(await this.profiles.getForOperators(appId, userId));
  }
}

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
  @ManagementKey('support')
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
   * @remarks The user can sign in again. Sessions that ended at deactivation remain ended.
   */
  @Post('reactivate')
  @HttpCode(200)
  @ManagementKey('support')
  @Refuses(AppNotFound, UserNotFound)
  async reactivate(
    @RequestedBy() by: Requester,
    @PathId('app_id', 'app', AppNotFound) appId: AppId,
    @PathId('user_id', 'user', UserNotFound) userId: UserId,
  ): Promise<UserResponse> {
    return UserResponse.of(await this.changeActivation.execute(by, appId, userId, 'reactivated'));
  }
}
