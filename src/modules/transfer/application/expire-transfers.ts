import { Injectable } from '@nestjs/common';
import { BooksBehindChain } from '../../../kernel/chain/chain.errors.js';
import { DomainError } from '../../../kernel/domain-error.js';
import { DomainEvents } from '../../../kernel/domain-events.js';
import { Transactions } from '../../../kernel/transactions.js';
import { TransferEvent } from '../domain/transfer.events.js';
import { TrackingRepository } from '../domain/tracking.repository.js';
import type { Transfer } from '../domain/transfer.js';
import {
  hasStartedBetween,
  ProofOutdated,
  type SeenTransfer,
  type TimedTransfer,
  TransferStateRepository,
} from '../domain/transfer.repository.js';
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
    for (const seen of await this.tracking.overdueInDoubt(DOUBTED)) await this.expireDoubted(seen);
  }

  /**
   * The transfer as it is under its lock, for which this waits. If it has expired, that is stored: the app is refused for it, and
   * it must stay true when the clock of the database is set back. `isCompared`: the chain was asked since it was seen, and shows no
   * payment. Throws `BooksBehindChain` when it may have been paid, and `ProofOutdated`.
   */
  settle(seen: SeenTransfer, isCompared: boolean): Promise<TimedTransfer> {
    return this.transactions.run(
      async () => {
        const locked = await this.transfers.lock(seen.transfer);
        const { transfer, now, books, mayBeCopied } = locked;
        const settled = transfer.asOf(now);
        if (settled === transfer) return locked;
        if (isCompared && hasStartedBetween(seen, locked)) throw new ProofOutdated();
        if (books !== 'current' || (mayBeCopied && !isCompared)) throw new BooksBehindChain(transfer.id);
        await this.store(settled);
        return { ...locked, transfer: settled };
      },
      { signs: true },
    );
  }

  /** One that may have been paid, or of which the chain shows nothing now, is compared again in a later run. */
  private async expireDoubted(seen: TimedTransfer): Promise<void> {
    try {
      if (await this.reconcileQueue.isUnpaid(seen.transfer, [])) await this.settle(seen, true);
    } catch (error) {
      if (!(error instanceof DomainError) && !(error instanceof ProofOutdated)) throw error;
    }
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
