import { Injectable } from '@nestjs/common';
import type { AppId, WalletId } from '../../../../kernel/ids.js';
import { DomainEvents } from '../../../../kernel/outbox.js';
import { AppsFacade } from '../../../apps/index.js';
import { assertMessageSignable } from '../../domain/signing/message-policy.js';
import { MessageSigner } from '../../domain/signing/message-signer.js';
import { WalletNotFound } from '../../domain/wallets/wallet.errors.js';
import { MessageSigned } from '../../domain/wallets/wallet.events.js';
import { WalletRepository } from '../../domain/wallets/wallet.repository.js';
import type { Wallet } from '../../domain/wallets/wallet.js';

/** A wallet and what it signed. */
export interface Signed<T> {
  readonly wallet: Wallet;
  readonly signed: T;
}

@Injectable()
export class SignMessage {
  constructor(
    private readonly wallets: WalletRepository,
    private readonly signer: MessageSigner,
    private readonly apps: AppsFacade,
    private readonly events: DomainEvents,
  ) {}

  /**
   * Signs a message that the app's policy allows, see `MessageSigner.signMessage`. The event is stored before the signature is
   * returned: no signature leaves without a record. Throws `WalletNotFound`, `WalletReadOnly`, `MessageNotAllowed`, `InvalidMessage`.
   */
  async execute(appId: AppId, id: WalletId, message: string): Promise<Signed<string>> {
    const wallet = await this.wallets.find(appId, id);
    if (!wallet) throw new WalletNotFound();
    const key = wallet.signingKey();
    assertMessageSignable((await this.apps.settings(appId)).signingPolicy, message);
    const signed = this.signer.signMessage(key, message);
    await this.events.record(new MessageSigned(wallet));
    return { wallet, signed };
  }
}
