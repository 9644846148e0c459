import { Injectable } from '@nestjs/common';
import { Counter } from 'prom-client';
import { Chains } from '../../../../kernel/chain/chain.js';
import { STUCK_REASONS } from '../../../../kernel/chain/payment.js';
import { DomainEvents } from '../../../../kernel/domain-events.js';
import { currentTransaction } from '../../../../postgres/current-transaction.js';
import { Database } from '../../../../postgres/database.js';
import { HttpMetrics, tableGauge } from '../../../../services/observability/metrics.js';
import { SenderQueueRepository } from '../../transfer/domain/sender-queue.repository.js';
import { TrackingRepository } from '../domain/tracking.repository.js';
import { TRANSFER_STAGES, TRANSFER_STATUSES } from '../../transfer/domain/transfer.js';
import { TransferEvent } from '../../transfer/domain/transfer.events.js';

const PENDING = `
  select stage, count(*)::int as transfers, extract(epoch from now() - min(confirmed_at))::float8 as "oldestSeconds"
    from transfers where status = 'pending' group by stage`;
const STUCK = `
  select stuck_reason as reason, count(*)::int as transfers
    from transfers where stuck_since is not null and status = 'pending' group by stuck_reason`;

interface PendingRow {
  readonly stage: string;
  readonly transfers: number;
  readonly oldestSeconds: number;
}

/** The pending transfers of all apps, read by a timer, and the changes that this process has committed. */
@Injectable()
export class TransferMetrics {
  constructor(
    database: Database,
    events: DomainEvents,
    queues: SenderQueueRepository,
    tracking: TrackingRepository,
    { all: chains }: Chains,
    metrics: HttpMetrics,
  ) {
    const changes = new Counter({
      name: 'transfers_total',
      help: 'Transfers that this process has brought into a state.',
      labelNames: ['state'] as const,
      registers: [metrics.registry],
    });
    for (const state of TRANSFER_STATUSES) {
      changes.inc({ state }, 0);
      events.subscribe(TransferEvent.typeOf(state), () => currentTransaction()?.onCommit(() => changes.inc({ state })));
    }
    const pending = () => database.list<PendingRow>(PENDING);
    tableGauge(
      metrics,
      { name: 'transfers_pending', help: 'Pending transfers by stage.', label: 'stage', values: TRANSFER_STAGES },
      async () => Object.fromEntries((await pending()).map(({ stage, transfers }) => [stage, transfers])),
    );
    tableGauge(
      metrics,
      { name: 'transfer_oldest_pending_seconds', help: 'Seconds since the oldest pending transfer was confirmed.' },
      async () => Math.max(0, ...(await pending()).map(({ oldestSeconds }) => oldestSeconds)),
    );
    tableGauge(
      metrics,
      {
        name: 'transfers_pending_without_network',
        help: 'Pending transfers of networks that this process has no node for. They wait until one is configured.',
      },
      async () => {
        const unserved = await tracking.pendingElsewhere(chains.map(({ name }) => name));
        return unserved.reduce((sum, { transfers }) => sum + transfers, 0);
      },
    );
    tableGauge(
      metrics,
      {
        name: 'sender_queues_held',
        help: 'Sender queues in which nothing is signed, because the chain has what the database lacks.',
      },
      () => queues.countHeld(),
    );
    tableGauge(
      metrics,
      {
        name: 'transfers_stuck',
        help: 'Transfers that are marked stuck, by reason.',
        label: 'reason',
        values: STUCK_REASONS,
      },
      async () =>
        Object.fromEntries(
          (await database.list<{ reason: string; transfers: number }>(STUCK)).map(({ reason, transfers }) => [
            reason,
            transfers,
          ]),
        ),
    );
  }
}
