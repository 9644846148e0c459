import type { WalletType } from '../../../src/kernel/chain/chain-name.js';

export const EVM_NETWORKS = ['ethereum', 'sidechain'] as const;
/** The networks of a run. A wallet has the same address, and counts the same nonces, on all EVM networks. */
export const NETWORKS = [...EVM_NETWORKS, 'solana'] as const;
export type EvmName = (typeof EVM_NETWORKS)[number];
export type NetworkName = (typeof NETWORKS)[number];

export function walletTypeOf(network: NetworkName): WalletType {
  return network === 'solana' ? 'solana' : 'ethereum';
}

/** The networks on which wallets of this type pay. */
export function networksOf(type: WalletType): readonly NetworkName[] {
  return NETWORKS.filter((network) => walletTypeOf(network) === type);
}
