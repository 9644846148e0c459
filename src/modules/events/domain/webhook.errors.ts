import { DomainError } from '../../../kernel/domain-error.js';
import { MOST_ENDPOINTS } from './webhook-endpoint.js';

export class WebhookEndpointNotFound extends DomainError {
  static override readonly code = 'webhook_endpoint_not_found';
  static override readonly kind = 'not_found';
  static override readonly help = 'This app has no webhook endpoint with this id. List the endpoints of the app.';
  constructor() {
    super('There is no webhook endpoint with this id.');
  }
}

export class WebhookDeliveryNotFound extends DomainError {
  static override readonly code = 'webhook_delivery_not_found';
  static override readonly kind = 'not_found';
  static override readonly help =
    'The endpoint has no delivery with this id: it never had, or the delivery ended before the retention of deliveries.';
  constructor() {
    super('There is no webhook delivery with this id.');
  }
}

export class TooManyWebhookEndpoints extends DomainError {
  static override readonly code = 'too_many_webhook_endpoints';
  static override readonly kind = 'conflict';
  static override readonly help = `An app has at most ${MOST_ENDPOINTS} webhook endpoints. Delete one that is no longer used first.`;
  constructor() {
    super(`The app has ${MOST_ENDPOINTS} webhook endpoints. Delete one first.`);
  }
}

export class WebhookEndpointDisabled extends DomainError {
  static override readonly code = 'webhook_endpoint_disabled';
  static override readonly kind = 'conflict';
  static override readonly help =
    'A disabled endpoint receives nothing. Enable it (PATCH with disabled: false), then repeat the call.';
  constructor() {
    super('The webhook endpoint is disabled. Enable it first.');
  }
}
