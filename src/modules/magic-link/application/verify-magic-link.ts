import { Injectable } from '@nestjs/common';
import { DomainError } from '../../../kernel/domain-error.js';
import type { AppId, EmailId, PhoneNumberId, UserId } from '../../../kernel/ids.js';
import { SecretTokens } from '../../../kernel/secret-tokens.js';
import { Transactions } from '../../../kernel/transactions.js';
import { AppsFacade } from '../../apps/index.js';
import { ProveAddress, type ProvenUser, type UserProfile, UserProfiles, StepUpRequired } from '../../identity/index.js';
import {
  InvalidSession,
  type SessionArguments,
  SessionFacade,
  type SessionIntent,
  type VerifiedUser,
} from '../../session/index.js';
import {
  DeviceMismatch,
  InvalidMagicToken,
  MagicLinkExpired,
  MagicLinkRepository,
  type Redemption,
  type SpentLink,
} from '../domain/magic-link.js';

type LinkMethod =
  | { readonly type: 'email'; readonly emailId: EmailId; readonly email: string }
  | { readonly type: 'phone_number'; readonly phoneNumberId: PhoneNumberId; readonly phoneNumber: string }
  | { readonly type: 'user'; readonly userId: UserId };

export interface VerifiedLink extends VerifiedUser {
  readonly user: UserProfile;
  readonly method: LinkMethod;
}

const REFUSALS = {
  unknown: InvalidMagicToken,
  ended: InvalidMagicToken,
  expired: MagicLinkExpired,
  other_device: DeviceMismatch,
} as const;

function refusalOf({ outcome, userId, fault }: Exclude<Redemption, SpentLink>): DomainError {
  return outcome === 'other_user' ? new InvalidSession() : new REFUSALS[outcome](userId, fault);
}

@Injectable()
export class VerifyMagicLink {
  static readonly refusals = [
    InvalidMagicToken,
    MagicLinkExpired,
    DeviceMismatch,
    StepUpRequired,
    ...SessionFacade.refusals,
  ];

  constructor(
    private readonly apps: AppsFacade,
    private readonly proof: ProveAddress,
    private readonly profiles: UserProfiles,
    private readonly sessions: SessionFacade,
    private readonly links: MagicLinkRepository,
    private readonly tokens: SecretTokens,
    private readonly transactions: Transactions,
  ) {}

  async execute(appId: AppId, token: string, sessionArguments: SessionArguments): Promise<VerifiedLink> {
    const intent = await this.sessions.resolve(appId, sessionArguments);
    const { limits } = await this.apps.settings(appId);
    const tokenHash = this.tokens.hash('magic_link', token);
    const follower = { device: sessionArguments.deviceFingerprint ?? {}, sessionUserId: intent.userId };
    const verified = await this.transactions.run(async () => {
      const link = await this.links.redeem(appId, tokenHash, follower, limits.wrongTriesPerCode);
      // Returned instead of thrown, to commit the count of an attempt on another device.
      return link.outcome === 'spent' ? this.signIn(appId, link, intent) : refusalOf(link);
    });
    if (verified instanceof DomainError) throw verified;
    return verified;
  }

  private async signIn(appId: AppId, { userId, mailedTo }: SpentLink, intent: SessionIntent): Promise<VerifiedLink> {
    if (mailedTo === null) {
      const user = await this.profiles.get(appId, userId);
      const method = firstMethodOf(user);
      const factor = { type: 'magic_link', deliveryChannel: 'embedded', method } as const;
      return { user, method, session: await this.sessions.addFactor(appId, intent, userId, factor) };
    }
    const { emailId, email } = mailedTo;
    // Spending the link locked its user, so a verified address stays theirs and needs no second proof.
    const unchanged = { userId, isAdded: false, userCreated: false, prepared: null };
    const proven = mailedTo.isProved ? unchanged : await this.prove(appId, mailedTo, intent);
    const holder = proven.userId;
    const method = { type: 'email', emailId, email } as const;
    // They share a round trip when they are sent together.
    const [user, session] = await Promise.all([
      this.profiles.get(appId, holder),
      this.sessions.addFactor(appId, intent, holder, { type: 'magic_link', deliveryChannel: 'email', method }, proven),
    ]);
    const { userCreated, prepared } = proven;
    return { user, method, session, userCreated, prepared };
  }

  private async prove(
    appId: AppId,
    { emailId, email }: NonNullable<SpentLink['mailedTo']>,
    intent: SessionIntent,
  ): Promise<ProvenUser> {
    const proven = await this.proof.email(appId, email, { session: this.sessions.carriedBy(appId, intent) });
    // The address has moved to another user since, so this link no longer proves anything.
    if (proven.contactId !== emailId) throw new InvalidMagicToken(proven.userId);
    return proven;
  }
}

/** An embedded link verifies no address. */
function firstMethodOf({ userId, emails: [email], phoneNumbers: [phone] }: UserProfile): VerifiedLink['method'] {
  if (email) return { type: 'email', emailId: email.id, email: email.email };
  if (phone) return { type: 'phone_number', phoneNumberId: phone.id, phoneNumber: phone.phoneNumber };
  return { type: 'user', userId };
}
