import { type Asset, MAX_UNITS } from './asset.js';
import { InvalidAmount } from './chain.errors.js';
import type { WalletType } from './chain-name.js';

type Counted = Pick<Asset, 'symbol' | 'decimals'>;

/** Never rounds. Throws `InvalidAmount` unless the amount is above zero and within the range of the chains of this type. */
export function parseAmount(text: string, asset: Counted, walletType: WalletType): bigint {
  const units = unitsIn(text, asset, walletType);
  if (typeof units === 'string') throw new InvalidAmount(units);
  if (units === 0n) throw new InvalidAmount('must be above zero');
  return units;
}

/** May be zero. A text is the fault, as it follows the name of the field in an error. */
export function unitsIn(text: string, { symbol, decimals }: Counted, walletType: WalletType): bigint | string {
  const [, whole, fraction = ''] = /^(0|[1-9]\d{0,59})(?:\.(\d+))?$/.exec(text) ?? [];
  if (whole === undefined) return 'must be a decimal number in digits, such as 0.25';
  if (fraction.length > decimals) return `has more than the ${decimals} decimals of ${symbol}`;
  const units = BigInt(whole + fraction.padEnd(decimals, '0'));
  return units > MAX_UNITS[walletType] ? 'is more than the chain can hold' : units;
}
