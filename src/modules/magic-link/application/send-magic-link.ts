import { Injectable } from '@nestjs/common';
import type { AppId, EmailId } from '../../../kernel/ids.js';
import { SendLimits } from '../../../kernel/limits.js';
import { Mailer } from '../../../kernel/messages.js';
import { withParameters } from '../../../kernel/query-parameters.js';
import { SecretTokens } from '../../../kernel/secret-tokens.js';
import { Transactions } from '../../../kernel/transactions.js';
import { AppsFacade, type RedirectKind } from '../../apps/index.js';
import { type AddressHolder, IdentityFacade, type NewUser } from '../../identity/index.js';
import type { Device } from '../domain/magic-link.js';
import { MagicLinkRepository } from '../domain/magic-link.repository.js';

/** Where a link leads, and for how many minutes it does. */
export interface Destination {
  readonly kind: RedirectKind;
  /** The app's default of this kind unless given. */
  readonly url?: string;
  readonly minutes: number;
}

export interface MailedLink {
  readonly mail: 'magic_link' | 'invite';
  readonly email: string;
  /** What a new user is called, and whether the address must be verified before they are active. */
  readonly newUser: Partial<Pick<NewUser, 'firstName' | 'middleName' | 'lastName' | 'status'>>;
  readonly device: Device;
  readonly toKnownUser: Destination;
  readonly toNewUser: Destination;
}

@Injectable()
export class SendMagicLink {
  constructor(
    private readonly apps: AppsFacade,
    private readonly identity: IdentityFacade,
    private readonly links: MagicLinkRepository,
    private readonly tokens: SecretTokens,
    private readonly limits: SendLimits,
    private readonly mailer: Mailer,
    private readonly transactions: Transactions,
  ) {}

  /** Mails a link to whoever holds the address, or to a new user who does, and tells who that is. */
  async execute(appId: AppId, asked: MailedLink): Promise<AddressHolder> {
    const { mail, device, toKnownUser, toNewUser } = asked;
    const address = this.identity.address('email', asked.email);
    // Both, whoever holds the address: what is wrong with a request does not depend on it.
    const known = await this.resolve(appId, toKnownUser);
    const fresh = toNewUser === toKnownUser ? known : await this.resolve(appId, toNewUser);
    const takeSend = await this.limits.prepare(appId, address, device.ip);
    return this.transactions.run(async () => {
      const allowed = takeSend();
      const holder = await this.identity.findOrCreate(appId, address, asked.newUser, allowed);
      const { user, contact, userCreated } = holder;
      const { url, minutes } = userCreated ? fresh : known;
      const token = this.tokens.mint();
      await this.links.add({
        appId,
        tokenHash: this.tokens.hash('magic_link', token),
        userId: user.id,
        mailedTo: { emailId: contact.id as EmailId, email: contact.text },
        device,
        minutes,
      });
      const link = withParameters(url, { token });
      await this.mailer.send(appId, { kind: mail, to: contact.text, name: user.firstName || undefined, minutes, link });
      return holder;
    });
  }

  private async resolve(appId: AppId, { kind, url, minutes }: Destination): Promise<{ url: string; minutes: number }> {
    return { url: await this.apps.redirectUrl(appId, kind, url), minutes };
  }
}
