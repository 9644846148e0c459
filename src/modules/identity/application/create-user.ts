import { Injectable } from '@nestjs/common';
import type { AppId } from '../../../kernel/ids.js';
import { Transactions } from '../../../kernel/transactions.js';
import type { Address } from '../domain/address.js';
import { Contact, CONTACT_ERRORS } from '../domain/contact.js';
import { ContactRepository } from '../domain/contact.repository.js';
import { type UserProfile, UserProfiles } from '../domain/user-profiles.js';
import type { NewUser } from '../domain/user.js';
import { RegisterUser } from './register-user.js';

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
      const registered = await this.registration.holding(appId, first, {
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
