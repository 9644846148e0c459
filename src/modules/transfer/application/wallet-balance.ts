import { Injectable } from '@nestjs/common';
import type { AppId, WalletId } from '../../../kernel/ids.js';
import { AppsFacade } from '../../apps/index.js';
import { WalletsFacade, type WalletView } from '../../wallet/index.js';
import { formatAmount } from '../domain/amount.js';
import { type Asset, assetNamed } from '../../../kernel/chain/asset.js';
import { Chains } from '../../../kernel/chain/chain.js';
import { NodeCalls } from '../../../kernel/chain/node-calls.js';
import { UnsupportedCurrency } from '../domain/transfer.errors.js';

/** A wallet's current balance of an asset on the chain. */
@Injectable()
export class WalletBalance {
  constructor(
    private readonly apps: AppsFacade,
    private readonly wallets: WalletsFacade,
    private readonly chains: Chains,
    private readonly nodeCalls: NodeCalls,
  ) {}

  /** Throws `WalletNotFound`, `UnsupportedCurrency`, `ChainNotConfigured`, `ChainUnavailable`, `TooManyRequests`. */
  async execute(
    appId: AppId,
    walletId: WalletId,
    symbol: string,
  ): Promise<{ readonly wallet: WalletView; readonly asset: Asset; readonly balance: string }> {
    const wallet = await this.wallets.find(appId, walletId);
    const { assets } = await this.apps.settings(appId);
    const asset = assetNamed(symbol, assets);
    if (asset?.chain !== wallet.walletType) {
      throw new UnsupportedCurrency('token_symbol', `A wallet of ${wallet.walletType} holds no asset of this symbol.`);
    }
    const chain = this.chains.named(asset.chain);
    const balance = await this.nodeCalls.run(asset.chain, appId, () => chain.balance(wallet.publicAddress, asset));
    return { wallet, asset, balance: formatAmount(balance, asset) };
  }
}
