import type { Config } from '../../../services/config/config.js';
import type { Log } from '../../../kernel/log.js';
import type { ChainName } from '../../../kernel/chain/chain-name.js';
import type { HostNames } from '../../../services/outbound/host-names.js';
import { Chains } from '../../../kernel/chain/chain.js';
import { type EndpointMetrics, NodeWatch } from './endpoint-comparison.js';
import type { StoredNetworks } from './typeorm-known-networks.js';
import { EthereumChain } from './ethereum/ethereum-chain.js';
import { SolanaChain } from './solana/solana-chain.js';

/** The chains that the operator has configured a node for. */
export function configuredChains(
  config: Pick<
    Config,
    | 'ethereumRpcUrls'
    | 'ethereumChainId'
    | 'ethereumFinalityDepth'
    | 'ethereumMaxFeePerGasWei'
    | 'ethereumMaxTipWei'
    | 'ethereumMinTipWei'
    | 'solanaRpcUrls'
    | 'solanaMaxFeeLamports'
  >,
  log: Log,
  names: HostNames,
  networks: StoredNetworks,
  metrics: EndpointMetrics,
): Chains {
  const watch = (chain: ChainName): NodeWatch => new NodeWatch(chain, log, undefined, metrics);
  const { ethereumRpcUrls: urls, ethereumChainId: chainId, ethereumFinalityDepth: finalityDepth } = config;
  const ceilings = { maxFeePerGas: config.ethereumMaxFeePerGasWei, maxTip: config.ethereumMaxTipWei };
  const ethereum = { urls, chainId, finalityDepth, ceilings, minTip: config.ethereumMinTipWei };
  const solana = { urls: config.solanaRpcUrls, maxFeeLamports: config.solanaMaxFeeLamports };
  return new Chains([
    ...(urls.length === 0 ? [] : [new EthereumChain(ethereum, watch('ethereum'), names, networks)]),
    ...(solana.urls.length === 0 ? [] : [new SolanaChain(solana, watch('solana'), names, networks)]),
  ]);
}
