import {
  type BeforeApplicationShutdown,
  Global,
  Module,
  type OnApplicationBootstrap,
  type OnModuleInit,
} from '@nestjs/common';
import { Jobs } from '../../kernel/jobs.js';
import { Refusals } from '../../kernel/refusals.js';
import { ObjectOwners } from '../../kernel/object-owners.js';
import { Retention } from '../../kernel/retention.js';
import { SetBacks } from '../../kernel/set-backs.js';
import { Database } from '../../postgres/database.js';
import { EventStore } from '../../postgres/event-store.js';
import { Config } from '../../services/config/config.js';
import { HttpMetrics } from '../../services/observability/metrics.js';
import { AccountUses, IdentityModule } from '../identity/index.js';
import { ReadFeed } from './application/read-feed.js';
import { ReadStatistics } from './application/read-statistics.js';
import { EventFeed } from './domain/event-feed.js';
import { EventSequence } from './domain/event-sequence.js';
import { Statistics } from './domain/statistics.js';
import { EventsController, ManagedEventsController, StatisticsController } from './http/events.controller.js';
import './infrastructure/personal-data.js';
import { FeedPositions } from './infrastructure/feed-positions.js';
import { PostgresEventFeed, WALLET_OF_EVENT } from './infrastructure/postgres-event-feed.js';
import { PostgresEventSequence } from './infrastructure/postgres-event-sequence.js';
import { PostgresStatistics } from './infrastructure/postgres-statistics.js';
import { registerSequenceMetrics } from './infrastructure/sequence-metrics.js';
import { ReportRefusals } from './report-refusals.js';
import { Sequencer } from './sequencer.js';
import { SetBackWatch } from './set-back-watch.js';

const HOUR = 3_600;
const HALF_A_MINUTE = 30;
const MOST_RUNS = 100;
const COUNTED_EVERY_SECONDS = 5;

const USES_OF_ACCOUNT = `
  select 1 from event_log
   where app_id = $1 and user_id = $2
     and type in ('message.signed', 'typed_data.signed', 'transaction.signed', 'wallet.exported', 'session.created')
  union all
  select 1 from unsequenced_events
   where app_id = $1 and data ->> 'user_id' = $2
     and type in ('message.signed', 'typed_data.signed', 'transaction.signed', 'wallet.exported', 'session.created')`;

/** Global, because the edge reports refusals. */
@Global()
@Module({
  imports: [IdentityModule],
  controllers: [EventsController, ManagedEventsController, StatisticsController],
  providers: [
    { provide: EventFeed, useClass: PostgresEventFeed },
    { provide: EventSequence, useClass: PostgresEventSequence },
    { provide: Statistics, useClass: PostgresStatistics },
    FeedPositions,
    SetBacks,
    SetBackWatch,
    ReadFeed,
    ReadStatistics,
    Sequencer,
    ReportRefusals,
    { provide: Refusals, useExisting: ReportRefusals },
  ],
  exports: [EventSequence, Refusals, SetBacks],
})
export class EventsModule implements OnModuleInit, OnApplicationBootstrap, BeforeApplicationShutdown {
  constructor(
    private readonly config: Config,
    private readonly jobs: Jobs,
    private readonly sequence: EventSequence,
    private readonly sequencer: Sequencer,
    private readonly setBackWatch: SetBackWatch,
    private readonly store: EventStore,
    private readonly statistics: Statistics,
    private readonly retention: Retention,
    private readonly owners: ObjectOwners,
    private readonly refusals: ReportRefusals,
    private readonly uses: AccountUses,
    metrics: HttpMetrics,
    database: Database,
  ) {
    registerSequenceMetrics(metrics, database);
  }

  onModuleInit(): void {
    this.owners.register({ kind: 'event', table: 'event_log', wallet: WALLET_OF_EVENT });
    this.jobs.schedule('events.statistics', COUNTED_EVERY_SECONDS, async () => {
      // With many busy apps there is always a rest, which the next run counts.
      for (let runs = 0; runs < MOST_RUNS && (await this.statistics.count()); runs++);
    });
    this.jobs.schedule('events.refusals', HALF_A_MINUTE, () => this.refusals.end());
    this.uses.register({ name: 'events', records: USES_OF_ACCOUNT, keptDays: this.config.eventRetentionDays });
    this.retention.register({ table: 'event_statistics', endedWhen: 'hour', after: '400 days' });
    this.jobs.schedule('events.partitions', HOUR, () => this.sequence.renewPartitions(this.config.eventRetentionDays));
  }

  onApplicationBootstrap(): void {
    this.store.onStored((appId) => this.setBackWatch.follow(appId));
    this.setBackWatch.start();
    if (!this.config.hasWorkers) return;
    this.store.onStored(() => this.sequencer.wake());
    this.sequencer.start();
  }

  async beforeApplicationShutdown(): Promise<void> {
    await Promise.all([this.sequencer.stop(), this.setBackWatch.stop()]);
  }
}
