import { Injectable } from '@nestjs/common';
import type { AppId, UserId } from '../../../kernel/ids.js';
import { type KeyBinding, requireUserWithin } from '../../../kernel/key-restriction.js';
import { AppsFacade } from '../../apps/index.js';
import { type Address, type AddressKind, emailAddress, phoneAddress } from '../domain/address.js';
import { type Contact, type ContactId, ContactRepository } from '../domain/contact.js';
import type { CallerSession, Remover } from '../domain/caller-session.js';
import { AccountTaken } from '../domain/identity.errors.js';
import type { NewUser, User } from '../domain/user.js';
import { UserRepository } from '../domain/user.repository.js';
import { type AddressHolder, RegisterUser } from './register-user.js';
import { type Claimed, NOT_GIVEN, ProveAddress, type Prover } from './prove-address.js';
import { type Gain, StepUp } from './step-up.js';
import { type RemovedMethod, RemoveSignInMethod } from './remove-sign-in-method.js';

/** A credential that a call adds to a user. */
interface Addition {
  /** The type of the method in session factors. */
  readonly type: string;
  readonly session: CallerSession | null;
  /** Whether the app's key alone adds only the first one. */
  readonly needsSession?: boolean;
}

/** The operations of identity that other modules call. Every call joins the caller's transaction. */
@Injectable()
export class IdentityFacade {
  constructor(
    private readonly users: UserRepository,
    private readonly contacts: ContactRepository,
    private readonly signInMethodRemoval: RemoveSignInMethod,
    private readonly registration: RegisterUser,
    private readonly proof: ProveAddress,
    private readonly stepUp: StepUp,
    private readonly apps: AppsFacade,
  ) {}

  /**
   * Holds a user who may sign in: deletion and deactivation wait until the caller's transaction ends. Throws `UserNotFound`, or
   * `UserInactive` after a deactivation; a pending user passes. Call it after the operations of the same transaction that lock the user
   * (`ProveAddress`, `SignInWithProvider`, `removeSignInMethod`).
   */
  async holdActive(appId: AppId, userId: UserId): Promise<void> {
    (await this.users.hold(appId, userId)).requireNotDeactivated();
  }

  /**
   * Like `holdActive`, where the transaction does something with the account: from then on the account does not pass to the person
   * who proves its address. `wasOpen`: whether it could pass when the caller read it. Throws `AccountTaken` if it has passed since.
   */
  async use(appId: AppId, userId: UserId, wasOpen = false): Promise<void> {
    assertUsable(await this.users.use(appId, userId), wasOpen);
  }

  /** Like `use` with an account that was open, but it is closed only by the function that is returned. Call that in the same transaction. */
  async beginUse(appId: AppId, userId: UserId): Promise<() => void> {
    assertUsable(await this.users.holdForUse(appId, userId), true);
    return () => this.users.close(appId, userId);
  }

  /** Throws `SealAltered` for an active user whose row is not as the service wrote it: a deactivation may have been undone by SQL. */
  requireUnaltered(appId: AppId, userId: UserId): Promise<void> {
    return this.users.requireUnaltered(appId, userId);
  }

  /** The active users among these for whom `requireUnaltered` throws. */
  alteredAmong(appId: AppId, userIds: readonly UserId[]): Promise<ReadonlySet<UserId>> {
    return this.users.alteredAmong(appId, userIds);
  }

  /** Locks the user until the transaction ends. Throws `UserNotFound`; one who is deactivated, or altered by SQL, passes. */
  async lock(appId: AppId, userId: UserId): Promise<void> {
    await this.users.lockToEnd(appId, userId);
  }

  /** The user with the address, verified or not, or a new one. Throws `UserInactive` if the address is verified. */
  findOrCreate(appId: AppId, address: Address, choices?: Partial<NewUser>): Promise<AddressHolder> {
    return this.registration.findOrCreate(appId, address, choices);
  }

  /** A new user without an address, who has just proved another credential. Part of the caller's transaction. */
  async register(appId: AppId): Promise<UserId> {
    return (await this.registration.execute(appId)).id;
  }

  /** A new user without an address or a wallet, for the person who will prove a credential. Part of the caller's transaction. */
  async reserve(appId: AppId): Promise<UserId> {
    return (await this.registration.execute(appId, { claim: 'open', walletType: 'none' })).id;
  }

  /**
   * Gives a reserved account to the person who has just proved the credential, by the rule of `ProveAddress`. It is not given if it is gone
   * or in use. Otherwise it stays locked: call `gained` once the credential is stored. Throws `UserInactive`, `StepUpRequired`.
   */
  async claimAccount(appId: AppId, userId: UserId, prover: Prover): Promise<Claimed> {
    const user = await this.users.lockIfLive(appId, userId);
    return user === null ? NOT_GIVEN : this.proof.claim(user, prover, null);
  }

  /** Call it where a user without a session proves a further kind of credential: see `ContactRepository.limitUnverified`. */
  limitUnverifiedAddresses(appId: AppId, userId: UserId): void {
    this.contacts.limitUnverified(appId, userId);
  }

  /** The one recipient that the text names, with or without a user. Throws `InvalidEmail` or `InvalidPhoneNumber`. */
  address(kind: AddressKind, text: string): Address {
    return kind === 'email' ? emailAddress(text) : phoneAddress(text);
  }

  /** Throws `OutsideBinding` if the key is bound and its user does not hold the address. */
  async requireHolderWithin(appId: AppId, address: Address, binding: KeyBinding | null): Promise<void> {
    if (binding) requireUserWithin(binding, (await this.contacts.find(appId, address))?.userId);
  }

  /** The address of its user, or null if no user has it. */
  contact(appId: AppId, address: Address): Promise<Contact | null> {
    return this.contacts.find(appId, address);
  }

  /** The user who holds the address with this id; undefined if no user of the app does. */
  async holderOf(appId: AppId, kind: AddressKind, id: ContactId): Promise<UserId | undefined> {
    return (await this.contacts.findById(appId, kind, id))?.userId;
  }

  /**
   * Locks the user until the transaction ends, and runs `add`, which adds a proved credential, by the rule of `StepUp`. Throws `UserNotFound`, `UserInactive`, `StepUpRequired`, `InvalidSession`.
   */
  async addSignInMethod<T>(
    appId: AppId,
    userId: UserId,
    { type, session, needsSession }: Addition,
    add: () => Promise<T>,
  ): Promise<T> {
    (await this.users.lock(appId, userId)).requireNotDeactivated();
    const gain = await this.stepUp.begin(appId, userId, session, needsSession, type);
    const added = await add();
    await this.stepUp.gained(appId, userId, type, gain);
    return added;
  }

  /** Throws `StepUpRequired` if a credential of the user is proved and the call may not add another one. Changes nothing. */
  async requireMayAdd(appId: AppId, userId: UserId, session: CallerSession | null): Promise<void> {
    await this.stepUp.begin(appId, userId, session);
  }

  /** Throws `StepUpRequired` if the call may not read secrets that sign the user in. */
  requireFresh(appId: AppId, userId: UserId, session: CallerSession | null): Promise<void> {
    return this.stepUp.require(appId, userId, session);
  }

  /** Whether the user proved one of the credentials long enough ago for its proof to make a session fresh, see `UserRepository.hasAged`. */
  async hasAged(appId: AppId, userId: UserId, proofs: readonly string[]): Promise<boolean> {
    const { methodAgeHours } = (await this.apps.settings(appId)).stepUp;
    return this.users.hasAged(appId, userId, proofs, methodAgeHours);
  }

  /** Whether a proof by one of these types of factors lets the user add the first credential of a type, see `SignInMethod.opensFirst`. */
  mayAddFirst(appId: AppId, userId: UserId, type: string, factorTypes: readonly string[]): Promise<boolean> {
    return this.users.mayAddFirst(appId, userId, type, factorTypes);
  }

  /** Whether the user has proved a sign-in method. */
  async hasProvedMethod(appId: AppId, userId: UserId): Promise<boolean> {
    return (await this.users.credentialCounts(appId, userId)).verified > 0;
  }

  /** Whether the account has passed to the person who proved its address. What was there before opens it no more. */
  hasPassed(appId: AppId, userId: UserId): Promise<boolean> {
    return this.users.hasPassed(appId, userId);
  }

  /** Call it once the credential of a user whom `register` made, or who got an account by `claimAccount`, is stored. */
  gained(appId: AppId, userId: UserId, type: string, gain: Gain): Promise<void> {
    return this.stepUp.gained(appId, userId, type, gain);
  }

  /**
   * Runs `remove`, which removes a sign-in method, with the user locked; rolled back with `LastWayToSignIn` if none is
   * left, or with `StepUpRequired`. Throws `UserNotFound`, `InvalidSession`.
   */
  removeSignInMethod(
    appId: AppId,
    userId: UserId,
    method: RemovedMethod,
    remover: Remover,
    remove: () => Promise<void>,
  ): Promise<void> {
    return this.signInMethodRemoval.execute(appId, userId, method, remover, remove);
  }
}

function assertUsable(user: User, wasOpen: boolean): void {
  user.requireNotDeactivated();
  if (wasOpen && user.claim === 'taken') throw new AccountTaken();
}
