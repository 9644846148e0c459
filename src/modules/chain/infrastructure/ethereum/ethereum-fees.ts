import { FeeTooHigh } from '../../../../kernel/chain/chain.errors.js';

// Fees are in wei per gas unless a name says otherwise. A node's fees are only an input: ceilings, quote and fee history bound them.

export interface FeeCeilings {
  readonly maxFeePerGas: bigint;
  readonly maxTip: bigint;
}

export interface FeeBounds extends FeeCeilings {
  /** Block producers take nothing below it. */
  readonly minTip: bigint;
  /** The bound of the L1 and the operator fee together, in wei. */
  readonly maxL1Fee: bigint;
}

export const NO_TIPS = { suggestedTip: 0n, recentTips: [] } as const;

export interface FeeMarket {
  readonly baseFeePerGas: bigint;
  /** The result of `eth_maxPriorityFeePerGas`; the median of the recent tips where the node lacks it. */
  readonly suggestedTip: bigint;
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

/** Room for five full blocks. Recent tips only lower the tip, never below the bound: no block includes 1 wei. Throws `FeeTooHigh`. */
export function currentFees({ baseFeePerGas, suggestedTip, recentTips }: FeeMarket, bounds: FeeBounds): CurrentFees {
  const usual = smaller(suggestedTip, usualTip(recentTips) ?? suggestedTip);
  const tip = larger(usual, smaller(bounds.minTip, bounds.maxTip));
  const least = baseFeePerGas + tip;
  assertWithin({ maxFeePerGas: least, maxPriorityFeePerGas: suggestedTip }, bounds);
  return { maxFeePerGas: smaller(baseFeePerGas + least, bounds.maxFeePerGas), maxPriorityFeePerGas: tip, least };
}

export function assertWithin({ maxFeePerGas, maxPriorityFeePerGas }: Fees, ceilings: FeeCeilings): void {
  if (maxPriorityFeePerGas > ceilings.maxTip) throw FeeTooHigh.above('ETHEREUM_MAX_TIP');
  if (maxFeePerGas > ceilings.maxFeePerGas) throw FeeTooHigh.above('ETHEREUM_MAX_FEE_PER_GAS');
}

/** Nodes require both fees to rise by a tenth, some by an eighth. */
export function leastToReplace(attempts: readonly Fees[]): Fees {
  return {
    maxFeePerGas: attempts.map((attempt) => anEighthMore(attempt.maxFeePerGas)).reduce(larger, 0n),
    maxPriorityFeePerGas: attempts.map((attempt) => anEighthMore(attempt.maxPriorityFeePerGas)).reduce(larger, 0n),
  };
}

/** `most` must be enough to replace the earlier attempts. */
export function replacementFees(least: Fees, current: Fees, most: bigint): Fees {
  const maxFeePerGas = smaller(larger(least.maxFeePerGas, current.maxFeePerGas), most);
  const tip = larger(least.maxPriorityFeePerGas, current.maxPriorityFeePerGas);
  return { maxFeePerGas, maxPriorityFeePerGas: smaller(tip, maxFeePerGas) };
}

function usualTip(recentTips: readonly bigint[]): bigint | null {
  const median = medianTip(recentTips);
  return median === 0n ? null : median * 2n;
}

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
