import { Injectable } from '@nestjs/common';
import type { AppId, WalletId } from '../../../../kernel/ids.js';
import { AppsFacade } from '../../../apps/index.js';
import { assertMessageSignable } from '../../domain/signing/message-policy.js';
import { MessageSigner } from '../../domain/signing/message-signer.js';
import { MessageSigned } from '../../domain/wallets/wallet.events.js';
import type { Wallet } from '../../domain/wallets/wallet.js';
import { SigningWallets } from './signing-wallets.js';

/** A wallet with the result of its signing. */
export interface Signed<T> {
  readonly wallet: Wallet;
  readonly signed: T;
}

@Injectable()
export class SignMessage {
  constructor(
    private readonly wallets: SigningWallets,
    private readonly signer: MessageSigner,
    private readonly apps: AppsFacade,
  ) {}

  /**
   * Signs a message that the app's policy allows, see `MessageSigner.signMessage`. The event is stored before the signature is
   * returned: no signature leaves without a record. Throws `WalletNotFound`, `UserInactive`, `WalletReadOnly`, `MessageNotAllowed`,
   * `InvalidMessage`, `AccountTaken`.
   */
  async execute(appId: AppId, id: WalletId, message: string): Promise<Signed<string>> {
    const signing = await this.wallets.find(appId, id);
    const { wallet, key } = signing;
    assertMessageSignable((await this.apps.settings(appId)).signingPolicy, message);
    const signed = this.signer.signMessage(key, message);
    await this.wallets.record(signing, new MessageSigned(wallet));
    return { wallet, signed };
  }
}
