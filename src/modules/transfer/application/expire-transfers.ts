import { Injectable } from '@nestjs/common';
import { BooksBehindChain } from '../../../kernel/chain/chain.errors.js';
import { DomainError } from '../../../kernel/domain-error.js';
import { DomainEvents } from '../../../kernel/domain-events.js';
import { Transactions } from '../../../kernel/transactions.js';
import { TransferEvent } from '../domain/transfer.events.js';
import { TrackingRepository } from '../domain/tracking.repository.js';
import type { Transfer } from '../domain/transfer.js';
import { type TimedTransfer, TransferStateRepository } from '../domain/transfer.repository.js';
import { ReconcileQueue } from './reconcile-queue.js';

const BATCH = 200;
/** Transfers in doubt that one run compares with the chain. */
const DOUBTED = 20;

/** Stores that quotes have expired, and publishes it. Under the lock, because a confirmation that began in time may be committing. */
@Injectable()
export class ExpireTransfers {
  constructor(
    private readonly tracking: TrackingRepository,
    private readonly transfers: TransferStateRepository,
    private readonly transactions: Transactions,
    private readonly events: DomainEvents,
    private readonly reconcileQueue: ReconcileQueue,
  ) {}

  async execute(): Promise<void> {
    for (let expired = BATCH; expired === BATCH;) expired = await this.transactions.run(() => this.expireSome());
    // The database was restored since they were created: one of them may have been confirmed and paid in a commit that it has forgotten.
    for (const { transfer } of await this.tracking.overdueInDoubt(DOUBTED)) {
      const isUnpaid = await this.reconcileQueue.isUnpaid(transfer, []).catch((error: unknown) => {
        if (error instanceof DomainError) return false;
        throw error;
      });
      if (isUnpaid) await this.settle(transfer, true);
    }
  }

  /**
   * The transfer as it is under its lock, for which this waits. If it has expired, that is stored: the app is refused for it, and
   * it must stay true when the clock of the database is set back. `isCompared`: the chain was just asked, and shows no payment.
   * Throws `BooksBehindChain` when it may have been paid.
   */
  settle(seen: Transfer, isCompared: boolean): Promise<TimedTransfer> {
    return this.transactions.run(
      async () => {
        const { transfer, now, books, mayBeCopied } = await this.transfers.lock(seen);
        const settled = transfer.asOf(now);
        if (settled === transfer) return { transfer, now };
        if (books !== 'current' || (mayBeCopied && !isCompared)) throw new BooksBehindChain(transfer.id);
        await this.store(settled);
        return { transfer: settled, now };
      },
      { signs: true },
    );
  }

  private async expireSome(): Promise<number> {
    const overdue = await this.tracking.claimOverdue(BATCH);
    for (const { transfer, now } of overdue) await this.store(transfer.asOf(now));
    return overdue.length;
  }

  private async store(expired: Transfer): Promise<void> {
    await this.events.publish(TransferEvent.of(expired));
    this.transfers.store(expired);
  }
}
