import { FeeTooHigh } from '../../../../kernel/chain/chain.errors.js';

// Fees of Ethereum, in wei per gas unless a name says otherwise. A node's fees are an input, never the result: the
// operator's ceilings, the quote and the fee history bound them.

/** The highest fees that the service signs. */
export interface FeeCeilings {
  /** The setting `ETHEREUM_MAX_FEE_PER_GAS`. */
  readonly maxFeePerGas: bigint;
  /** The setting `ETHEREUM_MAX_TIP`. */
  readonly maxTip: bigint;
}

export interface FeeBounds extends FeeCeilings {
  /** The setting `ETHEREUM_MIN_TIP`: block producers take nothing below it. */
  readonly minTip: bigint;
  /** The setting `max_l1_fee`, in wei: the bound of the L1 and the operator fee together. */
  readonly maxL1Fee: bigint;
}

/** On a chain that takes no tips. */
export const NO_TIPS = { suggestedTip: 0n, recentTips: [] } as const;

/** The fees that a node reports. */
export interface FeeMarket {
  readonly baseFeePerGas: bigint;
  /** The result of `eth_maxPriorityFeePerGas`; the median of the recent tips where the node lacks it. */
  readonly suggestedTip: bigint;
  /** The tips of transactions in recent blocks; empty when the node does not report them. */
  readonly recentTips: readonly bigint[];
}

export interface Fees {
  readonly maxFeePerGas: bigint;
  readonly maxPriorityFeePerGas: bigint;
}

export interface CurrentFees extends Fees {
  /** The least price that the next block includes. */
  readonly least: bigint;
}

/**
 * The fees to sign with. A doubled base fee stays sufficient for five full blocks in a row. Recent tips can only lower the
 * tip, and neither they nor the node lower it below the bound: blocks whose transactions paid 1 wei would make each payment and
 * each replacement one that no block includes. Throws `FeeTooHigh` when the next block would take more than a ceiling, or the
 * node suggests more.
 */
export function currentFees({ baseFeePerGas, suggestedTip, recentTips }: FeeMarket, bounds: FeeBounds): CurrentFees {
  const usual = smaller(suggestedTip, usualTip(recentTips) ?? suggestedTip);
  const tip = larger(usual, smaller(bounds.minTip, bounds.maxTip));
  const least = baseFeePerGas + tip;
  assertWithin({ maxFeePerGas: least, maxPriorityFeePerGas: suggestedTip }, bounds);
  return { maxFeePerGas: smaller(baseFeePerGas + least, bounds.maxFeePerGas), maxPriorityFeePerGas: tip, least };
}

/** Throws `FeeTooHigh` naming the setting. */
export function assertWithin({ maxFeePerGas, maxPriorityFeePerGas }: Fees, ceilings: FeeCeilings): void {
  if (maxPriorityFeePerGas > ceilings.maxTip) throw FeeTooHigh.above('ETHEREUM_MAX_TIP');
  if (maxFeePerGas > ceilings.maxFeePerGas) throw FeeTooHigh.above('ETHEREUM_MAX_FEE_PER_GAS');
}

/** The least fees that replace all of these attempts: nodes require both fees to rise by a tenth, some by an eighth. */
export function leastToReplace(attempts: readonly Fees[]): Fees {
  return {
    maxFeePerGas: attempts.map((attempt) => anEighthMore(attempt.maxFeePerGas)).reduce(larger, 0n),
    maxPriorityFeePerGas: attempts.map((attempt) => anEighthMore(attempt.maxPriorityFeePerGas)).reduce(larger, 0n),
  };
}

/** The current fees, raised to `least` and cut to `most`, which must be enough to replace the earlier attempts. */
export function replacementFees(least: Fees, current: Fees, most: bigint): Fees {
  const maxFeePerGas = smaller(larger(least.maxFeePerGas, current.maxFeePerGas), most);
  const tip = larger(least.maxPriorityFeePerGas, current.maxPriorityFeePerGas);
  return { maxFeePerGas, maxPriorityFeePerGas: smaller(tip, maxFeePerGas) };
}

/** Twice the median of the tips that were paid; null when there were none. */
function usualTip(recentTips: readonly bigint[]): bigint | null {
  const median = medianTip(recentTips);
  return median === 0n ? null : median * 2n;
}

/** The median of the tips that were paid; 0 when there were none. */
export function medianTip(recentTips: readonly bigint[]): bigint {
  const paid = recentTips.filter((tip) => tip > 0n).sort((a, b) => (a < b ? -1 : 1));
  return paid[Math.floor(paid.length / 2)] ?? 0n;
}

function anEighthMore(fee: bigint): bigint {
  return (fee * 9n) / 8n + 1n;
}

export function larger(a: bigint, b: bigint): bigint {
  return a > b ? a : b;
}

export function smaller(a: bigint, b: bigint): bigint {
  return a < b ? a : b;
}
