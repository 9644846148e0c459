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
  async paying(
    appId: AppId,
    id: WalletId,
    owner?: UserId,
  ): Promise<{ readonly wallet: WalletView; readonly signer: PaymentSigner }> {
    const wallet = await this.wallet(appId, id, owner);
    const key = wallet.signingKey();
    return {
      wallet,
      signer: {
        address: wallet.publicAddress,
        signTransaction: (unsigned) => this.signer.signPayment(key, unsigned),
      },
    };
  }

  private async wallet(appId: AppId, id: WalletId, owner: UserId | undefined): Promise<Wallet> {
    const wallet = await this.wallets.find(appId, id);
    if (!wallet) throw new WalletNotFound();
    if (owner !== undefined) wallet.assertOwnedBy(owner);
    return wallet;
  }
}
