import type { TransferId } from '../ids.js';
import type { Asset } from './asset.js';
import type { ChainName } from './chain-name.js';
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
  /** Ethereum only: the number of the newest block when it was prepared, where a search for its nonce in the blocks ends. */
  readonly validFromBlock: number | null;
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

export interface Cancellation extends Signable {
  /** The most it can cost, in smallest units of the chain's coin. */
  readonly maxFee: bigint;
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
 * Why a transfer may stay pending for long, for the operator to act on:
 * - `waits_in_queue`: it is not signed; the transfers before it in its sender queue hold it up.
 * - `not_in_a_block`: nodes take it, no block does.
 * - `not_final`: it is in a block that does not become final.
 * - `node_lacks_history`: a block, a receipt or a status that the proof needs is missing at every endpoint.
 * - `nodes_disagree`: the answers contradict each other.
 * - `fee_above_ceiling`: what the chain takes is above what the operator allows.
 * - `sequencer_or_node_down`: no endpoint answers.
 */
export type StuckReason =
  | 'waits_in_queue'
  | 'not_in_a_block'
  | 'not_final'
  | 'node_lacks_history'
  | 'nodes_disagree'
  | 'fee_above_ceiling'
  | 'sequencer_or_node_down';

/**
 * How far the proof of a transfer's end has come: JSON that only its chain reads, stored with the transfer and given back at
 * the next look. It must hold whatever has happened since, so it names what it is about (hashes, a nonce).
 */
export type ProofProgress = Readonly<Record<string, unknown>>;

/** What each status may say besides. */
interface Unproven {
  /** What the transfer is stuck for, should it stay so for long. Absent: what follows from its stage. */
  readonly stuckReason?: StuckReason;
  /** Only where it has changed, for the transfer is then looked at again at once; null: there is none any more. */
  readonly progress?: ProofProgress | null;
}

/**
 * How attempts stand on the chain.
 * - `unknown`: the node could not be asked, or contradicted itself. Nothing follows from it.
 * - `not_seen`: the node knows of none of them. They may still be carried out.
 * - `submitted`: the node holds `hash`, in no block that counts yet.
 * - `mined`: `hash` is in a block that may still be reorganised away.
 * - `final`: `hash` is in a final block and no other attempt can ever be carried out. `fee` is what the chain took.
 *   `success`: exactly the payment was made. `reverted`: nothing but the fee moved. `diverged`: the token
 *   reported another move than was asked, or none; paying again could pay twice.
 * - `dead`: proof that none of them was or will ever be carried out. `usedBy`: the final transaction that used their nonce.
 */
export type PaymentStatus =
  | ({ readonly is: 'unknown'; readonly reason: string } & Unproven)
  | ({ readonly is: 'not_seen' } & Unproven)
  | ({ readonly is: 'submitted'; readonly hash: string } & Unproven)
  | ({ readonly is: 'mined'; readonly hash: string; readonly block: BlockPlace } & Unproven)
  | {
      readonly is: 'final';
      readonly hash: string;
      readonly block: BlockPlace;
      readonly outcome: 'success' | 'reverted' | 'diverged';
      readonly fee: bigint;
    }
  | ({ readonly is: 'dead'; readonly usedBy?: string } & Unproven);

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
 * A chain, through its nodes. Calls are bounded in time. Those that return terms or balances throw `ChainUnavailable`
 * when the node fails; `send` and `status` never throw.
 */
export abstract class Chain {
  abstract readonly name: ChainName;

  /** The address in the form it is stored and compared in. Throws `InvalidAddress` naming `field`. */
  abstract address(text: string, field?: string): string;

  /** Likewise for the contract or mint of a token. */
  abstract tokenAddress(text: string, field?: string): string;

  /** Whether the address, in canonical form, belongs to the chain itself: what is paid there is lost. */
  abstract isReserved(address: string): boolean;

  /** CAIP-2 name of the network the node is on. */
  abstract network(): Promise<string>;

  /** What the address holds in the newest block the chain is likely to keep. */
  abstract balance(address: string, asset: Asset): Promise<bigint>;

  /** The next nonces of an account; null on a chain that has none, where attempts need no order. */
  abstract nonces(address: string): Promise<Nonces | null>;

  /**
   * Asks the node for all that signing needs: fees, blockhash, balances, what the destination is. Before any lock: it
   * waits for the network. Without a cap the result is a quote; with one it stays within it, or throws `FeesAboveQuote`.
   * Where nonces bind no attempts, it offers more than every `earlier` one as far as the cap allows.
   * Throws `InsufficientFunds` when the source holds less than the amount even without fees and reservations,
   * `BelowRentMinimum` and `PaymentRefusedByChain` when the chain would not take the payment as it is, `FeeTooHigh` when
   * fees are above a ceiling of the operator.
   */
  abstract prepare(payment: Payment, feeCap?: bigint, earlier?: readonly SignedAttempt[]): Promise<PreparedPayment>;

  /**
   * A dearer form of the same payment, to be signed with the same nonce: at least an eighth above every earlier attempt
   * in both fees. Null when the cap leaves no room for that, or on a chain where attempts with higher fees replace nothing. Throws
   * `FeeTooHigh` when it needs more than a ceiling of the operator.
   */
  abstract prepareBump(payment: Payment, earlier: readonly SignedAttempt[], feeCap: bigint): Promise<Signable | null>;

  /**
   * A zero-value self-transfer, to be signed with a nonce that must be used up; its fees are higher than those of every
   * earlier attempt on it, and within the cap. Null on a chain where no attempt replaces another. Throws `FeeTooHigh` when
   * the next block would take more than the cap or a ceiling, `InsufficientFunds` when the source does not hold it.
   */
  abstract prepareCancellation(
    address: string,
    earlier: readonly SignedAttempt[],
    feeCap: bigint,
  ): Promise<Cancellation | null>;

  /** Hands stored bytes to the node. Whatever it answers, or if it does not, only `status` tells what became of them. */
  abstract send(attempt: SignedAttempt): Promise<SendReport>;

  /**
   * How a payment stands, given its source and every attempt ever signed for it (cancellations on its nonce included):
   * leaving one out makes `dead` a lie. `progress`: what an earlier look has stored of a proof.
   */
  abstract status(
    source: string,
    attempts: readonly SignedAttempt[],
    progress?: ProofProgress | null,
  ): Promise<PaymentStatus>;
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
  if (left === 0n && minimumLeft > 0n && reserved.coin > 0n) {
    throw new BelowRentMinimum(
      'The payment would empty the wallet while other transfers are open, which may take less than is reserved for them.',
    );
  }
  if (left > 0n && left < minimumLeft) {
    throw new BelowRentMinimum(
      `The payment would leave ${left} in the wallet: less than the rent-exempt minimum of ${minimumLeft}, but not nothing.`,
    );
  }
}
