import { type Asset, formatAmount } from '../../../kernel/chain/asset.js';
import { WALLET_TYPE_ALIASES } from '../../../kernel/chain/chain-name.js';
import type { Networks } from './networks.js';
import { DestinationNotAllowed, FeeLimitExceeded, TransferLimitExceeded } from './policy.errors.js';

/** The bounds on payments from an app's wallets. An absent bound does not apply. */
interface PaymentBounds {
  /** The only addresses that may be paid, in the canonical form of their chain. */
  readonly allowedDestinations?: readonly string[];
  /** The most one transfer may pay, as decimal text: by a name for one network's currency, by a symbol for it on all networks. */
  readonly maxAmounts?: Readonly<Record<string, string>>;
  /** The most one transaction may take in fees, as decimal text of the coin, by the chain's name. */
  readonly maxFees?: Readonly<Record<string, string>>;
  /** The CAIP-2 names of the networks that the bounds named whenever they were set. */
  readonly networkIds?: Readonly<Record<string, readonly string[]>>;
}

type NamedNetworks = Pick<Networks, 'nameOf'>;

type PolicedAsset = Pick<Asset, 'name' | 'symbol' | 'decimals'>;

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

/** Throws `DestinationNotAllowed`, `TransferLimitExceeded`. */
export function assertAllowed(
  { allowedDestinations, maxAmounts, networkIds }: PaymentBounds,
  { asset, dest, amount }: PolicedPayment,
  networks: NamedNetworks,
): void {
  if (allowedDestinations && !allowedDestinations.includes(dest)) throw new DestinationNotAllowed();
  const max = boundOf(asset, networks, maxAmounts, networkIds);
  if (max !== undefined && amount > unitsWithin(max, asset.decimals))
    throw new TransferLimitExceeded(max, asset.symbol);
}

/** Throws `FeeLimitExceeded`. */
export function assertFeeAllowed(
  { maxFees, maxAmounts, networkIds }: PaymentBounds,
  { asset, amount, isChosen }: PolicedFee,
  networks: NamedNetworks,
): void {
  const ofAmounts =
    isChosen && !areFeesBounded({ maxFees, networkIds }, asset, networks)
      ? boundOf(asset, networks, maxAmounts, networkIds)
      : undefined;
  for (const max of [boundOf(asset, networks, maxFees, networkIds), ofAmounts])
    if (max !== undefined && amount > unitsWithin(max, asset.decimals)) throw new FeeLimitExceeded(max, asset.symbol);
}

/** Whether the app has bounded the fees of this chain. A name that meant other chains when it was bounded does not count. */
function areFeesBounded(
  { maxFees = {}, networkIds = {} }: PaymentBounds,
  asset: PolicedAsset,
  networks: NamedNetworks,
): boolean {
  const bounds = Object.entries(maxFees).filter(
    ([name]) => networkIds[name]?.some((id) => networks.nameOf(id) === asset.name) ?? true,
  );
  return boundOf(asset, networks, Object.fromEntries(bounds), networkIds) !== undefined;
}

/**
 * The refusal of the fees of a caller's transaction by a rule that bounds an amount: fees are no amount. It is for a coin whose fees
 * `maxFees` does not bound; null if they are within the ceiling of the network, or the network has none.
 */
export function feeRefusalUnderAmounts(
  bounds: PaymentBounds,
  { asset, amount }: PolicedFee,
  networks: NamedNetworks & Pick<Networks, 'maxTransactionFeeOf'>,
): FeeLimitExceeded | null {
  const ceiling = networks.maxTransactionFeeOf(asset.name);
  if (ceiling === null || amount <= ceiling) return null;
  if (areFeesBounded(bounds, asset, networks)) return null;
  return new FeeLimitExceeded(formatAmount(ceiling, asset), asset.symbol);
}

/**
 * A bound may name the currency by its symbol too: on all networks, and a token may be listed after its bound. One that named a network
 * holds for the same chain once it has another name. The smallest one holds.
 */
function boundOf(
  { name, symbol, decimals }: PolicedAsset,
  { nameOf }: NamedNetworks,
  bounds: PaymentBounds['maxAmounts'] = {},
  networkIds: PaymentBounds['networkIds'] = {},
): string | undefined {
  const words = [name, symbol.toLowerCase()];
  // The operator may have given the network `ethereum` another symbol, but payments on it still take `ETH`.
  const isMeant = (word: string): boolean =>
    words.includes(word.toLowerCase()) ||
    WALLET_TYPE_ALIASES[word.toUpperCase()] === name ||
    (networkIds[word] ?? []).some((id) => nameOf(id) === name);
  const found = Object.entries(bounds).filter(([currency]) => isMeant(currency));
  const unitsOf = ([, max]: [string, string]) => unitsWithin(max, decimals);
  return found.sort((one, other) => (unitsOf(one) < unitsOf(other) ? -1 : 1))[0]?.[1];
}

/** The most whole smallest units there are in a bound, which may be zero or finer than the currency. */
function unitsWithin(text: string, decimals: number): bigint {
  const [whole = '', fraction = ''] = text.split('.');
  return BigInt(whole + fraction.slice(0, decimals).padEnd(decimals, '0'));
}
