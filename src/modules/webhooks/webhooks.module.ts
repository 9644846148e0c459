import { type BeforeApplicationShutdown, Module, type OnApplicationBootstrap, type OnModuleInit } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { DomainEvents } from '../../kernel/domain-events.js';
import type { KeyId } from '../../kernel/ids.js';
import { Jobs } from '../../kernel/jobs.js';
import { Config } from '../../services/config/config.js';
import { KeyRevoked } from '../apps/index.js';
import { EventsModule, EventSequence } from '../events/index.js';
import { AttemptDelivery } from './application/attempt-delivery.js';
import { EndpointSecrets } from './application/endpoint-secrets.js';
import { ManageEndpoints } from './application/manage-endpoints.js';
import { RequestDeliveries } from './application/request-deliveries.js';
import { DeliveryWorker } from './delivery-worker.js';
import { DeliveryQueue } from './domain/delivery-queue.js';
import { Receivers } from './domain/receivers.js';
import { WebhookDeliveries } from './domain/webhook-deliveries.js';
import { WebhookEndpointRepository } from './domain/webhook-endpoint.repository.js';
import { WebhookEndpointsControllers } from './http/webhook-endpoints.controller.js';
import './infrastructure/personal-data.js';
import { DeliveryMetrics } from './infrastructure/delivery-metrics.js';
import { QUEUE } from './infrastructure/delivery-statements.js';
import { OutboundReceivers } from './infrastructure/outbound-receivers.js';
import { PostgresDeliveryQueue } from './infrastructure/postgres-delivery-queue.js';
import { PostgresWebhookDeliveries } from './infrastructure/postgres-webhook-deliveries.js';
import {
  TypeormWebhookEndpointRepository,
  WebhookEndpointSchema,
} from './infrastructure/typeorm-webhook-endpoint.repository.js';

const FIVE_MINUTES = 300;
const HOUR = 3_600;

@Module({
  imports: [EventsModule, TypeOrmModule.forFeature([WebhookEndpointSchema])],
  controllers: [...WebhookEndpointsControllers],
  providers: [
    { provide: DeliveryQueue, useClass: PostgresDeliveryQueue },
    { provide: Receivers, useClass: OutboundReceivers },
    { provide: WebhookDeliveries, useClass: PostgresWebhookDeliveries },
    { provide: WebhookEndpointRepository, useClass: TypeormWebhookEndpointRepository },
    AttemptDelivery,
    DeliveryMetrics,
    DeliveryWorker,
    EndpointSecrets,
    ManageEndpoints,
    RequestDeliveries,
  ],
})
export class WebhooksModule implements OnModuleInit, OnApplicationBootstrap, BeforeApplicationShutdown {
  constructor(
    private readonly config: Config,
    private readonly jobs: Jobs,
    private readonly sequence: EventSequence,
    private readonly queue: DeliveryQueue,
    private readonly worker: DeliveryWorker,
    private readonly events: DomainEvents,
    private readonly endpoints: ManageEndpoints,
  ) {}

  onModuleInit(): void {
    this.sequence.queueBy(QUEUE, () => this.worker.wake());
    this.events.subscribe(KeyRevoked, ({ appId, data }) => this.endpoints.passToApp(appId, data.key_id as KeyId));
    this.jobs.schedule('webhooks.ended-keys', FIVE_MINUTES, () => this.endpoints.passOnEnded());
    this.jobs.schedule('webhooks.deliveries', HOUR, () => this.queue.removeExpired(this.config.deliveryRetentionDays));
  }

  onApplicationBootstrap(): void {
    if (this.config.hasWorkers) this.worker.start();
  }

  beforeApplicationShutdown(): Promise<void> {
    return this.worker.stop();
  }
}
