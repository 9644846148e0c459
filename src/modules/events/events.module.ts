import {
  type BeforeApplicationShutdown,
  Global,
  Module,
  type OnApplicationBootstrap,
  type OnModuleInit,
} from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { Refusals } from '../../kernel/refusals.js';
import { Retention } from '../../kernel/retention.js';
import { Jobs } from '../../kernel/jobs.js';
import { EventStore } from '../../postgres/event-store.js';
import { inBothScopes } from '../../edge/auth/both-scopes.js';
import { Config } from '../../services/config/config.js';
import { AttemptDelivery } from './application/attempt-delivery.js';
import { CreateWebhookEndpoint } from './application/create-webhook-endpoint.js';
import { DeleteWebhookEndpoint } from './application/delete-webhook-endpoint.js';
import { DisableEndpoint } from './application/disable-endpoint.js';
import { EndpointRules } from './application/endpoint-rules.js';
import { EndpointSecrets } from './application/endpoint-secrets.js';
import { GetEvent } from './application/get-event.js';
import { ReadFeed } from './application/read-feed.js';
import { ReadStatistics } from './application/read-statistics.js';
import { ReadUserEvents } from './application/read-user-events.js';
import { RecoverDeliveries } from './application/recover-deliveries.js';
import { ResendDelivery } from './application/resend-delivery.js';
import { RotateWebhookSecret } from './application/rotate-webhook-secret.js';
import { SendTestEvent } from './application/send-test-event.js';
import { DeliveryWorker } from './delivery-worker.js';
import { DeliveryQueue } from './domain/delivery-queue.js';
import { UpdateWebhookEndpoint } from './application/update-webhook-endpoint.js';
import { CallableUrl } from './domain/callable-url.js';
import { EventFeed } from './domain/event-feed.js';
import { EventPartitions, EventSequence } from './domain/event-sequence.js';
import { Statistics } from './domain/statistics.js';
import { WebhookDeliveries } from './domain/webhook-deliveries.js';
import { WebhookEndpointRepository } from './domain/webhook-endpoint.repository.js';
import { WebhookRequests } from './domain/webhook-requests.js';
import { WebhookSender } from './domain/webhook-sender.js';
import { EventsController } from './http/events.controller.js';
import { WebhookEndpointsController } from './http/webhook-endpoints.controller.js';
import { StatisticsController } from './http/statistics.controller.js';
import { ManagedEventsController } from './http/managed-events.controller.js';
import { DeliveryMetrics } from './infrastructure/delivery-metrics.js';
import { OutboundWebhookSender } from './infrastructure/outbound-webhook-sender.js';
import { PostgresDeliveryQueue } from './infrastructure/postgres-delivery-queue.js';
import { PostgresEventFeed } from './infrastructure/postgres-event-feed.js';
import { PostgresEventPartitions } from './infrastructure/postgres-event-partitions.js';
import { PostgresStatistics } from './infrastructure/postgres-statistics.js';
import { PostgresEventSequence } from './infrastructure/postgres-event-sequence.js';
import { OutboundCallableUrl } from './infrastructure/outbound-callable-url.js';
import { PostgresWebhookDeliveries } from './infrastructure/postgres-webhook-deliveries.js';
import { PostgresWebhookRequests } from './infrastructure/postgres-webhook-requests.js';
import { TypeormWebhookEndpointRepository } from './infrastructure/typeorm-webhook-endpoint.repository.js';
import { WebhookEndpointSchema } from './infrastructure/webhook-endpoint.schema.js';
import { ReportRefusals } from './report-refusals.js';
import { Sequencer } from './sequencer.js';

const HOUR = 3_600;
const HALF_A_MINUTE = 30;
/** The statistics are at most 10 s old. */
const COUNTED_EVERY_SECONDS = 5;

/** The log of all events of an app, in an order that readers can rely on. It is global, because the edge reports refusals. */
@Global()
@Module({
  imports: [TypeOrmModule.forFeature([WebhookEndpointSchema])],
  controllers: [
    EventsController,
    ...inBothScopes(WebhookEndpointsController),
    ManagedEventsController,
    StatisticsController,
  ],
  providers: [
    { provide: EventFeed, useClass: PostgresEventFeed },
    { provide: EventSequence, useClass: PostgresEventSequence },
    { provide: EventPartitions, useClass: PostgresEventPartitions },
    { provide: Statistics, useClass: PostgresStatistics },
    { provide: WebhookEndpointRepository, useClass: TypeormWebhookEndpointRepository },
    { provide: WebhookRequests, useClass: PostgresWebhookRequests },
    { provide: DeliveryQueue, useClass: PostgresDeliveryQueue },
    { provide: WebhookSender, useClass: OutboundWebhookSender },
    AttemptDelivery,
    DeliveryMetrics,
    DeliveryWorker,
    { provide: WebhookDeliveries, useClass: PostgresWebhookDeliveries },
    { provide: CallableUrl, useClass: OutboundCallableUrl },
    CreateWebhookEndpoint,
    DeleteWebhookEndpoint,
    DisableEndpoint,
    EndpointRules,
    EndpointSecrets,
    GetEvent,
    ReadFeed,
    ReadStatistics,
    ReadUserEvents,
    RecoverDeliveries,
    ResendDelivery,
    RotateWebhookSecret,
    SendTestEvent,
    UpdateWebhookEndpoint,
    Sequencer,
    ReportRefusals,
    { provide: Refusals, useExisting: ReportRefusals },
  ],
  exports: [Refusals],
})
export class EventsModule implements OnModuleInit, OnApplicationBootstrap, BeforeApplicationShutdown {
  constructor(
    private readonly config: Config,
    private readonly jobs: Jobs,
    private readonly partitions: EventPartitions,
    private readonly sequencer: Sequencer,
    private readonly deliveries: DeliveryQueue,
    private readonly worker: DeliveryWorker,
    private readonly store: EventStore,
    private readonly statistics: Statistics,
    private readonly retention: Retention,
    private readonly refusals: ReportRefusals,
  ) {}

  onModuleInit(): void {
    this.jobs.schedule('events.statistics', COUNTED_EVERY_SECONDS, async () => {
      while (await this.statistics.count());
    });
    this.jobs.schedule('events.refusals', HALF_A_MINUTE, () => this.refusals.end());
    this.retention.register({ table: 'event_statistics', endedWhen: 'hour', after: '400 days' });
    this.jobs.schedule('events.partitions', HOUR, async () => {
      await this.partitions.create();
      await this.partitions.drop(this.config.eventRetentionDays);
      await this.partitions.dropDeliveries(this.config.deliveryRetentionDays);
      await this.deliveries.removeOrphans(this.config.deliveryRetentionDays);
    });
  }

  onApplicationBootstrap(): void {
    if (this.config.role === 'api') return;
    this.store.onStored(() => this.sequencer.wake());
    this.sequencer.onQueued(() => this.worker.wake());
    this.sequencer.start();
    this.worker.start();
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.sequencer.stop();
    await this.worker.stop();
  }
}
