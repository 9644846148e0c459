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
  { ethereum, solana, solanaMaxFeeLamports }: Pick<Config, 'ethereum' | 'solana' | 'solanaMaxFeeLamports'>,
  log: Log,
  names: HostNames,
  networks: StoredNetworks,
  metrics: EndpointMetrics,
): Chains {
  const watch = (chain: ChainName): NodeWatch => new NodeWatch(chain, log, undefined, metrics);
  const { rpc: urls, kind, chainId, finality, minTip, maxFeePerGas, maxTip, maxL1Fee } = ethereum;
  const ceilings = { maxFeePerGas, maxTip };
  const ofEthereum = { urls, kind, chainId, finality, minTip, ceilings, maxL1Fee };
  const ofSolana = { urls: solana.rpc, id: solana.id, maxFeeLamports: solanaMaxFeeLamports };
  return new Chains([
    ...(urls.length === 0 ? [] : [new EthereumChain(ofEthereum, watch('ethereum'), names, networks)]),
    ...(solana.rpc.length === 0 ? [] : [new SolanaChain(ofSolana, watch('solana'), names, networks)]),
  ]);
}
