import { Injectable } from '@nestjs/common';
import type { AppId, UserId } from '../../../kernel/ids.js';
import { type Address, type AddressKind, emailAddress, phoneAddress } from '../domain/address.js';
import type { Contact, ContactId } from '../domain/contact.js';
import { ContactRepository } from '../domain/contact.repository.js';
import { UserNotFound } from '../domain/identity.errors.js';
import type { NewUser } from '../domain/user.js';
import { UserRepository } from '../domain/user.repository.js';
import { type AddressHolder, FindOrCreateUser } from './find-or-create-user.js';
import { ClaimAccount } from './claim-account.js';
import type { Prover } from './prove-address.js';
import { RegisterUser } from './register-user.js';
import { type RemovedMethod, RemoveSignInMethod } from './remove-sign-in-method.js';

/** What the other modules ask of identity. Every call joins the caller's transaction. */
@Injectable()
export class IdentityFacade {
  constructor(
    private readonly users: UserRepository,
    private readonly contacts: ContactRepository,
    private readonly findOrCreateUser: FindOrCreateUser,
    private readonly signInMethodRemoval: RemoveSignInMethod,
    private readonly registration: RegisterUser,
    private readonly accountClaim: ClaimAccount,
  ) {}

  /**
   * Returns when the user exists and may sign in. Throws `UserNotFound`, or `UserInactive` after a deactivation; a pending
   * user passes. Within a transaction that stays true until it ends: deletion and deactivation wait for it. Call it after
   * what locks the user (`ProveAddress`, `SignInWithProvider`, `removeSignInMethod`) in the same transaction.
   */
  async requireActive(appId: AppId, userId: UserId): Promise<void> {
    const user = await this.users.find(appId, userId);
    if (!user) throw new UserNotFound();
    user.requireNotDeactivated();
  }

  /** Locks the user until the transaction ends. Throws `UserNotFound`; a deactivated user passes. */
  async lock(appId: AppId, userId: UserId): Promise<void> {
    if (!(await this.users.lock(appId, userId))) throw new UserNotFound();
  }

  /** The user with the address, verified or not, or a new one. Throws `UserInactive`. */
  findOrCreate(appId: AppId, address: Address, choices?: Partial<NewUser>): Promise<AddressHolder> {
    return this.findOrCreateUser.execute(appId, address, choices);
  }

  /** A new user without an address. Part of the caller's transaction. */
  async register(appId: AppId): Promise<UserId> {
    return (await this.registration.execute(appId)).id;
  }

  /**
   * Gives an account to the person who has just proved the credential that it was created for. False if it is gone or
   * another person has proved to be its user. Otherwise it stays locked, and earlier sessions and pending tokens end
   * unless the prover is logged in to it. Throws `UserInactive`.
   */
  claimAccount(appId: AppId, userId: UserId, prover: Prover): Promise<boolean> {
    return this.accountClaim.execute(appId, userId, prover);
  }

  /** The one recipient that the text names, with or without a user. Throws `InvalidEmail` or `InvalidPhoneNumber`. */
  address(kind: AddressKind, text: string): Address {
    return kind === 'email' ? emailAddress(text) : phoneAddress(text);
  }

  /** The address of its user, or null if no user has it. */
  contact(appId: AppId, address: Address): Promise<Contact | null> {
    return this.contacts.find(appId, address);
  }

  /** The address with this `email_` or `pn_` id, or null. */
  contactById(appId: AppId, kind: AddressKind, id: ContactId): Promise<Contact | null> {
    return this.contacts.findById(appId, kind, id);
  }

  /**
   * Locks the user until the transaction ends, to add a credential. Returns whether a credential of the user is proved: then
   * ask for a fresh session before another is added. Throws `UserNotFound`, `UserInactive`.
   */
  async lockForNewCredential(appId: AppId, userId: UserId): Promise<{ readonly hasProvedCredential: boolean }> {
    const user = await this.users.lock(appId, userId);
    if (!user) throw new UserNotFound();
    user.requireNotDeactivated();
    return { hasProvedCredential: (await this.users.credentialCounts(appId, userId)).verified > 0 };
  }

  /**
   * Runs `remove`, which removes a sign-in method, with the user locked; rolled back with `LastWayToSignIn` if none is
   * left. Throws `UserNotFound`.
   */
  removeSignInMethod(appId: AppId, userId: UserId, method: RemovedMethod, remove: () => Promise<void>): Promise<void> {
    return this.signInMethodRemoval.execute(appId, userId, method, remove);
  }
}
