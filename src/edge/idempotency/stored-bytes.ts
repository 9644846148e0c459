import { type BeforeApplicationShutdown, Injectable } from '@nestjs/common';
import { Clock } from '../../kernel/clock.js';
import { isRefusal } from '../../kernel/domain-error.js';
import { isId } from '../../kernel/ids.js';
import { Refusals } from '../../kernel/refusals.js';
import { runIn } from '../../postgres/current-transaction.js';
import { Database } from '../../postgres/database.js';
import { LimitsInForce } from '../../services/limits/limits-in-force.js';
import { HttpMetrics, scrapedGauge, tableGauge } from '../../services/observability/metrics.js';

const MEGABYTE = 1024 * 1024;
/** Management calls that name no app of the service share this room. */
const SERVICE_MEGABYTES = 4_096;
/** Only payments and imports use it. */
const RESERVE = 0.1;
const NEAR = 0.8;
const ANNOUNCED_AGAIN_MS = 3_600_000;
/** The replica does not see the bytes of other replicas until then. */
const CURRENT_MS = 10_000;
const FULL_MS = 1_000;
const SAVED_AFTER_MS = 1_000;

interface Bytes {
  readonly bytes: number;
  readonly reserved: number;
}

const NONE: Bytes = { bytes: 0, reserved: 0 };
const sum = (one: Bytes, other: Bytes): Bytes => ({
  bytes: one.bytes + other.bytes,
  reserved: one.reserved + other.reserved,
});

interface Usage {
  /** The bytes that this process stored and did not count in the database yet. */
  unsaved: Bytes;
  /** The bytes of all replicas in the last 24 hours, as of `readAt`. */
  total: Bytes;
  limit: number;
  readAt: number;
  announcedAt: number;
  reading: Promise<void> | null;
}

const ADD = `
  insert into idempotency_usage as u (app_id, hour, bytes, reserved_bytes) values ($1, date_trunc('hour', now()), $2, $3)
  on conflict (app_id, hour) do update set bytes = u.bytes + excluded.bytes, reserved_bytes = u.reserved_bytes + excluded.reserved_bytes`;

const TOTAL = `
  select coalesce(sum(bytes), 0)::float8 as bytes, coalesce(sum(reserved_bytes), 0)::float8 as reserved from idempotency_usage
   where app_id = $1 and hour > now() - interval '24 hours'`;

const TOTAL_OF_ALL = `
  select coalesce(sum(bytes), 0)::float8 as bytes from idempotency_usage where hour > now() - interval '24 hours'`;

/** One row per app in each transaction would make calls wait for each other, so counts are written later. A kill loses the last second. */
@Injectable()
export class StoredBytes implements BeforeApplicationShutdown {
  private readonly usages = new Map<string, Usage>();
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly limits: LimitsInForce,
    private readonly refusals: Refusals,
    metrics: HttpMetrics,
  ) {
    tableGauge(
      metrics,
      {
        name: 'idempotency_stored_bytes',
        help: 'Bytes of the responses that were stored for an Idempotency-Key in the last 24 hours, of all apps.',
      },
      async () => (await database.list<{ bytes: number }>(TOTAL_OF_ALL, []))[0]!.bytes,
    );
    scrapedGauge(
      metrics.registry,
      {
        name: 'idempotency_stored_share',
        help: 'The highest part of its stored_answers_mb that an app uses which stores responses on this replica.',
      },
      () => Math.max(0, ...[...this.usages.values()].map(shareOf)),
    );
  }

  /** Null if the app may store another response, else its limit in bytes. */
  async exceededLimit(appId: string, takesReserve: boolean): Promise<number | null> {
    const usage = this.of(appId);
    const age = this.now() - usage.readAt;
    if (age <= CURRENT_MS && hasRoom(usage, takesReserve)) return null;
    // An operator may have raised the limit.
    if (age > FULL_MS) await this.update(appId);
    return hasRoom(usage, takesReserve) ? null : usage.limit;
  }

  add(appId: string, bytes: number, takesReserve: boolean): void {
    const usage = this.of(appId);
    usage.unsaved = sum(usage.unsaved, { bytes, reserved: takesReserve ? bytes : 0 });
    this.timer ??= setTimeout(() => void this.flush().catch(() => undefined), SAVED_AFTER_MS).unref();
  }

  async flush(): Promise<void> {
    clearTimeout(this.timer);
    this.timer = undefined;
    for (const [appId, usage] of this.usages) {
      const age = this.now() - usage.readAt;
      const isIdle = usage.unsaved.bytes === 0 && age > CURRENT_MS;
      // The kept entry prevents that the event is published again too soon.
      if (!isIdle) await this.update(appId);
      else if (this.now() - usage.announcedAt > ANNOUNCED_AGAIN_MS) this.usages.delete(appId);
    }
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.flush().catch(() => undefined);
  }

  private now(): number {
    return this.clock.now().getTime();
  }

  private of(appId: string): Usage {
    const usage = this.usages.get(appId) ?? {
      unsaved: NONE,
      total: NONE,
      limit: 0,
      readAt: 0,
      announcedAt: 0,
      reading: null,
    };
    this.usages.set(appId, usage);
    return usage;
  }

  update(appId: string): Promise<void> {
    const usage = this.of(appId);
    // The request that happened to begin this must not carry it in its transaction.
    usage.reading ??= runIn(undefined, () => this.save(appId, usage)).finally(() => (usage.reading = null));
    return usage.reading;
  }

  private async save(appId: string, usage: Usage): Promise<void> {
    const { bytes, reserved } = usage.unsaved;
    if (bytes > 0) await this.database.write(ADD, [appId, bytes, reserved]);
    usage.unsaved = sum(usage.unsaved, { bytes: -bytes, reserved: -reserved });
    const [total] = await this.database.list<Bytes>(TOTAL, [appId]);
    const limit = await this.limitOf(appId);
    Object.assign(usage, { total, limit, readAt: this.now() });
    if (shareOf(usage) < NEAR || !isId('app', appId) || this.now() - usage.announcedAt < ANNOUNCED_AGAIN_MS) return;
    usage.announcedAt = this.now();
    this.refusals.limitNear(appId, 'stored_answers', Math.floor(100 * shareOf(usage)));
  }

  private async limitOf(appId: string): Promise<number> {
    if (!isId('app', appId)) return SERVICE_MEGABYTES * MEGABYTE;
    try {
      return (await this.limits.of(appId)).storedAnswersMb * MEGABYTE;
    } catch (error) {
      // A management call may name an app that does not exist.
      if (isRefusal(error)) return SERVICE_MEGABYTES * MEGABYTE;
      throw error;
    }
  }
}

function hasRoom({ total, unsaved, limit }: Usage, takesReserve: boolean): boolean {
  const { bytes, reserved } = sum(total, unsaved);
  const reserve = RESERVE * limit;
  if (bytes < limit - reserve) return true;
  // The reserve also holds beyond the limit, which other replicas or a lower setting may have passed.
  return takesReserve && (bytes < limit || reserved < reserve);
}

function shareOf({ total, unsaved, limit }: Usage): number {
  return limit === 0 ? 0 : sum(total, unsaved).bytes / limit;
}
