import { Injectable } from '@nestjs/common';
import { Clock } from '../../../kernel/clock.js';
import type { AppId, UserId } from '../../../kernel/ids.js';
import { DomainEvents } from '../../../kernel/domain-events.js';
import { LockedRowsChanged, Transactions } from '../../../kernel/transactions.js';
import { type Address, emailAddress, phoneAddress } from '../domain/address.js';
import { type Contact, type ContactId, ContactRepository } from '../domain/contact.js';
import { AccountExists } from '../domain/identity.errors.js';
import { UserCredentialsRevoked, UserUpdated } from '../domain/user.events.js';
import type { PersonalName, User } from '../domain/user.js';
import { type HeldAddress, UserRepository } from '../domain/user.repository.js';
import { RegisterUser } from './register-user.js';

/** The caller who proved an address. */
export interface Prover {
  /** The user of the live session that the request with the proof named. */
  readonly sessionUserId?: UserId;
  /** The name of the user if the proof creates one. */
  readonly name?: Partial<PersonalName>;
  /** Whether the proof may lead to an account that holds the address verified; true by default. */
  readonly opensVerified?: boolean;
}

/** The user to whom the proven address belongs after the proof. */
export interface ProvenUser {
  readonly userId: UserId;
  readonly userCreated: boolean;
  readonly contactId: ContactId;
  /** When the address was proved for the first time as this user's; null if this proof is the first. */
  readonly provedAt: Date | null;
}

/**
 * Finds out to whom a proven address belongs, and who gets the account of an unverified address or wallet: every kind of proof ends here.
 * Every call joins the caller's transaction.
 */
@Injectable()
export class ProveAddress {
  constructor(
    private readonly transactions: Transactions,
    private readonly registration: RegisterUser,
    private readonly users: UserRepository,
    private readonly contacts: ContactRepository,
    private readonly events: DomainEvents,
    private readonly clock: Clock,
  ) {}

  /**
   * The user who has just proved the email. The address may have passed to another user than the one for whom the proof
   * was requested: continue with the returned one. Throws `InvalidEmail`, `UserInactive`.
   */
  email(appId: AppId, email: string, prover?: Prover): Promise<ProvenUser> {
    return this.execute(appId, emailAddress(email), prover);
  }

  /** Like `email`. Throws `InvalidPhoneNumber`, `UserInactive`. */
  phoneNumber(appId: AppId, phoneNumber: string, prover?: Prover): Promise<ProvenUser> {
    return this.execute(appId, phoneAddress(phoneNumber), prover);
  }

  /**
   * Finds or creates the user of a proven address and marks the address as verified. If the address was verified before, throws
   * `UserInactive` if its user is deactivated, and `AccountExists` if `opensVerified` is false. Joins the caller's transaction, if
   * there is one; the user stays locked until it ends.
   *
   * Concurrent proofs of one address all return the same user: each call either locks the user who holds the address, or
   * inserts the address itself, which the unique key permits to only one call.
   */
  execute(appId: AppId, address: Address, prover: Prover = {}): Promise<ProvenUser> {
    return this.transactions.run(async () => {
      const held = await this.users.lockByAddress(appId, address);
      if (held) return this.settle(held, prover);
      const registered = await this.registration.withAddress(appId, address, { ...prover.name, isVerified: true });
      if (registered)
        return { userId: registered.user.id, userCreated: true, contactId: registered.contact.id, provedAt: null };
      // The address was added after the read, or it moved during the wait and its previous user is locked.
      throw new LockedRowsChanged();
    });
  }

  /**
   * Whether the prover is now the user of the account: they are logged in to it, or it was empty. An empty account may have been
   * prepared by another person, so earlier sessions and pending tokens end. Otherwise nothing changes, and the prover must get
   * an account of their own. Call it with the holder locked. Throws `UserInactive` if the prover is logged in.
   */
  async claim(holder: User, { sessionUserId }: Prover): Promise<boolean> {
    const { appId, id } = holder;
    const now = this.clock.now();
    if (sessionUserId === id) {
      holder.requireNotDeactivated();
      this.users.store(appId, holder.verified(now));
      await this.events.publish(new UserUpdated(appId, id));
      return true;
    }
    if (!(await this.isEmpty(holder))) return false;
    this.users.store(appId, holder.taken(now));
    await this.events.publish(new UserUpdated(appId, id));
    await this.events.publish(new UserCredentialsRevoked(appId, id));
    return true;
  }

  private async settle({ user: holder, contact }: HeldAddress, prover: Prover): Promise<ProvenUser> {
    if (contact.verifiedAt) {
      if (prover.opensVerified === false) throw new AccountExists(holder.id);
      holder.requireNotDeactivated();
      return { userId: holder.id, userCreated: false, contactId: contact.id, provedAt: contact.verifiedAt };
    }
    if (!(await this.claim(holder, prover))) return this.part(holder, contact, prover.name);
    this.contacts.store(holder.appId, contact.verify(this.clock.now()));
    return { userId: holder.id, userCreated: false, contactId: contact.id, provedAt: null };
  }

  private async isEmpty({ appId, id, claim, deactivatedAt }: User): Promise<boolean> {
    if (claim !== 'open' || deactivatedAt) return false;
    return (await this.users.credentialCounts(appId, id)).verified === 0;
  }

  /** The address leaves its holder, and the prover gets an account of their own. Nothing else moves. */
  private async part(holder: User, contact: Contact, name: Partial<PersonalName> | undefined): Promise<ProvenUser> {
    const now = this.clock.now();
    const prover = await this.registration.execute(holder.appId, name);
    this.contacts.store(holder.appId, contact.moveTo(prover, now).verify(now));
    this.users.store(holder.appId, holder.touched(now));
    await this.events.publish(new UserUpdated(holder.appId, holder.id));
    return { userId: prover.id, userCreated: true, contactId: contact.id, provedAt: null };
  }
}
