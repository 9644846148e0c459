import { Injectable } from '@nestjs/common';
import type { AppId } from '../../../kernel/ids.js';
import { type KeyBinding, requireUserWithin } from '../../../kernel/key-restriction.js';
import { SendLimits } from '../../../kernel/limits.js';
import { Mailer, Texts } from '../../../kernel/messages.js';
import { Transactions } from '../../../kernel/transactions.js';
import { SecretTokens } from '../../../kernel/secret-tokens.js';
import { Vault } from '../../../kernel/vault.js';
import {
  type Address,
  type AddressHolder,
  type AddressKind,
  type Contact,
  IdentityFacade,
  UserNotFound,
  type UserStatus,
} from '../../identity/index.js';
import { codeContext, hashOfCode, newCode, PasscodeRepository } from '../domain/passcode.js';
import { PASSCODE_MAIL } from './passcode-mail.js';

export interface PasscodeRequest {
  readonly kind: AddressKind;
  readonly address: string;
  readonly minutes: number;
  /** The user's device as the app's backend saw it. */
  readonly ip?: string;
  /** The key that calls. Only its user is sent a passcode. */
  readonly binding: KeyBinding | null;
}

@Injectable()
export class SendPasscode {
  constructor(
    private readonly identity: IdentityFacade,
    private readonly passcodes: PasscodeRepository,
    private readonly vault: Vault,
    private readonly tokens: SecretTokens,
    private readonly limits: SendLimits,
    private readonly mailer: Mailer,
    private readonly texts: Texts,
    private readonly transactions: Transactions,
  ) {}

  /** Sends to the holder of the address, who may be a new user with this status. */
  logIn(appId: AppId, request: PasscodeRequest, status: UserStatus): Promise<AddressHolder> {
    return this.issue(appId, request, (address) => this.identity.findOrCreate(appId, address, { status }));
  }

  /** Throws `UserNotFound` without a holder. `record` runs in the transaction that stores the message. */
  async execute(appId: AppId, request: PasscodeRequest, record?: () => Promise<void>): Promise<Contact> {
    const { contact } = await this.issue(appId, request, async (address) => {
      const contact = await this.identity.contact(appId, address);
      if (!contact) throw new UserNotFound();
      if (contact.verifiedAt) await this.identity.holdActive(appId, contact.userId);
      await record?.();
      return { contact };
    });
    return contact;
  }

  /** The send is counted first, also without a holder. A bound key must not use up another user's sends. */
  private async issue<Holder extends { readonly contact: Contact }>(
    appId: AppId,
    { kind, address: text, minutes, ip, binding }: PasscodeRequest,
    find: (address: Address) => Promise<Holder>,
  ): Promise<Holder> {
    const address = this.identity.address(kind, text);
    await this.identity.requireHolderWithin(appId, address, binding);
    const counted = await this.limits.take(appId, address, ip);
    return this.transactions.run(async () => {
      const holder = await find(address);
      requireUserWithin(binding, holder.contact.userId);
      const { id: methodId, userId, text: to } = holder.contact;
      const code = newCode();
      const sealedCode = this.vault.seal(Buffer.from(code), codeContext(appId, methodId));
      const codeHash = hashOfCode(this.tokens, appId, methodId, code);
      this.passcodes.add({ appId, methodId, userId, address: to, sealedCode, codeHash }, minutes);
      if (kind === 'email') this.mailer.send(counted, PASSCODE_MAIL.mail({ to, code, minutes }));
      else this.texts.send(counted, { to, code, minutes });
      return holder;
    });
  }
}
