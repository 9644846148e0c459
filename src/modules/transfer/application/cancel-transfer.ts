import { Injectable } from '@nestjs/common';
import type { AppId, TransferId } from '../../../kernel/ids.js';
import { DomainEvents } from '../../../kernel/outbox.js';
import { Transactions } from '../../../kernel/transactions.js';
import { TransferNotFound } from '../domain/transfer.errors.js';
import { TransferEvent } from '../domain/transfer.events.js';
import { TransferRepository } from '../domain/transfer.repository.js';

/** Takes back a transfer that nobody has confirmed; one already taken back stays so. */
@Injectable()
export class CancelTransfer {
  constructor(
    private readonly transfers: TransferRepository,
    private readonly transactions: Transactions,
    private readonly events: DomainEvents,
  ) {}

  /** Throws `TransferNotFound`, `TransferExpired`, `TransferAlreadyConfirmed`. */
  execute(appId: AppId, id: TransferId): Promise<void> {
    return this.transactions.run(async () => {
      const locked = await this.transfers.lock(appId, id);
      if (!locked) throw new TransferNotFound();
      const cancelled = locked.transfer.cancel(locked.now);
      if (cancelled === locked.transfer) return;
      await this.events.publish(TransferEvent.of(cancelled));
      this.transfers.store(cancelled);
    });
  }
}
