import { Body, Controller, Delete, Get, HttpCode, Patch, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { AuthenticatedApp } from '../../../edge/auth/app-authenticator.js';
import { App, SecretKey } from '../../../edge/auth/credentials.js';
import { RequestedBy } from '../../../edge/auth/requested-by.js';
import { Refuses } from '../../../edge/errors/error-catalogue.js';
import { PathId } from '../../../edge/http/path-id.js';
import type { WebhookDeliveryId, WebhookEndpointId } from '../../../kernel/ids.js';
import { TooManyRequests } from '../../../kernel/errors.js';
import type { Requester } from '../../../kernel/requester.js';
import {
  TooManyWebhookEndpoints,
  WebhookDeliveryNotFound,
  WebhookEndpointDisabled,
  WebhookEndpointNotFound,
} from '../domain/webhook.errors.js';
import { WebhookCalls } from './webhook-calls.js';
import {
  ListWebhookDeliveriesQuery,
  WebhookDeliveryListResponse,
  WebhookDeliveryQueuedResponse,
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
import { EXAMPLE_DELIVERY } from './example-delivery.js';

/** The same endpoints with the app's secret key. */
@ApiTags('webhook endpoints')
@Controller('v1/webhook_endpoints')
export class ClientWebhookEndpointsController {
  constructor(private readonly calls: WebhookCalls) {}

  /**
   * Create a webhook endpoint
   *
   * @remarks Events are sent there from now on, by Standard Webhooks 1.0. `secret` verifies them and is shown only once. An app has at most 20
   * endpoints.
   */
  @Post()
  @HttpCode(200)
  @SecretKey()
  @Refuses(TooManyWebhookEndpoints)
  create(
    @RequestedBy() by: Requester,
    @App() { id: appId }: AuthenticatedApp,
    @Body() body: CreateWebhookEndpointRequest,
  ): Promise<WebhookEndpointWithSecretResponse> {
    return this.calls.create(by, appId, body);
  }

  /**
   * List the webhook endpoints of the app
   *
   * @remarks Returns the endpoints, the newest first, without their secrets.
   */
  @Get()
  @SecretKey()
  list(
    @App() { id: appId }: AuthenticatedApp,
    @Query() query: ListWebhookEndpointsQuery,
  ): Promise<WebhookEndpointListResponse> {
    return this.calls.list(appId, query);
  }

  /**
   * Get a webhook endpoint
   *
   * @remarks Returns the endpoint without its secret.
   */
  @Get(':whk_id')
  @SecretKey()
  @Refuses(WebhookEndpointNotFound)
  get(
    @App() { id: appId }: AuthenticatedApp,
    @PathId('whk_id', 'webhookEndpoint', WebhookEndpointNotFound) id: WebhookEndpointId,
  ): Promise<WebhookEndpointResponse> {
    return this.calls.get(appId, id);
  }

  /**
   * Change a webhook endpoint
   *
   * @remarks Events that happen while an endpoint is disabled are not sent to it later, unless they are recovered.
   */
  @Patch(':whk_id')
  @SecretKey()
  @Refuses(WebhookEndpointNotFound)
  update(
    @RequestedBy() by: Requester,
    @App() { id: appId }: AuthenticatedApp,
    @PathId('whk_id', 'webhookEndpoint', WebhookEndpointNotFound) id: WebhookEndpointId,
    @Body() body: UpdateWebhookEndpointRequest,
  ): Promise<WebhookEndpointResponse> {
    return this.calls.update(by, appId, id, UpdateWebhookEndpointRequest.changesWithoutNulls(body));
  }

  /**
   * Delete a webhook endpoint
   *
   * @remarks No further delivery to the endpoint is attempted.
   */
  @Delete(':whk_id')
  @SecretKey()
  @Refuses(WebhookEndpointNotFound)
  delete(
    @RequestedBy() by: Requester,
    @App() { id: appId }: AuthenticatedApp,
    @PathId('whk_id', 'webhookEndpoint', WebhookEndpointNotFound) id: WebhookEndpointId,
  ): Promise<WebhookEndpointDeletedResponse> {
    return this.calls.delete(by, appId, id);
  }

  /**
   * Replace the secret of a webhook endpoint
   *
   * @remarks Both secrets sign for `overlap_minutes`. A second call within that time ends the oldest secret at once.
   */
  @Post(':whk_id/rotate_secret')
  @HttpCode(200)
  @SecretKey()
  @Refuses(WebhookEndpointNotFound)
  rotateSecret(
    @RequestedBy() by: Requester,
    @App() { id: appId }: AuthenticatedApp,
    @PathId('whk_id', 'webhookEndpoint', WebhookEndpointNotFound) id: WebhookEndpointId,
    @Body() body: RotateWebhookSecretRequest,
  ): Promise<WebhookEndpointWithSecretResponse> {
    return this.calls.rotate(by, appId, id, body.overlap_minutes);
  }

  /**
   * Test a webhook endpoint
   *
   * @remarks Sends an event of the type `webhook.test`, also to an endpoint that receives other types only. The event is not in the feed.
   * An endpoint gets one test a second.
   */
  @Post(':whk_id/test')
  @HttpCode(200)
  @SecretKey()
  @Refuses(WebhookEndpointNotFound, WebhookEndpointDisabled, TooManyRequests)
  test(
    @RequestedBy() by: Requester,
    @App() { id: appId }: AuthenticatedApp,
    @PathId('whk_id', 'webhookEndpoint', WebhookEndpointNotFound) id: WebhookEndpointId,
  ): Promise<WebhookTestQueuedResponse> {
    return this.calls.test(by, appId, id);
  }

  /**
   * Send missed events again
   *
   * @remarks Sends every event of the range that was not delivered to the endpoint, also those from before the endpoint existed.
   */
  @Post(':whk_id/recover')
  @HttpCode(200)
  @SecretKey()
  @Refuses(WebhookEndpointNotFound, WebhookEndpointDisabled)
  recover(
    @RequestedBy() by: Requester,
    @App() { id: appId }: AuthenticatedApp,
    @PathId('whk_id', 'webhookEndpoint', WebhookEndpointNotFound) id: WebhookEndpointId,
    @Body() body: RecoverWebhooksRequest,
  ): Promise<WebhookQueuedResponse> {
    return this.calls.recover(by, appId, id, body);
  }

  /**
   * List the deliveries to a webhook endpoint
   *
   * @remarks Returns the deliveries with all their attempts, the newest first.
   */
  @Get(':whk_id/deliveries')
  @SecretKey()
  @Refuses(WebhookEndpointNotFound)
  listDeliveries(
    @App() { id: appId }: AuthenticatedApp,
    @PathId('whk_id', 'webhookEndpoint', WebhookEndpointNotFound) id: WebhookEndpointId,
    @Query() query: ListWebhookDeliveriesQuery,
  ): Promise<WebhookDeliveryListResponse> {
    return this.calls.listDeliveries(appId, id, query);
  }

  /**
   * Send an event again
   *
   * @remarks A delivered event may be sent again too. The schedule of attempts starts again.
   */
  @Post(':whk_id/deliveries/:whd_id/resend')
  @HttpCode(200)
  @SecretKey()
  @Refuses(WebhookEndpointNotFound, WebhookDeliveryNotFound, WebhookEndpointDisabled)
  resend(
    @RequestedBy() by: Requester,
    @App() { id: appId }: AuthenticatedApp,
    @PathId('whk_id', 'webhookEndpoint', WebhookEndpointNotFound) id: WebhookEndpointId,
    @PathId('whd_id', 'webhookDelivery', WebhookDeliveryNotFound, { example: EXAMPLE_DELIVERY })
    deliveryId: WebhookDeliveryId,
  ): Promise<WebhookDeliveryQueuedResponse> {
    return this.calls.resend(by, appId, id, deliveryId);
  }
}
