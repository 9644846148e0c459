import { Injectable } from '@nestjs/common';
import type { AppId, UserId, WalletId } from '../../../../kernel/ids.js';
import { MessageSigner } from '../../domain/signing/message-signer.js';
import { WalletNotFound } from '../../domain/wallets/wallet.errors.js';
import { WalletRepository } from '../../domain/wallets/wallet.repository.js';
import type { Wallet, WalletView } from '../../domain/wallets/wallet.js';

/** Signs the chain's own transactions for one wallet, and nothing else. */
export interface PaymentSigner {
  readonly address: string;
  /** See `MessageSigner.signPayment`. The wallet's key is opened for the length of this call. */
  signTransaction(unsigned: Uint8Array): Uint8Array;
}

export interface PayingWallet {
  readonly wallet: WalletView;
  readonly signer: PaymentSigner;
  /** Whether its account may have transactions that this service did not make: the key was imported or handed out, or signed for a caller. */
  readonly mayBeUsedElsewhere: boolean;
}

/** What the other modules ask of wallets. Reads join the caller's transaction; keys never leave this module. */
@Injectable()
export class WalletsFacade {
  constructor(
    private readonly wallets: WalletRepository,
    private readonly signer: MessageSigner,
  ) {}

  /** The wallet; with `owner`, only if it is theirs. Throws `WalletNotFound`, `WalletNotOwnedByUser`. */
  find(appId: AppId, id: WalletId, owner?: UserId): Promise<WalletView> {
    return this.wallet(appId, id, owner);
  }

  /** The wallet, and what signs its payments; no key is opened yet. Throws like `find`, and `WalletReadOnly`. */
  async paying(appId: AppId, id: WalletId, owner?: UserId): Promise<PayingWallet> {
    return this.payingWith(await this.wallet(appId, id, owner));
  }

  /** See `PayingWallet`. True for a wallet that does not exist: nothing is signed with its key. */
  async mayBeUsedElsewhere(appId: AppId, id: WalletId): Promise<boolean> {
    return (await this.wallets.find(appId, id))?.mayBeUsedElsewhere() ?? true;
  }

  /** Records that the account has transactions that this service did not make. */
  recordUseElsewhere(appId: AppId, id: WalletId): Promise<void> {
    return this.wallets.recordKeyLeft(appId, id);
  }

  /** As `paying`; the wallet and its user are not deleted until the caller's transaction ends. */
  async holdPaying(appId: AppId, id: WalletId, owner: UserId): Promise<PayingWallet> {
    return this.payingWith(ownedBy(owner, await this.wallets.hold(appId, id)));
  }

  /**
   * Waits for transactions that hold a wallet of the user by `holdPaying`, and blocks new ones until the caller's transaction
   * ends. Call it with the user locked: then the user gets no further wallet.
   */
  lockAllOf(appId: AppId, userId: UserId): Promise<void> {
    return this.wallets.lockAllOf(appId, userId);
  }

  private payingWith(wallet: Wallet): PayingWallet {
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
