import { Injectable } from '@nestjs/common';
import { DomainEvents } from '../../../kernel/outbox.js';
import { Transactions } from '../../../kernel/transactions.js';
import { TransferEvent } from '../domain/transfer.events.js';
import { TrackingRepository } from '../domain/tracking.repository.js';
import { TransferStateRepository } from '../domain/transfer-state.repository.js';

const BATCH = 200;

/** Stores that quotes have expired, and publishes it. Under the lock, because a confirmation that began in time may be committing. */
@Injectable()
export class ExpireTransfers {
  constructor(
    private readonly tracking: TrackingRepository,
    private readonly transfers: TransferStateRepository,
    private readonly transactions: Transactions,
    private readonly events: DomainEvents,
  ) {}

  async execute(): Promise<void> {
    for (let expired = BATCH; expired === BATCH;) expired = await this.transactions.run(() => this.expireSome());
  }

  private async expireSome(): Promise<number> {
    const overdue = await this.tracking.lockOverdue(BATCH);
    for (const { transfer, now } of overdue) {
      const expired = transfer.asOf(now);
      await this.events.publish(TransferEvent.of(expired));
      this.transfers.store(expired);
    }
    return overdue.length;
  }
}
