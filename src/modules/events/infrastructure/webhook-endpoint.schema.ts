import { EntitySchema } from 'typeorm';
import { WebhookEndpoint } from '../domain/webhook-endpoint.js';

export const WebhookEndpointSchema = new EntitySchema<WebhookEndpoint>({
  name: 'WebhookEndpoint',
  target: WebhookEndpoint,
  tableName: 'webhook_endpoints',
  columns: {
    appId: { type: 'text', name: 'app_id', primary: true },
    id: { type: 'text', primary: true },
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
