import { Injectable } from '@nestjs/common';
import { Clock } from '../../../kernel/clock.js';
import type { AppId } from '../../../kernel/ids.js';
import { DomainEvents } from '../../../kernel/domain-events.js';
import { AppsFacade } from '../../apps/index.js';
import type { Address } from '../domain/address.js';
import { Contact, CONTACT_ERRORS, ContactRepository } from '../domain/contact.js';
import { UserCreated } from '../domain/user.events.js';
import { type NewUser, User } from '../domain/user.js';
import { UserRepository, type HeldAddress } from '../domain/user.repository.js';
import { Transactions } from '../../../kernel/transactions.js';
import { type UserProfile, UserProfiles } from '../domain/user-profiles.js';

/** Creates a user, for every kind of login. Part of the caller's transaction. */
@Injectable()
export class RegisterUser {
  constructor(
    private readonly apps: AppsFacade,
    private readonly users: UserRepository,
    private readonly events: DomainEvents,
    private readonly clock: Clock,
  ) {}

  /** A new user without an address, for the person who has just proved to be the user unless `choices` say otherwise. */
  async execute(appId: AppId, choices: Partial<NewUser> = {}): Promise<User> {
    const user = await this.newUser(appId, choices);
    await this.users.add(appId, user);
    return this.announced(user);
  }

  /** A new user with the address; null, without an effect, if another user has it. */
  async withAddress(
    appId: AppId,
    address: Address,
    { isVerified, ...choices }: Partial<NewUser> & { isVerified: boolean },
  ): Promise<{ user: User; contact: Contact } | null> {
    const user = await this.newUser(appId, { claim: isVerified ? 'closed' : 'open', ...choices });
    const attached = Contact.attach(address, user, user.createdAt);
    const contact = isVerified ? attached.verify(user.createdAt) : attached;
    if (!(await this.users.add(appId, user, contact))) return null;
    return { user: await this.announced(user), contact };
  }

  private async newUser(appId: AppId, choices: Partial<NewUser>): Promise<User> {
    const walletType = choices.walletType ?? (await this.apps.settings(appId)).defaultWalletType;
    return User.create(appId, { ...choices, status: choices.status ?? 'active', walletType }, this.clock.now());
  }

  private async announced(user: User): Promise<User> {
    await this.events.publish(new UserCreated(user.appId, user.id, user.walletType));
    return user;
  }
}

@Injectable()
export class CreateUser {
  constructor(
    private readonly transactions: Transactions,
    private readonly registration: RegisterUser,
    private readonly contacts: ContactRepository,
    private readonly profiles: UserProfiles,
  ) {}

  /** Creates a user with all the addresses, unverified, or no user. */
  execute(
    appId: AppId,
    [first, ...rest]: readonly [Address, ...Address[]],
    choices: Partial<NewUser>,
  ): Promise<UserProfile> {
    return this.transactions.run(async () => {
      const registered = await this.registration.withAddress(appId, first, {
        ...choices,
        ...(rest.length > 0 && { claim: 'closed' }),
        isVerified: false,
      });
      if (!registered) throw new CONTACT_ERRORS[first.kind].Duplicate();
      const { user } = registered;
      for (const address of rest) {
        const contact = Contact.attach(address, user, user.createdAt);
        if (!(await this.contacts.attach(appId, contact))) throw new CONTACT_ERRORS[address.kind].Duplicate();
      }
      if (rest.length > 0) this.contacts.limitUnverified(user);
      return this.profiles.get(appId, user.id);
    });
  }
}

export interface AddressHolder extends HeldAddress {
  readonly userCreated: boolean;
}

/** Finds the user with an address, or creates one. */
@Injectable()
export class FindOrCreateUser {
  constructor(
    private readonly transactions: Transactions,
    private readonly registration: RegisterUser,
    private readonly users: UserRepository,
  ) {}

  /**
   * The user with the address, verified or not, or a new one. Throws `UserInactive` if deactivated, but only where the address is
   * verified: the person who proves an unverified one gets an account of their own.
   */
  execute(appId: AppId, address: Address, choices: Partial<NewUser> = {}): Promise<AddressHolder> {
    return this.transactions.run(async () => {
      for (;;) {
        const held = await this.users.holdByAddress(appId, address);
        if (held) {
          if (held.contact.verifiedAt) held.user.requireNotDeactivated();
          return { ...held, userCreated: false };
        }
        const registered = await this.registration.withAddress(appId, address, { ...choices, isVerified: false });
        if (registered) return { ...registered, userCreated: true };
        // Another request added the address after the read.
      }
    });
  }
}
