import { Injectable } from '@nestjs/common';
import { Clock } from '../../../kernel/clock.js';
import type { AppId, UserId } from '../../../kernel/ids.js';
import { snakeCase } from '../../../kernel/snake-case.js';
import { DomainEvents } from '../../../kernel/domain-events.js';
import { LockedRowsChanged, Transactions } from '../../../kernel/transactions.js';
import { type Address, emailAddress, phoneAddress } from '../domain/address.js';
import { Contact, type ContactId, ContactRepository } from '../domain/contact.js';
import { RecoveryRepository } from '../domain/recovery.js';
import type { CallerSession } from '../domain/caller-session.js';
import { AccountExists } from '../domain/identity.errors.js';
import {
  AccountPassed,
  AddressMoved,
  UserClaimed,
  UserCredentialsRevoked,
  UserUpdated,
} from '../domain/user.events.js';
import type { PersonalName, User } from '../domain/user.js';
import { type HeldAddress, UserRepository } from '../domain/user.repository.js';
import { RecoverUser } from './recover-user.js';
import { type Gain, StepUp } from './step-up.js';
import { RegisterUser } from './register-user.js';

export interface Prover {
  readonly session?: CallerSession | null;
  readonly name?: Partial<PersonalName>;
  /** Whether the proof may lead to an account that holds the address verified; true by default. */
  readonly opensVerified?: boolean;
}

/** An account that has passed to the person who proved its address. */
export interface PreparedAccount {
  readonly at: Date;
  /** As responses name them, without the address that was proved. */
  readonly fields: readonly string[];
}

export interface ProvenUser {
  readonly userId: UserId;
  readonly userCreated: boolean;
  readonly contactId: ContactId;
  readonly provedAt: Date;
  /** Whether this is the first proof of the account's first credential. */
  readonly isFirst: boolean;
  /** Whether a session of the account has gained the address by this proof. */
  readonly isAdded: boolean;
  /** Set if the prover has got the account by this proof. */
  readonly prepared: PreparedAccount | null;
}

export interface Claimed extends Gain {
  readonly isGiven: boolean;
  readonly prepared: PreparedAccount | null;
}

export const NOT_GIVEN: Claimed = { isGiven: false, prepared: null, isFirst: false };

/** Decides to whom a proven address belongs, and who gets an unused account. Every call joins the caller's transaction. */
@Injectable()
export class ProveAddress {
  constructor(
    private readonly transactions: Transactions,
    private readonly registration: RegisterUser,
    private readonly users: UserRepository,
    private readonly contacts: ContactRepository,
    private readonly stepUp: StepUp,
    private readonly recoveries: RecoveryRepository,
    private readonly recovery: RecoverUser,
    private readonly events: DomainEvents,
    private readonly clock: Clock,
  ) {}

  /** Continue with the returned user: the address may have passed from the one for whom the proof was requested. */
  email(appId: AppId, email: string, prover?: Prover): Promise<ProvenUser> {
    return this.execute(appId, emailAddress(email), prover);
  }

  phoneNumber(appId: AppId, phoneNumber: string, prover?: Prover): Promise<ProvenUser> {
    return this.execute(appId, phoneAddress(phoneNumber), prover);
  }

  /** Concurrent proofs return one user: each call locks the holder or inserts the address, which the unique key permits once. */
  execute(appId: AppId, address: Address, prover: Prover = {}): Promise<ProvenUser> {
    return this.transactions.run(async () => {
      const held = await this.users.lockByAddress(appId, address);
      const mayRecover = !held?.contact.verifiedAt && prover.opensVerified !== false;
      const recovering = mayRecover ? await this.recoveries.readyFor(appId, address) : null;
      const recovered = recovering && (await this.recover(appId, recovering, address, held));
      if (recovered) return recovered;
      if (held) return this.settle(held, prover);
      const registered = await this.registration.withAddress(appId, address, { ...prover.name, isVerified: true });
      if (registered) return this.first(registered.user, registered.contact);
      // The address was added after the read, or it moved during the wait and its previous user is locked.
      throw new LockedRowsChanged();
    });
  }

  /** The prover gets the locked holder's account if logged in to it, or if it is unused. Call `StepUp.gained` afterwards. */
  async claim(holder: User, { session }: Prover, proved: ContactId | null): Promise<Claimed> {
    const { appId, id } = holder;
    const now = this.clock.now();
    if (session?.userId === id) {
      holder.requireNotDeactivated();
      const gain = await this.stepUp.begin(appId, id, session);
      this.users.store(appId, holder.verified(now));
      this.contacts.limitUnverified(appId, id);
      await this.events.publish(new UserUpdated(appId, id));
      return { isGiven: true, prepared: null, ...gain };
    }
    if (!(await this.isUnused(holder))) return NOT_GIVEN;
    const kept = await this.contacts.settleUnverified(holder, proved);
    this.users.store(appId, holder.taken(now));
    await this.events.publish(new UserUpdated(appId, id));
    const codesStay = [...kept.map((contact) => contact.id), ...(proved === null ? [] : [proved])];
    const passed = new AccountPassed(appId, id, codesStay);
    await this.events.signal(passed);
    if (passed.ended > 0) await this.events.publish(new UserCredentialsRevoked(appId, id));
    const fields = [...holder.fieldsWritten().map(snakeCase), ...new Set(kept.map(({ kind }) => kind))];
    await this.events.publish(new UserClaimed(appId, id, fields));
    return { isGiven: true, prepared: { at: holder.createdAt, fields }, isFirst: true };
  }

  private async settle({ user: holder, contact }: HeldAddress, prover: Prover): Promise<ProvenUser> {
    if (contact.verifiedAt) {
      if (prover.opensVerified === false) throw new AccountExists(holder.id);
      holder.requireNotDeactivated();
      const { id: contactId, verifiedAt: provedAt } = contact;
      const unchanged = { userCreated: false, isFirst: false, isAdded: false, prepared: null };
      return { userId: holder.id, contactId, provedAt, ...unchanged };
    }
    const { isGiven, prepared, isFirst } = await this.claim(holder, prover, contact.id);
    if (!isGiven) return this.moveToNewUser(holder, contact, prover.name);
    const provedAt = this.clock.now();
    this.contacts.store(holder.appId, contact.verify(provedAt));
    await this.stepUp.gained(holder.appId, holder.id, contact.kind, { isFirst });
    const isAdded = prover.session?.userId === holder.id;
    const outcome = { userCreated: false, isFirst, isAdded, prepared };
    return { userId: holder.id, contactId: contact.id, provedAt, ...outcome };
  }

  /** Null if the recovery has ended. The user is locked after the holder: a transaction that locks them in the other order runs again. */
  private async recover(
    appId: AppId,
    userId: UserId,
    address: Address,
    held: HeldAddress | null,
  ): Promise<ProvenUser | null> {
    const user = await this.users.lockIfLive(appId, userId);
    // It may have been cancelled before the user was locked.
    if (!user || user.deactivatedAt || (await this.recoveries.readyFor(appId, address)) !== userId) return null;
    await this.recovery.complete(appId, user.id);
    // An account without a proved credential passes as by a proof of its own address, which ends the keys and links of its preparer.
    const { isGiven, prepared } = await this.claim(user, {}, held?.contact.id ?? null);
    const provedAt = this.clock.now();
    const contact = (held ? held.contact.moveTo(user, provedAt) : Contact.attach(address, user, provedAt)).verify(
      provedAt,
    );
    if (held) this.contacts.store(appId, contact);
    else if (!(await this.contacts.attach(appId, contact))) throw new LockedRowsChanged();
    if (!isGiven) {
      this.users.store(appId, user.verified(provedAt));
      await this.events.publish(new UserUpdated(appId, user.id));
    }
    if (held && held.user.id !== user.id) await this.announceMove(held.user, user.id, contact);
    await this.stepUp.gained(appId, user.id, contact.kind, { isFirst: false });
    const outcome = { userCreated: false, isFirst: false, isAdded: true, prepared };
    return { userId: user.id, contactId: contact.id, provedAt, ...outcome };
  }

  private async first({ appId, id: userId }: User, { id: contactId, kind, verifiedAt }: Contact): Promise<ProvenUser> {
    await this.stepUp.gained(appId, userId, kind, { isFirst: true });
    const outcome = { userCreated: true, isFirst: true, isAdded: false, prepared: null };
    return { userId, contactId, provedAt: verifiedAt!, ...outcome };
  }

  private async isUnused({ appId, id, claim, deactivatedAt }: User): Promise<boolean> {
    if (claim !== 'open' || deactivatedAt) return false;
    return (await this.users.credentialCounts(appId, id)).verified === 0;
  }

  /** The prover gets an account of their own. Nothing but the address moves. */
  private async moveToNewUser(
    holder: User,
    contact: Contact,
    name: Partial<PersonalName> | undefined,
  ): Promise<ProvenUser> {
    const now = this.clock.now();
    const prover = await this.registration.execute(holder.appId, name);
    const moved = contact.moveTo(prover, now).verify(now);
    this.contacts.store(holder.appId, moved);
    await this.announceMove(holder, prover.id, moved);
    return this.first(prover, moved);
  }

  private async announceMove(from: User, toUserId: UserId, { id, kind }: Contact): Promise<void> {
    const { appId, id: fromUserId } = from;
    this.users.store(appId, from.touched(this.clock.now()));
    await this.events.publish(new UserUpdated(appId, fromUserId));
    await this.events.publish(
      new AddressMoved(appId, {
        user_id: fromUserId,
        from_user_id: fromUserId,
        to_user_id: toUserId,
        method_id: id,
        method_type: kind,
      }),
    );
  }
}
