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
 * Nodes keep no more waiting transactions of one account, so counts that differ by more are not credible: a nonce chosen by the wrong one
 * leaves a gap that costs a self-transfer for each nonce, or blocks the account.
 */
export const MOST_WAITING = 64;

/** An account's number of transactions is its next nonce. */
export interface Nonces {
  readonly pending: number;
  readonly latest: number;
  /** More than one response supports them. */
  readonly areAgreed?: true;
}

export interface NonceRange {
  readonly from: number;
  readonly to: number;
  /** From `to` on and below this, transactions wait for a block: they are searched for too. */
  readonly waitingTo: number;
  /** Only some of many are searched for: the first, or the newest with `notBefore`. */
  readonly isBounded: boolean;
  /** The search goes downwards and ends at the first older block; null: it covers all. */
  readonly notBefore: Date | null;
}

export interface PaymentSearch {
  /** No searched transaction is older. */
  readonly since: Date;
  readonly known: readonly string[];
  /** On a chain whose payments name their transfer, a transaction that names one of these is found too. */
  readonly lost?: LostTransfers | null;
  /** Keeps how far a search that is too long for one look has come; without it, each look begins anew. */
  readonly progress?: SearchProgress;
}

/** The progress at each endpoint does not depend on the payments in question, and any process continues it. */
export interface SearchProgress {
  load(endpoint: string): Promise<StoredSearch | null>;
  /** False, and nothing is stored, when another process has stored since this version; 0: since there was none. */
  store(endpoint: string, progress: ProofProgress, version: number): Promise<boolean>;
  /** The hashes of transactions that are no attempt in the database, of open transfers and of transfers that it lacks. */
  forgotten(named: readonly NamedTransaction[]): Promise<ForgottenTransactions>;
}

export interface StoredSearch {
  readonly progress: ProofProgress;
  readonly version: number;
}

export interface NamedTransaction {
  readonly hash: string;
  readonly id: TransferId;
}

export interface ForgottenTransactions {
  readonly ofOpen: readonly string[];
  readonly ofMissing: readonly string[];
}

/** The database may have forgotten transfers that were created since. */
export interface LostTransfers {
  readonly since: Date;
  among(ids: readonly TransferId[]): Promise<readonly TransferId[]>;
}

export interface SendReport {
  /** Accepted bytes may never be included in a block, and refused ones may. The report is for logs only. */
  readonly accepted: boolean;
  readonly detail: string;
}

export type Prepare = (
  payment: Payment,
  feeCap?: bigint,
  earlier?: readonly SignedAttempt[],
  reserve?: DataFees,
) => Promise<PreparedPayment>;

/** `degraded`: one of several does not respond, lags, or is on another chain or fork. `unavailable`: none is on the network. */
export const CHAIN_HEALTH = ['ok', 'degraded', 'unavailable'] as const;
export type ChainHealth = (typeof CHAIN_HEALTH)[number];

/** `lags`: behind the highest one. `differs`: on another chain, or on another fork than most. */
export const ENDPOINT_HEALTH = ['ok', 'lags', 'differs', 'unavailable'] as const;

export interface ChainEndpoint {
  readonly health: (typeof ENDPOINT_HEALTH)[number];
  /** The height of its newest block; null when it did not respond. */
  readonly height: number | null;
  /** Why it cannot be used, without its URL; null if it can. */
  readonly fault: string | null;
}

/** `to` is null where the transaction creates a contract. */
export interface CallersTransaction {
  readonly to: string | null;
  readonly value: bigint;
  readonly data: string;
  readonly gasLimit: bigint;
  readonly maxFeePerGas: bigint;
  readonly maxPriorityFeePerGas: bigint;
}

/** Calls are bounded in time. Those that return terms or balances throw `ChainUnavailable` when the node fails. */
export abstract class Chain {
  constructor(readonly configured: ConfiguredNetwork) {}

  get name(): ChainName {
    return this.configured.name;
  }

  get native(): Asset {
    return this.configured.native;
  }

  get walletType(): WalletType {
    return this.configured.walletType;
  }

  /** The CAIP-2 name; null where it is not known without a call. */
  get id(): string | null {
    return this.configured.id;
  }

  abstract readonly health: ChainHealth;

  abstract readonly endpoints: readonly ChainEndpoint[];

  /** Returns the form in which an address is stored and compared. Throws `InvalidAddress` naming `field`. */
  abstract address(text: string, field?: string): string;

  /** Returns the form in which a contract or mint is stored and compared. Throws `InvalidAddress` naming `field`. */
  abstract tokenAddress(text: string, field?: string): string;

  /** Whether the canonical address belongs to the chain itself: a payment to it is lost. */
  abstract isReserved(address: string): boolean;

  abstract network(): Promise<string>;

  /** The balances are of the newest block that the chain is likely to keep. */
  abstract balances(address: string, asset: Asset): Promise<Pick<PreparedPayment, 'balances' | 'balancesAt'>>;

  /** No field of a transaction bounds these fees. */
  get takesDataFees(): boolean {
    return false;
  }

  /** Throws `FeeTooHigh` when a caller's transaction would now take more data fees than the operator's ceiling. */
  assertDataFees(_transaction: CallersTransaction): Promise<void> {
    return Promise.resolve();
  }

  async balance(address: string, asset: Asset): Promise<bigint> {
    return (await this.balances(address, asset)).balances.asset;
  }

  /**
   * Null on a chain without nonces. With `doubted` nonces every endpoint is asked, and at least two of several must respond; it throws
   * `ChainUnavailable` when two responses differ by more than `MOST_WAITING`.
   */
  abstract nonces(address: string, doubted?: Nonces): Promise<Nonces | null>;

  /**
   * Call it before any lock: it waits for the network. Without a cap the result is a quote; with one it stays within it, or throws
   * `FeesAboveQuote`. Without nonces it offers more than every `earlier` attempt, as far as the cap allows. `reserve` is the part of the
   * cap for data fees. Throws `InsufficientFunds`, `BelowRentMinimum`, `PaymentRefusedByChain`, `FeeTooHigh` and `DataFeesTooHigh`.
   */
  readonly prepare: Prepare = (payment, ...terms) => this.prepareTogether([payment])(payment, ...terms);

  /** The payments have one source and one asset. All calls of the result share one reading of fees, balances and everything else. */
  abstract prepareTogether(payments: readonly Payment[]): Prepare;

  /**
   * Prepares the same payment on the same nonce, with both fees an eighth above every earlier attempt. Null when the cap leaves no room, or
   * no attempt replaces another. Throws `FeeTooHigh` above a ceiling.
   */
  abstract prepareReplacement(
    payment: Payment,
    earlier: readonly SignedAttempt[],
    feeCap: bigint,
    reserve?: DataFees,
  ): Promise<Signable | null>;

  /**
   * A zero-value self-transfer on a nonce that must be used, with fees above every earlier attempt. Null where no attempt replaces another.
   * Throws `FeeTooHigh` above the cap or a ceiling, `InsufficientFunds` when the source does not hold the fee.
   */
  abstract prepareCancellation(
    address: string,
    earlier: readonly SignedAttempt[],
    feeCap: bigint,
  ): Promise<Cancellation | null>;

  /**
   * Whether every endpoint that responds (at least two of several) has the blocks that were final at the signing of these attempts. False
   * for attempts that do not name one.
   */
  abstract areOfThisChain(attempts: readonly SignedAttempt[]): Promise<boolean>;

  /** Log and metrics show an endpoint on another chain or fork before it is used. Never throws. */
  abstract checkEndpoints(): Promise<void>;

  /**
   * Whether the chain shows another transaction of the source that names one of these transfers. False without a call if payments do not
   * name their transfer; `nonces` then shows it. `asksAll`: at least two of several endpoints must respond. Throws `HistoryTooLong` while
   * the list is not read to its end.
   */
  abstract isMade(payments: readonly Payment[], search: PaymentSearch, asksAll?: boolean): Promise<boolean>;

  /** Describes the payment as `FoundTransaction.summary` does; null where a transaction names its transfer. */
  abstract summaryOf(payment: Payment): string | null;

  /**
   * The unknown transactions of the source: with `nonces`, those in blocks that used them; otherwise those that name a payment or a lost
   * transfer. They are hints: only `status` proves one final. Throws `HistoryTooLong` as `isMade` does.
   */
  abstract transactionsOf(
    source: string,
    payments: readonly Payment[],
    search: PaymentSearch & { readonly nonces: NonceRange | null },
  ): Promise<FoundTransactions>;

  /**
   * Whether every transaction signed before this height (null: the current one) is on the chain or can never be. Always over with nonces,
   * where a transaction never expires: `nonces` shows it.
   */
  abstract expiry(since: number | null): Promise<{ readonly since: number; readonly isOver: boolean }>;

  abstract finalBlock(): Promise<FinalBlock>;

  /** Each block is connected to the one before by its hash. The search skips no block: it ends before one that cannot be read. */
  abstract deposits(search: DepositSearch): Promise<FoundDeposits>;

  /** Only `status` says whether the chain includes the bytes, whether or not the node responds. Never throws. */
  abstract send(attempt: SignedAttempt): Promise<SendReport>;

  /** Needs every attempt ever signed, cancellations too, to prove `dead`. `progress` is the stored part of a proof. Never throws. */
  abstract status(
    source: string,
    attempts: readonly SignedAttempt[],
    progress?: ProofProgress | null,
  ): Promise<PaymentStatus>;

  /**
   * Whether an endpoint shows another block in its place (a final one, where blocks have no hash), and none shows the block. An endpoint
   * that has not come that far shows neither. Never throws.
   */
  abstract hasLost(hash: string, block: BlockPlace): Promise<boolean>;
}

export class Chains {
  constructor(readonly all: readonly Chain[]) {}

  async checkEndpoints(): Promise<void> {
    await Promise.all(this.all.map((chain) => chain.checkEndpoints()));
  }

  named(name: ChainName): Chain {
    const chain = this.all.find((candidate) => candidate.name === name);
    if (!chain) throw new ChainNotConfigured(name);
    return chain;
  }
}

/** The first block of the chain, or where nodes do not keep it a final one of the first use. */
export type NetworkBlock = BlockPlace & { readonly hash: string };

/** Chain ids repeat, so the id alone does not name a network. */
export abstract class KnownNetworks {
  abstract find(network: string): Promise<NetworkBlock | null>;

  /** Of several processes that use a network for the first time, one stores its block. Returns the stored one. */
  abstract remember(network: string, seen: NetworkBlock): Promise<NetworkBlock>;

  /** The next use stores another block. Returns the forgotten one. */
  abstract forget(network: string): Promise<NetworkBlock | null>;
}
