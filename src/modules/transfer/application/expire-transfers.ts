import { Injectable } from '@nestjs/common';
import { DomainEvents } from '../../../kernel/outbox.js';
import { Transactions } from '../../../kernel/transactions.js';
import { TransferEvent } from '../domain/transfer.events.js';
import { TrackingRepository } from '../domain/tracking.repository.js';
import type { Transfer } from '../domain/transfer.js';
import type { TimedTransfer } from '../domain/transfer.repository.js';
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

  /**
   * The transfer as it is under its lock, for which this waits. If it has expired, that is stored: the app is refused for it, and
   * it must stay true when the clock of the database is set back.
   */
  settle(seen: Transfer): Promise<TimedTransfer> {
    return this.transactions.run(
      async () => {
        const { transfer, now } = await this.transfers.lock(seen);
        const settled = transfer.asOf(now);
        if (settled !== transfer) await this.store(settled);
        return { transfer: settled, now };
      },
      { signs: true },
    );
  }

  private async expireSome(): Promise<number> {
    const overdue = await this.tracking.lockOverdue(BATCH);
    for (const { transfer, now } of overdue) await this.store(transfer.asOf(now));
    return overdue.length;
  }

  private async store(expired: Transfer): Promise<void> {
    await this.events.publish(TransferEvent.of(expired));
    this.transfers.store(expired);
  }
}
