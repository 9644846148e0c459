import { Injectable } from '@nestjs/common';
import { Clock, epochSeconds } from '../../../kernel/clock.js';
import { TooManyRequests } from '../../../kernel/errors.js';
import { type AppId, newId, type WebhookDeliveryId, type WebhookEndpointId } from '../../../kernel/ids.js';
import type { FeedEvent } from '../domain/event.js';
import { WebhookEndpointRepository } from '../domain/webhook-endpoint.repository.js';
import { WebhookEndpointDisabled } from '../domain/webhook.errors.js';
import { WebhookTest } from '../domain/webhook.events.js';
import { WebhookRequests } from '../domain/webhook-requests.js';

const TEST_POLICY = { name: 'webhook-tests-of-endpoint', quota: 1, windowSeconds: 1 };

/** Sends a `webhook.test` event to an endpoint, of any subscription. The event is not in the feed. */
@Injectable()
export class SendTestEvent {
  constructor(
    private readonly endpoints: WebhookEndpointRepository,
    private readonly requests: WebhookRequests,
    private readonly clock: Clock,
  ) {}

  /** Throws `WebhookEndpointNotFound`, `WebhookEndpointDisabled` or, after one in the same second, `TooManyRequests`. Resolves when the event is queued. */
  async execute(
    appId: AppId,
    endpointId: WebhookEndpointId,
  ): Promise<{ event: FeedEvent; deliveryId: WebhookDeliveryId }> {
    const endpoint = await this.endpoints.get(appId, endpointId);
    if (endpoint.disabledAt) throw new WebhookEndpointDisabled();
    const id = newId('event');
    const now = this.clock.now();
    const { type, data } = new WebhookTest(appId, { webhook_endpoint_id: endpointId });
    const event: FeedEvent = {
      id,
      type,
      created_at: epochSeconds(now),
      app_id: appId,
      position: 0,
      timestamp: now.toISOString(),
      data,
    };
    const deliveryId = await this.requests.addTest(appId, endpointId, { id, type, body: JSON.stringify(event) });
    if (deliveryId === null) throw new TooManyRequests(1, TEST_POLICY);
    return { event, deliveryId };
  }
}
