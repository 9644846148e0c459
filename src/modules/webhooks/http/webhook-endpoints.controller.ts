import { Body, Delete, Get, HttpCode, Patch, Post, Query } from '@nestjs/common';
import { inBothScopes } from '../../../edge/auth/both-scopes.js';
import { pageIn } from '../../../edge/http/list.dto.js';
import type { RestrictedCaller } from '../../../edge/http/authenticated-request.js';
import { RequestedBy, RestrictedKey } from '../../../edge/auth/credentials.js';
import { Refuses } from '../../../edge/errors/error-catalogue.js';
import { SafeToRepeat } from '../../../edge/idempotency/post-routes.js';
import { PathId } from '../../../edge/http/path-id.js';
import type { AppId, WebhookDeliveryId, WebhookEndpointId } from '../../../kernel/ids.js';
import { TooManyRequests } from '../../../kernel/errors.js';
import type { Requester } from '../../../kernel/requester.js';
import { AppNotFound, AppsFacade } from '../../apps/index.js';
import { type EndpointCaller, ManageEndpoints } from '../application/manage-endpoints.js';
import { RequestDeliveries } from '../application/request-deliveries.js';
import { WebhookDeliveries } from '../domain/webhook-deliveries.js';
import {
  TooManyWebhookEndpoints,
  WebhookDeliveryNotFound,
  WebhookEndpointDisabled,
  WebhookEndpointNotFound,
} from '../domain/webhook.errors.js';
import { WebhookEndpointRepository } from '../domain/webhook-endpoint.repository.js';
import {
  EXAMPLE_DELIVERY,
  ListWebhookDeliveriesQuery,
  WebhookDeliveryListResponse,
  WebhookDeliveryQueuedResponse,
  WebhookDeliveryResponse,
  WebhookQueuedResponse,
  WebhookTestQueuedResponse,
} from './webhook-delivery.dto.js';
import {
  CreateWebhookEndpointRequest,
  ListWebhookEndpointsQuery,
  RecoverWebhooksRequest,
  RotateWebhookSecretRequest,
  UpdateWebhookEndpointRequest,
  WebhookEndpointDeletedResponse,
  WebhookEndpointListResponse,
  WebhookEndpointResponse,
  WebhookEndpointWithSecretResponse,
} from './webhook-endpoint.dto.js';

const SENT_SOON = 'The event is sent soon.';

export const WebhookEndpointsControllers = inBothScopes(
  {
    path: 'v1/webhook_endpoints',
    tag: 'webhook endpoints',
    resource: 'webhook_endpoints',
    scopes: 'webhooks:write',
  },
  ({ Changes, InScopes, Mounted, OfApp }) => {
    @Mounted()
    class WebhookEndpointsController {
      constructor(
        private readonly apps: AppsFacade,
        private readonly endpoints: WebhookEndpointRepository,
        private readonly deliveries: WebhookDeliveries,
        private readonly manage: ManageEndpoints,
        private readonly request: RequestDeliveries,
      ) {}

      /**
       * Create a webhook endpoint
       *
       * @remarks Events are sent there from now on, by Standard Webhooks 1.0. `secret` verifies them and is shown only once. An app has at most 20
       * endpoints. A restricted key manages the endpoints that it made. They carry events only if it has the scope `events:read` too; else
       * `event_types` is `webhook.test`.
       */
      @InScopes('operator')
      @Post()
      @HttpCode(200)
      @Refuses(TooManyWebhookEndpoints)
      async create(
        @RequestedBy() by: Requester,
        @OfApp(AppNotFound) appId: AppId,
        @RestrictedKey() key: RestrictedCaller | null,
        @Body() body: CreateWebhookEndpointRequest,
      ): Promise<WebhookEndpointWithSecretResponse> {
        const created = await this.manage.create(
          by,
          appId,
          CreateWebhookEndpointRequest.detailsOf(body),
          callerOf(key),
        );
        return WebhookEndpointWithSecretResponse.with(created);
      }

      /**
       * List the webhook endpoints of an app
       *
       * @remarks Returns the endpoints, the newest first, without their secrets.
       */
      @InScopes('auditor')
      @Get()
      async list(
        @OfApp(AppNotFound) appId: AppId,
        @RestrictedKey() key: RestrictedCaller | null,
        @Query() query: ListWebhookEndpointsQuery,
      ): Promise<WebhookEndpointListResponse> {
        await this.apps.requireLive(appId);
        const { items, hasMore } = await this.endpoints.list(appId, pageIn(query), key?.keyId);
        const ids = items.map(({ id }) => id);
        const failing = await this.endpoints.failingSince(appId, ids);
        const shown = items.map((each) => WebhookEndpointResponse.of(each, failing.get(each.id) ?? null));
        return { webhook_endpoints: shown, has_more: hasMore };
      }

      /**
       * Get a webhook endpoint
       *
       * @remarks Returns the endpoint without its secret.
       */
      @InScopes('auditor')
      @Get(':whk_id')
      async get(
        @OfApp(AppNotFound) appId: AppId,
        @RestrictedKey() key: RestrictedCaller | null,
        @PathId('whk_id', 'webhookEndpoint', WebhookEndpointNotFound) id: WebhookEndpointId,
      ): Promise<WebhookEndpointResponse> {
        await this.apps.requireLive(appId);
        return WebhookEndpointResponse.of(
          await this.endpoints.get(appId, id, key?.keyId),
          await this.failingSince(appId, id),
        );
      }

      /**
       * Change a webhook endpoint
       *
       * @remarks Events that happen while an endpoint is disabled are not sent to it later, unless they are recovered.
       */
      @InScopes('operator')
      @Patch(':whk_id')
      async update(
        @RequestedBy() by: Requester,
        @OfApp(AppNotFound) appId: AppId,
        @RestrictedKey() key: RestrictedCaller | null,
        @PathId('whk_id', 'webhookEndpoint', WebhookEndpointNotFound) id: WebhookEndpointId,
        @Changes() body: UpdateWebhookEndpointRequest,
      ): Promise<WebhookEndpointResponse> {
        const changes = UpdateWebhookEndpointRequest.changesOf(body);
        const endpoint = await this.manage.update(by, appId, id, changes, callerOf(key));
        return WebhookEndpointResponse.of(endpoint, await this.failingSince(appId, id));
      }

      /**
       * Delete a webhook endpoint
       *
       * @remarks No further delivery to the endpoint is attempted.
       */
      @InScopes('operator')
      @Delete(':whk_id')
      async delete(
        @RequestedBy() by: Requester,
        @OfApp(AppNotFound) appId: AppId,
        @RestrictedKey() key: RestrictedCaller | null,
        @PathId('whk_id', 'webhookEndpoint', WebhookEndpointNotFound) id: WebhookEndpointId,
      ): Promise<WebhookEndpointDeletedResponse> {
        await this.manage.delete(by, appId, id, key?.keyId);
        return { id, message: 'The webhook endpoint was deleted.' };
      }

      /**
       * Replace the secret of a webhook endpoint
       *
       * @remarks Both secrets sign for `overlap_minutes`. A second call within that time ends the oldest secret at once.
       */
      @InScopes('operator')
      @Post(':whk_id/rotate_secret')
      @HttpCode(200)
      async rotateSecret(
        @RequestedBy() by: Requester,
        @OfApp(AppNotFound) appId: AppId,
        @RestrictedKey() key: RestrictedCaller | null,
        @PathId('whk_id', 'webhookEndpoint', WebhookEndpointNotFound) id: WebhookEndpointId,
        @Body() body: RotateWebhookSecretRequest,
      ): Promise<WebhookEndpointWithSecretResponse> {
        const rotated = await this.manage.rotateSecret(by, appId, id, body.overlap_minutes, key?.keyId);
        return WebhookEndpointWithSecretResponse.with(rotated, await this.failingSince(appId, id));
      }

      /**
       * Test a webhook endpoint
       *
       * @remarks Sends an event of the type `webhook.test`, also to an endpoint that receives other types only. The event is not in the feed.
       * An endpoint gets one test a second.
       */
      @InScopes('operator')
      @Post(':whk_id/test')
      @HttpCode(200)
      @SafeToRepeat()
      @Refuses(WebhookEndpointDisabled, TooManyRequests)
      async test(
        @RequestedBy() by: Requester,
        @OfApp(AppNotFound) appId: AppId,
        @RestrictedKey() key: RestrictedCaller | null,
        @PathId('whk_id', 'webhookEndpoint', WebhookEndpointNotFound) id: WebhookEndpointId,
      ): Promise<WebhookTestQueuedResponse> {
        const { event, deliveryId } = await this.apps.audited(
          { by, appId, action: 'webhook_endpoint.tested', target: id },
          () => this.request.test(appId, id, key?.keyId),
        );
        return { message: SENT_SOON, delivery_id: deliveryId, event_id: event.id };
      }

      /**
       * Send missed events again
       *
       * @remarks Sends every event of the range that was not delivered to the endpoint, also those from before the endpoint existed.
       */
      @InScopes('operator')
      @Post(':whk_id/recover')
      @HttpCode(200)
      @SafeToRepeat()
      @Refuses(WebhookEndpointDisabled)
      async recover(
        @RequestedBy() by: Requester,
        @OfApp(AppNotFound) appId: AppId,
        @RestrictedKey() key: RestrictedCaller | null,
        @PathId('whk_id', 'webhookEndpoint', WebhookEndpointNotFound) id: WebhookEndpointId,
        @Body() { since, until }: RecoverWebhooksRequest,
      ): Promise<WebhookQueuedResponse> {
        await this.apps.audited({ by, appId, action: 'webhook_endpoint.recovered', target: id }, () =>
          this.request.recover(appId, id, since, until, key?.keyId),
        );
        return { message: 'The events that were not delivered are sent soon.' };
      }

      /**
       * List the deliveries to a webhook endpoint
       *
       * @remarks Returns the deliveries, the newest first, each with its last 20 attempts.
       */
      @InScopes('auditor')
      @Get(':whk_id/deliveries')
      async listDeliveries(
        @OfApp(AppNotFound) appId: AppId,
        @RestrictedKey() key: RestrictedCaller | null,
        @PathId('whk_id', 'webhookEndpoint', WebhookEndpointNotFound) id: WebhookEndpointId,
        @Query() query: ListWebhookDeliveriesQuery,
      ): Promise<WebhookDeliveryListResponse> {
        await this.apps.requireLive(appId);
        await this.endpoints.get(appId, id, key?.keyId);
        const { items, hasMore } = await this.deliveries.list(appId, id, pageIn(query), query.status);
        return { deliveries: items.map(WebhookDeliveryResponse.of), has_more: hasMore };
      }

      /**
       * Send an event again
       *
       * @remarks A delivered event may be sent again too. The schedule of attempts starts again.
       */
      @InScopes('operator')
      @Post(':whk_id/deliveries/:whd_id/resend')
      @HttpCode(200)
      @SafeToRepeat()
      @Refuses(WebhookEndpointDisabled)
      async resend(
        @RequestedBy() by: Requester,
        @OfApp(AppNotFound) appId: AppId,
        @RestrictedKey() key: RestrictedCaller | null,
        @PathId('whk_id', 'webhookEndpoint', WebhookEndpointNotFound) id: WebhookEndpointId,
        @PathId('whd_id', 'webhookDelivery', WebhookDeliveryNotFound, { example: EXAMPLE_DELIVERY })
        deliveryId: WebhookDeliveryId,
      ): Promise<WebhookDeliveryQueuedResponse> {
        await this.apps.audited({ by, appId, action: 'webhook_delivery.resent', target: deliveryId }, () =>
          this.request.resend(appId, id, deliveryId, key?.keyId),
        );
        return { message: SENT_SOON, delivery_id: deliveryId };
      }

      private async failingSince(appId: AppId, id: WebhookEndpointId): Promise<Date | null> {
        return (await this.endpoints.failingSince(appId, [id])).get(id) ?? null;
      }
    }
    return WebhookEndpointsController;
  },
);

function callerOf(key: RestrictedCaller | null): EndpointCaller {
  return key && { keyId: key.keyId, readsEvents: key.scopes.includes('events:read') };
}
