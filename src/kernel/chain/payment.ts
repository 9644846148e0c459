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

/**
 * Fees that a chain takes besides the gas, in smallest units of its coin. They are zero except on networks of the OP stack. No field of a
 * transaction bounds them.
 */
export interface DataFees {
  /** The fee for the transaction's data on the chain below. */
  readonly l1: bigint;
  /** The fee of the network's operator. */
  readonly operator: bigint;
}

export const NO_DATA_FEES: DataFees = { l1: 0n, operator: 0n };

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
  /** The most it can cost besides the amount, in smallest units of the chain's coin. Of data fees it contains the reserve. */
  readonly maxFee: bigint;
}

/** The fields that only attempts on Solana have. */
export const WITHOUT_SLOTS = { blockhash: null, lastValidBlockHeight: null, validFromSlot: null } as const;
/** The fields that only attempts on Ethereum have. */
export const WITHOUT_NONCE = { nonce: null, validFromBlock: null, finalBlock: null, finalBlockHash: null } as const;

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
  /** Whether it waits for a block. */
  readonly isWaiting: boolean;
  /** The time of its block; null where that is not known. */
  readonly at: Date | null;
  /** The destination, amount and asset, for people. */
  readonly summary: string;
}

export interface FoundTransactions {
  readonly of: readonly FoundTransaction[];
  /** False when transactions of the range could not be read, or are not final where they must be. */
  readonly isComplete: boolean;
  /** The transactions and blocks that the nodes do not show, for people; absent where that is not known. */
  readonly lacking?: string;
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
  /** The part of `feeCap` that is reserved for data fees; absent: none. */
  readonly dataFees?: DataFees;
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

/** A block's position. Two blocks of the same number with different hashes are a reorganisation. */
export interface BlockPlace {
  readonly number: number;
  /** Null on Solana: its nodes identify confirmed blocks by slot alone. */
  readonly hash: string | null;
}

/** The block of a transaction. */
export interface PaymentBlock extends BlockPlace {
  /** It is absent where the chain did not report it with the status. */
  readonly time?: Date | undefined;
}

/** Exactly the payment was made; nothing but the fee moved; or the token reported another move than the intended one, or none. */
export type PaymentOutcome = 'success' | 'reverted' | 'diverged';

/**
 * Why a transfer stays pending, for the operator to act on:
 * - `books_behind_chain`: the chain shows transactions that the database does not know, or the database is another one than
 *   before. Nothing is signed in the sender queue until both are compared.
 * - `waits_in_queue`: it is not signed; the transfers before it in its sender queue block it.
 * - `user_inactive`: it is not signed, because the user of its wallet is deactivated.
 * - `app_frozen`: nothing is signed for it, because an operator has frozen the app.
 * - `wallet_frozen`: nothing is signed for it, because an operator has frozen its wallet or the user of that.
 * - `row_altered`: nothing is signed for it, because its row, or the sealed key of its wallet, is not as the service wrote it.
 * - `not_in_a_block`: nodes accept it, no block includes it.
 * - `not_final`: it is in a block that does not become final.
 * - `node_lacks_history`: a block, a receipt or a status that the proof needs is missing at every endpoint.
 * - `history_too_long`: the transactions that name its account are still being read, a bounded number at a time.
 * - `nodes_disagree`: the responses contradict each other.
 * - `fee_above_ceiling`: the chain's fees are above the ceiling of the operator.
 * - `another_chain`: the endpoints are on another chain with the same id, or the network began anew: their chain lacks its first
 *   block, or a block that was final when the transfer was signed.
 * - `network_not_configured`: its network has no node in the configuration, so nothing is read or sent for it.
 * - `sequencer_or_node_down`: no endpoint of the network it was signed for responds, or its sequencer includes nothing though the fees
 *   suffice.
 */
export const STUCK_REASONS = [
  'books_behind_chain',
  'waits_in_queue',
  'user_inactive',
  'app_frozen',
  'wallet_frozen',
  'row_altered',
  'not_in_a_block',
  'not_final',
  'node_lacks_history',
  'history_too_long',
  'nodes_disagree',
  'fee_above_ceiling',
  'another_chain',
  'network_not_configured',
  'sequencer_or_node_down',
] as const;
export type StuckReason = (typeof STUCK_REASONS)[number];

/**
 * How far the proof of a transfer's end has come: JSON that only its chain reads, stored with the transfer and passed to
 * the next observation. It must stay true after a reorganisation of the chain, so it contains hashes or a nonce.
 */
export type ProofProgress = Readonly<Record<string, unknown>>;

interface Unproven {
  /** The reason to report if the transfer is marked stuck. Absent: the reason follows from its stage. */
  readonly stuckReason?: StuckReason;
  /** Present only when it has changed: the transfer is then observed again at once. Null: there is no progress any more. */
  readonly progress?: ProofProgress | null;
}

/**
 * The status of a payment's attempts on the chain.
 * - `unknown`: the node did not respond, or contradicted itself. Nothing follows from it.
 * - `not_seen`: the node knows none of them. The chain may still include them.
 * - `submitted`: the node holds `hash`, in no block that counts yet.
 * - `mined`: `hash` is in a block that a reorganisation may still remove, with this outcome as far as it is known.
 * - `final`: `hash` is in a final block and the chain can include no other attempt. `fee` is the fee that the chain took. After `diverged`,
 *   paying again could pay twice.
 * - `dead`: proof that the chain included none of them and never will. `usedBy`: the final transaction that used their nonce, as
 *   far as it can be named; `payment`: whether it made this very payment. On chains without nonces neither is set.
 */
export type PaymentStatus =
  | ({ readonly is: 'unknown'; readonly reason: string } & Unproven)
  | ({ readonly is: 'not_seen' } & Unproven)
  | ({ readonly is: 'submitted'; readonly hash: string } & Unproven)
  | ({
      readonly is: 'mined';
      readonly hash: string;
      readonly block: PaymentBlock;
      readonly outcome?: PaymentOutcome;
    } & Unproven)
  | FinalPayment
  | ({
      readonly is: 'dead';
      readonly usedBy?: string;
      readonly payment?: 'made' | 'not_made' | 'unproven';
    } & Unproven);

export interface FinalPayment {
  readonly is: 'final';
  readonly hash: string;
  readonly block: PaymentBlock;
  readonly outcome: PaymentOutcome;
  readonly fee: bigint;
  /** The part of `fee` that the chain took as data fees; absent: none. */
  readonly dataFees?: DataFees;
}
