import { ApiSchema } from '@nestjs/swagger';
import { createHash } from 'node:crypto';
import { EnumValues, Example } from '../../../edge/openapi/plugin-schemas.js';
import { IdOf, OneOf, WholeNumber } from '../../../edge/http/fields.js';
import { epochSeconds } from '../../../kernel/clock.js';
import { exampleId } from '../../../kernel/examples.js';
import type { WebhookDeliveryId } from '../../../kernel/ids.js';
import { DELIVERY_STATUSES, type DeliveryStatus, type WebhookDelivery } from '../domain/webhook-deliveries.js';

const EVENT = exampleId('event');

/** The id that the delivery of the example's event to the example's endpoint has: see the SQL function `webhook_delivery_id`. */
export const EXAMPLE_DELIVERY = `whd_${EVENT.slice(4, 14)}${createHash('sha256')
  .update(EVENT + exampleId('webhookEndpoint'))
  .digest('hex')
  .slice(0, 16)}` as WebhookDeliveryId;

export class ListWebhookDeliveriesQuery {
  /** Lists only deliveries with this status. */
  @OneOf(DELIVERY_STATUSES, { optional: true })
  readonly status?: DeliveryStatus;

  /** The maximum number of items. `has_more` says whether there are more. */
  @WholeNumber({ min: 1, max: 1_000, unit: 'deliveries' })
  readonly limit: number = 100;

  /** The id of the last delivery of the previous page. */
  @IdOf('webhookDelivery', { optional: true })
  readonly starting_after?: WebhookDeliveryId;
}

/** One attempt to send an event. */
export class WebhookAttemptResponse {
  /** The time of the attempt, in epoch seconds. */
  at!: number;
  /** The HTTP status of the response; `null` if there was none. */
  @Example(200)
  status_code!: number | null;
  /** The reason why there was no response, e.g. `timeout`; `null` if there was one. */
  error!: string | null;
  /** The duration of the attempt, in milliseconds. */
  duration_ms!: number;
  /** The first kilobyte of the response as text; `null` if there was none. */
  @Example('ok')
  response!: string | null;
}

/** A delivery of an event to an endpoint. */
export class WebhookDeliveryResponse {
  @Example(EXAMPLE_DELIVERY)
  id!: string;
  event_id!: string;
  /** The name of the type of the event. */
  @Example('user.created')
  event_type!: string;
  /** The status of the delivery: `pending`, `delivered` or `failed`. */
  @EnumValues(DELIVERY_STATUSES)
  @Example('delivered')
  status!: string;
  /** The last 20 attempts, earliest first. */
  attempts!: WebhookAttemptResponse[];
  /** The time of the next attempt, in epoch seconds; 0 unless the delivery is pending. */
  next_attempt_at!: number;
  created_at!: number;

  static of(delivery: WebhookDelivery): WebhookDeliveryResponse {
    return {
      id: delivery.id,
      event_id: delivery.eventId,
      event_type: delivery.eventType,
      status: delivery.status,
      attempts: [...delivery.attempts],
      next_attempt_at: epochSeconds(delivery.nextAttemptAt),
      created_at: epochSeconds(delivery.createdAt),
    };
  }
}

@ApiSchema({ description: 'A page of the deliveries to the endpoint.' })
export class WebhookDeliveryListResponse {
  /** The deliveries of the newest events first. */
  deliveries!: WebhookDeliveryResponse[];
  has_more!: boolean;
}

@ApiSchema({ description: 'The events are sent soon.' })
export class WebhookQueuedResponse {
  @Example('The event is sent soon.')
  message!: string;
}

@ApiSchema({ description: 'The delivery is repeated soon.' })
export class WebhookDeliveryQueuedResponse extends WebhookQueuedResponse {
  @Example(EXAMPLE_DELIVERY)
  delivery_id!: string;
}

@ApiSchema({ description: 'The test event is sent soon.' })
export class WebhookTestQueuedResponse extends WebhookDeliveryQueuedResponse {
  event_id!: string;
}
