import { parseUnits } from 'ethers';
import type { Entry, ForeignTransaction } from './books.js';
import { AMOUNT, type Order } from './client.js';
import { CEILING_GWEI, EvmNetwork, FINALITY_DEPTH } from './networks/evm-network.js';
import { EVM_NETWORKS, type NetworkName, networksOf } from './networks/names.js';
import type { Network } from './networks/network.js';
import { SolanaNetwork } from './networks/solana-network.js';
import type { Pace } from './pace.js';

/** The networks of a run. */
export class Chains {
  readonly all: readonly Network[];

  private constructor(
    readonly evm: readonly EvmNetwork[],
    readonly solana: SolanaNetwork,
  ) {
    this.all = [...evm, solana];
  }

  static async start(endpoints: number, random: () => number, pace: Pace): Promise<Chains> {
    const [solana, ...evm] = await Promise.all([
      SolanaNetwork.start(endpoints, random, pace),
      ...EVM_NETWORKS.map((name) => EvmNetwork.start(name, endpoints, random, pace)),
    ]);
    return new Chains(evm, solana);
  }

  /** The configuration of a replica for these networks, with a finality depth or the `finalized` tag. */
  env(finality: 'depth' | 'tag'): Record<string, string> {
    const [ethereum, ...further] = this.evm as [EvmNetwork, ...EvmNetwork[]];
    const urlsOf = ({ proxies }: Network): string[] => proxies.map(({ url }) => url);
    const networks = further.map((network) => {
      const rule = finality === 'depth' ? FINALITY_DEPTH : 'finalized';
      const fields = { finality: rule, max_fee_per_gas: String(CEILING_GWEI) };
      return [network.name, { id: network.id, kind: 'ethereum', rpc: urlsOf(network), ...fields }] as const;
    });
    return {
      ETHEREUM_RPC_URL: urlsOf(ethereum).join(','),
      ETHEREUM_CHAIN_ID: String(ethereum.anvil.chainId),
      ETHEREUM_MAX_FEE_PER_GAS: String(CEILING_GWEI),
      ...(finality === 'depth' && { ETHEREUM_FINALITY_DEPTH: String(FINALITY_DEPTH) }),
      SOLANA_RPC_URL: urlsOf(this.solana).join(','),
      NETWORKS: JSON.stringify(Object.fromEntries(networks)),
    };
  }

  named(name: NetworkName): Network {
    return this.all.find((network) => network.name === name)!;
  }

  /** Null for a network that is not an EVM network. */
  evmNamed(name: NetworkName): EvmNetwork | null {
    return this.evm.find((network) => network.name === name) ?? null;
  }

  /** The number of payments that the destination of an order received on its network. `entries` are its transfers. */
  async paymentsOf(
    { network: name, dest, token, amount }: Order,
    entries: readonly (Entry | undefined)[],
  ): Promise<bigint> {
    const network = this.named(name);
    const received = await network.balance(dest, token?.address);
    if (amount !== 'max') return received / parseUnits(AMOUNT, token?.decimals ?? network.decimals);
    // Its amount is that of one of its transfers. Any other sum is more than one payment.
    if (received === 0n) return 0n;
    return entries.some((entry) => entry && BigInt(entry.amount) === received) ? 1n : 2n;
  }

  /** The networks on which the destination of an order received something although the order is not paid there. */
  async astray({ wallet, network, dest, token }: Order): Promise<NetworkName[]> {
    const found: NetworkName[] = [];
    for (const name of networksOf(wallet.chain).filter((each) => each !== network)) {
      const received = [await this.named(name).balance(dest)];
      if (token) received.push(await this.named(name).balance(dest, token.address));
      if (received.some((units) => units > 0n)) found.push(name);
    }
    return found;
  }

  /** The payments of an order that another holder of the key made. */
  async landedForeign(order: Order): Promise<ForeignTransaction[]> {
    const network = this.evmNamed(order.network);
    if (!network) return [];
    return network.landedOf([...network.foreign.values()].filter((each) => each.order === order));
  }

  /** Ends the faults of chains and nodes. */
  lift(): void {
    for (const network of this.all) network.lift();
  }

  async stop(): Promise<void> {
    await Promise.all(this.all.map((network) => network.stop()));
  }
}
