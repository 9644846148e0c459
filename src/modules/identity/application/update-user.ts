import { Injectable } from '@nestjs/common';
import { Clock } from '../../../kernel/clock.js';
import type { AppId, UserId } from '../../../kernel/ids.js';
import { DomainEvents } from '../../../kernel/domain-events.js';
import { Transactions } from '../../../kernel/transactions.js';
import type { Address } from '../domain/address.js';
import { Contact, CONTACT_ERRORS, type ContactId, ContactRepository } from '../domain/contact.js';
import {
  MAX_ADDRESSES,
  MAX_UNVERIFIED_ADDRESSES,
  TooManyAddresses,
  TooManyUnverifiedAddresses,
  UserNotFound,
} from '../domain/identity.errors.js';
import { UserUpdated } from '../domain/user.events.js';
import { type UserProfile, UserProfiles } from '../domain/user-profiles.js';
import type { PersonalName, User } from '../domain/user.js';
import { UserRepository } from '../domain/user.repository.js';

export interface UpdatedUser {
  readonly profile: UserProfile;
  /** The requested addresses, both those attached now and those attached before. */
  readonly attached: ReadonlySet<ContactId>;
}

@Injectable()
export class UpdateUser {
  constructor(
    private readonly transactions: Transactions,
    private readonly users: UserRepository,
    private readonly contacts: ContactRepository,
    private readonly profiles: UserProfiles,
    private readonly events: DomainEvents,
    private readonly clock: Clock,
  ) {}

  /**
   * Changes the given names and attaches the addresses, or changes nothing. An address that the user already holds is not
   * changed. Throws `TooManyAddresses` above 100 of a kind, `TooManyUnverifiedAddresses` above 5.
   */
  execute(
    appId: AppId,
    userId: UserId,
    name: Partial<PersonalName>,
    addresses: readonly Address[],
  ): Promise<UpdatedUser> {
    return this.transactions.run(async () => {
      const user = await this.users.lock(appId, userId);
      if (!user) throw new UserNotFound();
      const attached = new Set<ContactId>();
      let isNew = false;
      for (const address of inLockOrder(addresses)) {
        const { id, wasHeld } = await this.attach(user, address);
        attached.add(id);
        isNew ||= !wasHeld;
      }
      const renamed = user.rename(name, this.clock.now());
      this.users.store(appId, isNew ? renamed.closed() : renamed);
      if (isNew) this.contacts.limitUnverified(user);
      await this.events.publish(new UserUpdated(appId, userId));
      const profile = await this.profiles.get(appId, userId);
      if (isNew) assertFewEnough(profile);
      return { profile, attached };
    });
  }

  private async attach(user: User, address: Address): Promise<{ id: ContactId; wasHeld: boolean }> {
    const contact = Contact.attach(address, user, this.clock.now());
    if (await this.contacts.attach(user.appId, contact)) return { id: contact.id, wasHeld: false };
    const held = await this.contacts.find(user.appId, address);
    if (held?.userId !== user.id) throw new CONTACT_ERRORS[address.kind].Duplicate();
    return { id: held.id, wasHeld: true };
  }
}

function assertFewEnough({ emails, phoneNumbers }: UserProfile): void {
  const unverified = [...emails, ...phoneNumbers].filter(({ verified }) => !verified);
  if (unverified.length > MAX_UNVERIFIED_ADDRESSES) throw new TooManyUnverifiedAddresses();
  if (Math.max(emails.length, phoneNumbers.length) > MAX_ADDRESSES) throw new TooManyAddresses();
}

/** Sorted, so that two requests that attach the same two addresses cannot deadlock. */
function inLockOrder(addresses: readonly Address[]): Address[] {
  const key = ({ kind, canonical }: Address): string => `${kind} ${canonical}`;
  return [...addresses].sort((a, b) => (key(a) < key(b) ? -1 : 1));
}
