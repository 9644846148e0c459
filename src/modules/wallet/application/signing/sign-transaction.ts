import { Injectable } from '@nestjs/common';
import type { AppId, WalletId } from '../../../../kernel/ids.js';
import { type EthTransaction, MessageSigner, type SignedTransaction } from '../../domain/signing/message-signer.js';
import { SigningGuards } from '../../domain/signing/signing-guards.js';
import { TransactionSigned } from '../../domain/wallets/wallet.events.js';
import type { Signed } from './sign-message.js';
import { SigningWallets } from './signing-wallets.js';

@Injectable()
export class SignTransaction {
  constructor(
    private readonly wallets: SigningWallets,
    private readonly signer: MessageSigner,
    private readonly guards: SigningGuards,
  ) {}

  /**
   * Signs a transaction and returns it without sending it, recorded like a message. The guards run before the key is opened. Throws
   * `WalletNotFound`, `UserInactive`, `WalletReadOnly`, `AccountTaken`, and the errors of `MessageSigner.readTransaction` and of the
   * guards.
   */
  async execute(appId: AppId, id: WalletId, transaction: EthTransaction): Promise<Signed<SignedTransaction>> {
    const signing = await this.wallets.find(appId, id);
    const { wallet, key } = signing;
    const intent = this.signer.readTransaction(key, transaction);
    await this.guards.assertMaySign(wallet, intent);
    // Before the bytes exist: a transaction of the account that this service did not make must not look like a lost payment.
    if (wallet.keyLeftAt === null) await this.wallets.recordKeyLeft(appId, id);
    const signed = this.signer.signTransaction(key, intent);
    await this.wallets.record(signing, new TransactionSigned(wallet));
    return { wallet, signed };
  }
}
