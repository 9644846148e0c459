import type { Asset } from '../../../../kernel/chain/asset.js';
import type { WalletType } from '../../../../kernel/chain/chain-name.js';
import type { CanonicalAddress } from './facts.js';

export abstract class Networks {
  /** Takes a name or CAIP-2 name; returns the name of a configured network, or the argument unchanged. */
  abstract readonly nameOf: (network: string) => string;
  /** CAIP-2 names by network name. A Solana cluster that the configuration does not identify has its own name. */
  abstract readonly ids: Readonly<Record<string, string>>;
  abstract readonly coinOf: (name: string) => Asset | null;
  /** The most gas cost in wei of a caller's transaction under a rule with an amount; null without gas or configuration. */
  abstract readonly maxTransactionFeeOf: (name: string) => bigint | null;
  abstract readonly walletTypeOf: (name: string) => WalletType | null;
  /** The currencies among the tokens and native coins that the text names. */
  abstract readonly assetsNamed: (text: string, tokens: readonly Asset[], network?: string) => readonly Asset[];
  abstract readonly canonicalAddress: CanonicalAddress;
}
