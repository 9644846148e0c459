import { Injectable } from '@nestjs/common';
import type { DomainEvent } from '../../../kernel/domain-event.js';
import type { AppId, WalletId } from '../../../kernel/ids.js';
import { DomainEvents } from '../../../kernel/outbox.js';
import {
  type EthTransaction,
  MessageSigner,
  type SignedTransaction,
  type TypedData,
} from '../domain/message-signer.js';
import { SigningGuards } from '../domain/signing-guards.js';
import type { WalletKey } from '../domain/wallet-key.js';
import { WalletNotFound } from '../domain/wallet.errors.js';
import { MessageSigned, TransactionSigned, TypedDataSigned } from '../domain/wallet.events.js';
import { WalletRepository } from '../domain/wallet.repository.js';
import type { Wallet } from '../domain/wallet.js';

export interface Signed<T> {
  readonly wallet: Wallet;
  readonly signed: T;
}

/**
 * Signs with a managed wallet: one read, the signature, one row that tells of it. The row is stored before the signature
 * leaves, so none is ever given out untold. All throw `WalletNotFound` and `WalletReadOnly`.
 */
@Injectable()
export class SignWithWallet {
  constructor(
    private readonly wallets: WalletRepository,
    private readonly signer: MessageSigner,
    private readonly guards: SigningGuards,
    private readonly events: DomainEvents,
  ) {}

  /** See `MessageSigner.signMessage`. */
  message(appId: AppId, id: WalletId, message: string): Promise<Signed<string>> {
    return this.sign(appId, id, MessageSigned, (key) => this.signer.signMessage(key, message));
  }

  /** See `MessageSigner.signTypedData`. */
  typedData(appId: AppId, id: WalletId, typedData: TypedData): Promise<Signed<string>> {
    return this.sign(appId, id, TypedDataSigned, (key) => this.signer.signTypedData(key, typedData));
  }

  /** See `MessageSigner.signTransaction`. The transaction is not sent. Throws `WalletHasOpenTransfers`. */
  transaction(appId: AppId, id: WalletId, transaction: EthTransaction): Promise<Signed<SignedTransaction>> {
    const sign = (key: WalletKey) => this.signer.signTransaction(key, transaction);
    return this.sign(appId, id, TransactionSigned, sign, (wallet, { network }) =>
      this.guards.assertFree(wallet, network),
    );
  }

  private async sign<T>(
    appId: AppId,
    id: WalletId,
    Happened: new (wallet: Wallet) => DomainEvent,
    use: (key: WalletKey) => T,
    release: (wallet: Wallet, signed: T) => Promise<void> = () => Promise.resolve(),
  ): Promise<Signed<T>> {
    const wallet = await this.wallets.find(appId, id);
    if (!wallet) throw new WalletNotFound();
    const signed = use(wallet.signingKey());
    await release(wallet, signed);
    await this.events.record(new Happened(wallet));
    return { wallet, signed };
  }
}
