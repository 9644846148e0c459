import { FeeTooHigh } from '../../../../kernel/chain/chain.errors.js';

/** The price per unit is in millionths of a lamport. */
export interface ComputeBudget {
  readonly units: number;
  readonly microLamports: bigint;
}

/** Each transaction of the service has one signature. */
export const LAMPORTS_PER_SIGNATURE = 5_000n;
/** Measured: 737 units for a coin, up to 24,000 for a token with its account; earlier programs 20,000 and 60,000. */
const UNITS = { coin: 50_000, token: 150_000 } as const;
/** 500 lamports for a coin payment. */
const LEAST_PRICE = 10_000n;
/** A quote leaves room for the price to be doubled three times. */
const QUOTE_ROOM = 8n;

export function priorityFeeOf({ units, microLamports }: ComputeBudget): bigint {
  return (BigInt(units) * microLamports + 999_999n) / 1_000_000n;
}

export interface Market {
  readonly movesToken: boolean;
  readonly recent: readonly bigint[];
  readonly earlier: readonly bigint[];
}

/** Offers what three of four recent blocks accepted, and twice every earlier attempt, within `lamports`. `isAll`: exactly that many. */
export function budgetFor({ movesToken, recent, earlier }: Market, lamports: bigint, isAll = false): ComputeBudget {
  const units = movesToken ? UNITS.token : UNITS.coin;
  const affordable = (lamports * 1_000_000n) / BigInt(units);
  const sorted = recent.toSorted((a, b) => (a < b ? -1 : 1));
  const usual = sorted[Math.floor(sorted.length * 0.75)] ?? 0n;
  const wanted = [usual, LEAST_PRICE, ...earlier.map((price) => 2n * price)].reduce((a, b) => (a > b ? a : b));
  return { units, microLamports: isAll || wanted > affordable ? affordable : wanted };
}

/** The quote without rent: it leaves room for higher fees than the first attempt's, below the ceiling. */
export function quotedFee(fee: bigint, budget: ComputeBudget, ceiling: bigint): bigint {
  const most = fee + (QUOTE_ROOM - 1n) * priorityFeeOf(budget);
  return most < ceiling ? most : ceiling;
}

export function boundedFee(reported: bigint, budget: ComputeBudget, ceiling: bigint): bigint {
  const computed = LAMPORTS_PER_SIGNATURE + priorityFeeOf(budget);
  const fee = reported > computed ? reported : computed;
  if (fee > ceiling) throw FeeTooHigh.above('SOLANA_MAX_FEE');
  return fee;
}
