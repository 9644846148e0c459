import { Injectable } from '@nestjs/common';
import type { AppId } from '../../../kernel/ids.js';
import { Transactions } from '../../../kernel/transactions.js';
import { Database } from '../../../postgres/database.js';
import { MessageLog } from '../../../services/mail/message-log.js';
import { type Statistic, Statistics, type StatisticsQuery } from '../domain/statistics.js';

const APPS_PER_RUN = 50;
const EVENTS_PER_APP = 2_000;

const COUNTED = `
  case when e.type = 'session.created' then 'logins'
       when e.type in ('message.signed', 'typed_data.signed', 'transaction.signed') then 'signatures'
       when e.type like 'transfer.%' then 'transfers' end as metric,
  case when e.type = 'session.created' then e.body::jsonb #>> '{data,factor,type}'
       else split_part(e.type, '.', case when e.type like 'transfer.%' then 2 else 1 end) end as label`;

const ADD_APPS = `
  insert into counted_events (app_id)
  select app_id from event_positions p where not exists (select 1 from counted_events c where c.app_id = p.app_id)
  order by app_id on conflict (app_id) do nothing`;

const UNCOUNTED = `
  select c.app_id as "appId" from counted_events c join event_positions p on p.app_id = c.app_id
   where p.last_position > c.position and c.app_id > $1 order by c.app_id limit ${APPS_PER_RUN}`;

/** The row of `counted_events` is the lock. Positions are dense, so the range is complete; `sequenced_at` never decreases along them. */
const COUNT = `
  with claimed as materialized (
    select c.position as counted, c.sequenced_at, least(p.last_position, greatest(c.position, p.dropped_position) + $2) as upto,
           p.last_position
      from counted_events c join event_positions p on p.app_id = c.app_id
     where c.app_id = $1 and p.app_id = $1 and p.last_position > c.position for update of c skip locked
  ), events as materialized (
    select e.app_id, e.sequenced_at, date_trunc('hour', e.created_at, 'UTC') as hour, ${COUNTED}
      from claimed c join event_log e
        on e.app_id = $1 and e.position > c.counted and e.position <= c.upto and e.sequenced_at >= c.sequenced_at
  ), stored as (
    insert into event_statistics as s (app_id, hour, metric, label, value)
    select app_id, hour, metric, left(coalesce(label, ''), 100), count(*) from events where metric is not null group by 1, 2, 3, 4
     order by 1, 2, 3, 4
    on conflict (app_id, hour, metric, label) do update set value = s.value + excluded.value
  ), advanced as (
    update counted_events d
       set position = c.upto, sequenced_at = greatest(d.sequenced_at, (select max(e.sequenced_at) from events e))
      from claimed c where d.app_id = $1
  )
  select last_position > upto as "hasMore" from claimed`;

const ADD_REFUSED_LOGINS = `
  insert into event_statistics as s (app_id, hour, metric, label, value)
  select $1, date_trunc('hour', now(), 'UTC'), 'login_failures', c.* from unnest($2::text[], $3::bigint[]) as c (label, value)
   order by label
  on conflict (app_id, hour, metric, label) do update set value = s.value + excluded.value`;

const READ = `
  select date_trunc($4, hour, 'UTC') as at, metric, label, sum(value)::float8 as value
    from event_statistics where app_id = $1 and hour >= $2 and hour < $3
   group by 1, 2, 3 order by 1, 2, 3`;

@Injectable()
export class PostgresStatistics extends Statistics {
  /** A run goes on after the app of the last one, so that busy apps keep no other app waiting. */
  private lastApp = '';

  constructor(
    private readonly database: Database,
    private readonly messages: MessageLog,
    private readonly transactions: Transactions,
  ) {
    super();
  }

  async count(): Promise<boolean> {
    await this.database.write(ADD_APPS);
    const firstAfter = this.lastApp;
    const apps = await this.database.list<{ appId: AppId }>(UNCOUNTED, [firstAfter]);
    this.lastApp = apps.length < APPS_PER_RUN ? '' : apps.at(-1)!.appId;
    const counted = await this.transactions.run(() =>
      Promise.all(apps.map(({ appId }) => this.database.write<{ hasMore: boolean }>(COUNT, [appId, EVENTS_PER_APP]))),
    );
    return this.lastApp !== firstAfter || counted.flat().some(({ hasMore }) => hasMore);
  }

  async addRefusedLogins(appId: AppId, byClass: ReadonlyMap<string, number>): Promise<void> {
    await this.database.write(ADD_REFUSED_LOGINS, [appId, [...byClass.keys()], [...byClass.values()]]);
  }

  async read(appId: AppId, { metric, since, until, step }: StatisticsQuery): Promise<Statistic[]> {
    const counted = metric === 'sends' ? [] : await this.database.list<Statistic>(READ, [appId, since, until, step]);
    const sends =
      metric === undefined || metric === 'sends' ? await this.messages.counts(appId, since, until, step) : [];
    const all = [...counted, ...sends.map((send): Statistic => ({ ...send, metric: 'sends' }))];
    return all
      .filter((statistic) => metric === undefined || statistic.metric === metric)
      .toSorted((a, b) => a.at.getTime() - b.at.getTime());
  }
}
