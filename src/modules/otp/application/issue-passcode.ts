import { Injectable } from '@nestjs/common';
import type { AppId } from '../../../kernel/ids.js';
import { SendLimits } from '../../../kernel/limits.js';
import { Mailer, Texts } from '../../../kernel/messages.js';
import { Transactions } from '../../../kernel/transactions.js';
import { Vault } from '../../../kernel/vault.js';
import { type Address, type AddressKind, type Contact, IdentityFacade } from '../../identity/index.js';
import { codeContext, newCode, PasscodeRepository } from '../domain/passcode.js';
import { PASSCODE_MAIL } from './passcode-mail.js';

export interface PasscodeRequest {
  readonly kind: AddressKind;
  readonly address: string;
  readonly minutes: number;
  /** The address of the user's device, as the app's backend saw it. */
  readonly ip?: string;
}

/** The part that logging in by passcode and sending a passcode to an existing user have in common. */
@Injectable()
export class IssuePasscode {
  constructor(
    private readonly identity: IdentityFacade,
    private readonly passcodes: PasscodeRepository,
    private readonly vault: Vault,
    private readonly limits: SendLimits,
    private readonly mailer: Mailer,
    private readonly texts: Texts,
    private readonly transactions: Transactions,
  ) {}

  /**
   * Sends a passcode to the holder of the address that `find` returns. The send is counted first, so the limits apply whether
   * or not the address has a holder.
   */
  async execute<Holder extends { readonly contact: Contact }>(
    appId: AppId,
    { kind, address: text, minutes, ip }: PasscodeRequest,
    find: (address: Address) => Promise<Holder>,
  ): Promise<Holder> {
    const address = this.identity.address(kind, text);
    const counted = await this.limits.take(appId, address, ip);
    return this.transactions.run(async () => {
      const holder = await find(address);
      const { id: methodId, userId, text: to } = holder.contact;
      const code = newCode();
      const sealedCode = this.vault.seal(Buffer.from(code), codeContext(appId, methodId));
      this.passcodes.add({ appId, methodId, userId, address: to, sealedCode }, minutes);
      if (kind === 'email') this.mailer.send(counted, PASSCODE_MAIL.mail({ to, code, minutes }));
      else this.texts.send(counted, { to, code, minutes });
      return holder;
    });
  }
}
