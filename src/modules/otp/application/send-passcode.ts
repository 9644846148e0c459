import { Injectable } from '@nestjs/common';
import type { AppId } from '../../../kernel/ids.js';
import { type Contact, IdentityFacade, UserNotFound } from '../../identity/index.js';
import { type PasscodeRequest, IssuePasscode } from './issue-passcode.js';

@Injectable()
export class SendPasscode {
  constructor(
    private readonly passcode: IssuePasscode,
    private readonly identity: IdentityFacade,
  ) {}

  /**
   * Sends a passcode to the user who holds the address. Throws `UserNotFound` when no user does, `UserInactive` where the address is
   * verified. `record` runs in the transaction that stores the message.
   */
  async execute(appId: AppId, request: PasscodeRequest, record?: () => Promise<void>): Promise<Contact> {
    const { contact } = await this.passcode.execute(appId, request, async (address) => {
      const contact = await this.identity.contact(appId, address);
      if (!contact) throw new UserNotFound();
      if (contact.verifiedAt) await this.identity.holdActive(appId, contact.userId);
      await record?.();
      return { contact };
    });
    return contact;
  }
}
