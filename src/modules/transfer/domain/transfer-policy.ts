import type { Payment } from './chain.js';
import { DestinationNotAllowed, TransferLimitExceeded } from './transfer.errors.js';

/** What an app lets its wallets pay; what is absent is not bounded. */
export interface PaymentBounds {
  /** Addresses in their canonical form. */
  readonly allowedDestinations?: readonly string[];
  /** Decimal text by the currency's name. */
  readonly maxAmounts?: Readonly<Record<string, string>>;
}

/** Throws `DestinationNotAllowed`, `TransferLimitExceeded`. To be asked before a key is opened. */
export function assertAllowed({ allowedDestinations, maxAmounts = {} }: PaymentBounds, payment: Payment): void {
  const { asset, dest, amount } = payment;
  if (allowedDestinations && !allowedDestinations.includes(dest)) throw new DestinationNotAllowed();
  const max = Object.hasOwn(maxAmounts, asset.name) ? maxAmounts[asset.name] : undefined;
  if (max !== undefined && amount > unitsWithin(max, asset.decimals))
    throw new TransferLimitExceeded(max, asset.symbol);
}

/** The most whole smallest units there are in a bound, which may be zero or finer than the currency. */
function unitsWithin(text: string, decimals: number): bigint {
  const [whole = '', fraction = ''] = text.split('.');
  return BigInt(whole + fraction.slice(0, decimals).padEnd(decimals, '0'));
}
