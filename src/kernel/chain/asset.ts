import type { ChainName, WalletType } from './chain-name.js';

export interface Asset {
  readonly chain: ChainName;
  /** The name in lower case; for a network's own coin the network's name. */
  readonly name: string;
  /** The symbol in upper case, which is accepted in place of the name. */
  readonly symbol: string;
  readonly decimals: number;
  /** The ERC-20 contract or SPL mint in canonical form; null for the coin. */
  readonly token: string | null;
}

export const COIN_DECIMALS: Readonly<Record<WalletType, number>> = { ethereum: 18, solana: 9 };

/** The range of the chain's integers, in smallest units. */
export const MAX_UNITS: Readonly<Record<WalletType, bigint>> = {
  ethereum: (1n << 256n) - 1n,
  solana: (1n << 64n) - 1n,
};

export function coinUnitsOf(network: string): Pick<Asset, 'decimals'> {
  return { decimals: COIN_DECIMALS[network.startsWith('eip155:') ? 'ethereum' : 'solana'] };
}

export function formatAmount(units: bigint, { decimals }: Pick<Asset, 'decimals'>): string {
  const digits = units.toString().padStart(decimals + 1, '0');
  const whole = digits.slice(0, digits.length - decimals);
  const fraction = digits.slice(digits.length - decimals).replace(/0+$/, '');
  return fraction === '' ? whole : `${whole}.${fraction}`;
}
