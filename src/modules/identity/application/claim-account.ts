import { Injectable } from '@nestjs/common';
import { Clock } from '../../../kernel/clock.js';
import type { AppId, UserId } from '../../../kernel/ids.js';
import { DomainEvents } from '../../../kernel/outbox.js';
import { Transactions } from '../../../kernel/transactions.js';
import { UserCredentialsRevoked, UserUpdated } from '../domain/user.events.js';
import { UserRepository } from '../domain/user.repository.js';
import { outcomeOfProof, type Prover } from './prove-address.js';

@Injectable()
export class ClaimAccount {
  constructor(
    private readonly transactions: Transactions,
    private readonly users: UserRepository,
    private readonly events: DomainEvents,
    private readonly clock: Clock,
  ) {}

  /** Applies the rule that `ProveAddress` applies to an unverified address. Returns whether the prover is now the user. */
  execute(appId: AppId, userId: UserId, { sessionUserId }: Prover): Promise<boolean> {
    return this.transactions.run(async () => {
      const user = await this.users.lock(appId, userId);
      if (!user) return false;
      const proverIsSignedIn = sessionUserId === userId;
      const outcome = outcomeOfProof({
        isVerified: false,
        proverIsSignedIn,
        holderHasVerifiedSignInMethod:
          proverIsSignedIn || (await this.users.credentialCounts(appId, userId)).verified > 0,
      });
      if (outcome === 'parted') return false;
      user.requireNotDeactivated();
      this.users.store(appId, user.verified(this.clock.now()));
      await this.events.publish(new UserUpdated(appId, userId));
      if (outcome === 'taken_over') await this.events.publish(new UserCredentialsRevoked(appId, userId));
      return true;
    });
  }
}
