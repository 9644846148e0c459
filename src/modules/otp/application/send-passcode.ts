import { Injectable } from '@nestjs/common';
import type { AppId } from '../../../kernel/ids.js';
import { type Contact, IdentityFacade, UserNotFound } from '../../identity/index.js';
import { type AskedPasscode, IssuePasscode } from './issue-passcode.js';

@Injectable()
export class SendPasscode {
  constructor(
    private readonly passcode: IssuePasscode,
    private readonly identity: IdentityFacade,
  ) {}

  /** Sends a passcode to the user who holds the address. Throws `UserNotFound` where nobody does, `UserInactive`. */
  async execute(appId: AppId, asked: AskedPasscode): Promise<Contact> {
    const { contact } = await this.passcode.execute(appId, asked, async (address, allowed) => {
      const [contact] = await Promise.all([this.identity.contact(appId, address), allowed]);
      if (!contact) throw new UserNotFound();
      await this.identity.requireActive(appId, contact.userId);
      return { contact };
    });
    return contact;
  }
}
