import { Module, type OnApplicationBootstrap, type OnModuleInit } from '@nestjs/common';
import { Jobs } from '../../kernel/jobs.js';
import { Retention } from '../../kernel/retention.js';
import { ObjectOwners } from '../../kernel/object-owners.js';
import { DomainEvents } from '../../kernel/domain-events.js';
import { MessageLog } from '../../services/mail/message-log.js';
import { AppsFacade, AppsModule } from '../apps/index.js';
import { ReopenAccounts } from './application/reopen-accounts.js';
import { RecoverUser } from './application/recover-user.js';
import { RegisterUser } from './application/register-user.js';
import { RemoveSignInMethod } from './application/remove-sign-in-method.js';
import { NotifyUser } from './application/notify-user.js';
import { StepUp } from './application/step-up.js';
import { IdentityFacade } from './application/identity.facade.js';
import { ManageUsers } from './application/manage-users.js';
import { portableContacts } from './application/portable-contacts.js';
import { portableIdentities } from './application/portable-identities.js';
import { ProveAddress } from './application/prove-address.js';
import { SignInWithProvider } from './application/sign-in-with-provider.js';
import { AccountUses } from './domain/account-uses.js';
import { ClosedAccountRepository } from './domain/closed-account.repository.js';
import { CallerSessions } from './domain/caller-session.js';
import { ContactRepository } from './domain/contact.js';
import { MessageResends } from './domain/message-resends.js';
import { PortableParts, PortableUsers } from './domain/portable-users.js';
import { ProviderIdentityRepository } from './domain/provider-identity.js';
import { RecoveryRepository } from './domain/recovery.js';
import { SignInMethods } from './domain/sign-in-methods.js';
import { AccountPassed, UserDeleted } from './domain/user.events.js';
import { UserSearchFields } from './domain/user-search-fields.js';
import { epochSecondsOf, UserProfileParts } from './domain/user-profile-parts.js';
import { UserProfiles } from './domain/user-profiles.js';
import { UserRepository } from './domain/user.repository.js';
import { ManagedUsersController, UserManagementController } from './http/managed-users.controller.js';
import { ResendMessageController } from './http/resend-message.controller.js';
import { RecoveryOfManagedUser } from './http/exported-recovery.dto.js';
import { UserController } from './http/user.controller.js';
import './infrastructure/personal-data.js';
import { OWN_SEARCH_FIELDS } from './infrastructure/own-search-fields.js';
import { PostgresClosedAccountRepository } from './infrastructure/postgres-closed-account.repository.js';
import { PostgresContactRepository } from './infrastructure/postgres-contact.repository.js';
import { PostgresPortableUsers } from './infrastructure/postgres-portable-users.js';
import { PostgresProviderIdentityRepository } from './infrastructure/postgres-provider-identity.repository.js';
import { PostgresRecoveryRepository } from './infrastructure/postgres-recovery.repository.js';
import { PostgresUserProfiles } from './infrastructure/postgres-user-profiles.js';
import { PostgresUserRepository } from './infrastructure/postgres-user.repository.js';

const HOUR = 3_600;
const SIX_HOURS = 6 * HOUR;

@Module({
  imports: [AppsModule],
  controllers: [UserController, ManagedUsersController, UserManagementController, ResendMessageController],
  providers: [
    { provide: UserRepository, useClass: PostgresUserRepository },
    { provide: ContactRepository, useClass: PostgresContactRepository },
    { provide: ClosedAccountRepository, useClass: PostgresClosedAccountRepository },
    AccountUses,
    { provide: RecoveryRepository, useClass: PostgresRecoveryRepository },
    { provide: ProviderIdentityRepository, useClass: PostgresProviderIdentityRepository },
    { provide: UserProfiles, useClass: PostgresUserProfiles },
    { provide: PortableUsers, useClass: PostgresPortableUsers },
    PortableParts,
    CallerSessions,
    IdentityFacade,
    ManageUsers,
    MessageResends,
    ProveAddress,
    RecoverUser,
    RegisterUser,
    RemoveSignInMethod,
    ReopenAccounts,
    SignInMethods,
    SignInWithProvider,
    StepUp,
    NotifyUser,
    UserProfileParts,
    UserSearchFields,
  ],
  exports: [
    AccountUses,
    RecoverUser,
    CallerSessions,
    IdentityFacade,
    ManageUsers,
    MessageResends,
    PortableParts,
    PortableUsers,
    ProveAddress,
    SignInMethods,
    SignInWithProvider,
    UserProfileParts,
    UserProfiles,
    UserSearchFields,
  ],
})
export class IdentityModule implements OnModuleInit, OnApplicationBootstrap {
  constructor(
    private readonly events: DomainEvents,
    private readonly jobs: Jobs,
    private readonly owners: ObjectOwners,
    private readonly removal: RemoveSignInMethod,
    private readonly reopening: ReopenAccounts,
    private readonly signInMethods: SignInMethods,
    private readonly searchFields: UserSearchFields,
    private readonly profileParts: UserProfileParts,
    private readonly retention: Retention,
    private readonly recoveries: RecoveryRepository,
    private readonly recovery: RecoverUser,
    private readonly portableParts: PortableParts,
    private readonly apps: AppsFacade,
    private readonly contacts: ContactRepository,
    private readonly messages: MessageLog,
  ) {}

  onModuleInit(): void {
    this.owners.register({ kind: 'user', table: 'users', user: 'id', where: 'deleted_at is null' });
    this.owners.register({ kind: 'email', table: 'emails' });
    this.owners.register({ kind: 'phoneNumber', table: 'phone_numbers' });
    this.messages.register(async (appId, userId) =>
      (await this.contacts.ofUser(appId, userId)).map(({ contact }) => contact.text),
    );
    this.events.subscribe(
      UserDeleted,
      async ({ appId, userId }) => void (await this.signInMethods.revokeAllOf(appId, userId)),
    );
    this.events.subscribe(AccountPassed, async (passed) => {
      passed.addEnded(await this.signInMethods.revokeAllOf(passed.appId, passed.userId, passed.codesStay));
    });
    this.events.subscribe(UserDeleted, ({ appId, userId }) => this.recoveries.forget(appId, userId));
    this.events.subscribe(AccountPassed, async ({ appId, userId }) => void (await this.recovery.end(appId, userId)));
    this.retention.register({ table: 'recoveries', endedWhen: 'expires_at' });
    this.retention.register({ table: 'deleted_external_ids', endedWhen: 'expires_at' });
    this.portableParts.register(portableContacts('emails'));
    this.portableParts.register(portableContacts('phone_numbers'));
    this.portableParts.register(portableIdentities(this.apps));
    this.profileParts.register({
      field: 'recoveries',
      isForOperators: true,
      shownAs: RecoveryOfManagedUser,
      table: 'recoveries',
      where: 't.expires_at > now() and t.ready_at < t.expires_at',
      fields: {
        id: 't.user_id',
        email: `case t.kind when 'email' then t.text else '' end`,
        phone_number: `case t.kind when 'phone_number' then t.text else '' end`,
        begun_at: epochSecondsOf('t.begun_at'),
        ready_at: epochSecondsOf('t.ready_at'),
        expires_at: epochSecondsOf('t.expires_at'),
      },
    });
    this.jobs.schedule('identity.remove-unverified-addresses', HOUR, () => this.removal.unverifiedAddresses());
    this.jobs.schedule('identity.reopen-accounts', SIX_HOURS, () => this.reopening.execute());
    for (const rows of OWN_SEARCH_FIELDS) this.searchFields.register(rows);
  }

  onApplicationBootstrap(): void {
    this.searchFields.requireAll();
  }
}
