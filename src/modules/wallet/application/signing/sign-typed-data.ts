import { Injectable } from '@nestjs/common';
import type { AppId, WalletId } from '../../../../kernel/ids.js';
import { DomainEvents } from '../../../../kernel/outbox.js';
import { AppsFacade } from '../../../apps/index.js';
import { MessageSigner, type TypedData } from '../../domain/signing/message-signer.js';
import { assertSignable } from '../../domain/signing/typed-data-policy.js';
import { WalletNotFound } from '../../domain/wallets/wallet.errors.js';
import { TypedDataSigned } from '../../domain/wallets/wallet.events.js';
import { WalletRepository } from '../../domain/wallets/wallet.repository.js';
import type { Signed } from './sign-message.js';

@Injectable()
export class SignTypedData {
  constructor(
    private readonly wallets: WalletRepository,
    private readonly signer: MessageSigner,
    private readonly apps: AppsFacade,
    private readonly events: DomainEvents,
  ) {}

  /**
   * Signs EIP-712 typed data that the app's policy allows, recorded like a message. The policy is checked before the key is
   * opened. Throws `WalletNotFound`, `WalletReadOnly`, `TypedDataNotAllowed`, and what `MessageSigner.readTypedData` throws.
   */
  async execute(appId: AppId, id: WalletId, typedData: TypedData): Promise<Signed<string>> {
    const wallet = await this.wallets.find(appId, id);
    if (!wallet) throw new WalletNotFound();
    const key = wallet.signingKey();
    const intent = this.signer.readTypedData(key, typedData);
    assertSignable((await this.apps.settings(appId)).signingPolicy, intent);
    const signed = this.signer.signTypedData(key, intent);
    await this.events.record(new TypedDataSigned(wallet));
    return { wallet, signed };
  }
}
