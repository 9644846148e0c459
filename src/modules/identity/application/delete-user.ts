import { Injectable } from '@nestjs/common';
import { Clock } from '../../../kernel/clock.js';
import type { AppId, UserId } from '../../../kernel/ids.js';
import { DomainEvents } from '../../../kernel/domain-events.js';
import { Transactions } from '../../../kernel/transactions.js';
import { ContactRepository } from '../domain/contact.js';
import { UserNotFound } from '../domain/identity.errors.js';
import { ProviderIdentityRepository } from '../domain/provider-identity.js';
import { UserDeleted } from '../domain/user.events.js';
import { UserRepository } from '../domain/user.repository.js';

@Injectable()
export class DeleteUser {
  constructor(
    private readonly transactions: Transactions,
    private readonly users: UserRepository,
    private readonly contacts: ContactRepository,
    private readonly identities: ProviderIdentityRepository,
    private readonly events: DomainEvents,
    private readonly clock: Clock,
  ) {}

  /**
   * Leaves a tombstone, and frees addresses and identities for other users. If a subscriber throws, the user is not
   * deleted. `record` writes on whose word it is done, in the same transaction.
   */
  execute(appId: AppId, userId: UserId, record?: () => Promise<void>): Promise<void> {
    return this.transactions.run(
      async () => {
        await record?.();
        const user = await this.users.lock(appId, userId);
        if (!user) throw new UserNotFound();
        this.contacts.detachAll(appId, userId);
        await this.identities.removeAll(appId, userId);
        this.users.store(appId, user.delete(this.clock.now()));
        await this.events.publish(new UserDeleted(appId, userId));
      },
      // A subscriber locks the wallets of the user, and confirmations wait for them.
      { signs: true },
    );
  }
}
