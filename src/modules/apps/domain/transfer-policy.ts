import { DestinationNotAllowed, TransactionNotAllowed, TransferLimitExceeded } from './apps.errors.js';

/** What an app's wallets may pay, checked before a key is opened. What is absent is not bounded. */
export interface TransferPolicy {
  /** The only addresses that may be paid, in the canonical form of their chain. */
  readonly allowedDestinations?: readonly string[];
  /** The most one transfer may pay, as decimal text, by the currency's name. */
  readonly maxAmounts?: Readonly<Record<string, string>>;
}

/** A payment as far as a policy judges it. */
export interface PolicedPayment {
  readonly asset: { readonly name: string; readonly symbol: string; readonly decimals: number };
  /** In its canonical form. */
  readonly dest: string;
  /** In smallest units. */
  readonly amount: bigint;
}

/**
 * Null stands for something that may pay whom and what nobody can tell: only an app without bounds allows it. Throws
 * `DestinationNotAllowed`, `TransferLimitExceeded`, `TransactionNotAllowed`.
 */
export function assertAllowed(policy: TransferPolicy, payment: PolicedPayment | null): void {
  const { allowedDestinations, maxAmounts = {} } = policy;
  if (!payment) {
    if (allowedDestinations || Object.keys(maxAmounts).length > 0) throw new TransactionNotAllowed();
    return;
  }
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
