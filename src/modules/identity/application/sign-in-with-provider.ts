import { Injectable } from '@nestjs/common';
import { Clock } from '../../../kernel/clock.js';
import type { AppId, ProviderIdentityId, UserId } from '../../../kernel/ids.js';
import { DomainEvents } from '../../../kernel/outbox.js';
import { LockedRowsChanged, Transactions } from '../../../kernel/transactions.js';
import { type Address, emailAddress } from '../domain/address.js';
import { InvalidEmail, UserNotFound } from '../domain/identity.errors.js';
import { ProviderIdentityRepository } from '../domain/provider-identity.repository.js';
import { ProviderIdentity, type ProviderSubject } from '../domain/provider-identity.js';
import { UserUpdated } from '../domain/user.events.js';
import type { PersonalName } from '../domain/user.js';
import { UserRepository } from '../domain/user.repository.js';
import { ProveAddress } from './prove-address.js';
import { RegisterUser } from './register-user.js';

/** The person who logged in, as the identity provider reports it. */
export interface ProviderSignIn extends ProviderSubject, Partial<PersonalName> {
  /** `proven` if the provider is trusted to have verified that the subject holds the address. */
  readonly email?: { readonly address: string; readonly proven: boolean };
}

export interface ProviderUser {
  readonly userId: UserId;
  readonly userCreated: boolean;
  readonly providerIdentityId: ProviderIdentityId;
}

@Injectable()
export class SignInWithProvider {
  constructor(
    private readonly transactions: Transactions,
    private readonly identities: ProviderIdentityRepository,
    private readonly users: UserRepository,
    private readonly proof: ProveAddress,
    private readonly registration: RegisterUser,
    private readonly events: DomainEvents,
    private readonly clock: Clock,
  ) {}

  /**
   * The user of this subject: the known one, else the user of the proven email, else a new one. An unproven email finds
   * no user and is not attached. Throws `UserInactive` if deactivated.
   *
   * Simultaneous first sign-ins of one subject all return the same user: one transaction stores the identity. Any other one
   * waits for it, is rolled back and runs again.
   */
  execute(appId: AppId, signIn: ProviderSignIn): Promise<ProviderUser> {
    return this.transactions.run(async () => (await this.known(appId, signIn)) ?? this.link(appId, signIn));
  }

  private async known(appId: AppId, subject: ProviderSubject): Promise<ProviderUser | null> {
    const identity = await this.identities.find(appId, subject);
    if (!identity) return null;
    const user = await this.users.find(appId, identity.userId);
    if (!user) throw new UserNotFound();
    user.requireNotDeactivated();
    return { userId: user.id, userCreated: false, providerIdentityId: identity.id };
  }

  private async link(appId: AppId, { email, ...signIn }: ProviderSignIn): Promise<ProviderUser> {
    const { connectionId, provider, subject, ...name } = signIn;
    const proven = email?.proven ? readable(email.address) : null;
    const { userId, userCreated } = proven
      ? await this.proof.execute(appId, proven, { name })
      : { userId: (await this.registration.execute(appId, name)).id, userCreated: true };
    const identity = ProviderIdentity.link(appId, userId, { connectionId, provider, subject }, this.clock.now());
    if (!(await this.identities.add(appId, identity))) throw new LockedRowsChanged();
    if (!userCreated) await this.events.publish(new UserUpdated(appId, userId));
    return { userId, userCreated, providerIdentityId: identity.id };
  }
}

/** The address, or null if the service does not accept it: a login does not fail because of it. */
function readable(text: string): Address | null {
  try {
    return emailAddress(text);
  } catch (error) {
    if (error instanceof InvalidEmail) return null;
    throw error;
  }
}
