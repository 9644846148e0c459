import type { CallersTransaction, Prepare } from '../../../../kernel/chain/chain.js';
import {
  DataFeesTooHigh,
  FeesAboveQuote,
  InsufficientFunds,
  isShortage,
  PaymentRefusedByChain,
  FeeTooHigh,
} from '../../../../kernel/chain/chain.errors.js';
import {
  type Balances,
  type Cancellation,
  type DataFees,
  NO_DATA_FEES,
  type Payment,
  type PreparedPayment,
  type Signable,
  type SignedAttempt,
} from '../../../../kernel/chain/payment.js';
import type { Endpoints } from '../endpoints.js';
import type { Place } from './block-links.js';
import { CallFailed } from './call-failed.js';
import type { Block } from './ethereum-answers.js';
import {
  assertWithin,
  type CurrentFees,
  currentFees,
  type FeeBounds,
  type FeeMarket,
  type Fees,
  larger,
  medianTip,
  leastToReplace,
  NO_TIPS,
  replacementFees,
  smaller,
} from './ethereum-fees.js';
import type { EthereumNode, FinalAt, Holdings } from './ethereum-node.js';
import type { EvmKind } from './evm-kind.js';
import { placesOf } from './ethereum-proofs.js';
import {
  BALANCE_OF,
  callData,
  callOf,
  DECIMALS,
  readAttempt,
  signTransaction,
  type TransactionFields,
  type UnsignedFields,
  unsignedBytes,
} from './ethereum-transaction.js';

/** The account's code (EIP-7702) may refuse a self-transfer: the refused transaction uses the nonce too. */
const REFUSED_CALL_GAS = 100_000n;
/** Twice the first attempt's price leaves room for six attempts, each an eighth above the one before. */
const ROOM_FOR_REPLACEMENTS = 2n;

/** Data fees may rise this much before a quote ends, or the next block takes the transaction. */
const ROOM_FOR_DATA_FEES = 2n;
/** At the signing the reserve must be at least 13/10 of the L1 fee. */
const L1_MARGIN = { of: 13n, in: 10n };
/** The nonce is assigned later. The oracle sees one as long as those of busy accounts. */
const LONG_NONCE = 0xffffff;

type Market = readonly [tips: Omit<FeeMarket, 'baseFeePerGas'>, holdings: CurrentHoldings];
type CurrentHoldings = Pick<Holdings, 'block' | 'final'> & { readonly balances: Balances };

export class EthereumPayments {
  constructor(
    private readonly nodes: Endpoints<EthereumNode>,
    private readonly chainId: number,
    private readonly kind: EvmKind,
    private readonly bounds: FeeBounds,
    private readonly finalAt: FinalAt,
    private readonly answered: <T>(work: Promise<T>) => Promise<T>,
  ) {}

  async balancesFor(
    payment: Pick<Payment, 'source' | 'asset'>,
  ): Promise<Pick<PreparedPayment, 'balances' | 'balancesAt'>> {
    const { balances, block } = await this.holdingsFor(payment);
    return { balances, balancesAt: block.number };
  }

  private marketFor(payment: Pick<Payment, 'source' | 'asset'>): Promise<Market> {
    return Promise.all([this.tips(), this.answered(this.holdingsFor(payment, this.finalAt))]);
  }

  /** The fees are of the same block, so it is read once. */
  private async holdingsFor(
    { source, asset }: Pick<Payment, 'source' | 'asset'>,
    finalAt?: FinalAt,
  ): Promise<CurrentHoldings> {
    const { token, symbol, decimals } = asset;
    if (token === null) {
      const { coin, ...at } = await this.nodes.read((node) => node.holdings(source, [], finalAt));
      return { balances: { coin, asset: coin }, ...at };
    }
    const views = [callData(BALANCE_OF, ['address'], [source]), DECIMALS].map((data) => ({ to: token, data }));
    const { coin, viewed, ...at } = await this.nodes
      .read((node) => node.holdings(source, views, finalAt))
      .catch(refused(`${token} is not a token`));
    const [held, actual] = viewed;
    // With wrong decimals the payment could be a thousand times too high or too low.
    if (actual !== BigInt(decimals)) {
      throw new PaymentRefusedByChain(`${symbol} has ${actual} decimals on the chain, not ${decimals}.`);
    }
    return { balances: { coin, asset: held! }, ...at };
  }

  prepareFor(of: Pick<Payment, 'source' | 'asset'>): Prepare {
    let market: Promise<Market> | undefined;
    return (payment, feeCap, _earlier, reserve) =>
      this.prepare((market ??= this.marketFor(of)), payment, feeCap, reserve);
  }

  private async prepare(
    market: Promise<Market>,
    payment: Payment,
    feeCap?: bigint,
    reserve = NO_DATA_FEES,
  ): Promise<PreparedPayment> {
    const call = callOf(payment);
    const estimating = this.gasFor(payment, call);
    // Awaited only after the balance check: for an uncovered payment the node's error would mislead.
    estimating.catch(() => undefined);
    const [tips, { balances, block, final }] = await market;
    const current = this.feesAfter(block, tips);
    if (balances.asset < payment.amount)
      throw InsufficientFunds.of(payment.asset, { held: balances.asset, needed: payment.amount });
    const gasLimit = await estimating.catch((error: unknown) => {
      // A machine that lags behind the balances refuses payments that are possible after their block.
      if (error instanceof PaymentRefusedByChain || isShortage(error)) return this.gasFor(payment, call, block.number);
      throw error;
    });
    const capOfGas =
      feeCap === undefined
        ? gasLimit * smaller(current.maxFeePerGas * ROOM_FOR_REPLACEMENTS, this.bounds.maxFeePerGas)
        : feeCap - totalOf(reserve);
    const fields = { chainId: this.chainId, ...call, gasLimit, ...within(capOfGas / gasLimit, current) };
    const asked = await this.dataFees(fields);
    const dataFees = feeCap === undefined ? reserveFor(asked) : reserve;
    // The L1 price may rise further until a block takes the transaction.
    const isNear = asked.l1 * L1_MARGIN.of > dataFees.l1 * L1_MARGIN.in;
    if (isNear || asked.operator > dataFees.operator) throw DataFeesTooHigh.aboveReserve();
    return {
      feeCap: capOfGas + totalOf(dataFees),
      dataFees,
      balances,
      balancesAt: block.number,
      minimumLeft: 0n,
      sign: (signer, nonce) => signTransaction(fields, payment.source, signer, nonce, block.number, final, dataFees),
    };
  }

  async prepareReplacement(
    payment: Payment,
    attempts: readonly SignedAttempt[],
    feeCap: bigint,
    reserve = NO_DATA_FEES,
  ): Promise<Signable | null> {
    const call = callOf(payment);
    const earlier = attempts.map(readAttempt);
    const [block, tips, gas] = await Promise.all([
      this.answered(this.nodes.read((node) => node.latestBlock())),
      this.tips(),
      // The chain may refuse it now and include it in a later block.
      this.gasFor(payment, call).catch(unlessRefused(0n)),
    ]);
    const current = this.feesAfter(block, tips);
    const gasLimit = earlier.map((attempt) => attempt.gasLimit).reduce(larger, gas);
    const least = this.leastToReplace(earlier);
    // The data fees of an earlier attempt would be as high, so they prevent no replacement.
    const most = (feeCap - totalOf(reserve)) / gasLimit;
    // With a tip below the bound no block would include it.
    if ([least.maxFeePerGas, least.maxPriorityFeePerGas, current.maxPriorityFeePerGas].reduce(larger) > most)
      return null;
    assertWithin(least, this.bounds);
    const fields = { chainId: this.chainId, ...call, gasLimit, ...replacementFees(least, current, most) };
    // Final at the first signing, so it is final now.
    const [first = null] = placesOf(attempts);
    return this.replacement(payment.source, fields, attempts, block.number, first, reserve);
  }

  async prepareCancellation(
    address: string,
    attempts: readonly SignedAttempt[],
    feeCap: bigint,
  ): Promise<Cancellation | null> {
    const call = { to: address, value: 0n, data: '0x' };
    const [tips, gasLimit, { coin, block, final }] = await Promise.all([
      this.tips(),
      this.estimated('coin', { from: address, ...call }).catch(unlessRefused(REFUSED_CALL_GAS)),
      this.answered(this.nodes.read((node) => node.holdings(address, [], this.finalAt))),
    ]);
    const current = this.feesAfter(block, tips);
    const least = this.leastToReplace(attempts.map(readAttempt));
    assertWithin(least, this.bounds);
    const dataFees = await this.dataFees({ chainId: this.chainId, ...call, gasLimit, ...current });
    const taken = totalOf(dataFees);
    const needed = taken + gasLimit * [current.least, least.maxFeePerGas, least.maxPriorityFeePerGas].reduce(larger);
    if (needed > coin)
      throw new InsufficientFunds(`The wallet holds ${coin} wei; the fee of the replacement takes ${needed} wei.`);
    if (needed > feeCap)
      throw new FeeTooHigh(`The cancellation would take ${needed} wei, more than its bound of ${feeCap} wei.`);
    const most = [(smaller(feeCap, coin) - taken) / gasLimit, this.bounds.maxFeePerGas].reduce(smaller);
    const fees = replacementFees(least, current, most);
    const fields = { chainId: this.chainId, ...call, gasLimit, ...fees };
    const signable = this.replacement(address, fields, attempts, block.number, final, dataFees);
    return { ...signable, maxFee: gasLimit * fees.maxFeePerGas + taken };
  }

  private replacement(
    source: string,
    fields: TransactionFields,
    earlier: readonly SignedAttempt[],
    block: number,
    final: Place | null,
    dataFees: DataFees,
  ): Signable {
    return {
      sign: (signer, nonce) => {
        if (earlier.some((attempt) => attempt.nonce !== nonce)) {
          throw new Error(
            'A replacement must have the nonce of the attempts it replaces, or the chain could carry out both.',
          );
        }
        return signTransaction(fields, source, signer, nonce, block, final, dataFees);
      },
    };
  }

  async assertDataFees({ to, value, data, gasLimit, ...fees }: CallersTransaction): Promise<void> {
    const { maxFeePerGas, maxPriorityFeePerGas } = fees;
    await this.dataFees({ chainId: this.chainId, to, value, data, gasLimit, maxFeePerGas, maxPriorityFeePerGas });
  }

  private async dataFees(fields: UnsignedFields): Promise<DataFees> {
    const fees = await this.answered(
      this.kind.dataFees(this.nodes, () => unsignedBytes(fields, LONG_NONCE), fields.gasLimit),
    );
    // One node alone may answer the operator fee, so the ceiling bounds both.
    if (totalOf(fees) > this.bounds.maxL1Fee) throw DataFeesTooHigh.aboveCeiling();
    return fees;
  }

  private leastToReplace(attempts: readonly Fees[]): Fees {
    const least = leastToReplace(attempts);
    return this.kind.takesTips ? least : { ...least, maxPriorityFeePerGas: 0n };
  }

  private async tips(): Promise<Omit<FeeMarket, 'baseFeePerGas'>> {
    if (!this.kind.takesTips) return NO_TIPS;
    return this.answered(this.nodes.read(tipsOf));
  }

  private feesAfter({ baseFeePerGas }: Block, tips: Omit<FeeMarket, 'baseFeePerGas'>): CurrentFees {
    return currentFees({ baseFeePerGas, ...tips }, this.bounds);
  }

  private gasFor({ source, asset }: Payment, call: ReturnType<typeof callOf>, block?: number): Promise<bigint> {
    return this.estimated(asset.token === null ? 'coin' : 'token', { from: source, ...call }, block);
  }

  private async estimated(
    kind: 'coin' | 'token',
    transaction: Parameters<EthereumNode['estimateGas']>[0],
    block?: number,
  ): Promise<bigint> {
    const estimate = this.nodes
      .read((node) => node.estimateGas(transaction, block))
      .catch(refused('The destination does not accept the payment'));
    return this.kind.gasLimit(await this.answered(estimate), kind);
  }
}

function reserveFor({ l1, operator }: DataFees): DataFees {
  return { l1: l1 * ROOM_FOR_DATA_FEES, operator: operator * ROOM_FOR_DATA_FEES };
}

function totalOf({ l1, operator }: DataFees): bigint {
  return l1 + operator;
}

function within(most: bigint, fees: CurrentFees): Fees {
  if (most < fees.least) throw new FeesAboveQuote();
  return {
    maxFeePerGas: smaller(fees.maxFeePerGas, most),
    maxPriorityFeePerGas: fees.maxPriorityFeePerGas,
  };
}

function refused(reason: string): (error: unknown) => never {
  return (error) => {
    if (!(error instanceof CallFailed)) throw error;
    // A machine that lags behind the one that reported the balance says this of a covered payment.
    if (/insufficient funds/i.test(error.message)) throw new InsufficientFunds();
    throw new PaymentRefusedByChain(`${reason}: ${error.message}`);
  };
}

function unlessRefused<T>(fallback: T): (error: unknown) => T {
  return (error) => {
    if (error instanceof PaymentRefusedByChain || isShortage(error)) return fallback;
    throw error;
  };
}

/** Not every node suggests a tip. Tips of recent blocks can otherwise only lower it, so a node need not report them. */
async function tipsOf(node: EthereumNode): Promise<Omit<FeeMarket, 'baseFeePerGas'>> {
  const recent = node.recentTips();
  const [suggestedTip, recentTips] = await Promise.all([node.priorityFee(), recent.catch(() => [])]);
  if (suggestedTip !== null) return { suggestedTip, recentTips };
  return { suggestedTip: medianTip(await recent), recentTips };
}
