import { Injectable } from '@nestjs/common';
import { Clock } from '../../../kernel/clock.js';
import type { UserId } from '../../../kernel/ids.js';
import { DomainEvents } from '../../../kernel/domain-events.js';
import { UserCredentialsRevoked, UserUpdated } from '../domain/user.events.js';
import type { PersonalName, User } from '../domain/user.js';
import { UserRepository } from '../domain/user.repository.js';

/** The caller who proved an address. */
export interface Prover {
  /** The user of the live session that the request with the proof named. */
  readonly sessionUserId?: UserId;
  /** The name of the user if the proof creates one. */
  readonly name?: Partial<PersonalName>;
  /** Whether the proof may lead to an account that holds the address verified; true by default. */
  readonly opensVerified?: boolean;
}

/** Decides who gets the account of an unverified address or wallet. Every kind of proof ends here. */
@Injectable()
export class ClaimAccount {
  constructor(
    private readonly users: UserRepository,
    private readonly events: DomainEvents,
    private readonly clock: Clock,
  ) {}

  /**
   * Whether the prover is now the user of the account: they are logged in to it, or it was empty. An empty account may have been
   * prepared by another person, so earlier sessions and pending tokens end. Otherwise nothing changes, and the prover must get
   * an account of their own. Call it with the holder locked. Throws `UserInactive` if the prover is logged in.
   */
  async execute(holder: User, { sessionUserId }: Prover): Promise<boolean> {
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

  private async isEmpty({ appId, id, claim, deactivatedAt }: User): Promise<boolean> {
    if (claim !== 'open' || deactivatedAt) return false;
    return (await this.users.credentialCounts(appId, id)).verified === 0;
  }
}
