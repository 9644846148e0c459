import { Injectable } from '@nestjs/common';
import type { AppId, UserId } from '../../../kernel/ids.js';
import { type KeyBinding, requireUserWithin } from '../../../kernel/key-restriction.js';
import { AppsFacade } from '../../apps/index.js';
import { type Address, type AddressKind, emailAddress, phoneAddress } from '../domain/address.js';
import { type Contact, type ContactId, ContactRepository } from '../domain/contact.js';
import type { CallerSession, Remover } from '../domain/caller-session.js';
import type { AppData, NewUser } from '../domain/user.js';
import { UserRepository } from '../domain/user.repository.js';
import { type AddressHolder, RegisterUser } from './register-user.js';
import { type Claimed, NOT_GIVEN, ProveAddress, type Prover } from './prove-address.js';
import { type Gain, StepUp } from './step-up.js';
import { type RemovedMethod, RemoveSignInMethod } from './remove-sign-in-method.js';

interface Addition {
  readonly type: string;
  readonly session: CallerSession | null;
  /** Whether the app's key alone adds only the first one. */
  readonly needsSession?: boolean;
}

/** Every call joins the caller's transaction. */
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

  /** Deletion and deactivation wait until the transaction ends. A pending user passes. Call it after operations that lock the user. */
  async holdActive(appId: AppId, userId: UserId): Promise<void> {
    (await this.users.hold(appId, userId)).requireNotDeactivated();
  }

  /** Like `holdActive`, and the account then passes to no other person. Throws `AccountTaken` if it has passed since it `wasOpen`. */
  async use(appId: AppId, userId: UserId, wasOpen = false): Promise<void> {
    (await this.users.use(appId, userId)).requireUsable(wasOpen);
  }

  /** Like `use` of an open account, which only the returned function closes. Call that in the same transaction. */
  async beginUse(appId: AppId, userId: UserId): Promise<() => void> {
    (await this.users.holdForUse(appId, userId)).requireUsable(true);
    return () => this.users.close(appId, userId);
  }

  /** Throws `SealAltered` for an active user whose row is not as the service wrote it: a deactivation may have been undone by SQL. */
  requireUnaltered(appId: AppId, userId: UserId): Promise<void> {
    return this.users.requireUnaltered(appId, userId);
  }

  appData(appId: AppId, userId: UserId): Promise<AppData> {
    return this.users.appData(appId, userId);
  }

  alteredAmong(appId: AppId, userIds: readonly UserId[]): Promise<ReadonlySet<UserId>> {
    return this.users.alteredAmong(appId, userIds);
  }

  /** A user who is deactivated, or altered by SQL, passes. */
  async lock(appId: AppId, userId: UserId): Promise<void> {
    await this.users.lockToEnd(appId, userId);
  }

  findOrCreate(appId: AppId, address: Address, choices?: Partial<NewUser>): Promise<AddressHolder> {
    return this.registration.findOrCreate(appId, address, choices);
  }

  /** For a person who has just proved another credential than an address. */
  async register(appId: AppId): Promise<UserId> {
    return (await this.registration.execute(appId)).id;
  }

  /** For the person who will prove a credential: the user has neither an address nor a wallet. */
  async reserve(appId: AppId): Promise<UserId> {
    return (await this.registration.execute(appId, { claim: 'open', walletType: 'none' })).id;
  }

  /** An account that is gone or in use is not given. Otherwise it stays locked: call `gained` once the credential is stored. */
  async claimAccount(appId: AppId, userId: UserId, prover: Prover): Promise<Claimed> {
    const user = await this.users.lockIfLive(appId, userId);
    return user === null ? NOT_GIVEN : this.proof.claim(user, prover, null);
  }

  /** Call it where a user without a session proves a further kind of credential: see `ContactRepository.limitUnverified`. */
  limitUnverifiedAddresses(appId: AppId, userId: UserId): void {
    this.contacts.limitUnverified(appId, userId);
  }

  address(kind: AddressKind, text: string): Address {
    return kind === 'email' ? emailAddress(text) : phoneAddress(text);
  }

  /** Refuses a bound key whose user does not hold the address. */
  async requireHolderWithin(appId: AppId, address: Address, binding: KeyBinding | null): Promise<void> {
    if (binding) requireUserWithin(binding, (await this.contacts.find(appId, address))?.userId);
  }

  contact(appId: AppId, address: Address): Promise<Contact | null> {
    return this.contacts.find(appId, address);
  }

  async holderOf(appId: AppId, kind: AddressKind, id: ContactId): Promise<UserId | undefined> {
    return (await this.contacts.findById(appId, kind, id))?.userId;
  }

  /** Runs `add`, which adds a proved credential, with the user locked, by the rule of `StepUp`. */
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

  /** Changes nothing. Throws `StepUpRequired` if the call may not add a further credential. */
  async requireMayAdd(appId: AppId, userId: UserId, session: CallerSession | null): Promise<void> {
    await this.stepUp.begin(appId, userId, session);
  }

  /** Throws `StepUpRequired` if the call may not read secrets that sign the user in. */
  requireFresh(appId: AppId, userId: UserId, session: CallerSession | null): Promise<void> {
    return this.stepUp.require(appId, userId, session);
  }

  async hasAged(appId: AppId, userId: UserId, proofs: readonly string[]): Promise<boolean> {
    const { methodAgeHours } = (await this.apps.settings(appId)).stepUp;
    return this.users.hasAged(appId, userId, proofs, methodAgeHours);
  }

  mayAddFirst(appId: AppId, userId: UserId, type: string, factorTypes: readonly string[]): Promise<boolean> {
    return this.users.mayAddFirst(appId, userId, type, factorTypes);
  }

  async hasProvedMethod(appId: AppId, userId: UserId): Promise<boolean> {
    return (await this.users.credentialCounts(appId, userId)).verified > 0;
  }

  /** What was there before the account passed must not open it. */
  hasPassed(appId: AppId, userId: UserId): Promise<boolean> {
    return this.users.hasPassed(appId, userId);
  }

  /** Call it once the credential of a user of `register` or `claimAccount` is stored. */
  gained(appId: AppId, userId: UserId, type: string, gain: Gain): Promise<void> {
    return this.stepUp.gained(appId, userId, type, gain);
  }

  /** Runs `remove` with the user locked, and rolls it back with `LastWayToSignIn` or `StepUpRequired`. */
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
