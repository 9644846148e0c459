import { Injectable } from '@nestjs/common';
import type { AppId, WebhookDeliveryId, WebhookEndpointId } from '../../../kernel/ids.js';
import { Transactions } from '../../../kernel/transactions.js';
import { WebhookEndpointRepository } from '../domain/webhook-endpoint.repository.js';
import { WebhookDeliveryNotFound, WebhookEndpointDisabled } from '../domain/webhook.errors.js';
import { WebhookRequests } from '../domain/webhook-requests.js';

/** Sends an event to an endpoint once more, also a delivered one, and begins its schedule again. */
@Injectable()
export class ResendDelivery {
  constructor(
    private readonly transactions: Transactions,
    private readonly endpoints: WebhookEndpointRepository,
    private readonly requests: WebhookRequests,
  ) {}

  /** Throws `WebhookEndpointNotFound`, `WebhookEndpointDisabled` or `WebhookDeliveryNotFound`. Resolves when it is queued. */
  execute(appId: AppId, endpointId: WebhookEndpointId, id: WebhookDeliveryId): Promise<void> {
    return this.transactions.run(async () => {
      // The lock lets one request at a time queue deliveries of the endpoint.
      const endpoint = await this.endpoints.lock(appId, endpointId);
      if (endpoint.disabledAt) throw new WebhookEndpointDisabled();
      if (!(await this.requests.resend(appId, endpointId, id))) throw new WebhookDeliveryNotFound();
    });
  }
}
