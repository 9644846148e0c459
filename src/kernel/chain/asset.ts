import type { ChainName } from './chain-name.js';

/** Something that is counted in whole smallest units and can be paid with. */
export interface Asset {
  readonly chain: ChainName;
  /** What callers call the currency, lower case: the chain's name for its own coin. */
  readonly name: string;
  /** Upper case; accepted in place of the name. */
  readonly symbol: string;
  /** How many decimals one of it has: 10^decimals smallest units. */
  readonly decimals: number;
  /** The ERC-20 contract or the SPL mint in the chain's canonical form; null for the chain's own coin. */
  readonly token: string | null;
}

/** The coin of each chain. Fees are always paid in it, whatever is being moved. */
export const NATIVE_ASSETS: Readonly<Record<ChainName, Asset>> = {
  ethereum: { chain: 'ethereum', name: 'ethereum', symbol: 'ETH', decimals: 18, token: null },
  solana: { chain: 'solana', name: 'solana', symbol: 'SOL', decimals: 9, token: null },
};

/** The largest balance an account can have, in smallest units: what the chain's own integers hold. */
export const MAX_UNITS: Readonly<Record<ChainName, bigint>> = {
  ethereum: (1n << 256n) - 1n,
  solana: (1n << 64n) - 1n,
};

/** The asset a token's contract or mint stands for: one of the app's, or without one the chain's own coin. Null: none of them. */
export function assetOfToken(chain: ChainName, token: string | null, tokens: readonly Asset[]): Asset | null {
  if (token === null) return NATIVE_ASSETS[chain];
  return tokens.find((asset) => asset.chain === chain && asset.token === token) ?? null;
}

/** The asset a caller names by name or symbol, in any case: a chain's own coin, or one of the app's tokens. Null: none of them. */
export function assetNamed(text: string, tokens: readonly Asset[] = []): Asset | null {
  const name = text.toLowerCase();
  const all = [...Object.values(NATIVE_ASSETS), ...tokens];
  return all.find((asset) => asset.name === name || asset.symbol.toLowerCase() === name) ?? null;
}
