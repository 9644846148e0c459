import { Injectable } from '@nestjs/common';
import type { AppId, WalletId } from '../../../../kernel/ids.js';
import { DomainEvents } from '../../../../kernel/outbox.js';
import { type EthTransaction, MessageSigner, type SignedTransaction } from '../../domain/signing/message-signer.js';
import { SigningGuards } from '../../domain/signing/signing-guards.js';
import { WalletNotFound } from '../../domain/wallets/wallet.errors.js';
import { TransactionSigned } from '../../domain/wallets/wallet.events.js';
import { WalletRepository } from '../../domain/wallets/wallet.repository.js';
import type { Signed } from './sign-message.js';

@Injectable()
export class SignTransaction {
  constructor(
    private readonly wallets: WalletRepository,
    private readonly signer: MessageSigner,
    private readonly guards: SigningGuards,
    private readonly events: DomainEvents,
  ) {}

  /**
   * Signs a transaction and returns it without sending it, recorded like a message. The guards run before the key is opened.
   * Throws `WalletNotFound`, `WalletReadOnly`, what `MessageSigner.readTransaction` throws and what the guards throw.
   */
  async execute(appId: AppId, id: WalletId, transaction: EthTransaction): Promise<Signed<SignedTransaction>> {
    const wallet = await this.wallets.find(appId, id);
    if (!wallet) throw new WalletNotFound();
    const key = wallet.signingKey();
    const intent = this.signer.readTransaction(key, transaction);
    await this.guards.assertMaySign(wallet, intent);
    // Before the bytes exist: a transaction of the account that this service did not make must not look like a lost payment.
    if (wallet.keyLeftAt === null) await this.wallets.recordKeyLeft(appId, id);
    const signed = this.signer.signTransaction(key, intent);
    await this.events.record(new TransactionSigned(wallet));
    return { wallet, signed };
  }
}
