import { Injectable } from '@nestjs/common';
import type { AppId, UserId } from '../../../kernel/ids.js';
import { WrongTries } from '../../../kernel/limits.js';
import { DomainEvents } from '../../../kernel/domain-events.js';
import { Transactions } from '../../../kernel/transactions.js';
import { ContactRepository } from '../domain/contact.js';
import { UserNotFound } from '../domain/identity.errors.js';
import { UserUnlocked } from '../domain/user.events.js';
import { UserRepository } from '../domain/user.repository.js';

@Injectable()
export class UnlockUser {
  constructor(
    private readonly transactions: Transactions,
    private readonly users: UserRepository,
    private readonly contacts: ContactRepository,
    private readonly tries: WrongTries,
    private readonly events: DomainEvents,
  ) {}

  /** Forgets the wrong tries of the user and of the user's unverified addresses, which have counts of their own. */
  execute(appId: AppId, userId: UserId): Promise<void> {
    return this.transactions.run(async () => {
      if (!(await this.users.lock(appId, userId))) throw new UserNotFound();
      const held = await this.contacts.ofUser(appId, userId);
      this.tries.forget(appId, userId);
      for (const { contact } of held) if (!contact.verifiedAt) this.tries.forget(appId, contact);
      await this.events.publish(new UserUnlocked(appId, userId));
    });
  }
}
