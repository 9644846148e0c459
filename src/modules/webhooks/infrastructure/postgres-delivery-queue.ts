import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { grouped, totals } from '../../../kernel/collections.js';
import type { AppId } from '../../../kernel/ids.js';
import { Transactions } from '../../../kernel/transactions.js';
import { allAppsIn, appsIn } from '../../../postgres/apps-in-table.js';
import { Database } from '../../../postgres/database.js';
import { DayPartitions } from '../../../postgres/day-partitions.js';
import {
  type Claim,
  type ClaimedDelivery,
  DeliveryQueue,
  type EndedAttempt,
  type EndpointKey,
  type EndpointUse,
  type Recorded,
} from '../domain/delivery-queue.js';
import { CLAIM, EXTEND, HOLD, QUEUE_SETTINGS, RECORD, REMOVE_HEALTH, REMOVE_ORPHANS } from './delivery-statements.js';

const ORPHANS_PER_BATCH = 1_000;

/** A row for each endpoint that had a share of the claim and for each of its deliveries; `id` is null where there was none. */
interface ClaimRow extends Omit<ClaimedDelivery, 'id' | 'appId' | 'lease'> {
  readonly id: ClaimedDelivery['id'] | null;
  readonly hasMore: boolean;
  readonly hasParked: boolean;
}

interface RecordRow {
  readonly hasReleased: boolean;
  readonly lost: readonly EndpointKey['endpointId'][];
}

const DROP_PARTITION = 'select drop_webhook_partition(now() - make_interval(days => $1)) as name';

@Injectable()
export class PostgresDeliveryQueue extends DeliveryQueue {
  private readonly partitions: DayPartitions;

  constructor(
    private readonly database: Database,
    private readonly transactions: Transactions,
  ) {
    super();
    this.partitions = new DayPartitions(database, 'webhook_deliveries', DROP_PARTITION);
  }

  async claim(limit: number, uses: readonly EndpointUse[], from: string): Promise<Claim> {
    const lease = randomUUID();
    const { appIds, after } = await appsIn(this.database, 'webhook_queue where tries >= 0', from);
    const busy = JSON.stringify(
      uses.map(({ appId, endpointId, host, used, isProven }) => ({
        app_id: appId,
        endpoint_id: endpointId,
        host,
        used,
        is_proven: isProven,
      })),
    );
    const shares = sharesOf(appIds as readonly AppId[], limit, uses);
    const results = await this.forApps(shares, (appId, share) =>
      this.database.write<ClaimRow>(CLAIM, [appId, share, busy, lease]),
    );
    const endpoints = new Map<string, Claim['endpoints'][number]>();
    const deliveries: ClaimedDelivery[] = [];
    let hasParked = false;
    for (const [appId, rows] of results)
      for (const { endpointId, id, hasMore, hasParked: hasRowParked, ...row } of rows) {
        hasParked ||= hasRowParked;
        endpoints.set(`${appId} ${endpointId}`, { appId, endpointId, hasMore });
        if (id !== null) deliveries.push({ ...row, appId, endpointId, id, lease });
      }
    return { deliveries, endpoints: [...endpoints.values()], hasParked, after };
  }

  async extend(deliveries: readonly ClaimedDelivery[]): Promise<void> {
    await this.forApps(
      grouped(deliveries, ({ appId }) => appId),
      (appId, held) => this.database.write(EXTEND, [appId, JSON.stringify(held.map(keyOf))]),
    );
  }

  record(results: readonly EndedAttempt[]): Promise<Recorded> {
    return this.partitions.used(() => this.recordOnce(results));
  }

  private async recordOnce(results: readonly EndedAttempt[]): Promise<Recorded> {
    const ofApps = grouped(results, ({ delivery }) => delivery.appId);
    const recorded = await this.forApps(ofApps, (appId, ended) => {
      const rows = JSON.stringify(
        ended.map(({ delivery, outcome, waitSeconds, attempt }) => ({
          ...keyOf(delivery),
          outcome,
          wait: waitSeconds,
          attempts: attempt ? [attempt] : [],
        })),
      );
      void this.database.write(HOLD, [appId, rows]);
      return this.database.write<RecordRow>(RECORD, [appId, rows]);
    });
    const rows = [...recorded].map(([appId, [row]]) => ({ appId, ...row! }));
    return {
      hasReleased: rows.some(({ hasReleased }) => hasReleased),
      lost: rows.flatMap(({ appId, lost }) => lost.map((endpointId) => ({ appId, endpointId }))),
    };
  }

  /** One statement for each app, all in one transaction and one round trip. */
  private async forApps<T, R>(
    apps: ReadonlyMap<AppId, T>,
    write: (appId: AppId, of: T) => Promise<R>,
  ): Promise<ReadonlyMap<AppId, R>> {
    if (apps.size === 0) return new Map();
    const results = await this.transactions.run(() =>
      Promise.all(
        [...apps].map(async ([appId, of]) => {
          void this.database.write(QUEUE_SETTINGS, [appId]);
          return [appId, await write(appId, of)] as const;
        }),
      ),
    );
    return new Map(results);
  }

  async removeExpired(olderThanDays: number): Promise<void> {
    await this.partitions.renew(olderThanDays);
    for await (const appIds of allAppsIn(this.database, 'webhook_queue'))
      for (const appId of appIds)
        for (let removed = ORPHANS_PER_BATCH; removed === ORPHANS_PER_BATCH;) {
          const parameters = [appId, olderThanDays, ORPHANS_PER_BATCH];
          const [row] = await this.database.write<{ removed: number }>(REMOVE_ORPHANS, parameters);
          removed = row!.removed;
        }
    await this.database.write(REMOVE_HEALTH);
  }
}

/** Apps that use the fewest slots get the free ones: otherwise four apps with slow receivers would keep all slots. */
function sharesOf(appIds: readonly AppId[], limit: number, uses: readonly EndpointUse[]): ReadonlyMap<AppId, number> {
  const used = totals(uses.map((use) => [use.appId, use.used]));
  const first = appIds.toSorted((a, b) => (used.get(a) ?? 0) - (used.get(b) ?? 0)).slice(0, limit);
  return new Map(first.map((appId, place) => [appId, Math.floor((limit + first.length - 1 - place) / first.length)]));
}

function keyOf({ endpointId, id, lease, dueAt }: ClaimedDelivery) {
  return { endpoint_id: endpointId, id, lease, due_at: dueAt };
}
