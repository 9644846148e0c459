import type { AppId, EventId, WebhookDeliveryId, WebhookEndpointId } from '../../../kernel/ids.js';
import type { Attempt } from './delivery-queue.js';

export const DELIVERY_STATUSES = ['pending', 'delivered', 'failed'] as const;
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

/** An event on its way to an endpoint, as a client sees it. */
export interface WebhookDelivery {
  readonly id: WebhookDeliveryId;
  readonly eventId: EventId;
  readonly eventType: string;
  readonly status: DeliveryStatus;
  /** The attempts, earliest first. */
  readonly attempts: readonly Attempt[];
  /** The time of the next attempt; null unless the delivery is pending. */
  readonly nextAttemptAt: Date | null;
  readonly createdAt: Date;
}

export interface DeliveryPage {
  readonly limit: number;
  /** The id of the last delivery that the caller has; its row may be gone. */
  readonly startingAfter?: WebhookDeliveryId;
  readonly status?: DeliveryStatus;
}

/** The deliveries of an endpoint, pending and ended. */
export abstract class WebhookDeliveries {
  /** Lists the deliveries of the newest events first. */
  abstract list(appId: AppId, endpointId: WebhookEndpointId, page: DeliveryPage): Promise<WebhookDelivery[]>;
}
