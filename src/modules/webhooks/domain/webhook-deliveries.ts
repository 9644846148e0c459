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

/** A part of the events of an app, by their ids. */
export interface RecoveryRange {
  readonly since: Date;
  readonly until: Date;
  /** The last event that was handled; null at the beginning. */
  readonly after: EventId | null;
}

export interface TestEvent {
  readonly id: EventId;
  readonly type: string;
  readonly body: string;
}

/** The deliveries of an endpoint, pending and ended, and those that a client asks for. */
export abstract class WebhookDeliveries {
  /** Lists the deliveries of the newest events first. */
  abstract list(
    appId: AppId,
    endpointId: WebhookEndpointId,
    page: PageRequest<WebhookDeliveryId>,
    status?: DeliveryStatus,
  ): Promise<Page<WebhookDelivery>>;

  /**
   * Queues an event that is not in the log, for this endpoint only. Its body is kept with the delivery. Within a second of the previous
   * test it queues nothing and returns null.
   */
  abstract addTest(appId: AppId, endpointId: WebhookEndpointId, event: TestEvent): Promise<WebhookDeliveryId | null>;

  /** Makes the delivery pending and due now, with all its attempts before it, and the endpoint is tried at once. False when the endpoint has no such delivery. */
  abstract resend(appId: AppId, endpointId: WebhookEndpointId, id: WebhookDeliveryId): Promise<boolean>;

  /**
   * Queues up to 1,000 events of a range that the endpoint subscribes to and that were not delivered to it; those that are pending
   * become due now, and the endpoint is tried at once. Returns where the next call begins, null at the end. A repetition queues nothing twice.
   */
  abstract recover(appId: AppId, endpointId: WebhookEndpointId, range: RecoveryRange): Promise<EventId | null>;
}
