import type { TransferId } from '../ids.js';
import type { Asset } from './asset.js';

/** A payment to be made. Addresses are in their canonical form, the amount is in smallest units. */
export interface Payment {
  readonly transferId: TransferId;
  readonly asset: Asset;
  readonly source: string;
  readonly dest: string;
  readonly amount: bigint;
}

/** Signs transactions with the key of one wallet, without exposing the key. */
export interface TransactionSigner {
  readonly address: string;
  /**
   * Signs a serialised unsigned transaction. Ethereum: 65 bytes r, s, v (27 or 28) of an EIP-1559 transaction. Solana: 64
   * bytes of a message. Throws when the signature does not verify against `address`.
   */
  signTransaction(unsigned: Uint8Array): Uint8Array;
}

/**
 * A signed transaction. It is stored completely before it is sent for the first time; `Chain.send`, `status`,
 * `prepareReplacement` and `prepareCancellation` need exactly these fields again.
 */
export interface SignedAttempt {
  /** CAIP-2 name of the network it was signed for. A node of another network says nothing about it. */
  readonly network: string;
  /** Ethereum: the transaction's hash. Solana: its signature in base58. Unique. */
  readonly hash: string;
  readonly raw: Uint8Array;
  /** Ethereum only. */
  readonly nonce: number | null;
  /** The blockhash that it is bound to; Solana only. */
  readonly blockhash: string | null;
  /** The last block height that may still include it; Solana only. */
  readonly lastValidBlockHeight: number | null;
  /** A slot before which no block can include it; Solana only. */
  readonly validFromSlot: number | null;
  /** Ethereum only: the number of the newest block at preparation, where a search for its nonce in the blocks ends. */
  readonly validFromBlock: number | null;
  /**
   * Ethereum only: a block that was final at preparation, and its hash. A chain without it is not the one that the attempt was signed
   * for. Null for an attempt of an earlier release.
   */
  readonly finalBlock: number | null;
  readonly finalBlockHash: string | null;
  /** The most it can cost besides the amount, in smallest units of the chain's coin. */
  readonly maxFee: bigint;
}

/** A transaction with everything that signing needs; signing itself uses no network. */
export interface Signable {
  /**
   * Signs. Synchronous and without I/O, so that it may run inside a database transaction. Throws unless the signed bytes,
   * decoded again, contain exactly the intended fields and are signed by the source. `nonce`: null on chains without nonces.
   */
  sign(signer: TransactionSigner, nonce: number | null): SignedAttempt;
}

/** A transaction of an account that was read from the chain. */
export interface FoundTransaction {
  readonly hash: string;
  /** Ethereum only. */
  readonly nonce: number | null;
  /**
   * The attempt that is stored so that it is tracked and sent like a transaction of this service: the bytes have the hash and are
   * signed by the account. Null when they have a form that this service does not sign.
   */
  readonly attempt: SignedAttempt | null;
  /** The given payments that it makes. */
  readonly makes: readonly TransferId[];
  /** Whether it is a zero-value transaction to the account itself. */
  readonly movesNothing: boolean;
  /** The destination, amount and asset, for people. */
  readonly summary: string;
}

export interface FoundTransactions {
  readonly of: readonly FoundTransaction[];
  /** False when transactions of the range could not be read, or are not final where they must be. */
  readonly isComplete: boolean;
}

export interface Cancellation extends Signable {
  /** The most it can cost, in smallest units of the chain's coin. */
  readonly maxFee: bigint;
}

/** A payment ready to be signed, with the figures that decide whether it may be signed. */
export interface PreparedPayment extends Signable {
  /**
   * The most the payment may ever cost besides the amount, in smallest units of the chain's coin: every attempt's `maxFee`
   * stays within it. As a quote it leaves room for replacements with higher fees; prepared within a cap it is that cap.
   */
  readonly feeCap: bigint;
  /** The source's current balances: of the chain's coin, and of the asset to be paid (the same when that is the coin). */
  readonly balances: Balances;
  /** A block that the balances certainly include. */
  readonly balancesAt: number;
  /** The balance of the coin must stay at or above this, or become zero. */
  readonly minimumLeft: bigint;
}

export interface Balances {
  readonly coin: bigint;
  readonly asset: bigint;
}
