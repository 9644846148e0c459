import { Injectable } from '@nestjs/common';
import { DomainEvents } from '../../../kernel/outbox.js';
import { Transactions } from '../../../kernel/transactions.js';
import { TransferEvent } from '../domain/transfer.events.js';
import { TransferRepository } from '../domain/transfer.repository.js';

const AT_ONCE = 200;

/** Stores and tells that quotes have run out. Nothing depends on when: callers see an expired transfer by the clock. */
@Injectable()
export class ExpireTransfers {
  constructor(
    private readonly transfers: TransferRepository,
    private readonly transactions: Transactions,
    private readonly events: DomainEvents,
  ) {}

  async execute(): Promise<void> {
    for (let expired = AT_ONCE; expired === AT_ONCE;) expired = await this.transactions.run(() => this.expireSome());
  }

  private async expireSome(): Promise<number> {
    const overdue = await this.transfers.lockOverdue(AT_ONCE);
    for (const { transfer, now } of overdue) {
      const expired = transfer.asOf(now);
      await this.events.publish(TransferEvent.of(expired));
      this.transfers.store(expired);
    }
    return overdue.length;
  }
}
