import { createHash } from 'node:crypto';
import { exampleId } from '../../../kernel/examples.js';
import type { WebhookDeliveryId } from '../../../kernel/ids.js';

const EVENT = exampleId('event');

/** The id that the delivery of the example's event to the example's endpoint has: see the SQL function `webhook_delivery_id`. */
export const EXAMPLE_DELIVERY = `whd_${EVENT.slice(4, 14)}${createHash('sha256')
  .update(EVENT + exampleId('webhookEndpoint'))
  .digest('hex')
  .slice(0, 16)}` as WebhookDeliveryId;
