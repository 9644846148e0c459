import type { Asset } from './asset.js';
import type { ChainName, WalletType } from './chain-name.js';
import { ChainNotConfigured } from './chain.errors.js';
import type { DepositSearch, FinalBlock, FoundDeposits } from './deposit.js';
import type { ConfiguredNetwork } from './networks.js';
import type { TransferId } from '../ids.js';
import type {
  Cancellation,
  DataFees,
  FoundTransactions,
  Payment,
  PreparedPayment,
  Signable,
  SignedAttempt,
  PaymentStatus,
  ProofProgress,
  BlockPlace,
} from './payment.js';

/**
 * Nodes keep no more waiting transactions of one account. Counts that differ by more are not credible, whichever is higher: a
 * nonce chosen by the wrong one leaves a gap that costs a self-transfer for each nonce, or blocks the account.
 */
export const MOST_WAITING = 64;

/** The number of an account's transactions, which is its next nonce. */
export interface Nonces {
  /** Counts every transaction that the node has, mined or not. */
  readonly pending: number;
  /** Counts transactions up to the newest block. */
  readonly latest: number;
  /** Whether more than one response supports them. */
  readonly areAgreed?: true;
}

/** Nonces from one on, and below another. */
export interface NonceRange {
  readonly from: number;
  readonly to: number;
  /** From `to` on and below this, transactions wait for a block: they are searched for too. */
  readonly waitingTo: number;
  /** Whether only some of many are searched for: the first, or the newest with `notBefore`. */
  readonly isBounded: boolean;
  /** The search goes from the newest nonce downwards and ends at the first block that is older; null: all are searched for. */
  readonly notBefore: Date | null;
}

/** Bounds of a search for transactions that the database does not know. */
export interface PaymentSearch {
  /** None of them is older. */
  readonly since: Date;
  /** The hashes of those that are known. */
  readonly known: readonly string[];
  /** The transfers that the database has lost: a transaction that names one is also found, on a chain whose payments name it. */
  readonly lost?: LostTransfers | null;
  /** Where a search that is too long for one look keeps how far it has come; without it, it begins anew each time. */
  readonly progress?: SearchProgress;
}

/** How far the search of an account has come at each endpoint. It does not depend on the payments in question, and any process continues it. */
export interface SearchProgress {
  load(endpoint: string): Promise<StoredSearch | null>;
  /** False, and nothing is stored, when another process has stored since this version; 0: since there was none. */
  store(endpoint: string, progress: ProofProgress, version: number): Promise<boolean>;
  /** The hashes of those transactions that are no attempt in the database: of open transfers, and of transfers that it does not have. */
  forgotten(named: readonly NamedTransaction[]): Promise<ForgottenTransactions>;
}

export interface StoredSearch {
  readonly progress: ProofProgress;
  readonly version: number;
}

/** A transaction, and a transfer that it names. */
export interface NamedTransaction {
  readonly hash: string;
  readonly id: TransferId;
}

export interface ForgottenTransactions {
  readonly ofOpen: readonly string[];
  readonly ofMissing: readonly string[];
}

/** Transfers that the database may have forgotten. */
export interface LostTransfers {
  /** None of them was created before. */
  readonly since: Date;
  /** Those of these ids that the database does not have. */
  among(ids: readonly TransferId[]): Promise<readonly TransferId[]>;
}

/** A node's response to bytes it was sent. It is for logs only, since nodes word the same fact in many ways. */
export interface SendReport {
  /** An accepted transaction may never be included in a block, and a refused one may. */
  readonly accepted: boolean;
  readonly detail: string;
}

/** Prepares a payment. See `Chain.prepare`. */
export type Prepare = (
  payment: Payment,
  feeCap?: bigint,
  earlier?: readonly SignedAttempt[],
  reserve?: DataFees,
) => Promise<PreparedPayment>;

/**
 * The state of the endpoints at their last comparison. `degraded`: of several one does not respond, lags, or is on another chain or fork;
 * `unavailable`: none is on the network.
 */
export const CHAIN_HEALTH = ['ok', 'degraded', 'unavailable'] as const;
export type ChainHealth = (typeof CHAIN_HEALTH)[number];

/** The state of one endpoint. `lags`: it is behind the highest one; `differs`: it is on another chain, or on another fork than most. */
export const ENDPOINT_HEALTH = ['ok', 'lags', 'differs', 'unavailable'] as const;

/** An endpoint at the last comparison. */
export interface ChainEndpoint {
  readonly health: (typeof ENDPOINT_HEALTH)[number];
  /** The height of its newest block; null when it did not respond. */
  readonly height: number | null;
  /** Why it cannot be used, in a sentence without its URL; null if it can. */
  readonly fault: string | null;
}

/**
 * A chain, through its nodes. Calls are bounded in time. Those that return terms or balances throw `ChainUnavailable`
 * when the node fails; `send` and `status` never throw.
 */
/** A transaction that a caller has composed; `to` is null where it creates a contract. */
export interface CallersTransaction {
  readonly to: string | null;
  readonly value: bigint;
  readonly data: string;
  readonly gasLimit: bigint;
  readonly maxFeePerGas: bigint;
  readonly maxPriorityFeePerGas: bigint;
}

export abstract class Chain {
  constructor(readonly configured: ConfiguredNetwork) {}

  get name(): ChainName {
    return this.configured.name;
  }

  /** Its own coin. Fees of token transfers are paid in it too. */
  get native(): Asset {
    return this.configured.native;
  }

  /** The type of the wallets that have addresses on it. */
  get walletType(): WalletType {
    return this.configured.walletType;
  }

  /** CAIP-2 name of the network, as far as it is known without a call. */
  get id(): string | null {
    return this.configured.id;
  }

  /** Known without a call. */
  abstract readonly health: ChainHealth;

  /** The endpoints in the order of the configuration; none before the first comparison. */
  abstract readonly endpoints: readonly ChainEndpoint[];

  /** The address in the form it is stored and compared in. Throws `InvalidAddress` naming `field`. */
  abstract address(text: string, field?: string): string;

  /** The contract or mint of a token in the form it is stored and compared in. Throws `InvalidAddress` naming `field`. */
  abstract tokenAddress(text: string, field?: string): string;

  /** Whether the address, in canonical form, belongs to the chain itself: a payment to it is lost. */
  abstract isReserved(address: string): boolean;

  /** CAIP-2 name of the network the node is on. */
  abstract network(): Promise<string>;

  /** The balances of the address in the newest block that the chain is likely to keep. */
  abstract balances(address: string, asset: Asset): Promise<Pick<PreparedPayment, 'balances' | 'balancesAt'>>;

  /** Whether a transaction takes fees that none of its fields bounds. */
  get takesDataFees(): boolean {
    return false;
  }

  /** Throws `FeeTooHigh` when a caller's transaction would now take more data fees than the ceiling of the operator, and `ChainUnavailable`. */
  assertDataFees(_transaction: CallersTransaction): Promise<void> {
    return Promise.resolve();
  }

  async balance(address: string, asset: Asset): Promise<bigint> {
    return (await this.balances(address, asset)).balances.asset;
  }

  /**
   * The next nonces of an account; null on a chain without nonces, where attempts need no order. With the `doubted` nonces of an earlier
   * call, every endpoint is asked, and at least two of several must respond. Then it also throws `ChainUnavailable` when any two of these
   * responses and the doubted one differ by more than `MOST_WAITING`.
   */
  abstract nonces(address: string, doubted?: Nonces): Promise<Nonces | null>;

  /**
   * Reads the inputs of signing from the node: fees, blockhash, balances, the destination's kind. Call it before any lock: it waits for the
   * network. Without a cap the result is a quote; with one it stays within it, or throws `FeesAboveQuote`. Where nonces bind no attempts,
   * it offers more than every `earlier` one as far as the cap allows. `reserve`: the part of the cap that the quote reserves for data fees.
   * Throws `InsufficientFunds` when the source holds less than the amount
   * even without fees and reservations, `BelowRentMinimum` and `PaymentRefusedByChain` when the chain would refuse the payment,
   * `FeeTooHigh` when fees are above a ceiling of the operator, and as `DataFeesTooHigh` when data fees are above the reserve or their ceiling.
   */
  readonly prepare: Prepare = (payment, ...terms) => this.prepareTogether([payment])(payment, ...terms);

  /**
   * Prepares any of these payments, which have one source and one asset, as `prepare` does. All calls of the result share one reading of the
   * fees, the balances and everything else that the payments have in common.
   */
  abstract prepareTogether(payments: readonly Payment[]): Prepare;

  /**
   * A higher-fee replacement of the same payment, to be signed with the same nonce: both fees at least an eighth above every
   * earlier attempt. Null when the cap leaves no room for that, and on a chain where no attempt replaces another. Throws
   * `FeeTooHigh` when it needs more than a ceiling of the operator.
   */
  abstract prepareReplacement(
    payment: Payment,
    earlier: readonly SignedAttempt[],
    feeCap: bigint,
    reserve?: DataFees,
  ): Promise<Signable | null>;

  /**
   * A zero-value self-transfer, to be signed with a nonce that must be used; its fees are higher than those of every earlier
   * attempt on it, and within the cap. Null on a chain where no attempt replaces another. Throws `FeeTooHigh` when the next
   * block would take more than the cap or a ceiling, `InsufficientFunds` when the source does not hold the fee.
   */
  abstract prepareCancellation(
    address: string,
    earlier: readonly SignedAttempt[],
    feeCap: bigint,
  ): Promise<Cancellation | null>;

  /**
   * Whether the attempts, which have nonces, were signed for the chain that the endpoints are on: every endpoint that responds (at least
   * two of several) has the blocks that were final at their signing. False for attempts that do not say which.
   */
  abstract areOfThisChain(attempts: readonly SignedAttempt[]): Promise<boolean>;

  /**
   * Compares the endpoints with their network and with each other, so that log and metrics show one on another chain or fork
   * before it is used. Never throws.
   */
  abstract checkEndpoints(): Promise<void>;

  /**
   * Whether the chain shows a transaction of their source that names the transfer of one of these payments, besides the known ones. False without a call on a chain
   * whose payments do not name their transfer; there `nonces` shows whether one is unknown. `asksAll`: every endpoint is asked, and at
   * least two of several must respond. Throws `HistoryTooLong` too while the list is not read to its end.
   */
  abstract isMade(payments: readonly Payment[], search: PaymentSearch, asksAll?: boolean): Promise<boolean>;

  /** The payment as `FoundTransaction.summary` describes its transaction; null where a transaction names its transfer. */
  abstract summaryOf(payment: Payment): string | null;

  /**
   * The transactions of the source besides the known ones: with `nonces`, those in blocks that used them; otherwise those that name one of
   * the payments or a lost transfer. They are hints: only `status` proves that one of them is final. Throws `HistoryTooLong` as `isMade` does.
   */
  abstract transactionsOf(
    source: string,
    payments: readonly Payment[],
    search: PaymentSearch & { readonly nonces: NonceRange | null },
  ): Promise<FoundTransactions>;

  /**
   * Whether every transaction that was signed before a certain height is on the chain or can never be. `since`: that height;
   * null: the current one. Always over on a chain with nonces, where a transaction never expires: there `nonces` shows it.
   */
  abstract expiry(since: number | null): Promise<{ readonly since: number; readonly isOver: boolean }>;

  /** The newest final block, at which a search for deposits begins. */
  abstract finalBlock(): Promise<FinalBlock>;

  /**
   * Searches the final blocks after a certain one for payments to wallets. Each block is connected to the one before by its hash, and the
   * payments are those that were carried out. It skips no block: where one cannot be read, it ends before it.
   */
  abstract deposits(search: DepositSearch): Promise<FoundDeposits>;

  /** Sends stored bytes to the node. Only `status` says whether the chain includes them, whether or not the node responds. */
  abstract send(attempt: SignedAttempt): Promise<SendReport>;

  /**
   * The status of a payment, from its source and every attempt ever signed for it (cancellations on its nonce included): without all of
   * them `dead` is not proven. `progress`: the part of a proof that an earlier observation has stored.
   */
  abstract status(
    source: string,
    attempts: readonly SignedAttempt[],
    progress?: ProofProgress | null,
  ): Promise<PaymentStatus>;

  /**
   * Whether the chain has lost this block, in which a transaction was seen: an endpoint shows another block in its place (a final one, where
   * blocks are seen without their hash), and none shows the block. An endpoint that has not come that far shows neither. Never throws.
   */
  abstract hasLost(hash: string, block: BlockPlace): Promise<boolean>;
}

/** The chains of all networks that have a node. */
export class Chains {
  constructor(readonly all: readonly Chain[]) {}

  async checkEndpoints(): Promise<void> {
    await Promise.all(this.all.map((chain) => chain.checkEndpoints()));
  }

  /** Throws `ChainNotConfigured`. */
  named(name: ChainName): Chain {
    const chain = this.all.find((candidate) => candidate.name === name);
    if (!chain) throw new ChainNotConfigured(name);
    return chain;
  }
}

/** A block by which a network is known: the first one of its chain, or where nodes do not keep it a final one of the first use. */
export type NetworkBlock = BlockPlace & { readonly hash: string };

/** The blocks by which networks are known. Chain ids repeat, so the id alone does not name a network. */
export abstract class KnownNetworks {
  abstract find(network: string): Promise<NetworkBlock | null>;

  /** The stored block: of several processes that use a network for the first time, one stores the block that it has seen. */
  abstract remember(network: string, seen: NetworkBlock): Promise<NetworkBlock>;

  abstract all(): Promise<readonly { readonly network: string; readonly block: NetworkBlock }[]>;

  /** The next use stores another block. Returns the one that was stored. */
  abstract forget(network: string): Promise<NetworkBlock | null>;
}
