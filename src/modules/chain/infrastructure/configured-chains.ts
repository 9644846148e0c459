import type { Config } from '../../../services/config/config.js';
import type { Log } from '../../../kernel/log.js';
import type { HostNames } from '../../../services/outbound/host-names.js';
import { type Chain, Chains } from '../../../kernel/chain/chain.js';
import type { Network } from '../../../services/config/networks.js';
import { type EndpointMetrics, NodeWatch } from './endpoint-comparison.js';
import type { StoredNetworks } from './typeorm-known-networks.js';
import { EthereumChain } from './ethereum/ethereum-chain.js';
import { SolanaChain } from './solana/solana-chain.js';

export function configuredChains(
  { networks, solanaMaxFeeLamports: maxFeeLamports }: Pick<Config, 'networks' | 'solanaMaxFeeLamports'>,
  log: Log,
  names: HostNames,
  stored: StoredNetworks,
  metrics: EndpointMetrics,
): Chains {
  const served = networks.filter(({ rpc }) => rpc.length > 0);
  const solana = served.filter(({ kind }) => kind === 'solana').map(({ name }) => name);
  const chainOf = ({ rpc: urls, ...network }: Network): Chain => {
    const watch = new NodeWatch(network.name, log, undefined, metrics);
    if (network.kind === 'solana') {
      const preferred = solana.slice(0, solana.indexOf(network.name));
      return new SolanaChain({ ...network, urls, maxFeeLamports, preferred }, watch, names, stored);
    }
    const { maxFeePerGas, maxTip, ...settings } = network;
    return new EthereumChain({ ...settings, urls, ceilings: { maxFeePerGas, maxTip } }, watch, names, stored);
  };
  return new Chains(served.map(chainOf));
}
