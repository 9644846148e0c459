import { Injectable } from '@nestjs/common';
import type { FinalPayment, PaymentStatus } from '../../../kernel/chain/payment.js';
import { type Attempt, maySignAgain } from '../domain/attempt.js';
import type { Transfer } from '../domain/transfer.js';
import type { PendingPayment, Step } from './pending-payment.js';
import { ReconcileQueue } from './reconcile-queue.js';
import { UpdateTransfer } from './update-transfer.js';

/** A status that proves the end of a payment. */
export type ProvenEnd = Extract<PaymentStatus, { is: 'final' | 'dead' }>;

/** Ends a pending transfer by a proof from the chain. */
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
  const { outcome, fee } = final;
  // A cancellation uses the payment's nonce, also when it fails itself.
  if (kind === 'cancellation') {
    return transfer.fail('replaced_by_cancellation', { retrySafe: true, fee, mined: final }, now);
  }
  switch (outcome) {
    case 'success':
      return transfer.complete(final, now);
    case 'reverted':
      return transfer.fail('reverted', { retrySafe: true, fee, mined: final }, now);
    case 'diverged':
      return transfer.fail('diverged', { retrySafe: false, fee, mined: final }, now);
  }
}
