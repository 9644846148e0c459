import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Clock, epochSeconds } from '../../../kernel/clock.js';
import { causingRequest } from '../../../kernel/current-call.js';
import { InvalidRequest, TooManyRequests } from '../../../kernel/errors.js';
import {
  type AppId,
  type EventId,
  newId,
  type WebhookDeliveryId,
  type WebhookEndpointId,
} from '../../../kernel/ids.js';
import { Jobs } from '../../../kernel/jobs.js';
import { Transactions } from '../../../kernel/transactions.js';
import type { FeedEvent } from '../../events/index.js';
import { WebhookDeliveries } from '../domain/webhook-deliveries.js';
import type { WebhookEndpoint } from '../domain/webhook-endpoint.js';
import { type CallingKey, WebhookEndpointRepository } from '../domain/webhook-endpoint.repository.js';
import { WebhookDeliveryNotFound, WebhookEndpointDisabled, WebhookEndpointNotFound } from '../domain/webhook.errors.js';
import { WebhookTest } from '../domain/webhook.events.js';

const TEST_POLICY = { name: 'webhook-tests-of-endpoint', quota: 1, windowSeconds: 1 };
const LONGEST_DAYS = 14;
const DAY_MS = 86_400_000;
/** A range without an end may be longer by this, because the caller counts the days before the call is sent. */
const SENDING_MS = 60_000;
const JOB = 'webhooks.recover';

interface Batch {
  readonly appId: AppId;
  readonly endpointId: WebhookEndpointId;
  readonly since: string;
  readonly until: string;
  /** The last event that was handled; absent in a job of the previous release. */
  readonly after?: EventId | null;
}

@Injectable()
export class RequestDeliveries implements OnModuleInit {
  constructor(
    private readonly transactions: Transactions,
    private readonly endpoints: WebhookEndpointRepository,
    private readonly deliveries: WebhookDeliveries,
    private readonly jobs: Jobs,
    private readonly clock: Clock,
  ) {}

  onModuleInit(): void {
    this.jobs.handle(JOB, (payload) => this.queueBatch(payload as unknown as Batch));
  }

  /** The event is not in the feed and ignores the subscription. Throws `TooManyRequests` after one in the same second. */
  async test(
    appId: AppId,
    endpointId: WebhookEndpointId,
    key: CallingKey = null,
  ): Promise<{ event: FeedEvent; deliveryId: WebhookDeliveryId }> {
    requireEnabled(await this.endpoints.get(appId, endpointId, key));
    const id = newId('event');
    const now = this.clock.now();
    const requestId = causingRequest();
    const { type, data } = new WebhookTest(appId, { webhook_endpoint_id: endpointId });
    const event: FeedEvent = {
      id,
      type,
      created_at: epochSeconds(now),
      app_id: appId,
      position: 0,
      timestamp: now.toISOString(),
      ...(requestId !== undefined && { request_id: requestId }),
      data,
    };
    const deliveryId = await this.deliveries.addTest(appId, endpointId, { id, type, body: JSON.stringify(event) });
    if (deliveryId === null) throw new TooManyRequests(1, TEST_POLICY);
    return { event, deliveryId };
  }

  resend(appId: AppId, endpointId: WebhookEndpointId, id: WebhookDeliveryId, key: CallingKey = null): Promise<void> {
    return this.transactions.run(async () => {
      // The lock lets one request at a time queue deliveries of the endpoint.
      requireEnabled(await this.endpoints.lock(appId, endpointId, key));
      if (!(await this.deliveries.resend(appId, endpointId, id))) throw new WebhookDeliveryNotFound();
    });
  }

  /** Sends the events of a range that were not delivered, also those from before the endpoint existed. The same range waits only once. */
  async recover(
    appId: AppId,
    endpointId: WebhookEndpointId,
    since: Date,
    until?: Date,
    key: CallingKey = null,
  ): Promise<void> {
    const end = until ?? (await this.endpoints.now());
    const latest = new Date(since.getTime() + LONGEST_DAYS * DAY_MS + (until ? 0 : SENDING_MS));
    if (since >= end) throw invalidSince('must be before until and not in the future');
    if (end > latest) throw invalidSince(`must be at most ${LONGEST_DAYS} days before until`);
    // A range without an end lasts until the job runs: a repeated call then finds the same range, which includes later events.
    const range = { since: since.toISOString(), until: (until ?? latest).toISOString() };
    await this.transactions.run(async () => {
      requireEnabled(await this.endpoints.lock(appId, endpointId, key));
      this.enqueue({ appId, endpointId, ...range });
    });
  }

  private enqueue(batch: Batch): void {
    const { appId, endpointId, since, until, after } = batch;
    const uniqueKey = [endpointId, since, until, ...(after ? [after] : [])].join(' ');
    this.jobs.enqueue({ kind: JOB, appId, payload: { ...batch }, uniqueKey });
  }

  /** A job for each batch, so that jobs of other apps run in between. A batch repeated after a crash queues nothing twice. */
  private async queueBatch(batch: Batch): Promise<void> {
    const { appId, endpointId } = batch;
    const range = { since: new Date(batch.since), until: new Date(batch.until), after: batch.after ?? null };
    try {
      await this.transactions.run(async () => {
        await this.endpoints.lock(appId, endpointId);
        const next = await this.deliveries.recover(appId, endpointId, range);
        if (next !== null) this.enqueue({ ...batch, after: next });
      });
    } catch (error) {
      if (!(error instanceof WebhookEndpointNotFound)) throw error;
    }
  }
}

function requireEnabled({ disabledAt }: WebhookEndpoint): void {
  if (disabledAt) throw new WebhookEndpointDisabled();
}

function invalidSince(message: string): InvalidRequest {
  return new InvalidRequest([{ field: 'since', rule: 'range', message }]);
}
