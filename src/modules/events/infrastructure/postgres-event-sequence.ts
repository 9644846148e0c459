import { Injectable } from '@nestjs/common';
import { Transactions } from '../../../kernel/transactions.js';
import { Database } from '../../../postgres/database.js';
import { type Batch, EventPartitions, EventSequence } from '../domain/event-sequence.js';
import { isPartitionMissing } from './postgres-event-partitions.js';

const EVENTS_PER_BATCH = 1_000;
/** Few enough for a batch to take at least ten events of each. */
const APPS_PER_BATCH = 100;

/**
 * The row of `event_positions` is the lock: no two batches number the events of one app at the same time, and the row that FOR
 * UPDATE returns holds the last position that was committed. A row that the previous holder has moved meanwhile is not deleted again
 * and gets no second position, because only deleted rows are numbered.
 *
 * Any transaction that an event's transaction waited for has committed before, so this statement sees the events of both or only
 * those of the first, whose numbers are lower.
 */
const ADVANCE = `
  with recursive waiting (app_id, place) as (
    (select app_id, 1 from unsequenced_events where app_id > $1 order by app_id limit 1)
     union all
    select following.app_id, place + 1
      from waiting w
     cross join lateral (select app_id from unsequenced_events where app_id > w.app_id order by app_id limit 1) following
     where place < $2
  ), claimed as materialized (
    select app_id, last_position, greatest(now(), last_sequenced_at) as sequenced_at
      from event_positions where app_id in (select app_id from waiting) for update skip locked
  ), share as (
    select greatest($3 / greatest(count(*), 1), 1) as size from claimed
  ), picked as materialized (
    select app_id, seq
      from claimed c
     cross join lateral (
       select seq from unsequenced_events where app_id = c.app_id order by seq limit (select size from share)
     ) next
  ), moved as (
    delete from unsequenced_events e using picked p where e.app_id = p.app_id and e.seq = p.seq returning e.*
  ), numbered as (
    select m.*, c.sequenced_at, c.last_position + row_number() over (partition by m.app_id order by m.seq) as position
      from moved m join claimed c on c.app_id = m.app_id
  ), logged as (
    insert into event_log (app_id, id, position, type, user_id, created_at, sequenced_at, body)
    select app_id, id, position, type, data->>'user_id', created_at, sequenced_at,
           format('{"id":"%s","type":"%s","created_at":%s,"app_id":"%s","position":%s,"timestamp":"%s","data":%s}', id, type,
                  floor(extract(epoch from created_at)), app_id, position,
                  to_char(created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), data)
      from numbered
  ), listening as materialized (
    select app_id, id, event_types, is_ordered from webhook_endpoints
     where app_id in (select app_id from claimed) and disabled_at is null
  ), queued as (
    insert into webhook_queue (app_id, endpoint_id, id, event_id, event_type, position, sequenced_at, order_key)
    select n.app_id, l.id, webhook_delivery_id(n.id, l.id), n.id, n.type, n.position, n.sequenced_at,
           case when l.is_ordered then n.data->>'user_id' end
      from listening l
      join numbered n on n.app_id = l.app_id and (l.event_types = '{}' or n.type = any(l.event_types))
    returning 1
  ), advanced as (
    update event_positions p
       set last_position = n.last_position, last_sequenced_at = n.sequenced_at,
           feeds = feeds_with(p.feeds, (select feed_history()), p.last_position)
      from (select app_id, max(position) as last_position, max(sequenced_at) as sequenced_at from numbered group by app_id) n
     where p.app_id = n.app_id
  )
  select (select count(*) from moved)::int as sequenced,
         (select count(*) from picked)::int as picked,
         exists (select from queued) as "hasQueued",
         exists (select from picked group by app_id having count(*) >= (select size from share)) as "hasMore",
         (select case when count(*) = $2 then max(app_id) else '' end from waiting) as after,
         array(select app_id from waiting except select app_id from event_positions) as "newApps"`;

/**
 * The table is nearly always empty, and statistics of an empty table make the planner read a full one from end to end. A process that
 * is paused before its COMMIT holds the rows of its apps: it loses its transaction, and another process goes on.
 */
const SETTINGS = `select set_config('enable_seqscan', 'off', true), set_config('jit', 'off', true),
  set_config('idle_in_transaction_session_timeout', '1500ms', true)`;

/** In one order, because it waits for another caller that adds the same app. */
const ADD_APPS = `
  insert into event_positions (app_id) select app_id from unnest($1::text[]) as app_id order by 1 on conflict (app_id) do nothing`;

interface AdvancedRow extends Batch {
  readonly picked: number;
  /** Apps whose first events wait. */
  readonly newApps: readonly string[];
}

@Injectable()
export class PostgresEventSequence extends EventSequence {
  constructor(
    private readonly database: Database,
    private readonly transactions: Transactions,
    private readonly partitions: EventPartitions,
  ) {
    super();
  }

  async advance(after: string): Promise<Batch> {
    try {
      return await this.advanceOnce(after);
    } catch (error) {
      if (!isPartitionMissing(error)) throw error;
      await this.partitions.create();
      return this.advanceOnce(after);
    }
  }

  async hasWaiting(): Promise<boolean> {
    const waiting = await this.database.list('select from unsequenced_events limit 1');
    return waiting.length > 0;
  }

  private async advanceOnce(from: string): Promise<Batch> {
    const [row] = await this.transactions.run(() => {
      void this.database.write(SETTINGS);
      return this.database.write<AdvancedRow>(ADVANCE, [from, APPS_PER_BATCH, EVENTS_PER_BATCH]);
    });
    const { sequenced, picked, hasQueued, hasMore, after, newApps } = row!;
    if (newApps.length > 0) {
      await this.database.write(ADD_APPS, [newApps]);
      return { sequenced, hasQueued, after: from, hasMore: true };
    }
    return { sequenced, hasQueued, after, hasMore: hasMore || sequenced < picked || after !== '' };
  }
}
