import type { Config } from '../../../platform/config/config.js';
import type { Log } from '../../../platform/observability/log.js';
import { Chains } from '../domain/chain.js';
import { NodeWatch } from './chain-node.js';
import { EthereumChain } from './ethereum-chain.js';
import { SolanaChain } from './solana-chain.js';

/** The chains whose node the operator has named. */
export function configuredChains(
  config: Pick<Config, 'ethereumRpcUrl' | 'ethereumChainId' | 'ethereumFinalityDepth' | 'solanaRpcUrl'>,
  log: Log,
): Chains {
  const { ethereumRpcUrl, ethereumChainId: chainId, ethereumFinalityDepth: finalityDepth, solanaRpcUrl } = config;
  return new Chains([
    ...(ethereumRpcUrl === undefined
      ? []
      : [new EthereumChain({ url: ethereumRpcUrl, chainId, finalityDepth }, new NodeWatch('ethereum', log))]),
    ...(solanaRpcUrl === undefined ? [] : [new SolanaChain({ url: solanaRpcUrl }, new NodeWatch('solana', log))]),
  ]);
}
