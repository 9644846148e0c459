import { refusal } from '../../../kernel/domain-error.js';
import { MOST_ENDPOINTS } from './webhook-endpoint.js';

export class WebhookEndpointNotFound extends refusal('not_found', 'webhook_endpoint_not_found', {
  message: 'There is no webhook endpoint with this id.',
  help: 'This app has no webhook endpoint with this id. List the endpoints of the app.',
}) {}

export class WebhookDeliveryNotFound extends refusal('not_found', 'webhook_delivery_not_found', {
  message: 'There is no webhook delivery with this id.',
  help: 'The endpoint has no delivery with this id: it never had, or the delivery ended before the retention of deliveries.',
}) {}

export class TooManyWebhookEndpoints extends refusal('conflict', 'too_many_webhook_endpoints', {
  message: `The app has ${MOST_ENDPOINTS} webhook endpoints. Delete one first.`,
  help: `An app has at most ${MOST_ENDPOINTS} webhook endpoints. Delete one that is no longer used first.`,
}) {}

export class WebhookEndpointDisabled extends refusal('conflict', 'webhook_endpoint_disabled', {
  message: 'The webhook endpoint is disabled. Enable it first.',
  help: 'A disabled endpoint receives nothing. Enable it (PATCH with disabled: false), then repeat the call.',
}) {}
