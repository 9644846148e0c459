import { Injectable } from '@nestjs/common';
import type { Asset } from '../../../../kernel/chain/asset.js';
import type { ChainName } from '../../../../kernel/chain/chain-name.js';
import { NetworkNotEnabled } from '../../../../kernel/chain/chain.errors.js';
import { ConfiguredNetworks } from '../../../../kernel/chain/networks.js';
import { AppsFacade } from '../../../apps/index.js';
import type { WalletView } from '../../../wallet/index.js';
import { UnsupportedCurrency } from '../domain/transfer.errors.js';

export interface NamedCurrency {
  readonly text: string;
  /** Follows from the currency if absent. */
  readonly network?: ChainName | undefined;
  /** The field of the request, for a refusal. */
  readonly field: string;
}

@Injectable()
export class Currencies {
  constructor(
    private readonly apps: AppsFacade,
    private readonly networks: ConfiguredNetworks,
  ) {}

  /** The currency is on a network of the wallet's type. A word that names currencies of several enabled networks needs a network. */
  async named({ appId, walletType }: WalletView, { text, network: on, field }: NamedCurrency): Promise<Asset> {
    const { assets } = await this.apps.settings(appId);
    const network = on === undefined ? undefined : (await this.apps.requireNetwork(appId, on)).name;
    const named = this.networks.assetsNamed(text, assets, network);
    if (named.length === 0) {
      const where = network === undefined ? '' : ` on the network ${network}`;
      throw new UnsupportedCurrency(field, `The app has no currency of this name${where}.`);
    }
    const held = named.filter(({ chain }) => this.networks.named(chain)!.walletType === walletType);
    if (held.length === 0) throw new UnsupportedCurrency(field, `The wallet is one of ${walletType}.`);
    const enabled = await this.apps.networks(appId);
    const [asset, another] = held.filter(({ chain }) => enabled.some(({ name }) => name === chain));
    if (!asset) throw new NetworkNotEnabled(held[0]!.chain);
    if (another)
      throw new UnsupportedCurrency(field, 'Several networks have a currency of this name. Name the network.');
    return asset;
  }
}
