import { Injectable } from '@nestjs/common';
import type { PaymentStatus, StuckReason } from '../../../kernel/chain/payment.js';
import type { Transfer } from '../domain/transfer.js';
import { TransferSettings } from '../domain/transfer-settings.js';
import type { PendingPayment, Step } from './pending-payment.js';
import { UpdateTransfer } from './update-transfer.js';

/** A payment in a block may take this many times longer to become final before it is marked stuck. */
const FINALITY_FACTOR = 4;

/** Marks a transfer that has been pending for too long, with the reason, so that the operator and the app can act. */
@Injectable()
export class MarkStuck {
  constructor(
    private readonly updateTransfer: UpdateTransfer,
    private readonly settings: TransferSettings,
  ) {}

  /** The transfer after the step, marked if it is due. */
  async execute(payment: PendingPayment, { transfer, stuckReason }: Step, status: PaymentStatus): Promise<Transfer> {
    const reasonFor = (each: Transfer): StuckReason => stuckReason ?? reasonOf(each, status);
    if (!this.isDue(transfer, reasonFor(transfer), payment.now)) return transfer;
    // Decided again under the lock: another process may have seen it move, or have marked it already.
    return this.updateTransfer.execute(payment, (locked, now) => {
      const reason = reasonFor(locked);
      return this.isDue(locked, reason, now) ? locked.markStuck(reason, now) : locked;
    });
  }

  /** Whether it has been pending for too long and is not yet marked with this reason. */
  private isDue(transfer: Transfer, reason: StuckReason, now: Date): boolean {
    const { status, stage, confirmedAt, updatedAt, stuckSince } = transfer;
    if (status !== 'pending' || confirmedAt === null) return false;
    if (stuckSince !== null) return transfer.stuckReason !== reason;
    if (reason === 'books_behind_chain') return true;
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
