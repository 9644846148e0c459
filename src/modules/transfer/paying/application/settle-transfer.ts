import { Injectable } from '@nestjs/common';
import { DomainEvents } from '../../../../kernel/domain-events.js';
import { Transactions } from '../../../../kernel/transactions.js';
import { type Attempt, maySignAgain, type Transfer } from '../../transfer/domain/transfer.js';
import { TransferEvent } from '../../transfer/domain/transfer.events.js';
import { TransferStateRepository } from '../../transfer/domain/transfer.repository.js';
import type { PendingPayment, Step } from '../../transfer/application/pending-payment.js';
import type { PaymentStatus, StuckReason, FinalPayment } from '../../../../kernel/chain/payment.js';
import { TransferSettings } from '../../transfer/domain/transfer-settings.js';
import { ReconcileQueue } from '../../reconciling/application/reconcile-queue.js';

type Transition = (transfer: Transfer, now: Date) => Transfer;

/** Stores nothing if the transfer or its attempts have changed, or the database server has started: the next observation concludes anew. */
@Injectable()
export class UpdateTransfer {
  constructor(
    private readonly transfers: TransferStateRepository,
    private readonly transactions: Transactions,
    private readonly events: DomainEvents,
  ) {}

  /** Returns the transfer as stored, or as read when the observation is out of date. */
  execute(
    { attempts, ...seen }: Pick<PendingPayment, 'transfer' | 'serverStartedAt' | 'attempts'>,
    transition: Transition,
  ): Promise<Transfer> {
    return this.transactions.run(
      async () => {
        const locked = await this.transfers.lockUnchanged(seen, attempts.length);
        if (!locked) return seen.transfer;
        const changed = transition(locked.transfer, locked.now);
        await this.events.publish(...TransferEvent.ofChange(locked.transfer, changed));
        this.transfers.store(changed);
        return changed;
      },
      { signs: true },
    );
  }
}

/** These mark it stuck at once: until then an operator cannot cancel its payment. */
const AT_ONCE: readonly StuckReason[] = [
  'books_behind_chain',
  'node_lacks_history',
  'history_too_long',
  'app_frozen',
  'wallet_frozen',
  'row_altered',
];

/** A payment in a block may take this many times longer to become final before it is marked stuck. */
const FINALITY_FACTOR = 4;

/** A mark lets the operator and the app act on a transfer that has been pending for too long. */
@Injectable()
export class MarkStuck {
  constructor(
    private readonly updateTransfer: UpdateTransfer,
    private readonly settings: TransferSettings,
  ) {}

  async execute(payment: PendingPayment, { transfer, stuckReason }: Step, status: PaymentStatus): Promise<Transfer> {
    const reasonFor = (each: Transfer): StuckReason => stuckReason ?? reasonOf(each, status);
    const isHeld = stuckReason !== undefined && AT_ONCE.includes(stuckReason);
    if (!this.isDue(transfer, reasonFor(transfer), isHeld, payment.now)) return transfer;
    // Decided again under the lock: another process may have seen it move, or have marked it already.
    return this.updateTransfer.execute(payment, (locked, now) => {
      const reason = reasonFor(locked);
      return this.isDue(locked, reason, isHeld, now) ? locked.markStuck(reason, now) : locked;
    });
  }

  private isDue(transfer: Transfer, reason: StuckReason, isHeld: boolean, now: Date): boolean {
    const { status, stage, confirmedAt, updatedAt, stuckSince } = transfer;
    if (status !== 'pending' || confirmedAt === null) return false;
    if (stuckSince !== null) return transfer.stuckReason !== reason;
    if (isHeld) return true;
    const { stuckAfterSeconds: seconds } = this.settings;
    if (stage === 'mined' && reason === 'not_final')
      return now.getTime() - updatedAt.getTime() >= seconds * 1000 * FINALITY_FACTOR;
    return now.getTime() - confirmedAt.getTime() >= seconds * 1000;
  }
}

function reasonOf({ stage }: Transfer, status: PaymentStatus): StuckReason {
  if ('stuckReason' in status && status.stuckReason !== undefined) return status.stuckReason;
  if (stage === 'queued') return 'waits_in_queue';
  return stage === 'mined' ? 'not_final' : 'not_in_a_block';
}

type ProvenEnd = Extract<PaymentStatus, { is: 'final' | 'dead' }>;

@Injectable()
export class SettleTransfer {
  constructor(
    private readonly updateTransfer: UpdateTransfer,
    private readonly reconcileQueue: ReconcileQueue,
  ) {}

  async execute(payment: PendingPayment, proof: ProvenEnd): Promise<Step> {
    // A negative conclusion needs this check: the attempts may be only those that the database has not forgotten.
    if (proof.is === 'dead' && !(await this.reconcileQueue.isUnpaidBy(payment, proof.usedBy !== undefined)))
      return { transfer: payment.transfer, stuckReason: 'books_behind_chain' };
    return { transfer: await this.end(payment, proof) };
  }

  private end(payment: PendingPayment, proof: ProvenEnd): Promise<Transfer> {
    const { attempts } = payment;
    if (proof.is === 'final') {
      const { kind } = attempts.find(({ hash }) => hash === proof.hash)!;
      return this.updateTransfer.execute(payment, (transfer, now) => ended(transfer, kind, proof, now));
    }
    if (maySignAgain(attempts)) {
      return this.updateTransfer.execute(payment, (transfer, now) => transfer.cancel(now, true));
    }
    // A transaction of the wallet that was made elsewhere, or an authorisation or code of its account, has used the nonce.
    const code = proof.payment === 'made' ? 'paid_elsewhere' : 'nonce_used_elsewhere';
    const failure = { retrySafe: proof.payment === 'not_made', fee: 0n, usedBy: proof.usedBy };
    return this.updateTransfer.execute(payment, (transfer, now) => transfer.fail(code, failure, now));
  }
}

function ended(transfer: Transfer, kind: Attempt['kind'], final: FinalPayment, now: Date): Transfer {
  const { outcome, fee, dataFees } = final;
  const fees = { fee, dataFees, mined: final };
  // A cancellation uses the payment's nonce, also when it fails itself.
  if (kind === 'cancellation') {
    return transfer.fail('replaced_by_cancellation', { retrySafe: true, ...fees }, now);
  }
  switch (outcome) {
    case 'success':
      return transfer.complete(final, now);
    case 'reverted':
      return transfer.fail('reverted', { retrySafe: true, ...fees }, now);
    case 'diverged':
      return transfer.fail('diverged', { retrySafe: false, ...fees }, now);
  }
}
