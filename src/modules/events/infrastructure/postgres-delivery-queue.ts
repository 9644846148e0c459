import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Transactions } from '../../../kernel/transactions.js';
import { Database } from '../../../postgres/database.js';
import {
  type Claim,
  type ClaimedDelivery,
  DeliveryQueue,
  type EndedAttempt,
  type EndpointKey,
  type EndpointUse,
  type Recorded,
} from '../domain/delivery-queue.js';
import { EventPartitions } from '../domain/event-sequence.js';
import { isPartitionMissing } from './postgres-event-partitions.js';
import { CLAIM, EXTEND, HOLD, QUEUE_SETTINGS, RECORD, REMOVE_ORPHANS } from './delivery-statements.js';

const ORPHANS_PER_BATCH = 1_000;

/** A row for each endpoint that had a share of the claim, and for each delivery of it; nulls where there was none. */
interface ClaimRow extends Omit<ClaimedDelivery, 'id' | 'appId' | 'endpointId' | 'lease'> {
  readonly appId: ClaimedDelivery['appId'] | null;
  readonly endpointId: ClaimedDelivery['endpointId'];
  readonly id: ClaimedDelivery['id'] | null;
  readonly hasMore: boolean;
  readonly hasParked: boolean;
  readonly afterApp: EndpointKey['appId'] | null;
  readonly afterEndpoint: EndpointKey['endpointId'];
}

interface RecordRow {
  readonly hasReleased: boolean;
  readonly lost: readonly { readonly app_id: EndpointKey['appId']; readonly endpoint_id: EndpointKey['endpointId'] }[];
}

@Injectable()
export class PostgresDeliveryQueue extends DeliveryQueue {
  constructor(
    private readonly database: Database,
    private readonly transactions: Transactions,
    private readonly partitions: EventPartitions,
  ) {
    super();
  }

  async claim(limit: number, uses: readonly EndpointUse[], after: EndpointKey | null): Promise<Claim> {
    const lease = randomUUID();
    const busy = JSON.stringify(
      uses.map(({ appId, endpointId, host, used, isProven }) => ({
        app_id: appId,
        endpoint_id: endpointId,
        host,
        used,
        is_proven: isProven,
      })),
    );
    const parameters = [after?.appId ?? '', after?.endpointId ?? '', limit, busy, lease];
    const rows = await this.run<ClaimRow>(CLAIM, parameters);
    const [{ hasParked, afterApp, afterEndpoint }] = rows as [ClaimRow];
    const endpoints = new Map<string, Claim['endpoints'][number]>();
    const deliveries: ClaimedDelivery[] = [];
    for (const { appId, endpointId, id, hasMore, hasParked: _p, afterApp: _a, afterEndpoint: _e, ...row } of rows) {
      if (appId !== null) endpoints.set(`${appId} ${endpointId}`, { appId, endpointId, hasMore });
      if (appId !== null && id !== null) deliveries.push({ ...row, appId, endpointId, id, lease });
    }
    return {
      deliveries,
      endpoints: [...endpoints.values()],
      hasParked,
      after: afterApp === null ? null : { appId: afterApp, endpointId: afterEndpoint },
    };
  }

  async extend(deliveries: readonly ClaimedDelivery[]): Promise<void> {
    await this.run(EXTEND, [JSON.stringify(deliveries.map(keyOf))]);
  }

  async record(results: readonly EndedAttempt[]): Promise<Recorded> {
    const rows = results.map(({ delivery, outcome, waitSeconds, attempt }) => ({
      ...keyOf(delivery),
      outcome,
      wait: waitSeconds,
      attempts: attempt ? [attempt] : [],
    }));
    const { hasReleased, lost } = await this.recordRows(JSON.stringify(rows));
    return { hasReleased, lost: lost.map(({ app_id, endpoint_id }) => ({ appId: app_id, endpointId: endpoint_id })) };
  }

  private run<R extends object>(sql: string, parameters: readonly unknown[]): Promise<R[]> {
    return this.transactions.run(() => {
      void this.database.write(QUEUE_SETTINGS);
      return this.database.write<R>(sql, parameters);
    });
  }

  private async recordRows(rows: string): Promise<RecordRow> {
    try {
      return await this.recordOnce(rows);
    } catch (error) {
      if (!isPartitionMissing(error)) throw error;
      await this.partitions.create();
      return this.recordOnce(rows);
    }
  }

  private async recordOnce(rows: string): Promise<RecordRow> {
    const [row] = await this.transactions.run(() => {
      void this.database.write(QUEUE_SETTINGS);
      void this.database.write(HOLD, [rows]);
      return this.database.write<RecordRow>(RECORD, [rows]);
    });
    return row!;
  }

  async removeOrphans(olderThanDays: number): Promise<void> {
    for (let removed = ORPHANS_PER_BATCH; removed === ORPHANS_PER_BATCH;) {
      const [row] = await this.database.write<{ removed: number }>(REMOVE_ORPHANS, [olderThanDays, ORPHANS_PER_BATCH]);
      removed = row!.removed;
    }
  }
}

function keyOf({ appId, endpointId, id, lease, dueAt }: ClaimedDelivery) {
  return { app_id: appId, endpoint_id: endpointId, id, lease, due_at: dueAt };
}
