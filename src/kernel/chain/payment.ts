import type { TransferId } from '../ids.js';
import type { Asset } from './asset.js';

/** Addresses are in their canonical form, the amount is in smallest units. */
export interface Payment {
  readonly transferId: TransferId;
  readonly asset: Asset;
  readonly source: string;
  readonly dest: string;
  readonly amount: bigint;
}

/** Fees besides the gas, in smallest units of the coin: zero outside the OP stack. No field of a transaction bounds them. */
export interface DataFees {
  /** The fee for the transaction's data on the chain below. */
  readonly l1: bigint;
  readonly operator: bigint;
}

export const NO_DATA_FEES: DataFees = { l1: 0n, operator: 0n };

/** The key of a wallet signs without being exposed. */
export interface TransactionSigner {
  readonly address: string;
  /** Ethereum: 65 bytes r, s, v (27 or 28) of an EIP-1559 transaction. Solana: 64 bytes of a message. Verifies the signature. */
  signTransaction(unsigned: Uint8Array): Uint8Array;
}

/** It is stored completely before it is sent for the first time: `Chain.send`, `status` and replacements need these fields again. */
export interface SignedAttempt {
  /** CAIP-2 name of the network that it was signed for. A node of another network says nothing about it. */
  readonly network: string;
  /** Ethereum: the transaction's hash. Solana: its signature in base58. Unique. */
  readonly hash: string;
  readonly raw: Uint8Array;
  readonly nonce: number | null;
  /** Solana only, as are the next two fields. */
  readonly blockhash: string | null;
  /** The last block height that may include it. */
  readonly lastValidBlockHeight: number | null;
  /** No block of a lower slot can include it. */
  readonly validFromSlot: number | null;
  /** Ethereum only: the newest block at preparation, where a search for its nonce ends. */
  readonly validFromBlock: number | null;
  /** Ethereum only: a block that was final at preparation. A chain without it is another one. Null for an attempt of an earlier release. */
  readonly finalBlock: number | null;
  readonly finalBlockHash: string | null;
  /** The most it costs besides the amount, in smallest units of the coin, with the reserve for data fees. */
  readonly maxFee: bigint;
}

export const WITHOUT_SLOTS = { blockhash: null, lastValidBlockHeight: null, validFromSlot: null } as const;
export const WITHOUT_NONCE = { nonce: null, validFromBlock: null, finalBlock: null, finalBlockHash: null } as const;

export interface Signable {
  /**
   * Synchronous and without I/O, so that it may run inside a database transaction. Throws unless the signed bytes, decoded again, are
   * exactly the intended ones and signed by the source.
   */
  sign(signer: TransactionSigner, nonce: number | null): SignedAttempt;
}

export interface FoundTransaction {
  readonly hash: string;
  readonly nonce: number | null;
  /** It is stored, tracked and sent like an attempt of this service. Null when the service does not sign transactions of this form. */
  readonly attempt: SignedAttempt | null;
  readonly makes: readonly TransferId[];
  readonly movesNothing: boolean;
  readonly isWaiting: boolean;
  /** The time of its block; null where that is not known. */
  readonly at: Date | null;
  readonly summary: string;
}

export interface FoundTransactions {
  readonly of: readonly FoundTransaction[];
  /** False when transactions could not be read, or are not final where they must be. */
  readonly isComplete: boolean;
  /** What the nodes do not show, for people; absent where that is not known. */
  readonly lacking?: string;
}

export interface Cancellation extends Signable {
  /** The most it costs, in smallest units of the coin. */
  readonly maxFee: bigint;
}

export interface PreparedPayment extends Signable {
  /**
   * The most the payment ever costs besides the amount, in smallest units of the coin; every attempt stays within it. As a quote it leaves
   * room for replacements; prepared within a cap it is that cap.
   */
  readonly feeCap: bigint;
  /** The part of `feeCap` that is reserved for data fees; absent: none. */
  readonly dataFees?: DataFees;
  /** The source's balances; both are the same when the coin is paid. */
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

/** Two blocks of one number with different hashes are a reorganisation. */
export interface BlockPlace {
  readonly number: number;
  /** Null on Solana: its nodes identify confirmed blocks by slot alone. */
  readonly hash: string | null;
}

export interface PaymentBlock extends BlockPlace {
  /** Absent where the chain did not report it with the status. */
  readonly time?: Date | undefined;
}

/** `diverged`: the token reported another move than the intended one, or none. `reverted`: nothing but the fee moved. */
export type PaymentOutcome = 'success' | 'reverted' | 'diverged';

/**
 * - `books_behind_chain`: the chain shows transactions that the database lacks, or the database is another one than before.
 * - `waits_in_queue`: it is not signed; the transfers before it in its sender queue block it.
 * - `row_altered`: its row, that of its app, or the sealed key of its wallet, is not as the service wrote it.
 * - `node_lacks_history`: a block, a receipt or a status that the proof needs is missing at every endpoint.
 * - `history_too_long`: the transactions that name its account are still being read, a bounded number at a time.
 * - `another_chain`: the endpoints lack the first block of the network, or a block that was final when the transfer was signed.
 * - `network_not_configured`: the configuration has no node, so nothing is read or sent for it.
 * - `sequencer_or_node_down`: no endpoint responds, or the sequencer includes nothing though the fees suffice.
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

/** JSON that only its chain reads. It must stay true after a reorganisation, so it contains hashes or a nonce. */
export type ProofProgress = Readonly<Record<string, unknown>>;

interface Unproven {
  /** Absent: the reason follows from the stage. */
  readonly stuckReason?: StuckReason;
  /** Present only when it has changed: the transfer is then observed again at once. Null: there is none any more. */
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
