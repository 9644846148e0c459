import { Injectable } from '@nestjs/common';
import { Clock } from '../../../kernel/clock.js';
import type { AppId, UserId } from '../../../kernel/ids.js';
import { DomainEvents } from '../../../kernel/outbox.js';
import { Transactions } from '../../../kernel/transactions.js';
import { ContactRepository } from '../domain/contact.repository.js';
import { UserUpdated } from '../domain/user.events.js';
import { UserRepository } from '../domain/user.repository.js';

const BATCH = 200;

/** Removes addresses that stayed unverified for too long, so that no user keeps an address of another person. */
@Injectable()
export class RemoveUnverifiedAddresses {
  constructor(
    private readonly transactions: Transactions,
    private readonly users: UserRepository,
    private readonly contacts: ContactRepository,
    private readonly events: DomainEvents,
    private readonly clock: Clock,
  ) {}

  /** Each user has a transaction of their own: a run that stops goes on where it was. A failure of one user delays no other user. */
  async execute(): Promise<void> {
    for (let found = BATCH; found >= BATCH;) {
      const overdue = await this.contacts.overdueUsers(BATCH);
      const failures: unknown[] = [];
      for (const { appId, userId } of overdue)
        await this.transactions.run(() => this.removeFrom(appId, userId)).catch((error) => failures.push(error));
      if (failures.length > 0) throw new AggregateError(failures, 'Unverified addresses were not removed.');
      found = overdue.length;
    }
  }

  /** The address with which the user was created stays while it is the only one. */
  private async removeFrom(appId: AppId, userId: UserId): Promise<void> {
    const user = await this.users.lock(appId, userId);
    if (!user) return;
    const held = await this.contacts.ofUser(appId, userId);
    let left = held.length;
    // The newest first, of those of one time the phone number: the address that may stay comes last.
    const times = held.toReversed().toSorted((a, b) => b.contact.createdAt.getTime() - a.contact.createdAt.getTime());
    for (const { contact, isOverdue } of times) {
      if (!isOverdue) continue;
      if (left === 1 && contact.createdAt.getTime() === user.createdAt.getTime()) {
        this.contacts.keep(appId, contact);
      } else if (await this.contacts.detach(appId, contact)) {
        left--;
      }
    }
    if (left === held.length) return;
    this.users.store(appId, user.touched(this.clock.now()));
    await this.events.publish(new UserUpdated(appId, userId));
  }
}
