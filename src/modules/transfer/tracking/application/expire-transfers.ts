import { Injectable } from '@nestjs/common';
import { BooksBehindChain, ChainUnavailable, HistoryTooLong } from '../../../../kernel/chain/chain.errors.js';
import { grouped, inTurn, throwAll } from '../../../../kernel/collections.js';
import { DomainError } from '../../../../kernel/domain-error.js';
import { DomainEvents } from '../../../../kernel/domain-events.js';
import { Transactions } from '../../../../kernel/transactions.js';
import { TransferEvent } from '../../transfer/domain/transfer.events.js';
import { type DoubtedQueue, TrackingRepository } from '../domain/tracking.repository.js';
import type { Transfer } from '../../transfer/domain/transfer.js';
import {
  hasStartedBetween,
  ProofOutdated,
  type SeenTransfer,
  type TimedTransfer,
  TransferStateRepository,
} from '../../transfer/domain/transfer.repository.js';
import { ReconcileQueue } from '../../reconciling/application/reconcile-queue.js';

const BATCH = 200;
/** A comparison of many transfers of a queue costs as much as of one. */
const DOUBTED_QUEUES = 20;
const DOUBTED = 100;
/** No further queue is compared after this time: quotes that are not in doubt must expire in time. */
const LONGEST_RUN_MS = 10_000;

/** Expires quotes under the lock, because a confirmation that began in time may be committing. */
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
    const deadline = performance.now() + LONGEST_RUN_MS;
    const queues = grouped(await this.tracking.queuesInDoubt(DOUBTED_QUEUES), ({ chain }) => chain);
    // A network whose nodes do not respond delays no other one.
    const runs = await Promise.allSettled(
      [...queues.values()].map((ofNetwork) => this.expireDoubted(ofNetwork, deadline)),
    );
    throwAll(runs.flatMap((run) => (run.status === 'rejected' ? [run.reason as unknown] : [])));
  }

  /**
   * Waits for the lock. An expiry is stored before the app is refused: it must stay true when the clock of the database is set back.
   * `isCompared`: the chain was asked since, and shows no payment. Throws `BooksBehindChain` and `ProofOutdated`.
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

  /** Transfers that may have been paid, or that the chain cannot answer for now, are compared again in a later run. */
  private async expireDoubted(queues: readonly DoubtedQueue[], deadline: number): Promise<void> {
    let isAway = false;
    await inTurn(queues, async (queue) => {
      if (isAway || performance.now() >= deadline) return;
      const overdue = await this.tracking.overdueInDoubt(queue, DOUBTED);
      if (overdue.length === 0) return;
      const compared = this.reconcileQueue.areUnpaid(overdue.map(({ transfer }) => transfer));
      const areUnpaid = await compared.catch((error: unknown) => {
        isAway = error instanceof ChainUnavailable && !(error instanceof HistoryTooLong);
        return unlessUnexpected(error);
      });
      if (areUnpaid) await inTurn(overdue, (seen) => this.settle(seen, true).catch(unlessUnexpected));
    });
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

function unlessUnexpected(error: unknown): false {
  if (error instanceof DomainError || error instanceof ProofOutdated) return false;
  throw error;
}
