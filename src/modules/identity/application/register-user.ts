import { Injectable } from '@nestjs/common';
import { Clock } from '../../../kernel/clock.js';
import type { AppId } from '../../../kernel/ids.js';
import { DomainEvents } from '../../../kernel/domain-events.js';
import { AppsFacade } from '../../apps/index.js';
import type { Address } from '../domain/address.js';
import { Contact } from '../domain/contact.js';
import { UserCreated } from '../domain/user.events.js';
import { type NewUser, User } from '../domain/user.js';
import { UserRepository, type HeldAddress } from '../domain/user.repository.js';
import { Transactions } from '../../../kernel/transactions.js';

export interface AddressHolder extends HeldAddress {
  readonly userCreated: boolean;
}

@Injectable()
export class RegisterUser {
  constructor(
    private readonly transactions: Transactions,
    private readonly apps: AppsFacade,
    private readonly users: UserRepository,
    private readonly events: DomainEvents,
    private readonly clock: Clock,
  ) {}

  /** For the person who has just proved to be the user, unless `choices` say otherwise. */
  async execute(appId: AppId, choices: Partial<NewUser> = {}): Promise<User> {
    const user = await this.newUser(appId, choices);
    await this.users.add(appId, user);
    return this.announced(user);
  }

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

  /** A deactivated holder is refused only if the address is verified: the prover of an unverified one gets another account. */
  findOrCreate(appId: AppId, address: Address, choices: Partial<NewUser> = {}): Promise<AddressHolder> {
    return this.transactions.run(async () => {
      for (;;) {
        const held = await this.users.holdByAddress(appId, address);
        if (held) {
          if (held.contact.verifiedAt) held.user.requireNotDeactivated();
          return { ...held, userCreated: false };
        }
        const registered = await this.withAddress(appId, address, { ...choices, isVerified: false });
        if (registered) return { ...registered, userCreated: true };
        // Another request added the address after the read.
      }
    });
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
