import { Injectable } from '@nestjs/common';
import { Clock } from '../../../kernel/clock.js';
import { inTurn } from '../../../kernel/collections.js';
import type { AppId, UserId } from '../../../kernel/ids.js';
import { DomainEvents } from '../../../kernel/domain-events.js';
import { Transactions } from '../../../kernel/transactions.js';
import type { Remover } from '../domain/caller-session.js';
import { StepUpRequired } from '../../../kernel/step-up-required.js';
import { LastWayToSignIn } from '../domain/identity.errors.js';
import { FactorRemoved, UserUpdated } from '../domain/user.events.js';
import { UserRepository } from '../domain/user.repository.js';
import type { AddressKind } from '../domain/address.js';
import { StepUp } from './step-up.js';
import { NotifyUser } from './notify-user.js';
import { type Contact, CONTACT_ERRORS, type ContactId, ContactRepository, type Overdue } from '../domain/contact.js';

export interface RemovedMethod {
  readonly type: string;
  readonly id: string;
}

const BATCH = 200;

@Injectable()
export class RemoveSignInMethod {
  constructor(
    private readonly transactions: Transactions,
    private readonly users: UserRepository,
    private readonly contacts: ContactRepository,
    private readonly stepUp: StepUp,
    private readonly notifyUser: NotifyUser,
    private readonly events: DomainEvents,
    private readonly clock: Clock,
  ) {}

  /** Rolls back the removal of the last proved method: a stranger may prove an unverified address. The lock orders two removals. */
  execute(
    appId: AppId,
    userId: UserId,
    method: RemovedMethod,
    remover: Remover,
    remove: () => Promise<void>,
    leaving?: Contact,
  ): Promise<void> {
    return this.transactions.run(async () => {
      const user = await this.users.lockToEnd(appId, userId);
      const before = await this.users.credentialCounts(appId, userId);
      const isPermitted = await this.stepUp.permitsRemoval(appId, userId, remover, before.verified > 0);
      await remove();
      const after = await this.users.credentialCounts(appId, userId);
      if (after.verified < before.verified && !isPermitted) throw new StepUpRequired();
      if (after.verified < before.verified)
        await this.notifyUser.ofMethod(appId, userId, 'removed', method.type, leaving);
      if (isLost(before.usable, after.usable) || isLost(before.open, after.open)) throw new LastWayToSignIn();
      this.users.store(appId, user.touched(this.clock.now()));
      await this.events.publish(
        new FactorRemoved(appId, { user_id: userId, method_id: method.id, method_type: method.type }),
      );
      await this.events.publish(new UserUpdated(appId, userId));
    });
  }

  async ofContact(appId: AppId, kind: AddressKind, id: ContactId, remover: Remover, ofUser?: UserId): Promise<UserId> {
    const { NotFound } = CONTACT_ERRORS[kind];
    const contact = await this.contacts.findById(appId, kind, id);
    if (!contact || (ofUser !== undefined && contact.userId !== ofUser)) throw new NotFound();
    const detach = async (): Promise<void> => {
      if (!(await this.contacts.detach(appId, contact))) throw new NotFound();
    };
    await this.execute(appId, contact.userId, { type: kind, id }, remover, detach, contact);
    return contact.userId;
  }

  /** No user may keep an address of another person. Each user has a transaction of their own, so a failure delays no other user. */
  async unverifiedAddresses(): Promise<void> {
    await inTurn(this.overdueUsers(), ({ appId, userId }) =>
      this.transactions.run(() => this.removeFrom(appId, userId)),
    );
  }

  private async *overdueUsers(): AsyncGenerator<Overdue> {
    for (const kind of ['email', 'phone_number'] as const) {
      let users = await this.contacts.overdueUsers(kind, undefined, BATCH);
      while (users.length > 0) {
        yield* users;
        users = await this.contacts.overdueUsers(kind, users.at(-1), BATCH);
      }
    }
  }

  /** The addresses with which the user was created stay until the user has proved a credential. */
  private async removeFrom(appId: AppId, userId: UserId): Promise<void> {
    const user = await this.users.lockIfLive(appId, userId);
    if (!user) return;
    const overdue = (await this.contacts.ofUser(appId, userId)).filter(({ isOverdue }) => isOverdue);
    if (overdue.length === 0) return;
    const hasProved = (await this.users.credentialCounts(appId, userId)).verified > 0;
    let isChanged = false;
    for (const { contact } of overdue) {
      if (!hasProved && contact.isOfCreation(user)) this.contacts.keep(appId, contact);
      else if (await this.contacts.detach(appId, contact)) isChanged = true;
    }
    if (!isChanged) return;
    this.users.store(appId, user.touched(this.clock.now()));
    await this.events.publish(new UserUpdated(appId, userId));
  }
}

const isLost = (before: number, after: number): boolean => before > 0 && after === 0;
