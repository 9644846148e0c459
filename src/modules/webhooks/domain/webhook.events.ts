import { idOf, oneOf } from '../../../kernel/event-data.js';
import { eventOf } from '../../../kernel/event-types.js';
import { DISABLED_REASONS } from './webhook-endpoint.js';

/** The event is never published: `RequestDeliveries` sends it to one endpoint, and the feed does not have it. */
export class WebhookTest extends eventOf({
  name: 'webhook.test',
  description: 'A client asked for a test of the endpoint. Its position is 0.',
  data: { webhook_endpoint_id: idOf('webhookEndpoint', 'The endpoint that is tested.') },
}) {}

export class WebhookEndpointWasDisabled extends eventOf({
  name: 'webhook_endpoint.disabled',
  description: 'A webhook endpoint was disabled: it receives no more events until it is enabled.',
  data: {
    webhook_endpoint_id: idOf('webhookEndpoint', 'The endpoint.'),
    reason: oneOf(DISABLED_REASONS, 'The reason why no more events are sent to it.'),
  },
}) {}
