import { Injectable } from '@nestjs/common';
import type { AppId } from '../../../kernel/ids.js';
import { Transactions } from '../../../kernel/transactions.js';
import type { Address } from '../domain/address.js';
import type { Contact } from '../domain/contact.js';
import { ContactRepository } from '../domain/contact.repository.js';
import type { NewUser, User } from '../domain/user.js';
import { UserRepository } from '../domain/user.repository.js';
import { RegisterUser } from './register-user.js';

/** The holder of an address. */
export interface AddressHolder {
  readonly user: User;
  readonly contact: Contact;
  readonly userCreated: boolean;
}

@Injectable()
export class FindOrCreateUser {
  constructor(
    private readonly transactions: Transactions,
    private readonly registration: RegisterUser,
    private readonly users: UserRepository,
    private readonly contacts: ContactRepository,
  ) {}

  /** The user who holds the address, proved or not, or a new one who does. Throws `UserInactive` when deactivated. */
  execute(appId: AppId, address: Address, choices: Partial<NewUser> = {}): Promise<AddressHolder> {
    return this.transactions.run(async () => {
      for (;;) {
        const contact = await this.contacts.find(appId, address);
        if (contact) {
          const user = await this.users.find(appId, contact.userId);
          if (!user) continue; // Deleted between the two reads: the address is free again.
          user.requireNotDeactivated();
          return { user, contact, userCreated: false };
        }
        const registered = await this.registration.holding(appId, address, { ...choices, isVerified: false });
        if (registered) return { ...registered, userCreated: true };
      }
    });
  }
}
