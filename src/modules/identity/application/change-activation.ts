import { Injectable } from '@nestjs/common';
import { Clock } from '../../../kernel/clock.js';
import type { AppId, UserId } from '../../../kernel/ids.js';
import { DomainEvents } from '../../../kernel/domain-events.js';
import type { Requester } from '../../../kernel/requester.js';
import { Transactions } from '../../../kernel/transactions.js';
import { AppsFacade } from '../../apps/index.js';
import { UserNotFound } from '../domain/identity.errors.js';
import { UserDeactivated, UserReactivated } from '../domain/user.events.js';
import { UserRepository } from '../domain/user.repository.js';
import { type UserProfile, UserProfiles } from '../domain/user-profiles.js';

@Injectable()
export class ChangeActivation {
  constructor(
    private readonly transactions: Transactions,
    private readonly apps: AppsFacade,
    private readonly users: UserRepository,
    private readonly profiles: UserProfiles,
    private readonly events: DomainEvents,
    private readonly clock: Clock,
  ) {}

  /**
   * Prevents a user from logging in, or permits it again. A request for the current state changes nothing and publishes
   * no event.
   */
  execute(by: Requester, appId: AppId, userId: UserId, asked: 'deactivated' | 'reactivated'): Promise<UserProfile> {
    return this.transactions.run(async () => {
      await this.apps.hold(appId);
      const user = await this.users.lock(appId, userId);
      if (!user) throw new UserNotFound();
      const isDeactivation = asked === 'deactivated';
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
}
