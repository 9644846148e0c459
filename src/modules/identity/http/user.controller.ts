import { StepUpRequired } from '../../../kernel/step-up-required.js';
import { RefusedAsPrefilled } from '../../../edge/openapi/examples.js';
import { Body, Controller, Delete, Get, HttpCode, Post, Put, Query } from '@nestjs/common';
import { ApiBody, ApiTags } from '@nestjs/swagger';
import { InvalidSession } from '../../../kernel/errors.js';
import { onlyUserOf, OutsideBinding, requireAllWalletsWithin } from '../../../kernel/key-restriction.js';
import type { EmailId, PhoneNumberId, UserId } from '../../../kernel/ids.js';
import { type AuthenticatedApp, bindingOf } from '../../../edge/http/authenticated-request.js';
import { App, SecretKey } from '../../../edge/auth/credentials.js';
import { Refuses } from '../../../edge/errors/error-catalogue.js';
import { PathId } from '../../../edge/http/path-id.js';
import { ChangesNothing } from '../../../edge/idempotency/post-routes.js';
import { ManageUsers } from '../application/manage-users.js';
import { RecoverUser } from '../application/recover-user.js';
import { RemoveSignInMethod } from '../application/remove-sign-in-method.js';
import { CallerSessions } from '../domain/caller-session.js';
import { profileWithin, UserProfiles } from '../domain/user-profiles.js';
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
import { CreateUserRequest, CreateUserResponse } from './create-user.dto.js';
import { UserDeletionResponse, UserResponse } from './user.dto.js';
import { CancelledRecoveryResponse } from './exported-recovery.dto.js';
import { removerOf, RemovalQuery, RemovalRequest } from './exported-removal.dto.js';
import { SearchUsersRequest, SearchUsersResponse } from './search-users.dto.js';
import { UpdateUserRequest, UpdateUserResponse } from './update-user.dto.js';

@ApiTags('users')
@Controller('v1/auth/users')
export class UserController {
  constructor(
    private readonly profiles: UserProfiles,
    private readonly manage: ManageUsers,
    private readonly removal: RemoveSignInMethod,
    private readonly sessions: CallerSessions,
    private readonly recovery: RecoverUser,
  ) {}

  /**
   * Create a user
   *
   * @remarks The user holds the email, the phone number or both, unverified, and gets a default wallet.
   */
  @Post('create')
  @HttpCode(200)
  @SecretKey({ scopes: 'users:write' })
  @Refuses(InvalidEmail, InvalidPhoneNumber, DuplicateEmail, DuplicatePhoneNumber, DuplicateExternalId)
  async create(@App() app: AuthenticatedApp, @Body() body: CreateUserRequest): Promise<CreateUserResponse> {
    const [addresses, choices] = [CreateUserRequest.addresses(body), CreateUserRequest.choices(body, app)];
    const profile = await this.manage.create(app.id, addresses, choices);
    return CreateUserResponse.with(profile, body);
  }

  /**
   * Search users
   *
   * @remarks Finds users, the newest first, page by page with `starting_after`.
   */
  @Post('search')
  @HttpCode(200)
  @ChangesNothing()
  @SecretKey({ scopes: 'users:read', keepsBinding: true })
  @Refuses(InvalidSearch, SearchTooBroad, InvalidEmail, InvalidPhoneNumber)
  async search(@App() app: AuthenticatedApp, @Body() body: SearchUsersRequest): Promise<SearchUsersResponse> {
    const binding = bindingOf(app);
    const [filters, search] = SearchUsersRequest.searchIn(body);
    const page = await this.manage.search(app.id, filters, { ...search, onlyUser: onlyUserOf(binding) });
    return SearchUsersResponse.of({ ...page, items: page.items.map((profile) => profileWithin(binding, profile)) });
  }

  /**
   * Get a user
   *
   * @remarks Returns the user with all addresses, identities at providers, wallets and other sign-in methods.
   */
  @Get(':user_id')
  @SecretKey({ scopes: 'users:read', keepsBinding: true })
  async get(
    @App() app: AuthenticatedApp,
    @PathId('user_id', 'user', UserNotFound) userId: UserId,
  ): Promise<UserResponse> {
    return UserResponse.of(profileWithin(bindingOf(app), await this.profiles.get(app.id, userId)));
  }

  /**
   * Update a user
   *
   * @remarks Changes the names, the `external_id` and the members of `metadata` that are given, and attaches addresses. No address is
   * removed. A user holds at most 5 unverified addresses; each is removed 7 days after it was attached unless it is verified. A key that is
   * bound to the user attaches no address.
   */
  @Put(':user_id/update')
  @SecretKey({ scopes: 'users:write', keepsBinding: true })
  @Refuses(
    InvalidEmail,
    InvalidPhoneNumber,
    DuplicateEmail,
    DuplicatePhoneNumber,
    DuplicateExternalId,
    TooManyAddresses,
    TooManyUnverifiedAddresses,
  )
  async update(
    @App() app: AuthenticatedApp,
    @PathId('user_id', 'user', UserNotFound) userId: UserId,
    @Body() body: UpdateUserRequest,
  ): Promise<UpdateUserResponse> {
    // A refusal of a duplicate would show a bound key which external ids other users have.
    if (body.external_id !== undefined && bindingOf(app)) throw new OutsideBinding();
    const changes = { ...UpdateUserRequest.personalName(body), ...UpdateUserRequest.appData(body) };
    const addresses = UpdateUserRequest.addresses(body);
    const updated = await this.manage.update(app.id, userId, changes, addresses, { binding: bindingOf(app) });
    return UpdateUserResponse.of({ ...updated, profile: profileWithin(bindingOf(app), updated.profile) });
  }

  /**
   * Delete a user
   *
   * @remarks Ends the user's sessions and pending tokens, and frees the addresses and the `external_id` for other users.
   */
  @Delete(':user_id/delete')
  @SecretKey({ scopes: 'users:write', keepsBinding: true })
  @Refuses(UserInUse)
  async delete(
    @App() app: AuthenticatedApp,
    @PathId('user_id', 'user', UserNotFound) userId: UserId,
  ): Promise<UserDeletionResponse> {
    requireAllWalletsWithin(bindingOf(app));
    await this.manage.delete(app.id, userId);
    return { user_id: userId, message: 'The user was deleted.' };
  }

  /**
   * Cancel the recovery of a user
   *
   * @remarks Ends the recovery that an operator began. It needs a fresh session of the user.
   */
  @RefusedAsPrefilled('It needs a fresh session of a user whose recovery an operator began.')
  @Delete(':user_id/recovery')
  @SecretKey({ scopes: 'users:write', keepsBinding: true })
  @Refuses(RecoveryNotFound, StepUpRequired, InvalidSession)
  @ApiBody({ type: RemovalRequest, required: false })
  async cancelRecovery(
    @App() app: AuthenticatedApp,
    @PathId('user_id', 'user', UserNotFound) userId: UserId,
    @Query() query: RemovalQuery,
    @Body() body: RemovalRequest,
  ): Promise<CancelledRecoveryResponse> {
    await this.recovery.cancel(app.id, userId, await removerOf(this.sessions, app, query, body));
    return { user_id: userId, message: 'The recovery was cancelled.' };
  }

  /**
   * Delete an email
   *
   * @remarks Removes it from its user, unless it is the user's last sign-in method. If the call carries a session, a verified address is
   * removed only in a fresh one.
   */
  @Delete('emails/:email_id/delete')
  @SecretKey({ scopes: 'users:write', keepsBinding: true })
  @Refuses(UserNotFound, LastWayToSignIn, StepUpRequired, InvalidSession)
  @ApiBody({ type: RemovalRequest, required: false })
  async deleteEmail(
    @App() app: AuthenticatedApp,
    @PathId('email_id', 'email', EmailNotFound) emailId: EmailId,
    @Query() query: RemovalQuery,
    @Body() body: RemovalRequest,
  ): Promise<UserDeletionResponse> {
    // An address may move to another user after the key was found to see it.
    const remover = await removerOf(this.sessions, app, query, body);
    const userId = await this.removal.ofContact(app.id, 'email', emailId, remover, onlyUserOf(bindingOf(app)));
    return { user_id: userId, message: 'The email was deleted.' };
  }

  /**
   * Delete a phone number
   *
   * @remarks Removes it from its user, unless it is the user's last sign-in method. If the call carries a session, a verified address is
   * removed only in a fresh one.
   */
  @Delete('phone_numbers/:phone_number_id/delete')
  @SecretKey({ scopes: 'users:write', keepsBinding: true })
  @Refuses(UserNotFound, LastWayToSignIn, StepUpRequired, InvalidSession)
  @ApiBody({ type: RemovalRequest, required: false })
  async deletePhoneNumber(
    @App() app: AuthenticatedApp,
    @PathId('phone_number_id', 'phoneNumber', PhoneNumberNotFound) phoneNumberId: PhoneNumberId,
    @Query() query: RemovalQuery,
    @Body() body: RemovalRequest,
  ): Promise<UserDeletionResponse> {
    const remover = await removerOf(this.sessions, app, query, body);
    const onlyUser = onlyUserOf(bindingOf(app));
    const userId = await this.removal.ofContact(app.id, 'phone_number', phoneNumberId, remover, onlyUser);
    return { user_id: userId, message: 'The phone number was deleted.' };
  }
}
