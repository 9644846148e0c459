import { Injectable } from '@nestjs/common';
import type { AppId } from '../../../kernel/ids.js';
import { Transactions } from '../../../kernel/transactions.js';
import type { Address } from '../domain/address.js';
import type { NewUser } from '../domain/user.js';
import { type HeldAddress, UserRepository } from '../domain/user.repository.js';
import { RegisterUser } from './register-user.js';

/** Finds the user with an address, or creates one. */
export interface AddressHolder extends HeldAddress {
  readonly userCreated: boolean;
}

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
        const registered = await this.registration.holding(appId, address, { ...choices, isVerified: false });
        if (registered) return { ...registered, userCreated: true };
        // Another request added the address after the read.
      }
    });
  }
}
