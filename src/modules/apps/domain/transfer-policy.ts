import type { ChainName } from '../../../kernel/chain/chain-name.js';
import {
  InvalidAsset,
  DestinationNotAllowed,
  FeeLimitExceeded,
  TransactionNotAllowed,
  TransferLimitExceeded,
} from './apps.errors.js';

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

/** The bounds on payments from an app's wallets, checked before a key is opened. An absent bound does not apply. */
export interface TransferPolicy {
  /** The only addresses that may be paid, in the canonical form of their chain. */
  readonly allowedDestinations?: readonly string[];
  /** The most one transfer may pay, as decimal text, by the currency's name or symbol. */
  readonly maxAmounts?: Readonly<Record<string, string>>;
  /** The most one transaction may take in fees, as decimal text of the coin, by the chain's name. */
  readonly maxFees?: Readonly<Record<string, string>>;
}

interface PolicedAsset {
  readonly name: string;
  readonly symbol: string;
  readonly decimals: number;
}

/** A payment as far as a policy judges it. */
export interface PolicedPayment {
  readonly asset: PolicedAsset;
  /** The recipient's address in its canonical form. */
  readonly dest: string;
  /** The amount in the asset's smallest units. */
  readonly amount: bigint;
}

/** The most a transaction may take in fees, as far as a policy judges it. */
export interface PolicedFee {
  /** The coin of the chain. */
  readonly asset: PolicedAsset;
  /** The fee in the coin's smallest units. */
  readonly amount: bigint;
  /** Whether the caller has chosen it. Without a bound on fees, the one on amounts of the coin then bounds it. */
  readonly isChosen?: boolean;
}

/** Whether the policy bounds anything. */
export function isBounding({ allowedDestinations, maxAmounts, maxFees }: OrNull<TransferPolicy>): boolean {
  return Boolean(allowedDestinations) || [maxAmounts, maxFees].some((max) => Object.keys(max ?? {}).length > 0);
}

type OrNull<T> = { readonly [K in keyof T]: T[K] | null };

/**
 * Null stands for a transaction whose recipient or amount cannot be decoded: only an app without bounds allows it.
 * Throws `DestinationNotAllowed`, `TransferLimitExceeded`, `TransactionNotAllowed`.
 */
export function assertAllowed(policy: TransferPolicy, payment: PolicedPayment | null): void {
  const { allowedDestinations, maxAmounts = {} } = policy;
  if (!payment) {
    if (isBounding(policy)) throw new TransactionNotAllowed();
    return;
  }
  const { asset, dest, amount } = payment;
  if (allowedDestinations && !allowedDestinations.includes(dest)) throw new DestinationNotAllowed();
  const max = boundOf(maxAmounts, asset);
  if (max !== undefined && amount > unitsWithin(max, asset.decimals))
    throw new TransferLimitExceeded(max, asset.symbol);
}

/** Throws `FeeLimitExceeded`. */
export function assertFeeAllowed(
  { maxFees, maxAmounts }: TransferPolicy,
  { asset, amount, isChosen }: PolicedFee,
): void {
  const max = boundOf(maxFees, asset) ?? (isChosen ? boundOf(maxAmounts, asset) : undefined);
  if (max !== undefined && amount > unitsWithin(max, asset.decimals)) throw new FeeLimitExceeded(max, asset.symbol);
}

/** A bound may name the currency by its symbol too, because a token may be listed after its bound. The smallest one holds. */
function boundOf(
  bounds: Readonly<Record<string, string>> = {},
  { name, symbol, decimals }: PolicedAsset,
): string | undefined {
  const words = [name, symbol.toLowerCase()];
  const found = Object.entries(bounds).filter(([currency]) => words.includes(currency.toLowerCase()));
  const unitsOf = ([, max]: [string, string]) => unitsWithin(max, decimals);
  return found.sort((one, other) => (unitsOf(one) < unitsOf(other) ? -1 : 1))[0]?.[1];
}

/** The most whole smallest units there are in a bound, which may be zero or finer than the currency. */
function unitsWithin(text: string, decimals: number): bigint {
  const [whole = '', fraction = ''] = text.split('.');
  return BigInt(whole + fraction.slice(0, decimals).padEnd(decimals, '0'));
}
