import { Injectable } from '@nestjs/common';
import { Transactions } from '../../../kernel/transactions.js';
import { appsIn } from '../../../postgres/apps-in-table.js';
import { Database } from '../../../postgres/database.js';
import { DayPartitions } from '../../../postgres/day-partitions.js';
import { type Batch, EventSequence } from '../domain/event-sequence.js';
import { ENDS_WHEN_PAUSED } from '../../../postgres/session-settings.js';
import { FeedPositions } from './feed-positions.js';

const EVENTS_PER_BATCH = 1_000;
/** The row of `event_positions` is the lock. Only rows that this statement deletes are numbered, so no event gets a second position. */
const advanceAnd = (insert: string): string => `
  with claimed as materialized (
    select last_position, greatest(now(), last_sequenced_at) as sequenced_at, feed_history() as history
      from event_positions where app_id = $1 for update skip locked
  ), picked as materialized (
    select seq from unsequenced_events where app_id = $1 and exists (select 1 from claimed) order by seq limit $2
  ), moved as (
    delete from unsequenced_events e using picked p where e.app_id = $1 and e.seq = p.seq returning e.*
  ), numbered as (
    select m.*, c.sequenced_at, c.last_position + row_number() over (order by m.seq) as position
      from moved m cross join claimed c
  ), logged as (
    insert into event_log (app_id, id, position, type, user_id, created_at, sequenced_at, body)
    select app_id, id, position, type, data->>'user_id', created_at, sequenced_at,
           format('{"id":"%s","type":"%s","created_at":%s,"app_id":"%s","position":%s,"timestamp":"%s",%s"data":%s}', id, type,
                  floor(extract(epoch from created_at)), app_id, position,
                  to_char(created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
                  coalesce('"request_id":"' || request_id || '",', ''), data)
      from numbered
  ), queued as (${insert}
  ), advanced as (
    update event_positions p
       set last_position = n.last_position, last_sequenced_at = c.sequenced_at,
           feeds = feeds_with(p.feeds, c.history, p.last_position)
      from claimed c cross join (select max(position) as last_position from numbered) n
     where p.app_id = $1 and n.last_position is not null
  )
  select (select count(*) from moved)::int as sequenced, (select max(position) from numbered)::float8 as position,
         (select count(*) from picked)::int as picked,
         exists (select 1 from queued) as "hasQueued",
         not exists (select 1 from event_positions where app_id = $1) as "isNew"`;

const QUEUES_NOTHING = 'select where false';

/** The table is nearly always empty, so its statistics mislead. On Citus the subquery applies the settings on the node of the app. */
const SETTINGS = `select set_config('enable_seqscan', 'off', true), set_config('jit', 'off', true),
  exists (select 1 from event_positions where app_id = $1)`;

/** Callers that add the same apps wait for each other, so the rows have one order. */
const ADD_APPS = `
  insert into event_positions (app_id) select app_id from unnest($1::text[]) as app_id order by 1 on conflict (app_id) do nothing`;

interface Advanced {
  readonly sequenced: number;
  readonly position: number | null;
  readonly picked: number;
  readonly hasQueued: boolean;
  readonly isNew: boolean;
}

const DROP_PARTITION = 'select drop_event_partition(now() - make_interval(days => $1)) as name';

@Injectable()
export class PostgresEventSequence extends EventSequence {
  private readonly partitions: DayPartitions;
  private advanceApp = advanceAnd(QUEUES_NOTHING);
  private onQueued: (() => void) | undefined;

  constructor(
    private readonly database: Database,
    private readonly transactions: Transactions,
    private readonly positions: FeedPositions,
  ) {
    super();
    this.partitions = new DayPartitions(database, 'event_log', DROP_PARTITION);
  }

  queueBy(insert: string, onQueued: () => void): void {
    if (this.onQueued) throw new Error('Events are queued already.');
    this.advanceApp = advanceAnd(insert);
    this.onQueued = onQueued;
  }

  renewPartitions(olderThanDays: number): Promise<void> {
    return this.partitions.renew(olderThanDays);
  }

  advance(after: string): Promise<Batch> {
    return this.partitions.used(() => this.advanceOnce(after));
  }

  async hasWaiting(): Promise<boolean> {
    const waiting = await this.database.list('select from unsequenced_events limit 1');
    return waiting.length > 0;
  }

  private async advanceOnce(from: string): Promise<Batch> {
    const { appIds, after } = await appsIn(this.database, 'unsequenced_events where true', from);
    // After the last app, those before it may have more.
    if (appIds.length === 0) return { sequenced: 0, after, hasMore: from !== '' };
    const share = Math.floor(EVENTS_PER_BATCH / appIds.length);
    const results = await this.transactions.run(() => {
      // A process that is paused before its COMMIT holds the rows of its apps: it must lose its transaction.
      void this.database.write(ENDS_WHEN_PAUSED);
      return Promise.all(
        appIds.map((appId) => {
          void this.database.write(SETTINGS, [appId]);
          return this.database.write<Advanced>(this.advanceApp, [appId, share]);
        }),
      );
    });
    const advanced = results.map(([row]) => row!);
    for (const [index, { position }] of advanced.entries())
      if (position !== null) this.positions.see(appIds[index]!, position);
    const sequenced = advanced.reduce((sum, app) => sum + app.sequenced, 0);
    if (advanced.some((app) => app.hasQueued)) this.onQueued?.();
    const newApps = appIds.filter((_, index) => advanced[index]!.isNew);
    if (newApps.length > 0) {
      await this.database.write(ADD_APPS, [newApps]);
      return { sequenced, after: from, hasMore: true };
    }
    const hasMore = advanced.some((app) => app.picked >= share || app.sequenced < app.picked);
    return { sequenced, after, hasMore: hasMore || after !== '' };
  }
}
