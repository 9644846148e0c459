import { Injectable, type OnModuleInit } from '@nestjs/common';
import { InvalidRequest } from '../../../kernel/errors.js';
import type { AppId, EventId, WebhookEndpointId } from '../../../kernel/ids.js';
import { Jobs } from '../../../kernel/jobs.js';
import { Transactions } from '../../../kernel/transactions.js';
import { WebhookEndpointRepository } from '../domain/webhook-endpoint.repository.js';
import { WebhookEndpointDisabled, WebhookEndpointNotFound } from '../domain/webhook.errors.js';
import { WebhookRequests } from '../domain/webhook-requests.js';

const LONGEST_DAYS = 14;
const DAY_MS = 86_400_000;
/** A range without an end may begin this much earlier, because the caller counts the days before the call is sent. */
const SENDING_MS = 60_000;
const JOB = 'webhooks.recover';

/** The payload of a job: a range, and the last event that the jobs before it handled. */
interface Batch {
  readonly appId: AppId;
  readonly endpointId: WebhookEndpointId;
  /** A time in ISO 8601. */
  readonly since: string;
  readonly until: string;
  /** The last event that was handled; absent in a job of the previous release. */
  readonly after?: EventId | null;
}

/** Queues the events of a time that were not delivered to an endpoint, also those from before it existed. */
@Injectable()
export class RecoverDeliveries implements OnModuleInit {
  constructor(
    private readonly transactions: Transactions,
    private readonly endpoints: WebhookEndpointRepository,
    private readonly requests: WebhookRequests,
    private readonly jobs: Jobs,
  ) {}

  onModuleInit(): void {
    this.jobs.handle(JOB, (payload) => this.queueBatch(payload as unknown as Batch));
  }

  /**
   * Resolves when the work is stored; a worker then queues the events in batches. The same range is not stored again while it waits. Throws `InvalidRequest`, `WebhookEndpointNotFound`
   * or `WebhookEndpointDisabled`.
   */
  async execute(appId: AppId, endpointId: WebhookEndpointId, since: Date, until?: Date): Promise<void> {
    const end = until ?? (await this.endpoints.now());
    const latest = new Date(since.getTime() + LONGEST_DAYS * DAY_MS + (until ? 0 : SENDING_MS));
    if (since >= end) throw invalid('since', 'range', 'must be before until and not in the future');
    if (end > latest) throw invalid('since', 'range', `must be at most ${LONGEST_DAYS} days before until`);
    // A range without an end lasts until the job runs: a repeated call then finds the same range, which includes later events.
    const range = { since: since.toISOString(), until: (until ?? latest).toISOString() };
    await this.transactions.run(async () => {
      const endpoint = await this.endpoints.lock(appId, endpointId);
      if (endpoint.disabledAt) throw new WebhookEndpointDisabled();
      this.enqueue({ appId, endpointId, ...range });
    });
  }

  private enqueue(batch: Batch): void {
    const { appId, endpointId, since, until, after } = batch;
    const uniqueKey = [endpointId, since, until, ...(after ? [after] : [])].join(' ');
    this.jobs.enqueue({ kind: JOB, appId, payload: { ...batch }, uniqueKey });
  }

  /**
   * A job for each batch, so that jobs of other apps run in between. After a crash a batch is repeated: events that are queued or
   * delivered meanwhile are not queued again.
   */
  private async queueBatch(batch: Batch): Promise<void> {
    const { appId, endpointId } = batch;
    const range = { since: new Date(batch.since), until: new Date(batch.until), after: batch.after ?? null };
    try {
      await this.transactions.run(async () => {
        await this.endpoints.lock(appId, endpointId);
        const next = await this.requests.recover(appId, endpointId, range);
        if (next !== null) this.enqueue({ ...batch, after: next });
      });
    } catch (error) {
      if (!(error instanceof WebhookEndpointNotFound)) throw error;
      // The endpoint was deleted.
    }
  }
}

function invalid(field: string, rule: string, message: string): InvalidRequest {
  return new InvalidRequest([{ field, rule, message }]);
}
