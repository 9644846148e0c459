import type { AppId, EventId, WebhookDeliveryId, WebhookEndpointId } from '../../../kernel/ids.js';
import type { Page, PageRequest } from '../../../kernel/paging.js';
import type { Attempt } from './delivery-queue.js';

export const DELIVERY_STATUSES = ['pending', 'delivered', 'failed'] as const;
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

export interface WebhookDelivery {
  readonly id: WebhookDeliveryId;
  readonly eventId: EventId;
  readonly eventType: string;
  readonly status: DeliveryStatus;
  readonly attempts: readonly Attempt[];
  readonly nextAttemptAt: Date | null;
  readonly createdAt: Date;
}

export interface RecoveryRange {
  readonly since: Date;
  readonly until: Date;
  readonly after: EventId | null;
}

export interface TestEvent {
  readonly id: EventId;
  readonly type: string;
  readonly body: string;
}

export abstract class WebhookDeliveries {
  abstract list(
    appId: AppId,
    endpointId: WebhookEndpointId,
    page: PageRequest<WebhookDeliveryId>,
    status?: DeliveryStatus,
  ): Promise<Page<WebhookDelivery>>;

  /** Queues an event that is not in the log, with its body. Returns null and queues nothing within a second of the previous test. */
  abstract addTest(appId: AppId, endpointId: WebhookEndpointId, event: TestEvent): Promise<WebhookDeliveryId | null>;

  /** Makes the delivery due now and lets the endpoint be tried at once; earlier attempts are kept. False for an unknown delivery. */
  abstract resend(appId: AppId, endpointId: WebhookEndpointId, id: WebhookDeliveryId): Promise<boolean>;

  /** Queues up to 1,000 undelivered events; pending ones become due now. Null at the end. A repetition queues nothing twice. */
  abstract recover(appId: AppId, endpointId: WebhookEndpointId, range: RecoveryRange): Promise<EventId | null>;
}
