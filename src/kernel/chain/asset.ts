import type { ChainName, WalletType } from './chain-name.js';

/** A coin or token, counted in whole smallest units. */
export interface Asset {
  /** The name of its network. */
  readonly chain: ChainName;
  /** The currency's name in the API, lower case: for a network's own coin the network's name. */
  readonly name: string;
  /** The symbol in upper case, which is accepted in place of the name. */
  readonly symbol: string;
  /** One unit of the currency is 10^decimals smallest units. */
  readonly decimals: number;
  /** The ERC-20 contract or the SPL mint in the chain's canonical form; null for the chain's own coin. */
  readonly token: string | null;
}

/** The decimals of native coins, in which nodes count. */
export const COIN_DECIMALS: Readonly<Record<WalletType, number>> = { ethereum: 18, solana: 9 };

/** The largest balance an account can have, in smallest units: the range of the chain's integers. */
export const MAX_UNITS: Readonly<Record<WalletType, bigint>> = {
  ethereum: (1n << 256n) - 1n,
  solana: (1n << 64n) - 1n,
};

/** The native coin of the network with this CAIP-2 name, which the configuration may no longer have. */
export function coinUnitsOf(network: string): Pick<Asset, 'decimals'> {
  return { decimals: COIN_DECIMALS[network.startsWith('eip155:') ? 'ethereum' : 'solana'] };
}

/** Smallest units as decimal text, without trailing zeros. */
export function formatAmount(units: bigint, { decimals }: Pick<Asset, 'decimals'>): string {
  const digits = units.toString().padStart(decimals + 1, '0');
  const whole = digits.slice(0, digits.length - decimals);
  const fraction = digits.slice(digits.length - decimals).replace(/0+$/, '');
  return fraction === '' ? whole : `${whole}.${fraction}`;
}
