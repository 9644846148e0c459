import { Injectable } from '@nestjs/common';
import type { DomainEvent } from '../../../../kernel/domain-event.js';
import type { AppId, WalletId } from '../../../../kernel/ids.js';
import { DomainEvents } from '../../../../kernel/outbox.js';
import { AppsFacade } from '../../../apps/index.js';
import {
  type EthTransaction,
  MessageSigner,
  type SignedTransaction,
  type TypedData,
} from '../../domain/signing/message-signer.js';
import { SigningGuards } from '../../domain/signing/signing-guards.js';
import { assertSignable } from '../../domain/signing/typed-data-policy.js';
import type { WalletKey } from '../../domain/wallets/wallet-key.js';
import { WalletNotFound } from '../../domain/wallets/wallet.errors.js';
import { MessageSigned, TransactionSigned, TypedDataSigned } from '../../domain/wallets/wallet.events.js';
import { WalletRepository } from '../../domain/wallets/wallet.repository.js';
import type { Wallet } from '../../domain/wallets/wallet.js';

export interface Signed<T> {
  readonly wallet: Wallet;
  readonly signed: T;
}

/**
 * Signs with a managed wallet: one read, the signature, one row that tells of it. The app's policy is asked before the key
 * is opened, and the row is stored before the signature leaves, so none is ever given out untold. All throw
 * `WalletNotFound` and `WalletReadOnly`.
 */
@Injectable()
export class SignWithWallet {
  constructor(
    private readonly wallets: WalletRepository,
    private readonly signer: MessageSigner,
    private readonly apps: AppsFacade,
    private readonly guards: SigningGuards,
    private readonly events: DomainEvents,
  ) {}

  /** See `MessageSigner.signMessage`. */
  message(appId: AppId, id: WalletId, message: string): Promise<Signed<string>> {
    return this.sign(appId, id, MessageSigned, (key) => this.signer.signMessage(key, message));
  }

  /** See `MessageSigner.readTypedData`. Throws `TypedDataNotAllowed`. */
  typedData(appId: AppId, id: WalletId, typedData: TypedData): Promise<Signed<string>> {
    return this.sign(appId, id, TypedDataSigned, async (key) => {
      const intent = this.signer.readTypedData(key, typedData);
      assertSignable((await this.apps.settings(appId)).signingPolicy, intent);
      return this.signer.signTypedData(key, intent);
    });
  }

  /** See `MessageSigner.readTransaction`. The transaction is not sent. Throws what `SigningGuards` throw. */
  transaction(appId: AppId, id: WalletId, transaction: EthTransaction): Promise<Signed<SignedTransaction>> {
    return this.sign(appId, id, TransactionSigned, async (key, wallet) => {
      const intent = this.signer.readTransaction(key, transaction);
      await this.guards.assertMaySign(wallet, intent);
      return this.signer.signTransaction(key, intent);
    });
  }

  private async sign<T>(
    appId: AppId,
    id: WalletId,
    Happened: new (wallet: Wallet) => DomainEvent,
    use: (key: WalletKey, wallet: Wallet) => T | Promise<T>,
  ): Promise<Signed<T>> {
    const wallet = await this.wallets.find(appId, id);
    if (!wallet) throw new WalletNotFound();
    const signed = await use(wallet.signingKey(), wallet);
    await this.events.record(new Happened(wallet));
    return { wallet, signed };
  }
}
