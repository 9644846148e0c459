import { DomainError } from '../../../kernel/domain-error.js';

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

export class WebhookEndpointDisabled extends DomainError {
  static override readonly code = 'webhook_endpoint_disabled';
  static override readonly kind = 'conflict';
  static override readonly help =
    'A disabled endpoint receives nothing. Enable it (PATCH with disabled: false), then repeat the call.';
  constructor() {
    super('The webhook endpoint is disabled. Enable it first.');
  }
}
