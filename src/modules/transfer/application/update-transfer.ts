import { Injectable } from '@nestjs/common';
import { DomainEvents } from '../../../kernel/outbox.js';
import { Transactions } from '../../../kernel/transactions.js';
import type { Transfer } from '../domain/transfer.js';
import { TransferEvent } from '../domain/transfer.events.js';
import { TransferStateRepository } from '../domain/transfer-state.repository.js';
import type { PendingPayment } from './pending-payment.js';

/** The next state of a locked transfer. */
export type Transition = (transfer: Transfer, now: Date) => Transfer;

/** Stores the consequence of an observation, unless another process has changed the transfer or its attempts meanwhile. */
@Injectable()
export class UpdateTransfer {
  constructor(
    private readonly transfers: TransferStateRepository,
    private readonly transactions: Transactions,
    private readonly events: DomainEvents,
  ) {}

  /** The transfer as it was stored; as it was read when the observation is out of date. */
  execute({ transfer, attempts }: PendingPayment, transition: Transition): Promise<Transfer> {
    return this.transactions.run(
      async () => {
        const locked = await this.transfers.lockUnchanged(transfer, attempts.length);
        if (!locked) return transfer;
        const changed = transition(locked.transfer, locked.now);
        if (changed.status !== 'pending') await this.events.publish(TransferEvent.of(changed));
        else if (changed.stuckSince !== null && locked.transfer.stuckSince === null)
          await this.events.publish(TransferEvent.stuck(changed));
        this.transfers.store(changed);
        return changed;
      },
      { signs: true },
    );
  }
}
