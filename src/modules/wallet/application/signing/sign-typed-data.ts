import { Injectable } from '@nestjs/common';
import type { AppId, WalletId } from '../../../../kernel/ids.js';
import { AppsFacade } from '../../../apps/index.js';
import { MessageSigner, type TypedData } from '../../domain/signing/message-signer.js';
import { assertSignable } from '../../domain/signing/typed-data-policy.js';
import { TypedDataSigned } from '../../domain/wallets/wallet.events.js';
import type { Signed } from './sign-message.js';
import { SigningWallets } from './signing-wallets.js';

@Injectable()
export class SignTypedData {
  constructor(
    private readonly wallets: SigningWallets,
    private readonly signer: MessageSigner,
    private readonly apps: AppsFacade,
  ) {}

  /**
   * Signs EIP-712 typed data that the app's policy allows, recorded like a message. The policy is checked before the key is opened. Throws
   * `WalletNotFound`, `UserInactive`, `WalletReadOnly`, `AccountTaken`, `TypedDataNotAllowed`, and the errors of
   * `MessageSigner.readTypedData`.
   */
  async execute(appId: AppId, id: WalletId, typedData: TypedData): Promise<Signed<string>> {
    const signing = await this.wallets.find(appId, id);
    const { wallet, key } = signing;
    const intent = this.signer.readTypedData(key, typedData);
    assertSignable((await this.apps.settings(appId)).signingPolicy, intent);
    const signed = this.signer.signTypedData(key, intent);
    await this.wallets.record(signing, new TypedDataSigned(wallet));
    return { wallet, signed };
  }
}
