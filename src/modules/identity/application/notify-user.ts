import { Injectable } from '@nestjs/common';
import type { AppId, UserId } from '../../../kernel/ids.js';
import { SendLimits } from '../../../kernel/limits.js';
import { Mailer, type TextNotice, Texts } from '../../../kernel/messages.js';
import { AppsFacade } from '../../apps/index.js';
import { type Contact, ContactRepository } from '../domain/contact.js';
import { SignInMethods } from '../domain/sign-in-methods.js';
import { UserRepository } from '../domain/user.repository.js';
import { METHOD_MAILS } from './method-mails.js';
import { RECOVERY_MAIL } from './recovery-mail.js';

/** Part of the caller's transaction, in which the user is locked. */
@Injectable()
export class NotifyUser {
  constructor(
    private readonly apps: AppsFacade,
    private readonly users: UserRepository,
    private readonly contacts: ContactRepository,
    private readonly signInMethods: SignInMethods,
    private readonly limits: SendLimits,
    private readonly mailer: Mailer,
    private readonly texts: Texts,
  ) {}

  /** Sent to verified addresses and to the one that left: by mail, or by SMS if there is none. At most once in 10 minutes for a user. */
  async ofMethod(
    appId: AppId,
    userId: UserId,
    change: keyof typeof METHOD_MAILS,
    methodType: string,
    leaving?: Contact,
  ): Promise<void> {
    if (!(await this.apps.settings(appId)).stepUp.notifiesUser) return;
    const method = this.signInMethods.titleOf(methodType);
    const kind = METHOD_MAILS[change];
    const recipients = await this.recipients(appId, userId, leaving);
    if (recipients.length === 0 || !(await this.users.mayNotify(appId, userId))) return;
    await this.send(appId, recipients, ({ text }) => ({ ...kind.mail({ to: text, method }), method }));
  }

  async ofRecovery(appId: AppId, userId: UserId, minutes: number): Promise<void> {
    const recipients = await this.recipients(appId, userId);
    await this.send(appId, recipients, ({ text }) => ({ ...RECOVERY_MAIL.mail({ to: text, minutes }), minutes }));
  }

  private async recipients(appId: AppId, userId: UserId, leaving?: Contact): Promise<readonly Contact[]> {
    const contacts = (await this.contacts.ofUser(appId, userId)).map(({ contact }) => contact);
    const reachable = [...contacts, ...(leaving ? [leaving] : [])].filter(
      ({ kind, verifiedAt }) => verifiedAt !== null && (kind === 'email' ? this.mailer : this.texts).isConfigured,
    );
    const hasEmail = reachable.some((contact) => contact.kind === 'email' && contact !== leaving);
    return reachable.filter((contact) => contact.kind === 'email' || contact === leaving || !hasEmail);
  }

  private async send(
    appId: AppId,
    recipients: readonly Contact[],
    messageTo: (recipient: Contact) => TextNotice,
  ): Promise<void> {
    for (const recipient of recipients) {
      const exempt = await this.limits.exempt(appId, recipient);
      if (exempt) (recipient.kind === 'email' ? this.mailer : this.texts).send(exempt, messageTo(recipient));
    }
  }
}
