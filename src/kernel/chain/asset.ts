import type { ChainName } from './chain-name.js';

/** A coin or token, counted in whole smallest units. */
export interface Asset {
  readonly chain: ChainName;
  /** The currency's name in the API, lower case: for a chain's own coin the chain's name. */
  readonly name: string;
  /** The symbol in upper case, which is accepted in place of the name. */
  readonly symbol: string;
  /** One unit of the currency is 10^decimals smallest units. */
  readonly decimals: number;
  /** The ERC-20 contract or the SPL mint in the chain's canonical form; null for the chain's own coin. */
  readonly token: string | null;
}

/** The coin of each chain. Fees of token transfers are paid in it too. */
export const NATIVE_ASSETS: Readonly<Record<ChainName, Asset>> = {
  ethereum: { chain: 'ethereum', name: 'ethereum', symbol: 'ETH', decimals: 18, token: null },
  solana: { chain: 'solana', name: 'solana', symbol: 'SOL', decimals: 9, token: null },
};

/** The largest balance an account can have, in smallest units: the range of the chain's integers. */
export const MAX_UNITS: Readonly<Record<ChainName, bigint>> = {
  ethereum: (1n << 256n) - 1n,
  solana: (1n << 64n) - 1n,
};

/** The app's asset with this contract or mint; for null the chain's own coin. Null when the app has no such asset. */
export function assetOfToken(chain: ChainName, token: string | null, tokens: readonly Asset[]): Asset | null {
  if (token === null) return NATIVE_ASSETS[chain];
  return tokens.find((asset) => asset.chain === chain && asset.token === token) ?? null;
}

/** The coin or app's token with this name or symbol, in upper or lower case; null when there is none. */
export function assetNamed(text: string, tokens: readonly Asset[] = []): Asset | null {
  const name = text.toLowerCase();
  const all = [...Object.values(NATIVE_ASSETS), ...tokens];
  return all.find((asset) => asset.name === name || asset.symbol.toLowerCase() === name) ?? null;
}
