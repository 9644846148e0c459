import { Injectable } from '@nestjs/common';
import { Clock } from '../../../kernel/clock.js';
import type { AppId, UserId } from '../../../kernel/ids.js';
import { DomainEvents } from '../../../kernel/outbox.js';
import { Transactions } from '../../../kernel/transactions.js';
import { LastWayToSignIn, UserNotFound } from '../domain/identity.errors.js';
import { FactorRemoved, UserUpdated } from '../domain/user.events.js';
import { UserRepository } from '../domain/user.repository.js';

/** The method that a removal is about, as `method_type` and `method_id` of session factors name it. */
export interface RemovedMethod {
  readonly type: string;
  readonly id: string;
}

@Injectable()
export class RemoveSignInMethod {
  constructor(
    private readonly transactions: Transactions,
    private readonly users: UserRepository,
    private readonly events: DomainEvents,
    private readonly clock: Clock,
  ) {}

  /**
   * Runs `remove` with the user locked, and rolls it back with `LastWayToSignIn` when it removes the last sign-in method that the
   * user has proved: a stranger may prove an unverified address beside it. The last one of a user without a proved one stays too.
   * Because of the lock, two concurrent removals of the last two methods run one after the other, and the second fails.
   */
  execute(appId: AppId, userId: UserId, method: RemovedMethod, remove: () => Promise<void>): Promise<void> {
    return this.transactions.run(async () => {
      const user = await this.users.lock(appId, userId);
      if (!user) throw new UserNotFound();
      const before = await this.users.credentialCounts(appId, userId);
      await remove();
      const after = await this.users.credentialCounts(appId, userId);
      if (isLost(before.usable, after.usable) || isLost(before.open, after.open)) throw new LastWayToSignIn();
      this.users.store(appId, user.touched(this.clock.now()));
      await this.events.publish(
        new FactorRemoved(appId, { user_id: userId, method_id: method.id, method_type: method.type }),
      );
      await this.events.publish(new UserUpdated(appId, userId));
    });
  }
}

const isLost = (before: number, after: number): boolean => before > 0 && after === 0;
