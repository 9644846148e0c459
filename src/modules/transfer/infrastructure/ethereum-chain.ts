import { hexlify } from 'ethers';
import { ethereumAddressOf } from '../../../platform/crypto/ethereum-address.js';
import type { Asset } from '../domain/asset.js';
import type { Nonces, Payment, PreparedPayment, Signable, SignedAttempt, Standing } from '../domain/chain.js';
import { FeesAboveQuote, InsufficientFunds, InvalidAddress, PaymentRefusedByChain } from '../domain/chain.errors.js';
import { NodeAnswerUnreadable, NodeChain, NodeFault, type NodeWatch } from './chain-node.js';
import { CallFailed, EthereumNode, type EthereumNodeSettings } from './ethereum-node.js';
import {
  BALANCE_OF,
  callOf,
  DECIMALS,
  networkOf,
  outcomeOf,
  readAttempt,
  signTransaction,
  type TransactionFields,
  viewOf,
} from './ethereum-transaction.js';

/** What moving ether to an account without code takes. */
const PLAIN_TRANSFER_GAS = 21_000n;
/** Twice the first attempt's price: room for six attempts, each an eighth dearer than the one before. */
const ROOM_FOR_BUMPS = 2n;

/**
 * Nodes keep no more transactions of one account waiting. What is signed after more than there are would wait for all those
 * between, and each would have to be used up at a price.
 */
const MOST_WAITING = 64;

type Fees = Pick<TransactionFields, 'maxFeePerGas' | 'maxPriorityFeePerGas'>;

/** Ethereum, and chains that work like it since EIP-1559. */
export class EthereumChain extends NodeChain {
  readonly name = 'ethereum';
  private readonly node: EthereumNode;
  private readonly chainId: number;

  constructor(settings: EthereumNodeSettings, watch?: NodeWatch) {
    super('Ethereum', watch);
    this.node = new EthereumNode(settings);
    this.chainId = settings.chainId;
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

  async network(): Promise<string> {
    await this.answered(this.node.assertNetwork());
    return networkOf(this.chainId);
  }

  balance(address: string, asset: Asset): Promise<bigint> {
    return this.answered(this.balancesFor({ source: address, asset })).then(({ balances }) => balances.asset);
  }

  async nonces(address: string): Promise<Nonces> {
    return this.answered(
      (async () => {
        const [latest, pending] = await Promise.all([
          this.node.transactionCount(address, 'latest'),
          this.node.transactionCount(address, 'pending'),
        ]);
        if (pending - latest > MOST_WAITING) throw new NodeAnswerUnreadable('a number of transactions');
        return { latest, pending };
      })(),
    );
  }

  async prepare(payment: Payment, feeCap?: bigint): Promise<PreparedPayment> {
    const [current, { balances, balancesAt }] = await this.answered(
      Promise.all([this.currentFees(), this.balancesFor(payment)]),
    );
    // Before the chain is asked what it thinks of the payment: of one that cannot be covered it thinks nothing good.
    if (balances.asset < payment.amount) throw new InsufficientFunds();
    const call = callOf(payment);
    const gasLimit = await this.gasFor(payment, call);
    const cap = feeCap ?? gasLimit * current.maxFeePerGas * ROOM_FOR_BUMPS;
    const fields = { chainId: this.chainId, ...call, gasLimit, ...within(cap / gasLimit, current) };
    return {
      feeCap: cap,
      balances,
      balancesAt,
      minimumLeft: 0n,
      sign: (signer, nonce) => signTransaction(fields, payment.source, signer, nonce),
    };
  }

  async prepareBump(payment: Payment, earlier: readonly SignedAttempt[], feeCap: bigint): Promise<Signable | null> {
    const gasLimit = earlier.map((attempt) => readAttempt(attempt).gasLimit).reduce(larger, 0n);
    return this.replacement(payment.source, { ...callOf(payment), gasLimit }, earlier, feeCap);
  }

  prepareCancellation(address: string, earlier: readonly SignedAttempt[], feeCap?: bigint): Promise<Signable | null> {
    const nothing = { to: address, value: 0n, data: '0x', gasLimit: PLAIN_TRANSFER_GAS };
    return this.replacement(address, nothing, earlier, feeCap);
  }

  protected hand(raw: Uint8Array): Promise<string> {
    return this.node.sendRaw(hexlify(raw));
  }

  protected async standing(source: string, attempts: readonly SignedAttempt[]): Promise<Standing> {
    const foreign = attempts.find(({ network }) => network !== networkOf(this.chainId));
    if (foreign) return { is: 'unknown', reason: `An attempt was signed for ${foreign.network}.` };
    if (attempts.length === 0) return { is: 'unknown', reason: 'There is no attempt.' };
    // Which block is final is asked first, so that receipts, asked after it, cannot lack one that the block holds.
    const final = await this.node.finalBlock();
    const receipts = await Promise.all(attempts.map(({ hash }) => this.node.receipt(hash)));
    const index = receipts.findIndex((receipt) => receipt !== null);
    const attempt = attempts[index];
    const receipt = receipts[index];
    if (attempt && receipt) {
      if ((await this.node.canonicalHash(receipt.blockNumber)) !== receipt.blockHash) return REORGANISING;
      const block = { number: receipt.blockNumber, hash: receipt.blockHash };
      if (receipt.blockNumber > final.number) return { is: 'mined', hash: attempt.hash, block };
      if ((await this.node.canonicalHash(final.number)) !== final.hash) return REORGANISING;
      const outcome = outcomeOf(source, readAttempt(attempt), receipt);
      return { is: 'final', hash: attempt.hash, block, outcome, fee: receipt.fee };
    }
    if (areUsed(attempts, await this.node.transactionCount(source, { blockHash: final.hash }))) {
      // What has led here may be the answers of two machines, one of which had not seen the block yet.
      const again = await this.node.countAndReceipts(
        source,
        final.hash,
        attempts.map(({ hash }) => hash),
      );
      const isProven = areUsed(attempts, again.count) && again.receipts.every((receipt) => receipt === null);
      if (!isProven) throw new NodeFault('The node contradicts itself.');
      return (await this.node.canonicalHash(final.number)) === final.hash ? { is: 'dead' } : REORGANISING;
    }
    const held = await Promise.all(attempts.map(({ hash }) => this.node.holds(hash)));
    const submitted = attempts[held.lastIndexOf(true)];
    return submitted ? { is: 'submitted', hash: submitted.hash } : { is: 'not_seen' };
  }

  private async replacement(
    source: string,
    call: Pick<TransactionFields, 'to' | 'value' | 'data' | 'gasLimit'>,
    earlier: readonly SignedAttempt[],
    feeCap: bigint | undefined,
  ): Promise<Signable | null> {
    const current = await this.answered(this.currentFees());
    const fees = earlier.map(readAttempt).reduce<Fees>(
      (least, attempt) => ({
        maxFeePerGas: larger(least.maxFeePerGas, anEighthMore(attempt.maxFeePerGas)),
        maxPriorityFeePerGas: larger(least.maxPriorityFeePerGas, anEighthMore(attempt.maxPriorityFeePerGas)),
      }),
      { maxFeePerGas: 0n, maxPriorityFeePerGas: 0n },
    );
    const most = feeCap === undefined ? null : feeCap / call.gasLimit;
    if (most !== null && larger(fees.maxFeePerGas, fees.maxPriorityFeePerGas) > most) return null;
    const wanted = larger(fees.maxFeePerGas, current.maxFeePerGas);
    const maxFeePerGas = most !== null && wanted > most ? most : wanted;
    const tip = larger(fees.maxPriorityFeePerGas, current.maxPriorityFeePerGas);
    const maxPriorityFeePerGas = tip > maxFeePerGas ? maxFeePerGas : tip;
    const fields = { chainId: this.chainId, ...call, maxFeePerGas, maxPriorityFeePerGas };
    return {
      sign: (signer, nonce) => {
        if (earlier.some((attempt) => attempt.nonce !== nonce)) {
          throw new Error('A replacement takes the nonce of what it replaces, or both could be carried out.');
        }
        return signTransaction(fields, source, signer, nonce);
      },
    };
  }

  /** Twice the base fee outlasts five full blocks in a row; `least` is what the next block would take. */
  private async currentFees(): Promise<Fees & { readonly least: bigint }> {
    const [{ baseFeePerGas }, tip] = await Promise.all([this.node.latestBlock(), this.node.priorityFee()]);
    return {
      maxFeePerGas: 2n * baseFeePerGas + tip,
      maxPriorityFeePerGas: tip,
      least: baseFeePerGas + tip,
    };
  }

  private async balancesFor({
    source,
    asset,
  }: Pick<Payment, 'source' | 'asset'>): Promise<Pick<PreparedPayment, 'balances' | 'balancesAt'>> {
    const { token } = asset;
    const view = token === null ? undefined : { to: token, data: viewOf(BALANCE_OF, source) };
    const [{ block, coin, viewed }] = await Promise.all([
      this.node.holdings(source, view).catch(refused(`${token} is not a token`)),
      this.assertIsToken(asset),
    ]);
    return { balances: { coin, asset: viewed ?? coin }, balancesAt: block };
  }

  /** Wrong decimals would pay a thousand times too much, or too little. */
  private async assertIsToken({ token, symbol, decimals }: Asset): Promise<void> {
    if (token === null) return;
    const actual = await this.node.callForNumber(token, DECIMALS).catch(refused(`${token} is not a token`));
    if (actual !== BigInt(decimals)) {
      throw new PaymentRefusedByChain(`${symbol} has ${actual} decimals on the chain, not ${decimals}.`);
    }
  }

  private async gasFor({ source, asset, dest }: Payment, call: ReturnType<typeof callOf>): Promise<bigint> {
    if (asset.token === null && !(await this.answered(this.node.hasCode(dest)))) return PLAIN_TRANSFER_GAS;
    const estimate = await this.answered(
      this.node.estimateGas({ from: source, ...call }).catch(refused('The destination does not accept the payment')),
    );
    return (estimate * 6n) / 5n;
  }
}

const REORGANISING: Standing = { is: 'unknown', reason: 'The chain is reorganising.' };

/** Whether the nonces of all attempts are among so many transactions of their account. */
function areUsed(attempts: readonly SignedAttempt[], count: number): boolean {
  return attempts.every(({ nonce }) => nonce !== null && nonce < count);
}

/** Fees of at most so much for each gas. What is not enough for the next block would only wait. */
function within(most: bigint, fees: Fees & { readonly least: bigint }): Fees {
  if (most < fees.least) throw new FeesAboveQuote();
  return {
    maxFeePerGas: fees.maxFeePerGas > most ? most : fees.maxFeePerGas,
    maxPriorityFeePerGas: fees.maxPriorityFeePerGas,
  };
}

/** What nodes want at least before they replace a transaction, and never the same again. */
function anEighthMore(fee: bigint): bigint {
  return (fee * 9n) / 8n + 1n;
}

function larger(a: bigint, b: bigint): bigint {
  return a > b ? a : b;
}

function refused(reason: string): (error: unknown) => never {
  return (error) => {
    throw error instanceof CallFailed ? new PaymentRefusedByChain(`${reason}: ${error.message}`) : error;
  };
}
