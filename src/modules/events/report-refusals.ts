import { Injectable } from '@nestjs/common';
import { totals } from '../../kernel/collections.js';
import type { DomainError } from '../../kernel/domain-error.js';
import type { DomainEvent } from '../../kernel/event-types.js';
import { TooManyRequests } from '../../kernel/errors.js';
import type { AppId } from '../../kernel/ids.js';
import { Log } from '../../kernel/log.js';
import { DomainEvents } from '../../kernel/domain-events.js';
import { LoginRefused, type RefusedCall, type Refusals, refusedUserOf } from '../../kernel/refusals.js';
import { type RefusalClass, RefusalCounts, type Refused } from '../../services/refusals/refusal-counts.js';
import { RefusalRecorder } from '../../services/refusals/refusal-recorder.js';
import { LimitReached, LoginFailed } from './domain/refusal.events.js';
import { Statistics } from './domain/statistics.js';

const REFUSED_LOGIN = 'login.failed';
/** The network of refused logins that are only counted. */
const MANY = 'many';

/** Publishes the first refusal of each class in a minute, and counts every refused login. */
@Injectable()
export class ReportRefusals extends RefusalRecorder<DomainEvent> implements Refusals {
  readonly name = 'events';

  constructor(
    counts: RefusalCounts,
    log: Log,
    private readonly events: DomainEvents,
    private readonly statistics: Statistics,
  ) {
    super(counts, log, { batchMs: 100, retryMs: 5_000 });
  }

  report({ appId, network, requestId, actor, refusal }: RefusedCall): void {
    const event = eventOf(appId, refusal, requestId, actor);
    if (!event) return;
    const { class: kind, user_id: userId = '' } = event.data;
    // A wrong try must not hide that the next code had expired.
    const whose = 'reason' in event.data ? `${userId} ${event.data.reason}` : userId;
    this.record(appId, { reason: `${event.type} ${kind}`, actor: whose, network }, () => event);
  }

  limitNear(appId: AppId, limit: string, percent: number): void {
    const event = new LimitReached(appId, { class: limit, percent });
    this.record(appId, { reason: `${event.type} ${limit}`, actor: '', network: '' }, () => event);
  }

  takes({ network }: RefusalClass): number {
    return network === MANY ? 0 : 1;
  }

  async store(_: string, taken: readonly Pick<Refused<DomainEvent>, 'first'>[]): Promise<void> {
    for (const { first } of taken) await this.events.publish(...first);
  }

  override async count(
    appId: string,
    refused: readonly Pick<Refused<DomainEvent>, 'class' | 'count'>[],
  ): Promise<void> {
    const prefix = `${REFUSED_LOGIN} `;
    const logins = refused.filter(({ class: of }) => of.reason.startsWith(prefix));
    const byClass = totals(logins.map(({ class: of, count }) => [of.reason.slice(prefix.length), count]));
    if (byClass.size > 0) await this.statistics.addRefusedLogins(appId as AppId, byClass);
  }

  protected override overflow(of: RefusalClass, appId: string): readonly [string, RefusalClass] | undefined {
    return of.reason.startsWith(`${REFUSED_LOGIN} `) ? [appId, { ...of, actor: '', network: MANY }] : undefined;
  }
}

function eventOf(
  appId: AppId,
  refusal: DomainError,
  requestId: string,
  actor: string | undefined,
): LoginFailed | LimitReached | undefined {
  const userId = refusedUserOf(refusal);
  const of = { ...(userId !== undefined && { user_id: userId }), ...(actor !== undefined && { actor }) };
  if (refusal instanceof LoginRefused) {
    const { reason, endedSecondsAgo } = refusal.fault ?? {};
    const why = {
      ...(reason && { reason }),
      ...(endedSecondsAgo !== undefined && { ended_seconds_ago: endedSecondsAgo }),
    };
    return new LoginFailed(appId, { class: refusal.code, request_id: requestId, ...of, ...why });
  }
  if (refusal instanceof TooManyRequests)
    return new LimitReached(appId, { class: refusal.policy?.name ?? 'calls', ...of });
  return undefined;
}
