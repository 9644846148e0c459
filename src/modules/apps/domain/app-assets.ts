import type { ChainName } from '../../../kernel/chain/chain-name.js';
import { InvalidAsset } from './apps.errors.js';

/** A token the app's wallets may pay with: an ERC-20 contract or an SPL mint. */
export interface AppAsset {
  readonly chain: ChainName;
  /** The name that callers use for the currency, in lower case. */
  readonly name: string;
  /** The symbol in upper case. Callers may use it in place of the name. */
  readonly symbol: string;
  readonly decimals: number;
  /** The contract or the mint, in the chain's canonical form. */
  readonly token: string;
}

const TAKEN = ['ethereum', 'eth', 'solana', 'sol'];

/** Refuses lists in which a name or symbol could mean two assets. Throws `InvalidAsset`. */
export function uniquelyNamed(assets: readonly AppAsset[]): readonly AppAsset[] {
  const names = new Set(TAKEN);
  for (const { name, symbol } of assets) {
    for (const word of new Set([name, symbol.toLowerCase()])) {
      if (names.has(word)) throw new InvalidAsset(`${word} names more than one asset`);
      names.add(word);
    }
  }
  return assets;
}
