import { type DataOf, evolve } from '../../../../kernel/entity.js';
import type { AppId, ApprovalId, BatchId, TransferId, UserId, WalletId } from '../../../../kernel/ids.js';
import type { Asset } from '../../../../kernel/chain/asset.js';
import type { ChainName } from '../../../../kernel/chain/chain-name.js';
import {
  type DataFees,
  type FinalPayment,
  NO_DATA_FEES,
  type Payment,
  type BlockPlace,
  type PaymentBlock,
  type ProofProgress,
  type SignedAttempt,
  type StuckReason,
} from '../../../../kernel/chain/payment.js';
import type { SenderQueueId } from './sender-queue.js';
import { TransferAlreadyConfirmed, TransferCancelled, TransferExpired } from './transfer.errors.js';

/** Only the first three ever change. `failed` is proven by the chain or closed by an operator; of the last three nothing was paid. */
export const TRANSFER_STATUSES = [
  'unconfirmed',
  'awaiting_approval',
  'pending',
  'completed',
  'failed',
  'rejected',
  'expired',
  'cancelled',
] as const;
export type TransferStatus = (typeof TRANSFER_STATUSES)[number];

/** A pending transfer waits in its sender queue, is signed and stored, is held by nodes, or is in a block that is not final. */
export const TRANSFER_STAGES = ['queued', 'signed', 'submitted', 'mined'] as const;
export type TransferStage = (typeof TRANSFER_STAGES)[number];

export const NEXT_STEPS = [
  'confirmation',
  'approval',
  'place_in_queue',
  'broadcast',
  'block',
  'finality',
  'cancellation',
  'none',
] as const;
export type NextStep = (typeof NEXT_STEPS)[number];

const STEP_OF = { queued: 'place_in_queue', signed: 'broadcast', submitted: 'block', mined: 'finality' } as const;

export const QUOTE_SECONDS = 120;

/** Only the process that signed a transfer observes it for this long after signing; then workers do. */
export const TRACKED_AFTER_SECONDS = 2;

interface Mined {
  readonly hash: string;
  readonly block: PaymentBlock;
}

type Taken = Pick<FinalPayment, 'fee' | 'dataFees'>;

/** One payment from one wallet, made at most once. Every transition returns the next state. */
export class Transfer {
  declare readonly appId: AppId;
  declare readonly id: TransferId;
  /** The owner of the source when the transfer was created. */
  declare readonly userId: UserId;
  declare readonly status: TransferStatus;
  declare readonly stage: TransferStage | null;
  declare readonly source: WalletId;
  declare readonly sourceAddress: string;
  declare readonly dest: string;
  declare readonly chain: ChainName;
  /** CAIP-2 name of the network it was quoted on; it is paid on no other. */
  declare readonly network: string;
  /** The asset as it was quoted: the app's list may have changed since. */
  declare readonly currency: string;
  declare readonly symbol: string;
  declare readonly decimals: number;
  declare readonly token: string | null;
  /** The amount that arrives, in smallest units of the asset. */
  declare readonly amount: bigint;
  /** The quote: the most the chain may take, in smallest units of its coin. */
  declare readonly feeCap: bigint;
  /** Null until it is final. */
  declare readonly fee: bigint | null;
  /** The parts of `feeCap` that are reserved for data fees; once the fee is final, those of `fee`. */
  declare readonly l1Fee: bigint;
  declare readonly operatorFee: bigint;
  declare readonly batchId: BatchId | null;
  declare readonly customId: string | null;
  declare readonly notes: string;
  /** The hash of the attempt that counts: the last one signed, or the one seen on the chain. */
  declare readonly hash: string | null;
  declare readonly failureCode: string | null;
  /** Whether the same payment may be made again without paying twice; null unless failed. */
  declare readonly retrySafe: boolean | null;
  declare readonly createdAt: Date;
  declare readonly updatedAt: Date;
  declare readonly expiresAt: Date;
  declare readonly confirmedAt: Date | null;
  /** The app's key; null also if the database has forgotten the confirmation, or it came before keys were kept. */
  declare readonly confirmedBy: string | null;
  /** Whether a call that made or confirmed it named the owner of the source. */
  declare readonly namesUser: boolean;
  declare readonly decisionId: string | null;
  declare readonly approvalId: ApprovalId | null;
  /** The block it was last seen in: balances of that block or a later one include it. */
  declare readonly minedBlock: number | null;
  declare readonly minedBlockHash: string | null;
  /** Time of the block that carried out the payment, or when it was seen there if the chain reports none; null while in no block. */
  declare readonly includedAt: Date | null;
  declare readonly completedAt: Date | null;
  declare readonly cancelledAt: Date | null;
  /** Since when it must not be signed again once everything signed is proven dead. */
  declare readonly cancelRequestedAt: Date | null;
  declare readonly stuckSince: Date | null;
  declare readonly stuckReason: StuckReason | null;
  /** The history of the database in which it was created; null: before histories were recorded. */
  declare readonly history: string | null;
  declare readonly proofProgress: ProofProgress | null;
  /** The final transaction of another signer that used its nonce; null unless it failed for that reason. */
  declare readonly nonceUsedBy: string | null;
  /** When it was first sent again after its completion, because its chain had lost a final block; otherwise null. */
  declare readonly sentAgainAt: Date | null;
  /** Its MAC as it was read, `ALTERED` if that is wrong; null: it has none. */
  declare readonly mac: Buffer | null;

  private constructor(data: DataOf<Transfer>) {
    Object.assign(this, data);
  }

  asset(): Asset {
    const { chain, currency: name, symbol, decimals, token } = this;
    return { chain, name, symbol, decimals, token };
  }

  senderQueue(): SenderQueueId {
    const { appId, network, sourceAddress: address } = this;
    return { appId, network, address };
  }

  payment(): Payment {
    const { id: transferId, sourceAddress: source, dest, amount } = this;
    return { transferId, asset: this.asset(), source, dest, amount };
  }

  totalFees(): bigint {
    return this.fee ?? this.feeCap;
  }

  dataFees(): DataFees {
    return { l1: this.l1Fee, operator: this.operatorFee };
  }

  sourceAmount(): bigint {
    return this.token === null ? this.amount + this.totalFees() : this.amount;
  }

  /** Call it only under the lock, and show the result only once stored: a confirmation that began in time may still commit. */
  asOf(now: Date): Transfer {
    if (this.status !== 'unconfirmed' || now < this.expiresAt) return this;
    return evolve<Transfer>(this, { status: 'expired', updatedAt: this.expiresAt });
  }

  /** Whether a confirmation starts the payment: only the first one does. */
  awaitsConfirmation(now: Date): boolean {
    const { status } = this.asOf(now);
    if (status === 'cancelled') throw new TransferCancelled(this.id);
    if (status === 'expired') throw new TransferExpired(this.id);
    return status === 'unconfirmed';
  }

  /** Allowed only when the chain can carry out nothing signed for it: the transfer is not signed yet, or `isProvenDead`. */
  cancel(now: Date, isProvenDead = false): Transfer {
    const { status, stage } = this.asOf(now);
    if (status === 'cancelled') return this;
    if (status === 'expired') throw new TransferExpired(this.id);
    const isWaiting = status === 'unconfirmed' || status === 'awaiting_approval';
    const isOpen = isWaiting || (status === 'pending' && (stage === 'queued' || isProvenDead));
    if (!isOpen) throw new TransferAlreadyConfirmed(this.id);
    const ended = { stage: null, includedAt: null, stuckSince: null, stuckReason: null };
    return evolve<Transfer>(this, { ...ended, status: 'cancelled', cancelledAt: now, updatedAt: now });
  }

  /** Once everything signed is proven dead, the transfer is cancelled instead of signed again. */
  requestCancellation(now: Date): Transfer {
    if (this.stage !== 'signed' && this.stage !== 'submitted') throw new TransferAlreadyConfirmed(this.id);
    return evolve<Transfer>(this, { cancelRequestedAt: this.cancelRequestedAt ?? now, updatedAt: now });
  }

  /** As `cancel`, but nothing shows yet that it was not paid: until then it is pending, and is not signed. */
  cancelOnceRead(now: Date): Transfer {
    if (this.cancel(now) === this) return this;
    const waiting = { stage: 'queued', ...NOT_MINED, cancelRequestedAt: this.cancelRequestedAt ?? now } as const;
    return this.confirmed(waiting, now).markStuck('history_too_long', now);
  }

  /** Whether its payment may have been made, as far as is proven: then it stays counted in budgets. */
  mayHavePaid(): boolean {
    if (this.status === 'rejected' || this.status === 'expired') return false;
    return this.status !== 'cancelled' && !(this.status === 'failed' && this.retrySafe === true);
  }

  isReplaceable(): boolean {
    return this.stuckSince !== null && (this.stage === 'signed' || this.stage === 'submitted');
  }

  /** Fees have risen above the quote of a stuck transfer. The bound keeps a node that reports absurd fees from emptying the wallet. */
  cancellationCap(): bigint {
    return this.feeCap * 10n;
  }

  allow({ keyId, namesUser }: { keyId: string | null; namesUser: boolean }, decisionId: string | null): Transfer {
    return evolve<Transfer>(this, {
      confirmedBy: this.confirmedBy ?? keyId,
      namesUser: this.namesUser || namesUser,
      decisionId: decisionId ?? this.decisionId,
    });
  }

  /** Its quote does not expire meanwhile: nothing of it can be carried out. */
  awaitApproval(approvalId: ApprovalId, now: Date): Transfer {
    if (this.status !== 'pending' && !this.awaitsConfirmation(now)) throw new TransferAlreadyConfirmed(this.id);
    return this.ended({ status: 'awaiting_approval', approvalId, ...NOT_MINED }, now);
  }

  approve(now: Date): Transfer {
    if (this.status !== 'awaiting_approval') throw new TransferAlreadyConfirmed(this.id);
    return evolve<Transfer>(this, { status: 'pending', stage: 'queued', confirmedAt: now, updatedAt: now });
  }

  /** Whether the end of an approval ends it: nothing is signed for it that the chain can carry out. */
  dependsOnApproval(): boolean {
    return this.status === 'awaiting_approval' || (this.status === 'pending' && this.stage === 'queued');
  }

  refuse(status: 'rejected' | 'expired', code: string, now: Date): Transfer {
    return this.ended({ status, failureCode: code, retrySafe: true, ...NOT_MINED }, now);
  }

  queue(now: Date): Transfer {
    return this.pending({ stage: 'queued', ...NOT_MINED }, now);
  }

  sign(hash: string, now: Date): Transfer {
    return this.pending(this.signedAs(hash), now);
  }

  /** A transaction of the chain, which the database had forgotten, makes this payment: also when the quote has expired since. */
  adopt(hash: string, now: Date): Transfer {
    return this.confirmed(this.signedAs(hash), now);
  }

  /** Nodes hold it, in no block: also the state of a mined one after a reorganisation. */
  submit(hash: string, now: Date): Transfer {
    return this.pending({ stage: 'submitted', hash, ...NOT_MINED }, now);
  }

  /** `isPaid`: the transaction is the payment and was carried out. */
  mine({ hash, block }: Mined, isPaid: boolean, now: Date): Transfer {
    const includedAt = isPaid ? this.timeIn(block, now) : null;
    const mined = { hash, ...blockFields(block), includedAt };
    return this.pending({ stage: 'mined', ...mined, stuckSince: null, stuckReason: null }, now);
  }

  isMinedAs({ hash, block }: Mined, isPaid: boolean): boolean {
    return this.stage === 'mined' && this.hash === hash && this.isIn(block) && isPaid === (this.includedAt !== null);
  }

  currentBlock(): BlockPlace | null {
    if (this.stage !== 'mined' || this.minedBlock === null) return null;
    return { number: this.minedBlock, hash: this.minedBlockHash };
  }

  heldHash(): string | null {
    return this.status === 'completed' || this.stage === 'submitted' || this.stage === 'mined' ? this.hash : null;
  }

  hasEnded(): boolean {
    return !['unconfirmed', 'awaiting_approval', 'pending'].includes(this.status);
  }

  nextStep(): NextStep {
    const { status, stage, cancelRequestedAt } = this;
    if (status === 'unconfirmed') return 'confirmation';
    if (status === 'awaiting_approval') return 'approval';
    if (stage === null) return 'none';
    return cancelRequestedAt !== null && stage !== 'mined' ? 'cancellation' : STEP_OF[stage];
  }

  complete({ hash, block, ...fees }: Mined & Taken, now: Date): Transfer {
    const completed = { status: 'completed', hash, completedAt: now, ...blockFields(block) } as const;
    return this.end({ ...completed, includedAt: this.timeIn(block, now), ...takenBy(fees) }, now);
  }

  /** Requires proof that the payment was not and never will be made, or moved something else. `mined` is that proof. */
  fail(
    code: string,
    { retrySafe, mined: proof, usedBy, ...fees }: Taken & { retrySafe: boolean; mined?: Mined; usedBy?: string },
    now: Date,
  ): Transfer {
    const mined = proof && { hash: proof.hash, ...blockFields(proof.block) };
    const failed = { status: 'failed', failureCode: code, retrySafe, nonceUsedBy: usedBy ?? null } as const;
    return this.end({ ...failed, includedAt: null, ...takenBy(fees), ...mined }, now);
  }

  /** Ends it as failed without a proof, by an operator who has looked. It is never safe to repeat. */
  close(now: Date): Transfer {
    if (this.hasEnded()) throw new TransferAlreadyConfirmed(this.id);
    const failed = { status: 'failed', failureCode: 'closed_by_operator', retrySafe: false } as const;
    return this.ended({ ...failed, includedAt: null, ...takenBy({ fee: 0n }) }, now);
  }

  /** The completed payment is in no block any more: its signed attempts are sent again. */
  sendAgain(now: Date): Transfer {
    return evolve<Transfer>(this, { sentAgainAt: this.sentAgainAt ?? now });
  }

  markStuck(reason: StuckReason, now: Date): Transfer {
    if (this.stuckSince !== null) return evolve<Transfer>(this, { stuckReason: reason });
    return evolve<Transfer>(this, { stuckSince: now, stuckReason: reason, updatedAt: now });
  }

  /** It keeps its time while it is in the same block. */
  private timeIn(block: PaymentBlock, now: Date): Date {
    return (this.isIn(block) ? this.includedAt : null) ?? block.time ?? now;
  }

  private isIn({ number, hash }: PaymentBlock): boolean {
    return (
      this.minedBlock === number && (hash === null || this.minedBlockHash === null || this.minedBlockHash === hash)
    );
  }

  private signedAs(hash: string): Partial<DataOf<Transfer>> {
    // It is signed, so its queue is not held any more, and its history is read.
    const isOver = this.stuckReason === 'books_behind_chain' || this.stuckReason === 'history_too_long';
    const stuck = isOver ? { stuckSince: null, stuckReason: null } : {};
    return { stage: 'signed', hash, ...NOT_MINED, ...stuck };
  }

  private pending(changes: Partial<DataOf<Transfer>>, now: Date): Transfer {
    if (this.status !== 'pending' && !this.awaitsConfirmation(now)) throw new TransferAlreadyConfirmed(this.id);
    return this.confirmed(changes, now);
  }

  private confirmed(changes: Partial<DataOf<Transfer>>, now: Date): Transfer {
    const confirmedAt = this.confirmedAt ?? now;
    return evolve<Transfer>(this, { status: 'pending', confirmedAt, updatedAt: now, ...changes });
  }

  private end(changes: Partial<DataOf<Transfer>>, now: Date): Transfer {
    if (this.status !== 'pending') throw new TransferAlreadyConfirmed(this.id);
    return this.ended(changes, now);
  }

  private ended(changes: Partial<DataOf<Transfer>>, now: Date): Transfer {
    return evolve<Transfer>(this, { stage: null, stuckSince: null, stuckReason: null, updatedAt: now, ...changes });
  }
}

const NOT_MINED = { minedBlock: null, minedBlockHash: null, includedAt: null };

function blockFields({ number, hash }: PaymentBlock): Partial<DataOf<Transfer>> {
  return { minedBlock: number, minedBlockHash: hash };
}

function takenBy({ fee, dataFees: { l1, operator } = NO_DATA_FEES }: Taken): Partial<DataOf<Transfer>> {
  return { fee, l1Fee: l1, operatorFee: operator };
}

/** A signed transaction as it is stored. It is never deleted. */
export interface Attempt extends SignedAttempt {
  readonly appId: AppId;
  /** Null for a self-transfer on a nonce that no transfer has. */
  readonly transferId: TransferId | null;
  /** The kind; a `cancellation` is a zero-value self-transfer. */
  readonly kind: 'payment' | 'cancellation';
  /** Counts the attempts of a transfer from 0. It is unique, so that only one of two workers can store the next one. */
  readonly ordinal: number;
  readonly address: string;
  readonly createdAt: Date;
  /** Stored with the bytes, before the first packet leaves: from then on any node may have them. */
  readonly firstBroadcastStartedAt: Date;
  /** When a node was first seen to hold them. */
  readonly acceptedAt: Date | null;
}

export function asStoredWith(transfer: Transfer, attempt: Attempt): Attempt {
  const isHeld = transfer.heldHash() === attempt.hash;
  return isHeld ? { ...attempt, acceptedAt: attempt.acceptedAt ?? transfer.updatedAt } : attempt;
}

/** True only on chains without nonces: if an attempt with a nonce is dead, another transaction has used the nonce. */
export function maySignAgain(attempts: readonly SignedAttempt[]): boolean {
  return attempts.every(({ nonce }) => nonce === null);
}

/** Whether a replacement with higher fees is due. */
export function isOverdue(attempts: readonly Attempt[], now: Date, afterSeconds: number): boolean {
  return now.getTime() - attempts.at(-1)!.createdAt.getTime() >= afterSeconds * 1000;
}
