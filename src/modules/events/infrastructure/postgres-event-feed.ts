import { Injectable } from '@nestjs/common';
import { type AppId, type EventId, timeOf, type UserId } from '../../../kernel/ids.js';
import { Database } from '../../../postgres/database.js';
import { named } from '../../../postgres/statement.js';
import {
  type Cursor,
  type CursorState,
  EventFeed,
  type FeedEvent,
  type FeedFilter,
  type FeedPage,
} from '../domain/event-feed.js';

export const WALLET_OF_EVENT = `coalesce(body::json->'data'->>'wallet_id', body::json->'data'->>'source')`;

/** No clock of a process differs by more from that of the database. */
const SKEW_MS = 86_400_000;

/** Later events of an app are in the partition of an earlier one or in later partitions. */
const locateWith = (column: string) => `
  select feeds_with(coalesce(p.feeds, '[]'), feed_history(), coalesce(p.last_position, 0)) as histories,
         coalesce(p.last_position, 0)::float8 as "lastPosition", coalesce(p.dropped_position, 0)::float8 as "droppedPosition",
         e.position::float8 as position, e.sequenced_at as since, ${column}
    from (select) as one
    left join event_positions p on p.app_id = $1
    left join lateral`;
const KEPT_SINCE = 'case when e.position is null and p.dropped_position > 0 then event_log_begin() end as "keptSince"';
const LOCATE_ID = `${locateWith(KEPT_SINCE)} (
      select position, sequenced_at from event_log where app_id = $1 and id = $2 and sequenced_at >= $3 limit 1) e on true`;
/** The cursor of a current reader is in the newest partitions. For other readers the page reads from the first partition on. */
const LOCATE_POSITION = `${locateWith('null as "keptSince"')} (
      select position, sequenced_at from event_log
       where app_id = $1 and position = $2 and sequenced_at >= now() - interval '1 day' limit 1) e on true`;

/** A parameter as limit makes the planner plan every partition for each call. The constant keeps one plan, which skips those before $3. */
const firstOf = (rows: string) => `select * from (${rows} limit 1001) few limit $4`;

/** The subquery shares the snapshot of the page: a partition may be dropped after the look-up of the cursor. */
const DROPPED = `(select dropped_position from event_positions where app_id = $1)::float8 as "droppedPosition"`;

const PAGE = `select body, ${DROPPED} from (${firstOf(
  `select body from event_log where app_id = $1 and position > $2 and sequenced_at >= $3 order by position`,
)}) page`;

/** Only one index has this order: the planner must not read the whole feed to find a rare type or user. */
const inFeedOf = (column: string, value: string) =>
  `app_id = $1 and (${column}, position) > (${value}, $2) and ${column} <= ${value} and sequenced_at >= $3`;
const PAGE_OF_TYPES = `
  select next.body, ${DROPPED}
    from unnest($5::text[]) as wanted(type)
   cross join lateral (${firstOf(
     `select position, body from event_log where ${inFeedOf('type', 'wanted.type')} order by type, position`,
   )}) next
   order by next.position limit $4`;
const PAGE_OF_USER = `select body, ${DROPPED} from (${firstOf(
  `select body from event_log
    where ${inFeedOf('user_id', '$5')} and ($6::text[] is null or type = any($6)) order by user_id, position`,
)}) page`;
const PAGE_OF_USER_AND_WALLETS = named(`
  select body, (select dropped_position from event_positions where app_id = $appId)::float8 as "droppedPosition"
    from (select * from (
      select body from event_log
       where app_id = $appId and (user_id, position) > ($userId, $position) and user_id <= $userId and sequenced_at >= $since
         and ($types::text[] is null or type = any($types)) and coalesce(${WALLET_OF_EVENT} = any($walletIds), true)
       order by user_id, position limit 1001) few limit $limit) page`);

/** OFFSET 0 keeps the planner from the index of types: a page reads only the user's own events. */
const LATEST_OF_USER = `
  select body
    from (select body
            from (select type, body from event_log
                   where app_id = $1 and user_id = $2 and position < $4 order by position desc offset 0) own
           where $5::text[] is null or type = any($5)
           limit 101) few
   limit $3`;
const LATEST = `
  select body from (select body from event_log where app_id = $1 and position < $3 order by position desc limit 101) few limit $2`;
const LATEST_OF_TYPES = `
  select next.body
    from unnest($4::text[]) as wanted(type)
   cross join lateral (
     select position, body from event_log
      where app_id = $1 and type = wanted.type and position < $3 order by position desc limit 101) next
   order by next.position desc limit $2`;
const END = Number.MAX_SAFE_INTEGER;
/** A deleted user is known by events, perhaps of types that were not requested. */
const IS_KNOWN = `
  select 1 from live_users where app_id = $1 and user_id = $2
   union all (select 1 from event_log where app_id = $1 and (user_id, position) > ($2, 0) and user_id <= $2
               order by user_id, position limit 1)`;

const FIND = `select body from event_log where app_id = $1 and id = $2 and sequenced_at >= $3 limit 1`;

@Injectable()
export class PostgresEventFeed extends EventFeed {
  constructor(private readonly database: Database) {
    super();
  }

  async locate(appId: AppId, cursor: Cursor): Promise<CursorState> {
    const [row] =
      'position' in cursor
        ? await this.database.read<CursorState>(LOCATE_POSITION, [appId, cursor.position])
        : await this.database.read<CursorState>(LOCATE_ID, [appId, cursor.eventId, sequencedSince(cursor.eventId)]);
    return row!;
  }

  async page(
    appId: AppId,
    { position, since }: { readonly position: number; readonly since: Date | null },
    { types, userId, walletIds }: FeedFilter,
    limit: number,
  ): Promise<FeedPage> {
    const common = [appId, position, since ?? '-infinity', limit];
    if (userId && walletIds)
      return this.pageOf(
        ...PAGE_OF_USER_AND_WALLETS({
          appId,
          position,
          since: since ?? '-infinity',
          limit,
          userId,
          types: types ?? null,
          walletIds,
        }),
      );
    if (userId) return this.pageOf(PAGE_OF_USER, [...common, userId, types ?? null]);
    if (types) return this.pageOf(PAGE_OF_TYPES, [...common, [...new Set(types)]]);
    return this.pageOf(PAGE, common);
  }

  async latest(
    appId: AppId,
    { types }: Pick<FeedFilter, 'types'>,
    limit: number,
    before: number | null,
  ): Promise<FeedEvent[]> {
    const common = [appId, limit, before ?? END];
    const rows = types
      ? await this.database.list<{ body: string }>(LATEST_OF_TYPES, [...common, [...new Set(types)]])
      : await this.database.list<{ body: string }>(LATEST, common);
    return rows.map(eventIn);
  }

  async latestOf(
    appId: AppId,
    { userId, types }: FeedFilter & { readonly userId: UserId },
    limit: number,
    before: number | null,
  ): Promise<FeedEvent[] | null> {
    const parameters = [appId, userId, limit, before ?? END, types ?? null];
    const rows = await this.database.list<{ body: string }>(LATEST_OF_USER, parameters);
    const mayBeUnknown = rows.length === 0 && before === null;
    if (mayBeUnknown && (await this.database.read(IS_KNOWN, [appId, userId])).length === 0) return null;
    return rows.map(eventIn);
  }

  async find(appId: AppId, id: EventId): Promise<FeedEvent | null> {
    const [row] = await this.database.list<{ body: string }>(FIND, [appId, id, sequencedSince(id)]);
    return row ? eventIn(row) : null;
  }

  private async pageOf(sql: string, parameters: readonly unknown[]): Promise<FeedPage> {
    const rows = await this.database.list<{ body: string; droppedPosition: number }>(sql, parameters);
    return { events: rows.map(eventIn), droppedPosition: rows[0]?.droppedPosition ?? 0 };
  }
}

function eventIn({ body }: { readonly body: string }): FeedEvent {
  return JSON.parse(body) as FeedEvent;
}

/** An event gets its position after its id. */
function sequencedSince(id: EventId): Date {
  return new Date(timeOf(id).getTime() - SKEW_MS);
}
