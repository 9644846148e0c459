import { EntitySchema } from 'typeorm';
import { WebhookEndpoint } from '../domain/webhook-endpoint.js';

export const WebhookEndpointSchema = new EntitySchema<WebhookEndpoint>({
  name: 'WebhookEndpoint',
  target: WebhookEndpoint,
  tableName: 'webhook_endpoints',
  columns: {
    appId: { type: 'text', name: 'app_id', primary: true, primaryKeyConstraintName: 'webhook_endpoints_pkey' },
    id: { type: 'text', primary: true, primaryKeyConstraintName: 'webhook_endpoints_pkey' },
    url: { type: 'text' },
    eventTypes: { type: 'text', array: true, name: 'event_types' },
    description: { type: 'text' },
    isOrdered: { type: 'boolean', name: 'is_ordered' },
    sealedSecret: { type: 'bytea', name: 'sealed_secret' },
    sealedPreviousSecret: { type: 'bytea', name: 'sealed_previous_secret', nullable: true },
    previousSecretEndsAt: { type: 'timestamptz', name: 'previous_secret_ends_at', nullable: true },
    createdAt: { type: 'timestamptz', name: 'created_at' },
    updatedAt: { type: 'timestamptz', name: 'updated_at' },
    testedAt: { type: 'timestamptz', name: 'tested_at', nullable: true },
    disabledAt: { type: 'timestamptz', name: 'disabled_at', nullable: true },
    disabledReason: { type: 'text', name: 'disabled_reason', nullable: true },
  },
});

/** Failures of an endpoint since its last success. An endpoint that does not fail has no row. */
interface WebhookHealth {
  readonly appId: string;
  readonly endpointId: string;
  readonly failingSince: Date;
  readonly failures: number;
  /** While many have failed: when the next delivery may be tried. */
  readonly probeAt: Date | null;
}

export const WebhookHealthSchema = new EntitySchema<WebhookHealth>({
  name: 'WebhookHealth',
  tableName: 'webhook_health',
  columns: {
    appId: { type: 'text', name: 'app_id', primary: true, primaryKeyConstraintName: 'webhook_health_pkey' },
    endpointId: { type: 'text', name: 'endpoint_id', primary: true, primaryKeyConstraintName: 'webhook_health_pkey' },
    failingSince: { type: 'timestamptz', name: 'failing_since' },
    failures: { type: 'integer' },
    probeAt: { type: 'timestamptz', name: 'probe_at', nullable: true },
  },
});

/** A delivery of an event to an endpoint, without the event itself. */
interface Delivery {
  readonly appId: string;
  readonly endpointId: string;
  /** Made of the event and the endpoint: an event has one delivery for each endpoint. */
  readonly id: string;
  readonly eventId: string;
  readonly eventType: string;
  readonly position: string;
  /** Selects the partition of the event; null for a test, which is in no log. */
  readonly sequencedAt: Date | null;
  /** The body of a test. */
  readonly body: string | null;
  /** Each as `{at, status_code, error, duration_ms, response}`, the earliest first. */
  readonly attempts: unknown;
  readonly createdAt: Date;
}

interface PendingDelivery extends Delivery {
  /** The user whose deliveries follow one another. */
  readonly orderKey: string | null;
  /** Attempts since the delivery was created or sent again on request. */
  readonly tries: number;
  /** Claims since the last attempt whose result was stored. */
  readonly claims: number;
  readonly dueAt: Date;
  /** Names the current claim: a random value. */
  readonly lease: string | null;
  readonly leasedUntil: Date | null;
}

export const PendingDeliverySchema = new EntitySchema<PendingDelivery>({
  name: 'PendingWebhookDelivery',
  tableName: 'webhook_queue',
  columns: {
    appId: { type: 'text', name: 'app_id', primary: true, primaryKeyConstraintName: 'webhook_queue_pkey' },
    endpointId: { type: 'text', name: 'endpoint_id', primary: true, primaryKeyConstraintName: 'webhook_queue_pkey' },
    id: { type: 'text', primary: true, primaryKeyConstraintName: 'webhook_queue_pkey' },
    eventId: { type: 'text', name: 'event_id' },
    eventType: { type: 'text', name: 'event_type' },
    position: { type: 'bigint' },
    sequencedAt: { type: 'timestamptz', name: 'sequenced_at', nullable: true },
    orderKey: { type: 'text', name: 'order_key', nullable: true },
    body: { type: 'text', nullable: true },
    tries: { type: 'integer', default: 0 },
    claims: { type: 'integer', default: 0 },
    attempts: { type: 'jsonb', default: [] },
    dueAt: { type: 'timestamptz', name: 'due_at', default: () => 'now()' },
    lease: { type: 'text', nullable: true },
    leasedUntil: { type: 'timestamptz', name: 'leased_until', nullable: true },
    createdAt: { type: 'timestamptz', name: 'created_at', default: () => 'now()' },
  },
  indices: [
    { name: 'webhook_queue_due', columns: ['appId', 'endpointId', 'dueAt', 'position'], where: 'tries >= 0' },
    {
      name: 'webhook_queue_order',
      columns: ['appId', 'endpointId', 'orderKey', 'position'],
      where: 'order_key is not null',
    },
  ],
});

interface EndedDelivery extends Delivery {
  /** `delivered` or `failed`. */
  readonly status: string;
  /** Selects the partition. */
  readonly endedAt: Date;
}

export const EndedDeliverySchema = new EntitySchema<EndedDelivery>({
  name: 'EndedWebhookDelivery',
  tableName: 'webhook_deliveries',
  columns: {
    appId: { type: 'text', name: 'app_id', primary: true, primaryKeyConstraintName: 'webhook_deliveries_pkey' },
    endpointId: {
      type: 'text',
      name: 'endpoint_id',
      primary: true,
      primaryKeyConstraintName: 'webhook_deliveries_pkey',
    },
    id: { type: 'text', primary: true, primaryKeyConstraintName: 'webhook_deliveries_pkey' },
    eventId: { type: 'text', name: 'event_id' },
    eventType: { type: 'text', name: 'event_type' },
    position: { type: 'bigint' },
    sequencedAt: { type: 'timestamptz', name: 'sequenced_at', nullable: true },
    body: { type: 'text', nullable: true },
    status: { type: 'text' },
    attempts: { type: 'jsonb' },
    createdAt: { type: 'timestamptz', name: 'created_at' },
    endedAt: {
      type: 'timestamptz',
      name: 'ended_at',
      primary: true,
      primaryKeyConstraintName: 'webhook_deliveries_pkey',
    },
  },
  indices: [
    {
      name: 'webhook_deliveries_failed',
      columns: ['appId', 'endpointId', 'id'],
      where: "status = 'failed'",
    },
  ],
});
