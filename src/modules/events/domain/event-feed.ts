import type { AppId, EventId, UserId, WalletId } from '../../../kernel/ids.js';

/** Webhooks send the same text. */
export interface FeedEvent {
  readonly id: string;
  readonly type: string;
  /** Seconds since the epoch. */
  readonly created_at: number;
  readonly app_id: string;
  /** Positions of an app are dense from 1. If one change waited for another, its position is higher. */
  readonly position: number;
  /** ISO 8601 with milliseconds. */
  readonly timestamp: string;
  /** Absent if no request caused the event. */
  readonly request_id?: string;
  readonly data: Readonly<Record<string, unknown>>;
}

export type Cursor = { readonly position: number } | { readonly eventId: EventId };

export interface CursorState {
  /** The current one last. */
  readonly histories: readonly FeedHistory[];
  readonly lastPosition: number;
  readonly droppedPosition: number;
  readonly position: number | null;
  /** No later event of the app is in a partition before this time. Null when unknown. */
  readonly since: Date | null;
  /** If the cursor is an unknown event id and events of the app were removed: the time before which all were removed. */
  readonly keptSince: Date | null;
}

export interface FeedFilter {
  readonly types?: readonly string[];
  readonly userId?: UserId;
  /** Leaves out events about other wallets of the user; only with `userId`. */
  readonly walletIds?: readonly WalletId[];
}

export interface FeedPage {
  readonly events: FeedEvent[];
  /** The highest removed position in the snapshot of the page; 0 when none was removed, and for an empty page. */
  readonly droppedPosition: number;
}

export abstract class EventFeed {
  abstract locate(appId: AppId, cursor: Cursor): Promise<CursorState>;

  abstract page(
    appId: AppId,
    after: { readonly position: number; readonly since: Date | null },
    filter: FeedFilter,
    limit: number,
  ): Promise<FeedPage>;

  abstract latest(
    appId: AppId,
    filter: Pick<FeedFilter, 'types'>,
    limit: number,
    before: number | null,
  ): Promise<FeedEvent[]>;

  /** Returns null if the app has no such user, and no events if there are none. */
  abstract latestOf(
    appId: AppId,
    filter: FeedFilter & { readonly userId: UserId },
    limit: number,
    before: number | null,
  ): Promise<FeedEvent[] | null>;

  abstract find(appId: AppId, id: EventId): Promise<FeedEvent | null>;
}

/** A history of the database, and the last position of the app when it began. */
export type FeedHistory = readonly [history: string, since: number];

const FEED_ID = /^feed_[0-9a-f]{12}\.\d{1,15}(?:-[0-9a-f]{12}\.\d{1,15}){0,7}$/;

/** The id names all histories, so two ids determine the last position that both feeds have. */
export function feedIdOf(histories: readonly FeedHistory[]): string {
  return `feed_${histories.map(([history, since]) => `${history}.${since}`).join('-')}`;
}

/** A common history is the same in both feeds; where a feed leaves it for another one, later positions are not common. */
export function lastCommonPosition(histories: readonly FeedHistory[], feedId: string, lastPosition: number): number {
  const own = feedIdOf(histories).slice('feed_'.length).split('-');
  const other = FEED_ID.test(feedId) ? feedId.slice('feed_'.length).split('-') : [];
  const shared = own.findLastIndex((each) => other.includes(each));
  if (shared === -1) return 0;
  const later = [...own.slice(shared + 1), ...other.slice(other.indexOf(own[shared]!) + 1)];
  return Math.min(lastPosition, ...later.map((each) => Number(each.split('.')[1])));
}
