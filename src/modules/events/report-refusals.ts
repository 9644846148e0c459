import { type BeforeApplicationShutdown, Injectable } from '@nestjs/common';
import { setTimeout as pause } from 'node:timers/promises';
import type { DomainError } from '../../kernel/domain-error.js';
import { TooManyRequests } from '../../kernel/errors.js';
import type { AppId } from '../../kernel/ids.js';
import { Log } from '../../kernel/log.js';
import { LoginRefused, type RefusedCall, Refusals, refusedUserOf } from '../../kernel/refusals.js';
import { LimitReached, LoginFailed } from './domain/refusal.events.js';
import { ReportedRefusals, type RefusalReport } from './domain/reported-refusals.js';

/** Refusals of this long become one statement for each app. */
const BATCHED_FOR_MS = 100;
const MOST_PER_BATCH = 500;
/** Reports of an app beyond this are dropped: a flood from very many networks takes no more memory and no more writes. */
const MOST_WAITING_PER_APP = 1_000;
const MOST_REMEMBERED = 100_000;

/**
 * Remembers in memory what was reported, so that an attack costs a map look-up for each refused call, and writes the rest behind the
 * requests, one app at a time. The database decides between replicas.
 */
@Injectable()
export class ReportRefusals extends Refusals implements BeforeApplicationShutdown {
  /** When each key may be reported again, by the monotonic clock; infinite while its report waits. The oldest first. */
  private readonly quietUntil = new Map<string, number>();
  private readonly waiting = new Map<AppId, RefusalReport[]>();
  private writing: Promise<void> | undefined;

  constructor(
    private readonly reported: ReportedRefusals,
    private readonly log: Log,
  ) {
    super();
  }

  report({ appId, network, requestId, refusal }: RefusedCall): void {
    const event = eventOf(appId, refusal, requestId);
    if (!event) return;
    const { class: kind, user_id: userId } = event.data;
    const key = JSON.stringify([appId, event.type, kind, userId, network]);
    if ((this.quietUntil.get(key) ?? 0) > performance.now()) return;
    const ofApp = this.waiting.get(appId) ?? [];
    if (ofApp.length >= MOST_WAITING_PER_APP) return;
    this.remember(key, Infinity);
    ofApp.push({ key, event });
    this.waiting.set(appId, ofApp);
    this.writing ??= this.writeAll();
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.writing;
  }

  private async writeAll(): Promise<void> {
    while (this.waiting.size > 0) {
      await pause(BATCHED_FOR_MS);
      const batches = [...this.waiting];
      this.waiting.clear();
      for (const [appId, reports] of batches) {
        for (let first = 0; first < reports.length; first += MOST_PER_BATCH)
          await this.write(appId, reports.slice(first, first + MOST_PER_BATCH));
      }
    }
    this.writing = undefined;
  }

  private async write(appId: AppId, reports: readonly RefusalReport[]): Promise<void> {
    try {
      const answered = await this.reported.publish(appId, reports);
      for (const [key, seconds] of answered) this.remember(key, performance.now() + seconds * 1_000);
    } catch (error) {
      // The next refusal of the same kind is reported again.
      for (const { key } of reports) this.quietUntil.delete(key);
      this.log.warn({ err: { name: (error as Error).name } }, 'refusals were not reported');
    }
  }

  private remember(key: string, until: number): void {
    this.quietUntil.delete(key);
    this.quietUntil.set(key, until);
    const now = performance.now();
    for (const [oldest, end] of this.quietUntil) {
      if (end > now && this.quietUntil.size <= MOST_REMEMBERED) return;
      this.quietUntil.delete(oldest);
    }
  }
}

/** Undefined for a refusal that is not reported. */
function eventOf(appId: AppId, refusal: DomainError, requestId: string): LoginFailed | LimitReached | undefined {
  const userId = refusedUserOf(refusal);
  const of = userId === undefined ? {} : { user_id: userId };
  if (refusal instanceof LoginRefused)
    return new LoginFailed(appId, { class: refusal.code, request_id: requestId, ...of });
  if (refusal instanceof TooManyRequests)
    return new LimitReached(appId, { class: refusal.policy?.name ?? 'calls', ...of });
  return undefined;
}
