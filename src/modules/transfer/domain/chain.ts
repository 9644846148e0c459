import type { TransferId } from '../../../kernel/ids.js';
import type { Asset, ChainName } from './asset.js';
import { BelowRentMinimum, ChainNotConfigured, InsufficientFunds } from './chain.errors.js';

/** What is to be paid. All addresses are in their canonical form, the amount is in smallest units. */
export interface Payment {
  readonly transferId: TransferId;
  readonly asset: Asset;
  readonly source: string;
  readonly dest: string;
  readonly amount: bigint;
}

/** Signs transactions with the key of one wallet. The key itself never comes this far. */
export interface TransactionSigner {
  readonly address: string;
  /**
   * The signature of an unsigned transaction in the chain's serialised form: Ethereum 65 bytes r, s, v (27 or 28) of an
   * EIP-1559 transaction, Solana 64 bytes of a message. Throws, rather than let out a signature that is not the address's.
   */
  signTransaction(unsigned: Uint8Array): Uint8Array;
}

/**
 * A transaction as it was signed, to be stored whole before it is sent for the first time. Exactly these fields are
 * asked for again by `Chain.send`, `status`, `prepareBump` and `prepareCancellation`.
 */
export interface SignedAttempt {
  /** CAIP-2 name of the network it was signed for. An attempt of another network than the node's is never judged. */
  readonly network: string;
  /** Ethereum: the transaction's hash. Solana: its signature in base58. One is never signed twice. */
  readonly hash: string;
  readonly raw: Uint8Array;
  /** Ethereum only. */
  readonly nonce: number | null;
  /** Solana only: the blockhash it is bound to, … */
  readonly blockhash: string | null;
  /** … the last block height that may still include it, … */
  readonly lastValidBlockHeight: number | null;
  /** … and a slot before which it cannot have been included. */
  readonly validFromSlot: number | null;
  /** The most it can cost besides the amount, in smallest units of the chain's coin. */
  readonly maxFee: bigint;
}

/** A transaction with everything known that signing needs: from here on no network is involved. */
export interface Signable {
  /**
   * Signs. Synchronous, without I/O, so it may run inside a transaction. The bytes have been decoded again, say exactly
   * what was intended and are signed by the source; otherwise it throws and nothing leaves. `nonce` on chains that have
   * nonces, else null.
   */
  sign(signer: TransactionSigner, nonce: number | null): SignedAttempt;
}

/** A payment ready to be signed, and what tells whether it should be. */
export interface PreparedPayment extends Signable {
  /**
   * The most the payment may ever cost besides the amount, in smallest units of the chain's coin: every attempt's
   * `maxFee` stays within it. As a quote it leaves room for dearer attempts; prepared within a cap it is that cap.
   */
  readonly feeCap: bigint;
  /** What the source holds, as of now: of the chain's coin, and of the asset to be paid (the same when that is the coin). */
  readonly balances: Balances;
  /** The block the balances are of, or one before it: of what is in that block they tell for certain. */
  readonly balancesAt: number;
  /** What must remain of the coin in the source, unless nothing does. */
  readonly minimumLeft: bigint;
}

export interface Balances {
  readonly coin: bigint;
  readonly asset: bigint;
}

/** Where a block is. Two blocks of the same number with different hashes are a reorganisation. */
export interface BlockPlace {
  readonly number: number;
  /** Null on Solana: its nodes tell of confirmed blocks by slot alone. */
  readonly hash: string | null;
}

/**
 * How attempts stand on the chain.
 * - `unknown`: the node could not be asked, or contradicted itself. Nothing follows from it.
 * - `not_seen`: the node knows of none of them. They may still be carried out.
 * - `submitted`: the node holds `hash`, in no block that counts yet.
 * - `mined`: `hash` is in a block that may still be reorganised away.
 * - `final`: `hash` is in a final block and no other attempt can ever be carried out. `fee` is what the chain took.
 *   `success`: exactly the payment was made. `reverted`: nothing but the fee moved. `diverged`: the token moved
 *   something else than was asked; paying again could pay twice.
 * - `dead`: proof that none of them was or will ever be carried out.
 */
export type Standing =
  | { readonly is: 'unknown'; readonly reason: string }
  | { readonly is: 'not_seen' }
  | { readonly is: 'submitted'; readonly hash: string }
  | { readonly is: 'mined'; readonly hash: string; readonly block: BlockPlace }
  | {
      readonly is: 'final';
      readonly hash: string;
      readonly block: BlockPlace;
      readonly outcome: 'success' | 'reverted' | 'diverged';
      readonly fee: bigint;
    }
  | { readonly is: 'dead' };

/** How many transactions of an account there are: the next nonce, seen from two places. */
export interface Nonces {
  /** After everything the node has, mined or not. */
  readonly pending: number;
  /** After the newest block. */
  readonly latest: number;
}

/** What a node answered to bytes it was sent: for logs only, since nodes word the same fact in many ways. */
export interface SendReport {
  /** It took them. Even so they may never be carried out; and refused ones may well be. */
  readonly accepted: boolean;
  readonly detail: string;
}

/**
 * A chain, through one node. Calls are bounded in time. Those that return terms or balances throw `ChainUnavailable`
 * when the node fails; `send` and `status` never throw.
 */
export abstract class Chain {
  abstract readonly name: ChainName;

  /** The address in the form it is stored and compared in. Throws `InvalidAddress` naming `field`. */
  abstract address(text: string, field?: string): string;

  /** Likewise for the contract or mint of a token. */
  abstract tokenAddress(text: string, field?: string): string;

  /** CAIP-2 name of the network the node is on. */
  abstract network(): Promise<string>;

  /** What the address holds in the newest block the chain is likely to keep. */
  abstract balance(address: string, asset: Asset): Promise<bigint>;

  /** The next nonces of an account; null on a chain that has none, where attempts need no order. */
  abstract nonces(address: string): Promise<Nonces | null>;

  /**
   * Asks the node for all that signing needs: fees, blockhash, balances, what the destination is. Before any lock: it
   * waits for the network. Without a cap the result is a quote; with one it stays within it, or throws `FeesAboveQuote`.
   * Throws `InsufficientFunds` when the source holds less than the amount even without fees and reservations,
   * `BelowRentMinimum` and `PaymentRefusedByChain` when the chain would not take the payment as it is.
   */
  abstract prepare(payment: Payment, feeCap?: bigint): Promise<PreparedPayment>;

  /**
   * A dearer form of the same payment, to be signed with the same nonce: at least an eighth above every earlier attempt
   * in both fees. Null when the cap leaves no room for that, or on a chain where dearer attempts replace nothing.
   */
  abstract prepareBump(payment: Payment, earlier: readonly SignedAttempt[], feeCap: bigint): Promise<Signable | null>;

  /**
   * A transaction of nothing to oneself, to be signed with a nonce that must be used up; dearer than every earlier
   * attempt on it, within the cap when there is one. Null like `prepareBump`.
   */
  abstract prepareCancellation(
    address: string,
    earlier: readonly SignedAttempt[],
    feeCap?: bigint,
  ): Promise<Signable | null>;

  /** Hands stored bytes to the node. Whatever it answers, or if it does not, only `status` tells what became of them. */
  abstract send(attempt: SignedAttempt): Promise<SendReport>;

  /**
   * How a payment stands, given its source and every attempt ever signed for it (cancellations on its nonce included):
   * leaving one out makes `dead` a lie.
   */
  abstract status(source: string, attempts: readonly SignedAttempt[]): Promise<Standing>;
}

/** The chains money can move on: those whose node is configured. */
export class Chains {
  constructor(private readonly chains: readonly Chain[]) {}

  get names(): readonly ChainName[] {
    return this.chains.map(({ name }) => name);
  }

  /** Throws `ChainNotConfigured`. */
  named(name: ChainName): Chain {
    const chain = this.chains.find((candidate) => candidate.name === name);
    if (!chain) throw new ChainNotConfigured(name);
    return chain;
  }
}

/**
 * Refuses a payment the source cannot cover with what is left of its balances after `reserved`, the sum of amounts and
 * fee caps of its other open transfers. Throws `InsufficientFunds` or `BelowRentMinimum`.
 */
export function assertCovered({ asset, amount }: Payment, prepared: PreparedPayment, reserved: Balances): void {
  const { balances, feeCap, minimumLeft } = prepared;
  if (asset.token !== null && balances.asset - reserved.asset < amount) throw new InsufficientFunds();
  const left = balances.coin - reserved.coin - feeCap - (asset.token === null ? amount : 0n);
  if (left < 0n) throw new InsufficientFunds();
  if (left > 0n && left < minimumLeft) {
    throw new BelowRentMinimum(
      `The payment would leave ${left} in the wallet: less than the rent-exempt minimum of ${minimumLeft}, but not nothing.`,
    );
  }
}
