import { FeeTooHigh } from '../../../kernel/fee-too-high.js';
import { hexlify } from 'ethers';
import { ethereumAddressOf } from '../../../services/crypto/ethereum-address.js';
import type { HostNames } from '../../../services/outbound/host-names.js';
import type { Asset } from '../../../kernel/chain/asset.js';
import type { Nonces } from '../../../kernel/chain/chain.js';
import type { Cancellation, Payment, PreparedPayment, Signable, SignedAttempt } from '../../../kernel/chain/payment.js';
import type { PaymentStatus, ProofProgress } from '../../../kernel/chain/payment-status.js';
import {
  FeesAboveQuote,
  InsufficientFunds,
  InvalidAddress,
  isShortage,
  PaymentRefusedByChain,
} from '../../../kernel/chain/chain.errors.js';
import { NodeAnswerUnreadable, NodeChain, type NodeWatch } from './chain-node.js';
import { Endpoints } from './endpoints.js';
import {
  assertWithin,
  type CurrentFees,
  currentFees,
  type FeeCeilings,
  type Fees,
  gasLimitFor,
  larger,
  leastToReplace,
  replacementFees,
  smaller,
} from './ethereum-fees.js';
import { CallFailed, EthereumNode, type EthereumNodeSettings } from './ethereum-node.js';
import { EthereumProofs } from './proofs/ethereum-proofs.js';
import {
  BALANCE_OF,
  callOf,
  DECIMALS,
  networkOf,
  readAttempt,
  signTransaction,
  type TransactionFields,
  viewOf,
} from './ethereum-transaction.js';

/** The zero address and those that precompiled contracts are given: 0x01 to 0x11, 0x100, and more with each fork. */
const LAST_RESERVED = 0xffffn;
/** For a call of an account whose code (EIP-7702) refuses it. Refused too, it uses up the nonce. */
const REFUSED_CALL_GAS = 100_000n;
/** Twice the first attempt's price: room for six attempts, each an eighth dearer than the one before. */
const ROOM_FOR_BUMPS = 2n;

/**
 * Nodes keep no more transactions of one account waiting. What is signed after more than there are would wait for all those
 * between, and each would have to be used up at a price.
 */
const MOST_WAITING = 64;

const NO_CEILINGS: FeeCeilings = { maxFeePerGas: 1n << 256n, maxTip: 1n << 256n };

export interface EthereumChainSettings extends Omit<EthereumNodeSettings, 'url'> {
  /** Of one network, asked in this order; they share the time limit. */
  readonly urls: readonly string[];
  /** How many blocks on top of a block make it final; absent: the node's `finalized` tag. */
  readonly finalityDepth?: number;
  /** Absent: no bound. */
  readonly ceilings?: FeeCeilings;
}

/** Ethereum, and chains that work like it since EIP-1559. */
export class EthereumChain extends NodeChain {
  readonly name = 'ethereum';
  private readonly nodes: Endpoints<EthereumNode>;
  private readonly proofs: EthereumProofs;
  private readonly chainId: number;
  private readonly ceilings: FeeCeilings;

  constructor(
    { urls, finalityDepth, timeoutMs = 10_000, ceilings = NO_CEILINGS, ...settings }: EthereumChainSettings,
    watch?: NodeWatch,
    names?: HostNames,
  ) {
    super('Ethereum', watch);
    this.nodes = new Endpoints(
      urls.map((url) => new EthereumNode({ ...settings, url, timeoutMs: Math.floor(timeoutMs / urls.length) }, names)),
      (error) => error instanceof CallFailed,
      (error, endpoint) => watch?.endpointFailed(error, endpoint),
    );
    this.proofs = new EthereumProofs(this.nodes, finalityDepth);
    this.chainId = settings.chainId;
    this.ceilings = ceilings;
  }

  address(text: string, field?: string): string {
    const address = ethereumAddressOf(text);
    if (address === null) {
      throw new InvalidAddress(
        'The address must be 0x and 40 digits, checksummed (EIP-55) or all in lower case.',
        field,
      );
    }
    return address;
  }

  tokenAddress(text: string, field?: string): string {
    return this.address(text, field);
  }

  isReserved(address: string): boolean {
    return BigInt(address) <= LAST_RESERVED;
  }

  async network(): Promise<string> {
    await this.answered(this.nodes.read((node) => node.assertNetwork()));
    return networkOf(this.chainId);
  }

  balance(address: string, asset: Asset): Promise<bigint> {
    return this.answered(this.balancesFor({ source: address, asset })).then(({ balances }) => balances.asset);
  }

  async nonces(address: string): Promise<Nonces> {
    return this.answered(
      this.nodes.read(async (node) => {
        const [latest, pending] = await Promise.all([
          node.transactionCount(address, 'latest'),
          node.transactionCount(address, 'pending'),
        ]);
        if (pending - latest > MOST_WAITING) throw new NodeAnswerUnreadable('a number of transactions');
        return { latest, pending };
      }),
    );
  }

  async prepare(payment: Payment, feeCap?: bigint): Promise<PreparedPayment> {
    const call = callOf(payment);
    const estimating = this.gasFor(payment, call);
    // Waited for below: for a payment that is not covered the node would give a misleading error.
    estimating.catch(() => undefined);
    const [current, { balances, balancesAt }] = await Promise.all([
      this.currentFees(),
      this.answered(this.balancesFor(payment)),
    ]);
    if (balances.asset < payment.amount) throw new InsufficientFunds();
    const gasLimit = await estimating;
    const cap = feeCap ?? gasLimit * smaller(current.maxFeePerGas * ROOM_FOR_BUMPS, this.ceilings.maxFeePerGas);
    const fields = { chainId: this.chainId, ...call, gasLimit, ...within(cap / gasLimit, current) };
    return {
      feeCap: cap,
      balances,
      balancesAt,
      minimumLeft: 0n,
      sign: (signer, nonce) => signTransaction(fields, payment.source, signer, nonce, current.block),
    };
  }

  async prepareReplacement(
    payment: Payment,
    attempts: readonly SignedAttempt[],
    feeCap: bigint,
  ): Promise<Signable | null> {
    const call = callOf(payment);
    const earlier = attempts.map(readAttempt);
    const [current, gas] = await Promise.all([
      this.currentFees(),
      // The chain may refuse it now and accept it in a later block.
      this.gasFor(payment, call).catch(unlessRefused(0n)),
    ]);
    const gasLimit = earlier.map((attempt) => attempt.gasLimit).reduce(larger, gas);
    const least = leastToReplace(earlier);
    const most = feeCap / gasLimit;
    if (larger(least.maxFeePerGas, least.maxPriorityFeePerGas) > most) return null;
    assertWithin(least, this.ceilings);
    const fees = replacementFees(least, current, most);
    return this.replacement(payment.source, { ...call, gasLimit, ...fees }, attempts, current.block);
  }

  async prepareCancellation(
    address: string,
    attempts: readonly SignedAttempt[],
    feeCap: bigint,
  ): Promise<Cancellation | null> {
    const call = { to: address, value: 0n, data: '0x' };
    const [current, gasLimit, { coin }] = await Promise.all([
      this.currentFees(),
      this.estimated('coin', { from: address, ...call }).catch(unlessRefused(REFUSED_CALL_GAS)),
      this.answered(this.nodes.read((node) => node.holdings(address))),
    ]);
    const least = leastToReplace(attempts.map(readAttempt));
    assertWithin(least, this.ceilings);
    const needed = gasLimit * [current.least, least.maxFeePerGas, least.maxPriorityFeePerGas].reduce(larger);
    if (needed > coin) throw new InsufficientFunds('The wallet does not hold what replacing the payment would take.');
    if (needed > feeCap)
      throw new FeeTooHigh(`The cancellation would take ${needed} wei, more than its bound of ${feeCap} wei.`);
    const most = [feeCap / gasLimit, coin / gasLimit, this.ceilings.maxFeePerGas].reduce(smaller);
    const fees = replacementFees(least, current, most);
    const signable = this.replacement(address, { ...call, gasLimit, ...fees }, attempts, current.block);
    return { ...signable, maxFee: gasLimit * fees.maxFeePerGas };
  }

  protected hand(raw: Uint8Array): Promise<string> {
    return this.nodes.toAll((node) => node.sendRaw(hexlify(raw)));
  }

  protected async standing(
    source: string,
    attempts: readonly SignedAttempt[],
    progress: ProofProgress | null,
  ): Promise<PaymentStatus> {
    const foreign = attempts.find(({ network }) => network !== networkOf(this.chainId));
    if (foreign) return { is: 'unknown', reason: `An attempt was signed for ${foreign.network}.` };
    if (attempts.length === 0) return { is: 'unknown', reason: 'There is no attempt.' };
    return this.proofs.standing(source, attempts, progress);
  }

  private replacement(
    source: string,
    call: Omit<TransactionFields, 'chainId'>,
    earlier: readonly SignedAttempt[],
    block: number,
  ): Signable {
    const fields = { chainId: this.chainId, ...call };
    return {
      sign: (signer, nonce) => {
        if (earlier.some((attempt) => attempt.nonce !== nonce)) {
          throw new Error('A replacement takes the nonce of what it replaces, or both could be carried out.');
        }
        return signTransaction(fields, source, signer, nonce, block);
      },
    };
  }

  private async currentFees(): Promise<CurrentFees & { readonly block: number }> {
    const [{ baseFeePerGas, number: block }, suggestedTip, recentTips] = await this.answered(
      this.nodes.read((node) =>
        Promise.all([
          node.latestBlock(),
          node.priorityFee(),
          // It only lowers the tip, and not every node has it.
          node.recentTips().catch(() => []),
        ]),
      ),
    );
    return { ...currentFees({ baseFeePerGas, suggestedTip, recentTips }, this.ceilings), block };
  }

  private async balancesFor({
    source,
    asset,
  }: Pick<Payment, 'source' | 'asset'>): Promise<Pick<PreparedPayment, 'balances' | 'balancesAt'>> {
    const { token } = asset;
    const view = token === null ? undefined : { to: token, data: viewOf(BALANCE_OF, source) };
    const [{ block, coin, viewed }] = await Promise.all([
      this.nodes.read((node) => node.holdings(source, view)).catch(refused(`${token} is not a token`)),
      this.assertIsToken(asset),
    ]);
    return { balances: { coin, asset: viewed ?? coin }, balancesAt: block };
  }

  /** Wrong decimals would pay a thousand times too much, or too little. */
  private async assertIsToken({ token, symbol, decimals }: Asset): Promise<void> {
    if (token === null) return;
    const actual = await this.nodes
      .read((node) => node.callForNumber(token, DECIMALS))
      .catch(refused(`${token} is not a token`));
    if (actual !== BigInt(decimals)) {
      throw new PaymentRefusedByChain(`${symbol} has ${actual} decimals on the chain, not ${decimals}.`);
    }
  }

  private gasFor({ source, asset }: Payment, call: ReturnType<typeof callOf>): Promise<bigint> {
    return this.estimated(asset.token === null ? 'coin' : 'token', { from: source, ...call });
  }

  private async estimated(
    kind: 'coin' | 'token',
    transaction: Parameters<EthereumNode['estimateGas']>[0],
  ): Promise<bigint> {
    const estimate = this.nodes
      .read((node) => node.estimateGas(transaction))
      .catch(refused('The destination does not accept the payment'));
    return gasLimitFor(await this.answered(estimate), kind);
  }
}

/** Fees of at most so much for each gas. What is not enough for the next block would only wait. */
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
    // A machine that lags behind the one asked for the balance says this of a covered payment.
    if (/insufficient funds/i.test(error.message)) throw new InsufficientFunds();
    throw new PaymentRefusedByChain(`${reason}: ${error.message}`);
  };
}

/** For what the chain would refuse now: another value instead. */
function unlessRefused<T>(instead: T): (error: unknown) => T {
  return (error) => {
    if (error instanceof PaymentRefusedByChain || isShortage(error)) return instead;
    throw error;
  };
}
