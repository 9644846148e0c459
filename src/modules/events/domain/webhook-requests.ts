import type { AppId, EventId, WebhookDeliveryId, WebhookEndpointId } from '../../../kernel/ids.js';

/** A part of the events of an app, by their ids. */
export interface RecoveryRange {
  readonly since: Date;
  readonly until: Date;
  /** The last event that was handled; null at the beginning. */
  readonly after: EventId | null;
}

/** The deliveries that a client requests. */
export abstract class WebhookRequests {
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

export interface TestEvent {
  readonly id: EventId;
  readonly type: string;
  readonly body: string;
}
