import { type Asset, COIN_DECIMALS } from './asset.js';
import { type ChainName, WALLET_TYPE_ALIASES, WALLET_TYPES, type WalletType } from './chain-name.js';

export interface ConfiguredNetwork {
  readonly name: ChainName;
  /** The CAIP-2 name; null: the cluster of the first use. */
  readonly id: string | null;
  readonly kind: string;
  readonly walletType: WalletType;
  readonly native: Asset;
  /** The page of a transaction, with `{hash}` in place of its hash. */
  readonly explorer: string | null;
  /** Without a node the network makes no payments. */
  readonly hasNode: boolean;
}

export function networkOf({
  symbol,
  ...network
}: Pick<ConfiguredNetwork, 'name' | 'id' | 'kind' | 'explorer' | 'hasNode'> & {
  readonly symbol: string;
}): ConfiguredNetwork {
  const { name, kind } = network;
  const walletType = kind === 'solana' ? 'solana' : 'ethereum';
  const native = { chain: name, name, symbol, decimals: COIN_DECIMALS[walletType], token: null };
  return { ...network, walletType, native };
}

/** `ethereum` and `solana` are always among them, maybe without a node. */
export class ConfiguredNetworks {
  constructor(readonly all: readonly ConfiguredNetwork[]) {}

  get served(): readonly ConfiguredNetwork[] {
    return this.all.filter(({ hasNode }) => hasNode);
  }

  named(name: ChainName): ConfiguredNetwork | null {
    return this.all.find((network) => network.name === name) ?? null;
  }

  /** A network with a node comes first: a standard of the configuration may have the same name. */
  byId(id: string): ConfiguredNetwork | null {
    return [...this.served, ...this.all].find((network) => network.id === id) ?? null;
  }

  nameOf(id: string): string {
    return this.byId(id)?.name ?? id;
  }

  /** `chosen`: the names that the app has set; null: `ethereum` and `solana`. */
  enabled(chosen: readonly ChainName[] | null): readonly ConfiguredNetwork[] {
    const names: readonly ChainName[] = chosen ?? WALLET_TYPES;
    return this.all.filter(({ name }) => names.includes(name));
  }

  /** A coin is named like its network, with `network` by its symbol too. `ETH` and `SOL` alone mean `ethereum` and `solana`. */
  assetsNamed(text: string, tokens: readonly Asset[], network?: ChainName): readonly Asset[] {
    const word = text.toLowerCase();
    const alias = network === undefined ? WALLET_TYPE_ALIASES[text.toUpperCase()] : undefined;
    const searched = this.all.filter(({ name }) => network === undefined || name === network);
    const isMeant = ({ name, symbol }: Asset): boolean => name === word || symbol.toLowerCase() === word;
    const coins = searched.filter(({ name, native }) =>
      network === undefined ? name === word || name === alias : isMeant(native),
    );
    const listed = tokens.filter((token) => isMeant(token) && searched.some(({ name }) => name === token.chain));
    return [...coins.map(({ native }) => native), ...listed];
  }
}
