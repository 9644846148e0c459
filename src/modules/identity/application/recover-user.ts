import { Injectable } from '@nestjs/common';
import type { AppId, UserId } from '../../../kernel/ids.js';
import { DomainEvents } from '../../../kernel/domain-events.js';
import { Transactions } from '../../../kernel/transactions.js';
import { AppsFacade } from '../../apps/index.js';
import type { Address } from '../domain/address.js';
import type { CallerSession } from '../domain/caller-session.js';
import { CONTACT_ERRORS, ContactRepository } from '../domain/contact.js';
import { StepUpRequired } from '../../../kernel/step-up-required.js';
import { RecoveryNotFound, RecoveryNotNeeded } from '../domain/identity.errors.js';
import { type Recovery, RecoveryRepository } from '../domain/recovery.js';
import { RecoveryBegun, RecoveryEnded } from '../domain/user.events.js';
import { UserRepository } from '../domain/user.repository.js';
import { StepUp } from './step-up.js';
import { NotifyUser } from './notify-user.js';

/** The way back for a user who has lost the only sign-in method: an operator lets a new address in, after a wait. */
@Injectable()
export class RecoverUser {
  constructor(
    private readonly transactions: Transactions,
    private readonly apps: AppsFacade,
    private readonly users: UserRepository,
    private readonly contacts: ContactRepository,
    private readonly recoveries: RecoveryRepository,
    private readonly stepUp: StepUp,
    private readonly notifyUser: NotifyUser,
    private readonly events: DomainEvents,
  ) {}

  /** Begun again by the same address, it goes on. An address is refused if it is verified for another user, or begun for one. */
  begin(appId: AppId, userId: UserId, address: Address): Promise<Recovery> {
    return this.transactions.run(async () => {
      await this.check(appId, userId, address);
      const underWay = await this.recoveries.ofUser(appId, userId);
      if (underWay?.kind === address.kind && underWay.canonical === address.canonical) return underWay;
      const { recoveryWaitHours } = (await this.apps.settings(appId)).stepUp;
      const recovery = await this.recoveries.begin(appId, userId, address, recoveryWaitHours);
      if (!recovery) throw new CONTACT_ERRORS[address.kind].Duplicate();
      await this.events.publish(RecoveryBegun.of(appId, recovery));
      await this.notifyUser.ofRecovery(appId, userId, recoveryWaitHours * 60);
      return recovery;
    });
  }

  async check(appId: AppId, userId: UserId, address: Address): Promise<void> {
    (await this.users.lock(appId, userId)).requireNotDeactivated();
    const contact = await this.contacts.find(appId, address);
    if (!contact?.verifiedAt) return;
    if (contact.userId === userId) throw new RecoveryNotNeeded();
    throw new CONTACT_ERRORS[address.kind].Duplicate();
  }

  /** The app may end the wait only in a fresh session of the user. */
  cancel(appId: AppId, userId: UserId, by: CallerSession | 'app' | 'operator'): Promise<void> {
    return this.transactions.run(async () => {
      await this.users.lockToEnd(appId, userId);
      if (by === 'app') throw new StepUpRequired();
      if (by !== 'operator') await this.stepUp.require(appId, userId, by);
      if (!(await this.end(appId, userId))) throw new RecoveryNotFound();
    });
  }

  /** False if none is under way. Like `complete`, it joins the caller's transaction, in which the user is locked. */
  async end(appId: AppId, userId: UserId): Promise<boolean> {
    const isEnded = await this.recoveries.remove(appId, userId);
    if (isEnded) await this.events.publish(new RecoveryEnded(appId, { user_id: userId, outcome: 'cancelled' }));
    return isEnded;
  }

  async complete(appId: AppId, userId: UserId): Promise<void> {
    await this.recoveries.complete(appId, userId);
    await this.events.publish(new RecoveryEnded(appId, { user_id: userId, outcome: 'completed' }));
  }
}
