import { Injectable } from '@nestjs/common';
import type { WalletType } from '../../../../kernel/chain/chain-name.js';
import type { AppId, UserId, WalletId } from '../../../../kernel/ids.js';
import {
  type EthTransaction,
  MessageSigner,
  type TransactionIntent,
  type TypedData,
  type TypedDataIntent,
} from '../../signing/domain/message-signer.js';
import { AppNotFound, AppsFacade } from '../../../apps/index.js';
import { IdentityFacade, UserInactive } from '../../../identity/index.js';
import type { Pass } from '../../../policy/index.js';
import { WalletNotFound } from '../domain/wallet.errors.js';
import { type HeldOwner, type ReceivingWallet, WalletRepository } from '../domain/wallet.repository.js';
import type { Wallet, WalletView } from '../domain/wallet.js';

/** Signs the chain's own transactions for one wallet, and nothing else. */
export interface PaymentSigner {
  readonly address: string;
  /** The wallet's key is opened for the length of this call. */
  signTransaction(unsigned: Uint8Array): Uint8Array;
}

export interface PayingWallet {
  readonly wallet: WalletView;
  readonly signer: PaymentSigner;
  /** Whether the account may have transactions not of this service: its key was imported or handed out, or signed for a caller. */
  readonly mayBeUsedElsewhere: boolean;
  /** Call it before a payment begins. */
  assertMaySign(): void;
}

export interface QuotedWallet {
  readonly wallet: WalletView;
  /** Call it in the transaction that stores the quote. Throws `AccountTaken` if the account has passed to another person. */
  use(): Promise<void>;
}

/** Reads join the caller's transaction; keys never leave this module. */
@Injectable()
export class WalletsFacade {
  constructor(
    private readonly wallets: WalletRepository,
    private readonly signer: MessageSigner,
    private readonly identity: IdentityFacade,
    private readonly apps: AppsFacade,
  ) {}

  /** With `owner`, only a wallet of this user. */
  find(appId: AppId, id: WalletId, owner?: UserId): Promise<WalletView> {
    return this.wallet(appId, id, owner);
  }

  /** No key is opened. */
  async readTypedData(appId: AppId, id: WalletId, typedData: TypedData): Promise<TypedDataIntent> {
    return this.signer.readTypedData((await this.wallet(appId, id, undefined)).signingKey(), typedData);
  }

  /** No key is opened. */
  async readTransaction(appId: AppId, id: WalletId, transaction: EthTransaction): Promise<TransactionIntent> {
    const read = this.signer.readTransaction((await this.wallet(appId, id, undefined)).signingKey(), transaction);
    await this.apps.requireNetwork(appId, read.network, 'eth_transaction.chainId');
    return read;
  }

  /** No key is opened. Refuses read-only wallets and inactive users. */
  async quoted(appId: AppId, id: WalletId, owner?: UserId): Promise<QuotedWallet> {
    const found = await this.wallets.findOwned(appId, id);
    const wallet = ownedBy(owner, found?.wallet ?? null);
    const { isInactive, isOpen } = found!.owner;
    if (isInactive) throw new UserInactive();
    wallet.signingKey();
    return { wallet, use: async () => (isOpen ? this.identity.use(appId, wallet.userId, isOpen) : undefined) };
  }

  hasAny(walletType: WalletType): Promise<boolean> {
    return this.wallets.hasAny(walletType);
  }

  receiving(walletType: WalletType, addresses: readonly string[]): Promise<readonly ReceivingWallet[]> {
    return this.wallets.receiving(walletType, addresses);
  }

  /** Null: the key is used only here. A wallet that does not exist may have been used elsewhere at any time. */
  async usedElsewhere(appId: AppId, id: WalletId): Promise<Pick<WalletView, 'isImported' | 'createdAt'> | null> {
    const wallet = await this.wallets.find(appId, id);
    if (!wallet) return { isImported: true, createdAt: new Date(0) };
    return wallet.mayBeUsedElsewhere() ? wallet : null;
  }

  recordUseElsewhere(appId: AppId, id: WalletId): Promise<void> {
    return this.wallets.recordKeyLeft(appId, id);
  }

  /** Until the caller's transaction ends, wallet, user, app and policies stay as they are. With another revision, it runs again. */
  async holdPaying(appId: AppId, id: WalletId, owner: UserId, { revision }: Pass): Promise<PayingWallet> {
    const [held] = await Promise.all([
      this.wallets.hold(appId, id, owner, revision),
      this.identity.requireUnaltered(appId, owner),
    ]);
    if (!held) throw new WalletNotFound();
    return { ...this.payingWith(held.wallet), assertMaySign: () => assertMaySign(held.owner) };
  }

  /** Waits for transactions that hold a wallet, and blocks new ones. Call it with the user locked: then the user gets no further wallet. */
  lockAllOf(appId: AppId, userId: UserId): Promise<void> {
    return this.wallets.lockAllOf(appId, userId);
  }

  private payingWith(wallet: Wallet): Omit<PayingWallet, 'assertMaySign'> {
    const key = wallet.signingKey();
    return {
      wallet,
      mayBeUsedElsewhere: wallet.mayBeUsedElsewhere(),
      signer: {
        address: wallet.publicAddress,
        signTransaction: (unsigned) => this.signer.signPayment(key, unsigned),
      },
    };
  }

  private async wallet(appId: AppId, id: WalletId, owner: UserId | undefined): Promise<Wallet> {
    return ownedBy(owner, await this.wallets.find(appId, id));
  }
}

function ownedBy(owner: UserId | undefined, wallet: Wallet | null): Wallet {
  if (!wallet) throw new WalletNotFound();
  if (owner !== undefined) wallet.assertOwnedBy(owner);
  return wallet;
}

/** Call it before the key signs something new, while the owner is held. */
export function assertMaySign({ state, hasApp }: HeldOwner): void {
  if (!hasApp) throw new AppNotFound();
  if (state === 'unknown') throw new WalletNotFound();
  if (state === 'inactive') throw new UserInactive();
}
