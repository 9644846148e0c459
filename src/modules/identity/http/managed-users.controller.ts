import { RefusedAsPrefilled } from '../../../edge/openapi/examples.js';
import { Body, Controller, Delete, Get, HttpCode, Patch, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { ManagementKey, RequestedBy } from '../../../edge/auth/credentials.js';
import { Refuses } from '../../../edge/errors/error-catalogue.js';
import { pageIn } from '../../../edge/http/list.dto.js';
import { PathId } from '../../../edge/http/path-id.js';
import { ChangesNothing, SafeToRepeat } from '../../../edge/idempotency/post-routes.js';
import type { AppId, EmailId, PhoneNumberId, UserId } from '../../../kernel/ids.js';
import { AppNotFound, AppsFacade } from '../../apps/index.js';
import { ManageUsers } from '../application/manage-users.js';
import { RecoverUser } from '../application/recover-user.js';
import { RemoveSignInMethod } from '../application/remove-sign-in-method.js';
import { type Address, emailAddress, phoneAddress } from '../domain/address.js';
import {
  DuplicateEmail,
  DuplicateExternalId,
  DuplicatePhoneNumber,
  EmailNotFound,
  InvalidEmail,
  InvalidPhoneNumber,
  InvalidSearch,
  LastWayToSignIn,
  PhoneNumberNotFound,
  RecoveryNotFound,
  SearchTooBroad,
  TooManyAddresses,
  TooManyUnverifiedAddresses,
  UserInUse,
  UserNotFound,
} from '../domain/identity.errors.js';
import { UserProfiles } from '../domain/user-profiles.js';
import { CreateUserRequest, CreateUserResponse } from './create-user.dto.js';
import {
  AddEmailRequest,
  AddPhoneNumberRequest,
  ListManagedUsersQuery,
  ManagedUserListResponse,
  ManagedUserResponse,
  UnlockedUserResponse,
  UpdateManagedUserRequest,
} from './managed-user.dto.js';
import { CancelledRecoveryResponse } from './exported-recovery.dto.js';
import { SearchUsersRequest, SearchUsersResponse } from './search-users.dto.js';
import { UpdateUserResponse } from './update-user.dto.js';
import { UserDeletionResponse, UserResponse } from './user.dto.js';
import type { Requester } from '../../../kernel/requester.js';

/** An app's users, for operators. */
@ApiTags('management: users')
@Controller('management/v1/apps/:app_id/users')
export class ManagedUsersController {
  constructor(
    private readonly apps: AppsFacade,
    private readonly profiles: UserProfiles,
    private readonly manage: ManageUsers,
  ) {}

  /**
   * Create a user of an app
   *
   * @remarks Does the same as `POST /v1/auth/users/create`.
   */
  @Post()
  @HttpCode(200)
  @ManagementKey('support')
  @Refuses(InvalidEmail, InvalidPhoneNumber, DuplicateEmail, DuplicatePhoneNumber, DuplicateExternalId)
  async create(
    @RequestedBy() by: Requester,
    @PathId('app_id', 'app', AppNotFound) appId: AppId,
    @Body() body: CreateUserRequest,
  ): Promise<CreateUserResponse> {
    const [addresses, choices] = [CreateUserRequest.addresses(body), CreateUserRequest.choices(body)];
    const profile = await this.apps.audited({ by, appId, action: 'user.created', target: ({ userId }) => userId }, () =>
      this.manage.create(appId, addresses, choices),
    );
    return CreateUserResponse.with(profile, body);
  }

  /**
   * List an app's users
   *
   * @remarks Returns the users of the app, the newest first.
   */
  @Get()
  @ManagementKey('auditor')
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
  @Refuses(InvalidSearch, SearchTooBroad, InvalidEmail, InvalidPhoneNumber)
  async search(
    @PathId('app_id', 'app', AppNotFound) appId: AppId,
    @Body() body: SearchUsersRequest,
  ): Promise<SearchUsersResponse> {
    await this.apps.requireLive(appId);
    const page = await this.manage.search(appId, ...SearchUsersRequest.searchIn(body));
    return SearchUsersResponse.of(page);
  }

  /**
   * Get a user of an app
   *
   * @remarks Returns the same user as `GET /v1/auth/users/{user_id}`, with the user's live sessions.
   */
  @Get(':user_id')
  @ManagementKey('auditor')
  async get(
    @PathId('app_id', 'app', AppNotFound) appId: AppId,
    @PathId('user_id', 'user', UserNotFound) userId: UserId,
  ): Promise<ManagedUserResponse> {
    await this.apps.requireLive(appId);
    return ManagedUserResponse.of(await this.profiles.getForOperators(appId, userId));
  }
}

@ApiTags('management: users')
@Controller('management/v1/apps/:app_id/users/:user_id')
export class UserManagementController {
  constructor(
    private readonly apps: AppsFacade,
    private readonly manage: ManageUsers,
    private readonly removal: RemoveSignInMethod,
    private readonly recovery: RecoverUser,
  ) {}

  /**
   * Change a user of an app
   *
   * @remarks Changes the names, the `external_id` and the members of `metadata` that are given.
   */
  @Patch()
  @ManagementKey('support')
  @Refuses(DuplicateExternalId)
  async update(
    @RequestedBy() by: Requester,
    @PathId('app_id', 'app', AppNotFound) appId: AppId,
    @PathId('user_id', 'user', UserNotFound) userId: UserId,
    @Body() body: UpdateManagedUserRequest,
  ): Promise<UserResponse> {
    const changes = UpdateManagedUserRequest.changes(body);
    const { profile } = await this.apps.audited(
      { by, appId, action: 'user.updated', target: userId, fields: Object.keys(changes) },
      () => this.manage.update(appId, userId, changes, []),
    );
    return UserResponse.of(profile);
  }

  /**
   * Delete a user of an app
   *
   * @remarks Does the same as `DELETE /v1/auth/users/{user_id}/delete`.
   */
  @Delete()
  @ManagementKey('support')
  @Refuses(UserInUse)
  async delete(
    @RequestedBy() by: Requester,
    @PathId('app_id', 'app', AppNotFound) appId: AppId,
    @PathId('user_id', 'user', UserNotFound) userId: UserId,
  ): Promise<UserDeletionResponse> {
    await this.manage.delete(appId, userId, async () => {
      await this.apps.hold(appId);
      await this.apps.audit(by, appId, 'user.deleted', userId);
    });
    return { user_id: userId, message: 'The user was deleted.' };
  }

  /**
   * Add an email to a user
   *
   * @remarks Attaches the email, unverified. A user holds at most 5 unverified addresses; each is removed 7 days after it was attached
   * unless it is verified.
   */
  @Post('emails')
  @HttpCode(200)
  @ManagementKey('support')
  @Refuses(InvalidEmail, DuplicateEmail, TooManyAddresses, TooManyUnverifiedAddresses)
  async addEmail(
    @RequestedBy() by: Requester,
    @PathId('app_id', 'app', AppNotFound) appId: AppId,
    @PathId('user_id', 'user', UserNotFound) userId: UserId,
    @Body() { email }: AddEmailRequest,
  ): Promise<UpdateUserResponse> {
    return this.add(by, appId, userId, emailAddress(email));
  }

  /**
   * Add a phone number to a user
   *
   * @remarks Attaches the phone number, unverified, by the rules of an email.
   */
  @Post('phone_numbers')
  @HttpCode(200)
  @ManagementKey('support')
  @Refuses(InvalidPhoneNumber, DuplicatePhoneNumber)
  @Refuses(TooManyAddresses, TooManyUnverifiedAddresses)
  async addPhoneNumber(
    @RequestedBy() by: Requester,
    @PathId('app_id', 'app', AppNotFound) appId: AppId,
    @PathId('user_id', 'user', UserNotFound) userId: UserId,
    @Body() { phone_number }: AddPhoneNumberRequest,
  ): Promise<UpdateUserResponse> {
    return this.add(by, appId, userId, phoneAddress(phone_number));
  }

  /**
   * Remove an email from a user
   *
   * @remarks The last verified sign-in method of a user cannot be removed.
   */
  @Delete('emails/:email_id')
  @ManagementKey('support')
  @Refuses(LastWayToSignIn)
  async removeEmail(
    @RequestedBy() by: Requester,
    @PathId('app_id', 'app', AppNotFound) appId: AppId,
    @PathId('user_id', 'user', UserNotFound) userId: UserId,
    @PathId('email_id', 'email', EmailNotFound) emailId: EmailId,
  ): Promise<UserDeletionResponse> {
    await this.apps.audited({ by, appId, action: 'email.removed', target: emailId }, () =>
      this.removal.ofContact(appId, 'email', emailId, 'operator', userId),
    );
    return { user_id: userId, message: 'The email was deleted.' };
  }

  /**
   * Remove a phone number from a user
   *
   * @remarks The last verified sign-in method of a user cannot be removed.
   */
  @Delete('phone_numbers/:phone_number_id')
  @ManagementKey('support')
  @Refuses(LastWayToSignIn)
  async removePhoneNumber(
    @RequestedBy() by: Requester,
    @PathId('app_id', 'app', AppNotFound) appId: AppId,
    @PathId('user_id', 'user', UserNotFound) userId: UserId,
    @PathId('phone_number_id', 'phoneNumber', PhoneNumberNotFound) phoneNumberId: PhoneNumberId,
  ): Promise<UserDeletionResponse> {
    await this.apps.audited({ by, appId, action: 'phone_number.removed', target: phoneNumberId }, () =>
      this.removal.ofContact(appId, 'phone_number', phoneNumberId, 'operator', userId),
    );
    return { user_id: userId, message: 'The phone number was deleted.' };
  }

  /**
   * Cancel the recovery of a user
   *
   * @remarks Ends the recovery that is under way. The new address does not open the account then.
   */
  @RefusedAsPrefilled('No recovery is under way in the demo app.')
  @Delete('recovery')
  @ManagementKey('support')
  @Refuses(RecoveryNotFound)
  async cancelRecovery(
    @RequestedBy() by: Requester,
    @PathId('app_id', 'app', AppNotFound) appId: AppId,
    @PathId('user_id', 'user', UserNotFound) userId: UserId,
  ): Promise<CancelledRecoveryResponse> {
    await this.apps.audited({ by, appId, action: 'recovery.cancelled', target: userId }, () =>
      this.recovery.cancel(appId, userId, 'operator'),
    );
    return { user_id: userId, message: 'The recovery was cancelled.' };
  }

  /**
   * Unlock the codes of a user
   *
   * @remarks Forgets the wrong tries of the user and of the user's unverified addresses, so that codes are accepted again at once. A code
   * that was tried too often stays void: send a new one.
   */
  @Post('unlock')
  @HttpCode(200)
  @SafeToRepeat()
  @ManagementKey('support')
  async unlock(
    @RequestedBy() by: Requester,
    @PathId('app_id', 'app', AppNotFound) appId: AppId,
    @PathId('user_id', 'user', UserNotFound) userId: UserId,
  ): Promise<UnlockedUserResponse> {
    await this.apps.audited({ by, appId, action: 'user.unlocked', target: userId }, () =>
      this.manage.unlock(appId, userId),
    );
    return { user_id: userId, message: 'The user may try codes again.' };
  }

  /**
   * Deactivate a user
   *
   * @remarks Ends the user's sessions at once. Until reactivated the user can neither sign in nor hold a session, and the user's wallets
   * neither pay, sign nor export. A confirmed transfer that is not signed yet waits; a signed one goes on.
   */
  @Post('deactivate')
  @HttpCode(200)
  @SafeToRepeat()
  @ManagementKey('support')
  async deactivate(
    @RequestedBy() by: Requester,
    @PathId('app_id', 'app', AppNotFound) appId: AppId,
    @PathId('user_id', 'user', UserNotFound) userId: UserId,
  ): Promise<UserResponse> {
    return UserResponse.of(await this.manage.changeActivation(by, appId, userId, 'deactivated'));
  }

  /**
   * Reactivate a user
   *
   * @remarks The user can sign in again. Sessions that ended at deactivation remain ended.
   */
  @Post('reactivate')
  @HttpCode(200)
  @SafeToRepeat()
  @ManagementKey('support')
  async reactivate(
    @RequestedBy() by: Requester,
    @PathId('app_id', 'app', AppNotFound) appId: AppId,
    @PathId('user_id', 'user', UserNotFound) userId: UserId,
  ): Promise<UserResponse> {
    return UserResponse.of(await this.manage.changeActivation(by, appId, userId, 'reactivated'));
  }

  private async add(by: Requester, appId: AppId, userId: UserId, address: Address): Promise<UpdateUserResponse> {
    const added = await this.apps.audited(
      { by, appId, action: `${address.kind}.added`, target: ({ attached }) => [...attached][0]! },
      () => this.manage.update(appId, userId, {}, [address]),
    );
    return UpdateUserResponse.of(added);
  }
}
