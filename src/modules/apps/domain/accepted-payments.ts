import { unitsIn } from '../../../kernel/chain/amount.js';
import type { Asset } from '../../../kernel/chain/asset.js';
import type { ConfiguredNetworks } from '../../../kernel/chain/networks.js';
import { InvalidAsset } from './apps.errors.js';

/** The largest payments whose first block the app waits for, not their finality: decimal text by the name or symbol of the currency. */
export type AcceptedPayments = Readonly<Record<string, string>>;

interface LargestPayment {
  readonly currency: string;
  readonly max_amount: string;
}

const FIELD = 'accept_confirmed';

/** Each amount must be valid in every currency that its name stands for. A currency may be bounded once. */
export function acceptedPaymentsOf(
  largest: readonly LargestPayment[],
  tokens: readonly Asset[],
  networks: ConfiguredNetworks,
): AcceptedPayments {
  const accepted: Record<string, string> = {};
  const bounded = new Set<string>();
  for (const { currency, max_amount: maxAmount } of largest) {
    const assets = networks.assetsNamed(currency, tokens);
    if (assets.length === 0) throw new InvalidAsset(`${currency} is no currency of the app`, FIELD);
    for (const asset of assets) {
      const key = `${asset.chain} ${asset.token}`;
      if (bounded.has(key)) throw new InvalidAsset(`${asset.name} is bounded more than once`, FIELD);
      bounded.add(key);
      const units = unitsOf(maxAmount, asset, networks);
      if (typeof units === 'string') throw new InvalidAsset(`${maxAmount} ${units}`, FIELD);
    }
    const [only, another] = assets;
    accepted[another ? currency.toLowerCase() : only!.name] = maxAmount;
  }
  return accepted;
}

/** Whether the app waits only for the first block of this payment. Currencies that the app has removed bound nothing. */
export function isAcceptedInBlock(
  accepted: AcceptedPayments,
  { asset, amount }: { readonly asset: Asset; readonly amount: bigint },
  tokens: readonly Asset[],
  networks: ConfiguredNetworks,
): boolean {
  return Object.entries(accepted).some(([currency, maxAmount]) =>
    networks.assetsNamed(currency, tokens).some((named) => {
      const units = named.chain === asset.chain && named.token === asset.token && unitsOf(maxAmount, named, networks);
      return typeof units === 'bigint' && amount <= units;
    }),
  );
}

const unitsOf = (text: string, asset: Asset, networks: ConfiguredNetworks): bigint | string =>
  unitsIn(text, asset, networks.named(asset.chain)!.walletType);
