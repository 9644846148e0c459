/** A block's position. Two blocks of the same number with different hashes are a reorganisation. */
export interface BlockPlace {
  readonly number: number;
  /** Null on Solana: its nodes identify confirmed blocks by slot alone. */
  readonly hash: string | null;
}

/**
 * Why a transfer stays pending, for the operator to act on:
 * - `books_behind_chain`: the chain shows transactions that the database does not know, or the database is another one than
 *   before. Nothing is signed in the sender queue until both are compared.
 * - `waits_in_queue`: it is not signed; the transfers before it in its sender queue block it.
 * - `user_inactive`: it is not signed, because the user of its wallet is deactivated.
 * - `not_in_a_block`: nodes accept it, no block includes it.
 * - `not_final`: it is in a block that does not become final.
 * - `node_lacks_history`: a block, a receipt or a status that the proof needs is missing at every endpoint.
 * - `nodes_disagree`: the responses contradict each other.
 * - `fee_above_ceiling`: the chain's fees are above the ceiling of the operator.
 * - `another_chain`: the endpoints are on another chain with the same id, or the network began anew: their chain lacks its first
 *   block, or a block that was final when the transfer was signed.
 * - `sequencer_or_node_down`: no endpoint of the network it was signed for responds.
 */
export const STUCK_REASONS = [
  'books_behind_chain',
  'waits_in_queue',
  'user_inactive',
  'not_in_a_block',
  'not_final',
  'node_lacks_history',
  'nodes_disagree',
  'fee_above_ceiling',
  'another_chain',
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
 * - `mined`: `hash` is in a block that a reorganisation may still remove.
 * - `final`: `hash` is in a final block and the chain can include no other attempt. `fee` is the fee that the chain took. `success`:
 *   exactly the payment was made. `reverted`: nothing but the fee moved. `diverged`: the token reported another move than the intended one,
 *   or none; paying again could pay twice.
 * - `dead`: proof that the chain included none of them and never will. `usedBy`: the final transaction that used their nonce, as
 *   far as it can be named; `payment`: whether it made this very payment. On chains without nonces neither is set.
 */
export type PaymentStatus =
  | ({ readonly is: 'unknown'; readonly reason: string } & Unproven)
  | ({ readonly is: 'not_seen' } & Unproven)
  | ({ readonly is: 'submitted'; readonly hash: string } & Unproven)
  | ({ readonly is: 'mined'; readonly hash: string; readonly block: BlockPlace } & Unproven)
  | FinalPayment
  | ({
      readonly is: 'dead';
      readonly usedBy?: string;
      readonly payment?: 'made' | 'not_made' | 'unproven';
    } & Unproven);

export interface FinalPayment {
  readonly is: 'final';
  readonly hash: string;
  readonly block: BlockPlace;
  readonly outcome: 'success' | 'reverted' | 'diverged';
  readonly fee: bigint;
}
