import { Injectable } from '@nestjs/common';
import { Clock } from '../../../kernel/clock.js';
import type { AppId, ProviderIdentityId, UserId } from '../../../kernel/ids.js';
import type { DomainError } from '../../../kernel/domain-error.js';
import { DomainEvents } from '../../../kernel/domain-events.js';
import { LockedRowsChanged, Transactions } from '../../../kernel/transactions.js';
import { type Address, emailAddress } from '../domain/address.js';
import type { CallerSession } from '../domain/caller-session.js';
import { AccountExists, InvalidEmail } from '../domain/identity.errors.js';
import { ProviderIdentityRepository, ProviderIdentity, type ProviderSubject } from '../domain/provider-identity.js';
import { UserUpdated } from '../domain/user.events.js';
import type { PersonalName } from '../domain/user.js';
import { UserRepository } from '../domain/user.repository.js';
import { type Gain, StepUp } from './step-up.js';
import { type PreparedAccount, ProveAddress, type ProvenUser } from './prove-address.js';
import { RegisterUser } from './register-user.js';

export interface ProviderSignIn extends ProviderSubject, Partial<PersonalName> {
  readonly email?: AssertedEmail;
  /** Thrown if the subject is unknown: the provider has not said enough for a new identity. */
  readonly refusalOfNew?: DomainError;
}

export interface AssertedEmail {
  readonly address: string;
  /** Whether the provider calls it verified, and is trusted with that. */
  readonly proven: boolean;
  /** The canonical domains. If there are any, the provider is trusted with addresses of these domains only. */
  readonly domains: readonly string[];
  /** Whether the operator entered the issuer: then only a listed domain opens an account that holds the address verified. */
  readonly isIssuerEntered: boolean;
}

export interface ProviderUser {
  readonly userId: UserId;
  readonly userCreated: boolean;
  readonly providerIdentityId: ProviderIdentityId;
  /** Whether a user who existed before has gained the identity. */
  readonly identityAdded: boolean;
  readonly prepared: PreparedAccount | null;
}

type FoundUser = Pick<ProvenUser, 'userId' | 'userCreated' | 'prepared' | 'isFirst'> &
  Partial<Pick<ProvenUser, 'provedAt'>>;

interface Linked {
  readonly userCreated?: boolean;
  readonly provedAt?: Date;
  readonly gain: Gain;
}

@Injectable()
export class SignInWithProvider {
  constructor(
    private readonly transactions: Transactions,
    private readonly identities: ProviderIdentityRepository,
    private readonly users: UserRepository,
    private readonly proof: ProveAddress,
    private readonly registration: RegisterUser,
    private readonly stepUp: StepUp,
    private readonly events: DomainEvents,
    private readonly clock: Clock,
  ) {}

  /** An unproven email finds no user and is not attached. Of simultaneous first sign-ins one stores the identity, the others run again. */
  execute(appId: AppId, signIn: ProviderSignIn): Promise<ProviderUser> {
    return this.transactions.run(
      async () =>
        (await this.known(appId, signIn)) ??
        this.link(appId, signIn).catch(async (error: unknown) => {
          // A simultaneous first sign-in of this subject may have registered the holder of the email since the subject was looked up.
          if (error instanceof AccountExists && (await this.identities.find(appId, signIn)))
            throw new LockedRowsChanged();
          throw error;
        }),
    );
  }

  /** The user has consented in the session. */
  addTo(appId: AppId, session: CallerSession, subject: ProviderSubject): Promise<ProviderIdentityId> {
    const { userId } = session;
    return this.transactions.run(async () => {
      (await this.users.lock(appId, userId)).requireNotDeactivated();
      const known = await this.identities.find(appId, subject);
      if (known && known.userId !== userId) throw new AccountExists(userId);
      if (known) return known.id;
      const gain = await this.stepUp.begin(appId, userId, session);
      return this.add(appId, userId, subject, { gain });
    });
  }

  private async known(appId: AppId, subject: ProviderSubject): Promise<ProviderUser | null> {
    const identity = await this.identities.find(appId, subject);
    if (!identity) return null;
    const user = await this.users.hold(appId, identity.userId);
    user.requireNotDeactivated();
    const { id: providerIdentityId } = identity;
    return { userId: user.id, userCreated: false, providerIdentityId, identityAdded: false, prepared: null };
  }

  private async link(appId: AppId, { email, refusalOfNew, ...signIn }: ProviderSignIn): Promise<ProviderUser> {
    if (refusalOfNew) throw refusalOfNew;
    const { connectionId, provider, subject, ...name } = signIn;
    const { userId, userCreated, prepared, isFirst, provedAt } = await this.userOf(appId, email, name);
    const how = { userCreated, provedAt, gain: { isFirst } };
    const providerIdentityId = await this.add(appId, userId, { connectionId, provider, subject }, how);
    return { userId, userCreated, providerIdentityId, identityAdded: !userCreated, prepared };
  }

  private async userOf(
    appId: AppId,
    email: AssertedEmail | undefined,
    name: Partial<PersonalName>,
  ): Promise<FoundUser> {
    const address = email?.proven ? readable(email.address) : null;
    if (email && address) {
      const isListed = email.domains.includes(address.canonical.slice(address.canonical.indexOf('@') + 1));
      const opensVerified = isListed || !email.isIssuerEntered;
      if (isListed || email.domains.length === 0) return this.proof.execute(appId, address, { name, opensVerified });
      const held = opensVerified ? null : await this.users.holdByAddress(appId, address);
      if (held?.contact.verifiedAt) throw new AccountExists(held.user.id);
    }
    const { id: userId } = await this.registration.execute(appId, name);
    return { userId, userCreated: true, prepared: null, isFirst: true };
  }

  private async add(
    appId: AppId,
    userId: UserId,
    { connectionId, provider, subject }: ProviderSubject,
    { userCreated = false, provedAt, gain }: Linked,
  ): Promise<ProviderIdentityId> {
    const now = this.clock.now();
    const identity = ProviderIdentity.link(appId, userId, { connectionId, provider, subject }, now, provedAt ?? now);
    if (!(await this.identities.add(appId, identity))) throw new LockedRowsChanged();
    await this.stepUp.gained(appId, userId, 'oauth', gain);
    if (!userCreated) await this.events.publish(new UserUpdated(appId, userId));
    return identity.id;
  }
}

/** A login does not fail because of an address that the service does not accept. */
function readable(text: string): Address | null {
  try {
    return emailAddress(text);
  } catch (error) {
    if (error instanceof InvalidEmail) return null;
    throw error;
  }
}
