import { type Asset, formatAmount } from '../../../../kernel/chain/asset.js';
import { WALLET_TYPE_ALIASES } from '../../../../kernel/chain/chain-name.js';
import type { Networks } from './networks.js';
import { DestinationNotAllowed, FeeLimitExceeded, TransferLimitExceeded } from './policy.errors.js';

/** An absent bound does not apply. */
interface PaymentBounds {
  /** Addresses in the canonical form of their chain. */
  readonly allowedDestinations?: readonly string[];
  /** Decimal text, by a name for one network's currency, by a symbol for it on all networks. */
  readonly maxAmounts?: Readonly<Record<string, string>>;
  /** Decimal text of the coin per transaction, by the chain's name. */
  readonly maxFees?: Readonly<Record<string, string>>;
  /** CAIP-2 names of the networks that the bounds named whenever they were set. */
  readonly networkIds?: Readonly<Record<string, readonly string[]>>;
}

type NamedNetworks = Pick<Networks, 'nameOf'>;

type PolicedAsset = Pick<Asset, 'name' | 'symbol' | 'decimals'>;

export interface PolicedPayment {
  readonly asset: PolicedAsset;
  readonly dest: string;
  readonly amount: bigint;
}

/** The most a transaction may take, in smallest units of the coin. */
export interface PolicedFee {
  readonly asset: PolicedAsset;
  readonly amount: bigint;
  /** The caller has chosen it. If fees have no bound, the one on amounts of the coin bounds it. */
  readonly isChosen?: boolean;
}

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

/** A name that meant other chains when it was bounded does not count. */
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

/** Fees are no amount, so a rule that bounds an amount also needs this ceiling of the network. Null if `maxFees` bounds the coin. */
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

/** A symbol means all networks. A bound that named a network holds for its chain under another name, too. The smallest bound holds. */
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

/** The bound may be zero or finer than the currency. */
function unitsWithin(text: string, decimals: number): bigint {
  const [whole = '', fraction = ''] = text.split('.');
  return BigInt(whole + fraction.slice(0, decimals).padEnd(decimals, '0'));
}
