import type { AppId, EventId, WebhookDeliveryId, WebhookEndpointId } from '../../../kernel/ids.js';
import type { Page, PageRequest } from '../../../kernel/paging.js';
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

/** The deliveries of an endpoint, pending and ended. */
export abstract class WebhookDeliveries {
  /** Lists the deliveries of the newest events first. */
  abstract list(
    appId: AppId,
    endpointId: WebhookEndpointId,
    page: PageRequest<WebhookDeliveryId>,
    status?: DeliveryStatus,
  ): Promise<Page<WebhookDelivery>>;
}
