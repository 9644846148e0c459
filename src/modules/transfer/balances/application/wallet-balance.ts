import { Injectable } from '@nestjs/common';
import { DomainError } from '../../../../kernel/domain-error.js';
import type { AppId, WalletId } from '../../../../kernel/ids.js';
import { AppsFacade, AppNotFound } from '../../../apps/index.js';
import { WalletsFacade, type WalletView, WalletNotFound } from '../../../wallet/index.js';
import { type Asset, formatAmount } from '../../../../kernel/chain/asset.js';
import type { ChainName } from '../../../../kernel/chain/chain-name.js';
import { Chains } from '../../../../kernel/chain/chain.js';
import { NodeCalls } from '../../../../kernel/chain/node-calls.js';
import { Currencies } from '../../transfer/application/currencies.js';
import { UnsupportedCurrency } from '../../transfer/domain/transfer.errors.js';
import {
  NetworkNotEnabled,
  PaymentRefusedByChain,
  ChainNotConfigured,
  ChainUnavailable,
} from '../../../../kernel/chain/chain.errors.js';

/** `refusal`: why the chain does not return it. */
export type ShownBalance = { readonly asset: Asset } & (
  { readonly balance: string; readonly refusal: null } | { readonly balance: null; readonly refusal: DomainError }
);

@Injectable()
export class WalletBalance {
  static readonly refusals = [
    WalletNotFound,
    AppNotFound,
    NetworkNotEnabled,
    UnsupportedCurrency,
    PaymentRefusedByChain,
    ChainNotConfigured,
    ChainUnavailable,
  ];

  constructor(
    private readonly apps: AppsFacade,
    private readonly wallets: WalletsFacade,
    private readonly currencies: Currencies,
    private readonly chains: Chains,
    private readonly nodeCalls: NodeCalls,
  ) {}

  async execute(
    appId: AppId,
    walletId: WalletId,
    text: string,
    network?: ChainName,
  ): Promise<{ readonly wallet: WalletView; readonly asset: Asset; readonly balance: string }> {
    const wallet = await this.wallets.find(appId, walletId);
    const asset = await this.currencies.named(wallet, { text, network, field: 'token_symbol' });
    return { wallet, asset, balance: await this.of(wallet, asset) };
  }

  /** Reads all networks that the app may use. A chain that does not respond hides no wallet. */
  async all(
    appId: AppId,
    walletId: WalletId,
  ): Promise<{ readonly wallet: WalletView; readonly balances: readonly ShownBalance[] }> {
    const wallet = await this.wallets.find(appId, walletId);
    const { assets } = await this.apps.settings(appId);
    const networks = (await this.apps.networks(appId)).filter(({ walletType }) => walletType === wallet.walletType);
    const held = networks.flatMap(({ name, native }) => [native, ...assets.filter(({ chain }) => chain === name)]);
    const balances = await Promise.all(
      held.map((asset) =>
        this.of(wallet, asset).then(
          (balance): ShownBalance => ({ asset, balance, refusal: null }),
          (refusal: unknown): ShownBalance => {
            if (!(refusal instanceof DomainError)) throw refusal;
            return { asset, balance: null, refusal };
          },
        ),
      ),
    );
    return { wallet, balances };
  }

  private async of({ appId, publicAddress }: WalletView, asset: Asset): Promise<string> {
    const chain = this.chains.named(asset.chain);
    return formatAmount(await this.nodeCalls.run(asset.chain, appId, () => chain.balance(publicAddress, asset)), asset);
  }
}
