import { Injectable } from '@nestjs/common';
import type { AppId, EmailId, UserId } from '../../../kernel/ids.js';
import { type KeyBinding, requireUserWithin } from '../../../kernel/key-restriction.js';
import { SendLimits } from '../../../kernel/limits.js';
import type { MailKind } from '../../../kernel/mail-kind.js';
import { Mailer } from '../../../kernel/messages.js';
import { withParameters } from '../../../kernel/query-parameters.js';
import { SecretTokens } from '../../../kernel/secret-tokens.js';
import { Transactions } from '../../../kernel/transactions.js';
import { AppsFacade, type RedirectKind } from '../../apps/index.js';
import { type AddressHolder, IdentityFacade, type NewUser, UserNotFound } from '../../identity/index.js';
import { type Device, LINK_LIFETIME, MagicLinkRepository } from '../domain/magic-link.js';
import { INVITE_MAIL } from './link-mails.js';

export interface Destination {
  readonly kind: RedirectKind;
  /** The default is the app's default URL of this kind. */
  readonly url?: string;
  readonly minutes: number;
}

export interface MailedLink {
  readonly mail: MailKind<'link'>;
  readonly email: string;
  /** The user is pending until the address is verified if `status` says so. */
  readonly newUser: Partial<Pick<NewUser, 'firstName' | 'middleName' | 'lastName' | 'status'>>;
  readonly device: Device;
  readonly forExistingUser: Destination;
  readonly forNewUser: Destination;
  /** The key that calls. Only its user is sent a link. */
  readonly binding: KeyBinding | null;
}

@Injectable()
export class IssueMagicLink {
  constructor(
    private readonly apps: AppsFacade,
    private readonly identity: IdentityFacade,
    private readonly links: MagicLinkRepository,
    private readonly tokens: SecretTokens,
    private readonly limits: SendLimits,
    private readonly mailer: Mailer,
    private readonly transactions: Transactions,
  ) {}

  /** `record` runs in the transaction that stores the mail. */
  async mail(
    appId: AppId,
    link: MailedLink,
    record?: (holder: AddressHolder) => Promise<void>,
  ): Promise<AddressHolder> {
    const { mail, device, forExistingUser, forNewUser } = link;
    const address = this.identity.address('email', link.email);
    // The validity of a request must not depend on the holder of the address, so both URLs are checked.
    const existing = await this.resolve(appId, forExistingUser);
    const fresh = forNewUser === forExistingUser ? existing : await this.resolve(appId, forNewUser);
    await this.identity.requireHolderWithin(appId, address, link.binding);
    const counted = await this.limits.take(appId, address, device.ip);
    return this.transactions.run(async () => {
      const holder = await this.identity.findOrCreate(appId, address, link.newUser);
      const { user, contact, userCreated } = holder;
      requireUserWithin(link.binding, user.id);
      const { url, minutes } = userCreated ? fresh : existing;
      const token = this.tokens.mint();
      this.links.add({
        appId,
        tokenHash: this.tokens.hash('magic_link', token),
        userId: user.id,
        mailedTo: { emailId: contact.id as EmailId, email: contact.text },
        device,
        minutes,
      });
      const addressed = { to: contact.text, name: user.firstName || undefined, minutes };
      this.mailer.send(counted, mail.mail({ ...addressed, link: withParameters(url, { token }) }));
      await record?.(holder);
      return holder;
    });
  }

  async mailAgain(appId: AppId, mail: MailKind<'link'>, email: string, record: () => Promise<void>): Promise<void> {
    const kind = mail === INVITE_MAIL ? 'invite' : 'login';
    const destination = { kind, minutes: LINK_LIFETIME.standard } as const;
    const destinations = { forExistingUser: destination, forNewUser: destination };
    const link = { mail, email, newUser: {}, device: {}, ...destinations, binding: null };
    await this.mail(appId, link, async ({ userCreated }) => {
      if (userCreated) throw new UserNotFound();
      await record();
    });
  }

  /** The app itself delivers the link. */
  async embedded(
    appId: AppId,
    userId: UserId,
    { minutes, device }: { minutes: number; device: Device },
  ): Promise<string> {
    const token = this.tokens.mint();
    const tokenHash = this.tokens.hash('magic_link', token);
    await this.transactions.run(async () => {
      await this.identity.holdActive(appId, userId);
      this.links.add({ appId, tokenHash, userId, mailedTo: null, device, minutes });
    });
    return token;
  }

  private async resolve(appId: AppId, { kind, url, minutes }: Destination): Promise<{ url: string; minutes: number }> {
    return { url: await this.apps.redirectUrl(appId, kind, url), minutes };
  }
}
