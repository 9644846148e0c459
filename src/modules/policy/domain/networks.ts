import type { Asset } from '../../../kernel/chain/asset.js';
import type { WalletType } from '../../../kernel/chain/chain-name.js';
import type { CanonicalAddress } from './facts.js';

/** The names of networks, and the form of addresses, that facts use. */
export abstract class Networks {
  /** The name of the configured network that this name or CAIP-2 name means; any other one unchanged. */
  abstract readonly nameOf: (network: string) => string;
  /** The CAIP-2 names of the configured networks by their names. A Solana cluster that the configuration does not identify has its own name. */
  abstract readonly ids: Readonly<Record<string, string>>;
  /** The native coin of the network of this name; null if the network is not configured. */
  abstract readonly coinOf: (name: string) => Asset | null;
  /** The most that a transaction of a caller may take for its gas under a rule with an amount, in wei; null as above, and without gas. */
  abstract readonly maxTransactionFeeOf: (name: string) => bigint | null;
  /** The type of the wallets of the network of this name; null if the network is not configured. */
  abstract readonly walletTypeOf: (name: string) => WalletType | null;
  /** The currencies among these tokens and the native ones that the text names; with a network only those on it. */
  abstract readonly assetsNamed: (text: string, tokens: readonly Asset[], network?: string) => readonly Asset[];
  abstract readonly canonicalAddress: CanonicalAddress;
}
