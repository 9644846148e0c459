import type { ChainName } from '../../../kernel/chain/chain-name.js';
import { InvalidAsset } from './apps.errors.js';

/** An ERC-20 contract or an SPL mint that the app's wallets may pay with. */
export interface AppAsset {
  readonly chain: ChainName;
  readonly name: string;
  /** In upper case. Callers may use it in place of the lower-case name. */
  readonly symbol: string;
  readonly decimals: number;
  /** The contract or the mint, in the chain's canonical form. */
  readonly token: string;
}

/** The words that mean a native currency on every network. */
const TAKEN = ['ethereum', 'eth', 'solana', 'sol'];

export function uniquelyNamed(assets: readonly AppAsset[]): readonly AppAsset[] {
  const names = new Set<string>();
  for (const { chain, name, symbol } of assets) {
    for (const word of new Set([name, symbol.toLowerCase()])) {
      const ofNetwork = `${chain} ${word}`;
      if (TAKEN.includes(word) || names.has(ofNetwork)) throw new InvalidAsset(`${word} names more than one asset`);
      names.add(ofNetwork);
    }
  }
  return assets;
}

/** The bounds on payments from an app's wallets, checked before a key is opened. An absent bound does not apply. */
export interface TransferPolicy {
  /** The only addresses that may be paid, in the canonical form of their chain. */
  readonly allowedDestinations?: readonly string[];
  /** The most one transfer may pay, as decimal text, by the currency's name or symbol. */
  readonly maxAmounts?: Readonly<Record<string, string>>;
  /** The most one transaction may take in fees, as decimal text of the coin, by the network's name. */
  readonly maxFees?: Readonly<Record<string, string>>;
  /** The CAIP-2 names of the networks that these bounds named whenever they were set, by their names then. */
  readonly networkIds?: Readonly<Record<string, readonly string[]>>;
}

export function isBounding({ allowedDestinations, maxAmounts, maxFees }: OrNull<TransferPolicy>): boolean {
  return Boolean(allowedDestinations) || [maxAmounts, maxFees].some((max) => Object.keys(max ?? {}).length > 0);
}

type OrNull<T> = { readonly [K in keyof T]: T[K] | null };
