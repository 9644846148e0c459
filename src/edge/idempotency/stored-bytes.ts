import { type BeforeApplicationShutdown, Injectable } from '@nestjs/common';
import { Clock } from '../../kernel/clock.js';
import { TooManyRequests } from '../../kernel/errors.js';
import { runIn } from '../../postgres/current-transaction.js';
import { Database } from '../../postgres/database.js';

/** The bound on the responses that an app stores in 24 hours. */
const MOST_BYTES = 256 * 1024 * 1024;
const POLICY = { name: 'idempotency', quota: MOST_BYTES, windowSeconds: 86_400 } as const;
/** The bytes of the oldest hour leave the window within this time. */
const RETRY_SECONDS = 3_600;
/** The milliseconds for which a total counts as current. Until then the replica does not see the bytes of other replicas. */
const CURRENT_MS = 10_000;
const SAVED_AFTER_MS = 1_000;

interface Usage {
  /** The bytes that this process stored and did not count in the database yet. */
  unsaved: number;
  /** The bytes of all replicas in the last 24 hours, as of `readAt`. */
  total: number;
  readAt: number;
  reading: Promise<void> | null;
}

const ADD = `
  insert into idempotency_usage as u (app_id, hour, bytes) values ($1, date_trunc('hour', now()), $2)
  on conflict (app_id, hour) do update set bytes = u.bytes + excluded.bytes`;

const TOTAL = `
  select coalesce(sum(bytes), 0)::float8 as total from idempotency_usage
   where app_id = $1 and hour > now() - interval '24 hours'`;

/**
 * Counts the bytes of stored responses by app and hour. The counts are written in the background, because one row per app in the
 * transaction of each call would make the calls of an app wait for each other. A killed process loses the counts of its last second.
 */
@Injectable()
export class StoredBytes implements BeforeApplicationShutdown {
  private readonly usages = new Map<string, Usage>();
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  /** Throws when the app has no room for another response. */
  async requireRoom(appId: string): Promise<void> {
    const usage = this.of(appId);
    if (this.clock.now().getTime() - usage.readAt > CURRENT_MS) await this.update(appId, usage);
    if (usage.total + usage.unsaved < MOST_BYTES) return;
    throw new TooManyRequests(
      RETRY_SECONDS,
      POLICY,
      'The responses that the app has stored by Idempotency-Key in the last 24 hours reach 256 MiB. Repeat the call without the header, or later.',
    );
  }

  add(appId: string, bytes: number): void {
    this.of(appId).unsaved += bytes;
    this.timer ??= setTimeout(() => void this.flush().catch(() => undefined), SAVED_AFTER_MS).unref();
  }

  /** Writes the counts that wait, reads the current totals, and forgets apps without calls. */
  async flush(): Promise<void> {
    clearTimeout(this.timer);
    this.timer = undefined;
    for (const [appId, usage] of this.usages) {
      const isIdle = usage.unsaved === 0 && this.clock.now().getTime() - usage.readAt > CURRENT_MS;
      if (isIdle) this.usages.delete(appId);
      else await this.update(appId, usage);
    }
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.flush().catch(() => undefined);
  }

  private of(appId: string): Usage {
    const known = this.usages.get(appId) ?? { unsaved: 0, total: 0, readAt: 0, reading: null };
    this.usages.set(appId, known);
    return known;
  }

  private update(appId: string, usage: Usage): Promise<void> {
    // Not in the transaction of a request that happened to begin this.
    usage.reading ??= runIn(undefined, () => this.save(appId, usage)).finally(() => (usage.reading = null));
    return usage.reading;
  }

  private async save(appId: string, usage: Usage): Promise<void> {
    const saved = usage.unsaved;
    if (saved > 0) await this.database.write(ADD, [appId, saved]);
    usage.unsaved -= saved;
    const [row] = await this.database.list<{ total: number }>(TOTAL, [appId]);
    usage.total = row!.total;
    usage.readAt = this.clock.now().getTime();
  }
}
