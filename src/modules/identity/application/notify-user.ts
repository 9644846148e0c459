import { Injectable } from '@nestjs/common';
import type { AppId, UserId } from '../../../kernel/ids.js';
import { SendLimits } from '../../../kernel/limits.js';
import { Mailer, Texts } from '../../../kernel/messages.js';
import { AppsFacade } from '../../apps/index.js';
import { type Contact, ContactRepository } from '../domain/contact.js';
import { SignInMethods } from '../domain/sign-in-methods.js';
import { UserRepository } from '../domain/user.repository.js';
import { METHOD_MAILS } from './method-mails.js';

/** Notifies users what has happened to their accounts. Part of the caller's transaction, in which the user is locked. */
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

  /**
   * The account has gained or lost a sign-in method of the type. Sent to its verified addresses, and to the one that has left it: by mail,
   * or by SMS if there is no mail address. At most once in 10 minutes for each user.
   */
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
    await this.tell(appId, userId, leaving, (recipient) =>
      recipient.kind === 'email'
        ? { mail: kind.mail({ to: recipient.text, method }) }
        : { text: { to: recipient.text, kind: kind.name, method } },
    );
  }

  private async tell(
    appId: AppId,
    userId: UserId,
    leaving: Contact | undefined,
    messageTo: (recipient: Contact) => { mail: Parameters<Mailer['send']>[1] } | { text: Parameters<Texts['send']>[1] },
  ): Promise<void> {
    const held = (await this.contacts.ofUser(appId, userId)).map(({ contact }) => contact);
    const verified = [...held, ...(leaving ? [leaving] : [])].filter(({ verifiedAt }) => verifiedAt !== null);
    const emails = this.mailer.isConfigured ? verified.filter(({ kind }) => kind === 'email') : [];
    const numbers = this.texts.isConfigured ? verified.filter(({ kind }) => kind === 'phone_number') : [];
    const recipients = emails.length > 0 ? emails : numbers;
    if (recipients.length === 0 || !(await this.users.mayNotify(appId, userId))) return;
    for (const recipient of recipients) {
      const exempt = await this.limits.exempt(appId, recipient);
      if (!exempt) continue;
      const message = messageTo(recipient);
      if ('mail' in message) this.mailer.send(exempt, message.mail);
      else this.texts.send(exempt, message.text);
    }
  }
}
