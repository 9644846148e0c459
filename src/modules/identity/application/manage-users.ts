import { Injectable } from '@nestjs/common';
import { Clock } from '../../../kernel/clock.js';
import type { AppId, UserId } from '../../../kernel/ids.js';
import { type KeyBinding, OutsideBinding } from '../../../kernel/key-restriction.js';
import { WrongTries } from '../../../kernel/limits.js';
import { DomainEvents } from '../../../kernel/domain-events.js';
import type { Requester } from '../../../kernel/requester.js';
import { Transactions } from '../../../kernel/transactions.js';
import { AppsFacade } from '../../apps/index.js';
import type { Address } from '../domain/address.js';
import { Contact, CONTACT_ERRORS, type ContactId, ContactRepository } from '../domain/contact.js';
import {
  MAX_ADDRESSES,
  MAX_UNVERIFIED_ADDRESSES,
  TooManyAddresses,
  TooManyUnverifiedAddresses,
} from '../domain/identity.errors.js';
import { PortableUsers } from '../domain/portable-users.js';
import { ProviderIdentityRepository } from '../domain/provider-identity.js';
import { UserDeactivated, UserDeleted, UserReactivated, UserUnlocked, UserUpdated } from '../domain/user.events.js';
import { type UserPage, type UserProfile, UserProfiles } from '../domain/user-profiles.js';
import type { AppData, NewUser, PersonalName, User } from '../domain/user.js';
import { UserRepository } from '../domain/user.repository.js';
import { UserSearchFields } from '../domain/user-search-fields.js';
import { criteriaOf, type SearchFilter, type UserSearch } from '../domain/user-search.js';
import { RegisterUser } from './register-user.js';

export interface UpdatedUser {
  readonly profile: UserProfile;
  /** The requested addresses, both those attached now and those attached before. */
  readonly attached: ReadonlySet<ContactId>;
}

@Injectable()
export class ManageUsers {
  constructor(
    private readonly transactions: Transactions,
    private readonly apps: AppsFacade,
    private readonly registration: RegisterUser,
    private readonly users: UserRepository,
    private readonly contacts: ContactRepository,
    private readonly identities: ProviderIdentityRepository,
    private readonly profiles: UserProfiles,
    private readonly searchFields: UserSearchFields,
    private readonly portable: PortableUsers,
    private readonly tries: WrongTries,
    private readonly events: DomainEvents,
    private readonly clock: Clock,
  ) {}

  /** Creates a user with all the addresses, unverified, or no user. */
  create(
    appId: AppId,
    [first, ...rest]: readonly [Address, ...Address[]],
    choices: Partial<NewUser>,
  ): Promise<UserProfile> {
    return this.transactions.run(async () => {
      const registered = await this.registration.withAddress(appId, first, { ...choices, isVerified: false });
      if (!registered) throw new CONTACT_ERRORS[first.kind].Duplicate();
      const { user } = registered;
      for (const address of rest) {
        const contact = Contact.attach(address, user, user.createdAt);
        if (!(await this.contacts.attach(appId, contact, true))) throw new CONTACT_ERRORS[address.kind].Duplicate();
      }
      return this.profiles.get(appId, user.id);
    });
  }

  async search(
    appId: AppId,
    filters: readonly SearchFilter[],
    search: Omit<UserSearch, 'criteria'>,
  ): Promise<UserPage> {
    const criteria = criteriaOf(filters, (name) => this.searchFields.named(name));
    return this.profiles.search(appId, { ...search, criteria });
  }

  /** A bound key attaches no address, held or not: a refusal that depended on the holder would show which addresses have accounts. */
  update(
    appId: AppId,
    userId: UserId,
    changes: Partial<PersonalName> & AppData,
    addresses: readonly Address[],
    { binding = null }: { readonly binding?: KeyBinding | null } = {},
  ): Promise<UpdatedUser> {
    return this.transactions.run(async () => {
      const former = await this.users.lock(appId, userId);
      const user = former.annotate(changes, this.clock.now());
      if (user.externalId !== former.externalId) await this.users.storeExternalId(appId, user);
      const attached = new Set<ContactId>();
      let isNew = false;
      for (const address of inLockOrder(addresses)) {
        if (binding && (await this.contacts.find(appId, address))?.userId !== userId) throw new OutsideBinding();
        const { id, wasHeld } = await this.attach(user, address);
        attached.add(id);
        isNew ||= !wasHeld;
      }
      this.users.store(appId, user.rename(changes, this.clock.now()));
      await this.events.publish(new UserUpdated(appId, userId));
      const profile = await this.profiles.get(appId, userId);
      if (isNew) assertFewEnough(profile);
      return { profile, attached };
    });
  }

  /** A request for the current state changes nothing and publishes no event. */
  changeActivation(
    by: Requester,
    appId: AppId,
    userId: UserId,
    asked: 'deactivated' | 'reactivated',
  ): Promise<UserProfile> {
    return this.transactions.run(async () => {
      await this.apps.hold(appId);
      const isDeactivation = asked === 'deactivated';
      const user = await (isDeactivation ? this.users.lockToEnd(appId, userId) : this.users.lock(appId, userId));
      if ((user.deactivatedAt !== null) !== isDeactivation) {
        const now = this.clock.now();
        this.users.store(appId, isDeactivation ? user.deactivate(now) : user.reactivate(now));
        await this.events.publish(
          isDeactivation ? new UserDeactivated(appId, userId) : new UserReactivated(appId, userId),
        );
        await this.apps.audit(by, appId, `user.${asked}`, userId);
      }
      return this.profiles.get(appId, userId);
    });
  }

  /** The unverified addresses of the user have counts of their own. */
  unlock(appId: AppId, userId: UserId): Promise<void> {
    return this.transactions.run(async () => {
      await this.users.lock(appId, userId);
      const held = await this.contacts.ofUser(appId, userId);
      this.tries.forget(appId, userId);
      for (const { contact } of held) if (!contact.verifiedAt) this.tries.forget(appId, contact);
      await this.events.publish(new UserUnlocked(appId, userId));
    });
  }

  /** Leaves a tombstone, and frees addresses and identities. `record` writes in the same transaction on whose word it is done. */
  delete(appId: AppId, userId: UserId, record?: () => Promise<void>): Promise<void> {
    return this.transactions.run(
      async () => {
        await record?.();
        const user = await this.users.lockToEnd(appId, userId);
        this.contacts.detachAll(appId, userId);
        await this.identities.removeAll(appId, userId);
        if (user.externalId !== null) this.portable.rememberDeleted(appId, user.externalId);
        this.users.store(appId, user.delete(this.clock.now()));
        await this.events.publish(new UserDeleted(appId, userId));
      },
      // A subscriber locks the wallets of the user, and confirmations wait for them.
      { signs: true },
    );
  }

  private async attach(user: User, address: Address): Promise<{ id: ContactId; wasHeld: boolean }> {
    const contact = Contact.attach(address, user, this.clock.now());
    if (await this.contacts.attach(user.appId, contact)) return { id: contact.id, wasHeld: false };
    const held = await this.contacts.find(user.appId, address);
    if (held?.userId !== user.id) throw new CONTACT_ERRORS[address.kind].Duplicate();
    return { id: held.id, wasHeld: true };
  }
}

function assertFewEnough({ emails, phoneNumbers }: UserProfile): void {
  const unverified = [...emails, ...phoneNumbers].filter(({ verified }) => !verified);
  if (unverified.length > MAX_UNVERIFIED_ADDRESSES) throw new TooManyUnverifiedAddresses();
  if (Math.max(emails.length, phoneNumbers.length) > MAX_ADDRESSES) throw new TooManyAddresses();
}

/** Sorted, so that two requests that attach the same two addresses cannot deadlock. */
function inLockOrder(addresses: readonly Address[]): Address[] {
  const key = ({ kind, canonical }: Address): string => `${kind} ${canonical}`;
  return [...addresses].sort((a, b) => (key(a) < key(b) ? -1 : 1));
}
