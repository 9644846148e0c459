import { Injectable } from '@nestjs/common';
import type { AppId, WebhookDeliveryId, WebhookEndpointId } from '../../../kernel/ids.js';
import type { Requester } from '../../../kernel/requester.js';
import { Transactions } from '../../../kernel/transactions.js';
import { AppsFacade } from '../../apps/index.js';
import { CreateWebhookEndpoint } from '../application/create-webhook-endpoint.js';
import { DeleteWebhookEndpoint } from '../application/delete-webhook-endpoint.js';
import { RecoverDeliveries } from '../application/recover-deliveries.js';
import { ResendDelivery } from '../application/resend-delivery.js';
import { RotateWebhookSecret } from '../application/rotate-webhook-secret.js';
import { SendTestEvent } from '../application/send-test-event.js';
import { type EndpointChanges, UpdateWebhookEndpoint } from '../application/update-webhook-endpoint.js';
import { WebhookDeliveries } from '../domain/webhook-deliveries.js';
import { WebhookEndpointRepository } from '../domain/webhook-endpoint.repository.js';
import {
  ListWebhookDeliveriesQuery,
  WebhookDeliveryListResponse,
  WebhookDeliveryQueuedResponse,
  WebhookQueuedResponse,
  WebhookTestQueuedResponse,
} from './webhook-delivery.dto.js';
import {
  CreateWebhookEndpointRequest,
  type ListWebhookEndpointsQuery,
  type RecoverWebhooksRequest,
  WebhookEndpointDeletedResponse,
  WebhookEndpointListResponse,
  WebhookEndpointResponse,
  WebhookEndpointWithSecretResponse,
} from './webhook-endpoint.dto.js';

/** The calls that an operator makes with a management key and the app with its secret key. */
@Injectable()
export class WebhookCalls {
  constructor(
    private readonly apps: AppsFacade,
    private readonly endpoints: WebhookEndpointRepository,
    private readonly deliveries: WebhookDeliveries,
    private readonly createEndpoint: CreateWebhookEndpoint,
    private readonly updateEndpoint: UpdateWebhookEndpoint,
    private readonly deleteEndpoint: DeleteWebhookEndpoint,
    private readonly rotateSecret: RotateWebhookSecret,
    private readonly sendTest: SendTestEvent,
    private readonly recoverDeliveries: RecoverDeliveries,
    private readonly resendDelivery: ResendDelivery,
    private readonly transactions: Transactions,
  ) {}

  async create(
    by: Requester,
    appId: AppId,
    body: CreateWebhookEndpointRequest,
  ): Promise<WebhookEndpointWithSecretResponse> {
    const details = CreateWebhookEndpointRequest.detailsOf(body);
    return WebhookEndpointWithSecretResponse.ofNew(await this.createEndpoint.execute(by, appId, details));
  }

  async list(appId: AppId, { limit, starting_after }: ListWebhookEndpointsQuery): Promise<WebhookEndpointListResponse> {
    await this.apps.requireLive(appId);
    const page = { limit: limit + 1, ...(starting_after !== undefined && { startingAfter: starting_after }) };
    return WebhookEndpointListResponse.of(await this.endpoints.list(appId, page), limit);
  }

  async get(appId: AppId, id: WebhookEndpointId): Promise<WebhookEndpointResponse> {
    await this.apps.requireLive(appId);
    return WebhookEndpointResponse.of(await this.endpoints.get(appId, id));
  }

  async update(
    by: Requester,
    appId: AppId,
    id: WebhookEndpointId,
    changes: EndpointChanges,
  ): Promise<WebhookEndpointResponse> {
    return WebhookEndpointResponse.of(await this.updateEndpoint.execute(by, appId, id, changes));
  }

  async delete(by: Requester, appId: AppId, id: WebhookEndpointId): Promise<WebhookEndpointDeletedResponse> {
    await this.deleteEndpoint.execute(by, appId, id);
    return WebhookEndpointDeletedResponse.of(id);
  }

  async rotate(
    by: Requester,
    appId: AppId,
    id: WebhookEndpointId,
    overlapMinutes: number,
  ): Promise<WebhookEndpointWithSecretResponse> {
    return WebhookEndpointWithSecretResponse.ofNew(await this.rotateSecret.execute(by, appId, id, overlapMinutes));
  }

  async test(by: Requester, appId: AppId, id: WebhookEndpointId): Promise<WebhookTestQueuedResponse> {
    const { event, deliveryId } = await this.audited(by, appId, id, 'webhook_endpoint.tested', () =>
      this.sendTest.execute(appId, id),
    );
    return WebhookTestQueuedResponse.ofTest(deliveryId, event.id);
  }

  async recover(
    by: Requester,
    appId: AppId,
    id: WebhookEndpointId,
    { since, until }: RecoverWebhooksRequest,
  ): Promise<WebhookQueuedResponse> {
    await this.audited(by, appId, id, 'webhook_endpoint.recovered', () =>
      this.recoverDeliveries.execute(appId, id, since, until),
    );
    return WebhookQueuedResponse.of('The events that were not delivered are sent soon.');
  }

  async listDeliveries(
    appId: AppId,
    id: WebhookEndpointId,
    query: ListWebhookDeliveriesQuery,
  ): Promise<WebhookDeliveryListResponse> {
    await this.apps.requireLive(appId);
    await this.endpoints.get(appId, id);
    const page = ListWebhookDeliveriesQuery.pageOf(query);
    const found = await this.deliveries.list(appId, id, { ...page, limit: page.limit + 1 });
    return WebhookDeliveryListResponse.of(found, page.limit);
  }

  async resend(
    by: Requester,
    appId: AppId,
    id: WebhookEndpointId,
    deliveryId: WebhookDeliveryId,
  ): Promise<WebhookDeliveryQueuedResponse> {
    await this.audited(by, appId, deliveryId, 'webhook_delivery.resent', () =>
      this.resendDelivery.execute(appId, id, deliveryId),
    );
    return WebhookDeliveryQueuedResponse.ofDelivery(deliveryId);
  }

  /** Enters into the audit log what `work` does, in the same transaction. Throws `AppNotFound`. */
  private async audited<T>(
    by: Requester,
    appId: AppId,
    target: WebhookEndpointId | WebhookDeliveryId,
    action: string,
    work: () => Promise<T>,
  ): Promise<T> {
    return this.transactions.run(async () => {
      await this.apps.hold(appId);
      const result = await work();
      await this.apps.audit(by, appId, action, target);
      return result;
    });
  }
}
