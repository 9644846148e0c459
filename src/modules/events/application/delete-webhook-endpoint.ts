import { Injectable } from '@nestjs/common';
import type { AppId, WebhookEndpointId } from '../../../kernel/ids.js';
import type { Requester } from '../../../kernel/requester.js';
import { Transactions } from '../../../kernel/transactions.js';
import { AppsFacade } from '../../apps/index.js';
import { WebhookEndpointRepository } from '../domain/webhook-endpoint.repository.js';
import { WebhookEndpointNotFound } from '../domain/webhook.errors.js';

/** Deletes an endpoint. Nothing more is sent to it, except attempts that are under way. */
@Injectable()
export class DeleteWebhookEndpoint {
  constructor(
    private readonly apps: AppsFacade,
    private readonly endpoints: WebhookEndpointRepository,
    private readonly transactions: Transactions,
  ) {}

  /** Throws `AppNotFound` or `WebhookEndpointNotFound`. */
  async execute(by: Requester, appId: AppId, id: WebhookEndpointId): Promise<void> {
    await this.transactions.run(async () => {
      await this.apps.hold(appId);
      if (!(await this.endpoints.delete(appId, id))) throw new WebhookEndpointNotFound();
      await this.apps.audit(by, appId, 'webhook_endpoint.deleted', id);
    });
  }
}
