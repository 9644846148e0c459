import { Injectable } from '@nestjs/common';
import type { DomainEvent } from '../../../../kernel/event-types.js';
import type { AppId, WalletId } from '../../../../kernel/ids.js';
import { DomainEvents } from '../../../../kernel/domain-events.js';
import { Transactions } from '../../../../kernel/transactions.js';
import { IdentityFacade, UserInactive } from '../../../identity/index.js';
import type { WalletKey, Wallet } from '../../domain/wallets/wallet.js';
import { WalletNotFound } from '../../domain/wallets/wallet.errors.js';
import { type OwnedWallet, WalletRepository } from '../../domain/wallets/wallet.repository.js';
import { AppsFacade } from '../../../apps/index.js';
import { assertMessageSignable, assertSignable } from '../../domain/signing/message-policy.js';
import {
  MessageSigner,
  type EthTransaction,
  type SignedTransaction,
  type TypedData,
} from '../../domain/signing/message-signer.js';
import { MessageSigned, TransactionSigned, TypedDataSigned } from '../../domain/wallets/wallet.events.js';
import { SigningGuards } from '../../domain/signing/signing-guards.js';

/** A wallet whose user may use it, with its key. */
interface SigningWallet extends OwnedWallet {
  readonly key: WalletKey;
}

/** Every use of a key that a caller asks for begins and ends here. */
@Injectable()
export class SigningWallets {
  constructor(
    private readonly wallets: WalletRepository,
    private readonly identity: IdentityFacade,
    private readonly events: DomainEvents,
    private readonly transactions: Transactions,
  ) {}

  /** Throws `WalletNotFound`, `UserInactive`, `WalletReadOnly`. */
  async find(appId: AppId, id: WalletId): Promise<SigningWallet> {
    const found = await this.wallets.findOwned(appId, id);
    if (!found) throw new WalletNotFound();
    if (found.owner.isInactive) throw new UserInactive();
    return { ...found, key: found.wallet.signingKey() };
  }

  /** Records that the account may have transactions that this service did not make. Call it before the caller can make one. */
  recordKeyLeft(appId: AppId, id: WalletId): Promise<void> {
    return this.wallets.recordKeyLeft(appId, id);
  }

  /**
   * Stores the event of a use, before its result is returned. The first use closes the account: a person who proves its address
   * later does not get a wallet that signed for another person. Throws `AccountTaken` if the account has passed meanwhile.
   */
  async record({ wallet, owner }: SigningWallet, event: DomainEvent): Promise<void> {
    if (!owner.isOpen) return this.events.record(event);
    await this.transactions.run(async () => {
      await this.identity.use(wallet.appId, wallet.userId, owner.isOpen);
      await this.events.publish(event);
    });
  }
}

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
