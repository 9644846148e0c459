import { Injectable } from '@nestjs/common';
import type { PaymentStatus } from '../../../kernel/chain/payment-status.js';
import { TrackingRepository } from '../domain/tracking.repository.js';
import type { PendingPayment } from './pending-payment.js';

/** Asks the chain for the status of a payment, and stores how far the proof of its end has come. */
@Injectable()
export class ObservePayment {
  constructor(private readonly tracking: TrackingRepository) {}

  async execute({ transfer, attempts, chain }: PendingPayment): Promise<PaymentStatus> {
    // Without signed bytes there is nothing that the chain could carry out.
    if (attempts.length === 0) return { is: 'dead' };
    const status = await chain.status(transfer.sourceAddress, attempts, transfer.proofProgress);
    if ('progress' in status && status.progress !== undefined) {
      await this.tracking.storeProgress(transfer, status.progress);
    }
    return status;
  }
}
