import { type Asset, MAX_UNITS } from '../../../kernel/chain/asset.js';
import { InvalidAmount } from '../../../kernel/chain/chain.errors.js';

/** Converts decimal text to the asset's smallest units without rounding. Throws `InvalidAmount` unless above zero and within the chain's range. */
export function parseAmount(text: string, { symbol, decimals, chain }: Asset): bigint {
  const [, whole, fraction = ''] = /^(0|[1-9]\d{0,59})(?:\.(\d+))?$/.exec(text) ?? [];
  if (whole === undefined) throw new InvalidAmount('must be a decimal number in digits, such as 0.25');
  if (fraction.length > decimals) throw new InvalidAmount(`has more than the ${decimals} decimals of ${symbol}`);
  const units = BigInt(whole + fraction.padEnd(decimals, '0'));
  if (units === 0n) throw new InvalidAmount('must be above zero');
  if (units > MAX_UNITS[chain]) throw new InvalidAmount('is more than the chain can hold');
  return units;
}

/** Smallest units as decimal text, without trailing zeros. */
export function formatAmount(units: bigint, { decimals }: Pick<Asset, 'decimals'>): string {
  const digits = units.toString().padStart(decimals + 1, '0');
  const whole = digits.slice(0, digits.length - decimals);
  const fraction = digits.slice(digits.length - decimals).replace(/0+$/, '');
  return fraction === '' ? whole : `${whole}.${fraction}`;
}
