import type { Client } from './client.js';
import { ApiError } from './errors.js';

export interface RevocationOptions {
  /** The time between two reads of the feed: 2 s by default. */
  readonly pollSeconds?: number;
  /**
   * Sessions are refused with 503 if the feed was not read for this time. Without it they are accepted until their JWT expires, so that
   * an app keeps working while the service restarts.
   */
  readonly maxAgeSeconds?: number;
  /** The time in milliseconds since 1970. */
  readonly now?: () => number;
}

/** A JWT lives for 300 s at most. After this time no valid JWT of an ended session is left. */
const KEEP_SECONDS = 420;
/** The service finds a position that is older than a day only by reading all of the feed. */
const REPOSITION_SECONDS = 3_600;
const READ_TIMEOUT_MS = 10_000;
const PAGE = 1_000;

/** The sessions that ended in the last minutes, from the events `session.revoked` of the feed. */
export class RevocationFeed {
  private readonly ended = new Map<string, number>();
  private position: number | null = null;
  private positionedAt = 0;
  private feedId: string | undefined;
  private readAt = -Infinity;
  private first: Promise<void> | undefined;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private isClosed = false;

  constructor(
    private readonly client: Client,
    private readonly options: RevocationOptions,
  ) {}

  /** Whether the session is known to have ended; null if the feed was not read for `maxAgeSeconds`. The first call begins to read. */
  async hasEnded(sessionId: string): Promise<boolean | null> {
    this.first ??= this.read();
    await this.first;
    if (this.ended.has(sessionId)) return true;
    return this.now() - this.readAt > (this.options.maxAgeSeconds ?? Infinity) * 1_000 ? null : false;
  }

  close(): void {
    this.isClosed = true;
    clearTimeout(this.timer);
  }

  /** Never fails: the next read goes on after the last event. */
  private async read(): Promise<void> {
    const startedAt = this.now();
    try {
      await this.readNew(AbortSignal.timeout(READ_TIMEOUT_MS));
      this.readAt = startedAt;
    } catch (error) {
      // The database was restored, or the position has left the log. Sessions that were found before stay ended.
      if (ApiError.is(error, 'feed_was_reset', 'cursor_expired', 'invalid_cursor')) this.position = null;
    }
    for (const [id, until] of this.ended) if (until < startedAt) this.ended.delete(id);
    if (this.isClosed) return;
    this.timer = setTimeout(() => void this.read(), (this.options.pollSeconds ?? 2) * 1_000);
    // In Node a timer would keep the process running.
    (this.timer as { unref?: () => void }).unref?.();
  }

  private async readNew(signal: AbortSignal): Promise<void> {
    if (this.position === null || this.now() - this.positionedAt > REPOSITION_SECONDS * 1_000) {
      this.feedId = undefined;
      this.moveTo(await this.firstRecent(signal));
    }
    for (let hasMore = true; hasMore;) {
      const page = await this.client.events.list(
        {
          after: String(this.position),
          types: 'session.revoked',
          limit: PAGE,
          ...(this.feedId !== undefined && { feed_id: this.feedId }),
        },
        { signal },
      );
      for (const { data, created_at: createdAt, position } of page.events) {
        const { session_id: id } = data as { session_id: string };
        this.ended.set(id, (createdAt + KEEP_SECONDS) * 1_000);
        this.moveTo(position);
      }
      this.feedId = page.feed_id;
      hasMore = page.has_more;
    }
  }

  private moveTo(position: number): void {
    this.position = position;
    this.positionedAt = this.now();
  }

  /** The lowest position that only recent events follow. A search of some thirty calls, however long the feed is. */
  private async firstRecent(signal: AbortSignal): Promise<number> {
    const since = this.now() / 1_000 - KEEP_SECONDS;
    let [early, recent] = [-1, 0];
    while (!(await this.isRecent(recent, since, signal))) [early, recent] = [recent, (recent + 1) * 16];
    while (recent - early > 1) {
      const middle = Math.floor((early + recent) / 2);
      if (await this.isRecent(middle, since, signal)) recent = middle;
      else early = middle;
    }
    return recent;
  }

  private async isRecent(position: number, since: number, signal: AbortSignal): Promise<boolean> {
    try {
      const { events } = await this.client.events.list({ after: String(position), limit: 1 }, { signal });
      return events.every(({ created_at: createdAt }) => createdAt >= since);
    } catch (error) {
      if (ApiError.is(error, 'cursor_expired')) return false;
      // The position is above the last one.
      if (ApiError.is(error, 'invalid_cursor')) return true;
      throw error;
    }
  }

  private now(): number {
    return this.options.now?.() ?? Date.now();
  }
}
