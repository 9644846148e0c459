import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Clock } from '../../../kernel/clock.js';
import { InvalidRequest } from '../../../kernel/errors.js';
import type { AppId, EventId, WebhookEndpointId } from '../../../kernel/ids.js';
import { Jobs } from '../../../kernel/jobs.js';
import { Transactions } from '../../../kernel/transactions.js';
import { WebhookEndpointRepository } from '../domain/webhook-endpoint.repository.js';
import { WebhookEndpointDisabled, WebhookEndpointNotFound } from '../domain/webhook.errors.js';
import { WebhookRequests } from '../domain/webhook-requests.js';

const LONGEST_DAYS = 14;
const DAY_MS = 86_400_000;
/** Without an end a range may begin this much earlier: the caller counts the days before the call is sent. */
const SENDING_MS = 60_000;
const JOB = 'webhooks.recover';

/** Queues the events of a time that were not delivered to an endpoint, also those from before it existed. */
@Injectable()
export class RecoverDeliveries implements OnModuleInit {
  constructor(
    private readonly transactions: Transactions,
    private readonly endpoints: WebhookEndpointRepository,
    private readonly requests: WebhookRequests,
    private readonly jobs: Jobs,
    private readonly clock: Clock,
  ) {}

  onModuleInit(): void {
    this.jobs.handle(JOB, ({ appId, endpointId, since, until }) =>
      this.queueAll(
        appId as AppId,
        endpointId as WebhookEndpointId,
        new Date(since as string),
        new Date(until as string),
      ),
    );
  }

  /**
   * Resolves when the work is stored; a worker then queues the events in batches. The same range is not stored again while it waits. Throws `InvalidRequest`, `WebhookEndpointNotFound`
   * or `WebhookEndpointDisabled`.
   */
  async execute(appId: AppId, endpointId: WebhookEndpointId, since: Date, until?: Date): Promise<void> {
    const end = until ?? this.clock.now();
    const latest = new Date(since.getTime() + LONGEST_DAYS * DAY_MS + (until ? 0 : SENDING_MS));
    if (since >= end) throw invalid('since', 'range', 'must be before until and not in the future');
    if (end > latest) throw invalid('since', 'range', `must be at most ${LONGEST_DAYS} days before until`);
    // Without an end it lasts until the job runs, so a repeated call finds the same range, and what happened meanwhile is in it.
    const range = { since: since.toISOString(), until: (until ?? latest).toISOString() };
    await this.transactions.run(async () => {
      const endpoint = await this.endpoints.lock(appId, endpointId);
      if (endpoint.disabledAt) throw new WebhookEndpointDisabled();
      this.jobs.enqueue({
        kind: JOB,
        appId,
        payload: { appId, endpointId, ...range },
        uniqueKey: `${endpointId} ${range.since} ${range.until}`,
      });
    });
  }

  /** Begins anew after a crash: events that are queued or delivered meanwhile are not queued again. */
  private async queueAll(appId: AppId, endpointId: WebhookEndpointId, since: Date, until: Date): Promise<void> {
    let after: EventId | null = null;
    do {
      after = await this.queueBatch(appId, endpointId, { since, until, after });
    } while (after !== null);
  }

  private async queueBatch(
    appId: AppId,
    endpointId: WebhookEndpointId,
    range: { since: Date; until: Date; after: EventId | null },
  ): Promise<EventId | null> {
    try {
      return await this.transactions.run(async () => {
        await this.endpoints.lock(appId, endpointId);
        return this.requests.recover(appId, endpointId, range);
      });
    } catch (error) {
      // The endpoint was deleted.
      if (error instanceof WebhookEndpointNotFound) return null;
      throw error;
    }
  }
}

function invalid(field: string, rule: string, message: string): InvalidRequest {
  return new InvalidRequest([{ field, rule, message }]);
}
