import type { AppId, EventId, UserId, WalletId } from '../../../kernel/ids.js';

/** An event of the feed. Webhooks send the same text. */
export interface FeedEvent {
  readonly id: string;
  readonly type: string;
  /** The time of the event, in epoch seconds. */
  readonly created_at: number;
  readonly app_id: string;
  /** The position of the event in its app, dense from 1. If one change waited for another, its position is higher. */
  readonly position: number;
  /** The time in `created_at`, in ISO 8601 with milliseconds. */
  readonly timestamp: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** The last event that a reader of the feed has handled. */
export type Cursor = { readonly position: number } | { readonly eventId: EventId };

/** The knowledge of the log about an app and a cursor. */
export interface CursorState {
  /** The histories of the database that the feed was on, the current one last. */
  readonly histories: readonly FeedHistory[];
  /** The app's last position; 0 before its first event. */
  readonly lastPosition: number;
  /** The highest position that was removed; 0 when none was. */
  readonly droppedPosition: number;
  /** The position of the cursor's event; null when the log has no such event. */
  readonly position: number | null;
  /** No later event of the app is in a partition before this time. Null when unknown. */
  readonly since: Date | null;
  /** If the cursor is an unknown event id and events of the app were removed: the time before which all were removed. Otherwise null. */
  readonly keptSince: Date | null;
}

export interface FeedFilter {
  /** The types of events that are read; all types if it is absent. */
  readonly types?: readonly string[];
  readonly userId?: UserId;
  /** Events about another wallet of the user are left out; only with `userId`. */
  readonly walletIds?: readonly WalletId[];
}

export interface FeedPage {
  readonly events: FeedEvent[];
  /** The highest position that was removed when the page was read. 0 when none was, and for an empty page. */
  readonly droppedPosition: number;
}

/** Reads the log of one app. */
export abstract class EventFeed {
  abstract locate(appId: AppId, cursor: Cursor): Promise<CursorState>;

  /** Reads up to `limit` events after a position, in their order. `since` is that of the cursor. */
  abstract page(
    appId: AppId,
    after: { readonly position: number; readonly since: Date | null },
    filter: FeedFilter,
    limit: number,
  ): Promise<FeedPage>;

  /** Reads up to `limit` events of the app, newest first, before the position of an event. */
  abstract latest(
    appId: AppId,
    filter: Pick<FeedFilter, 'types'>,
    limit: number,
    before: number | null,
  ): Promise<FeedEvent[]>;

  /**
   * Reads up to `limit` events about a user, newest first, before the position of an event. Empty if there are none; null if the app also
   * has no such user.
   */
  abstract latestOf(
    appId: AppId,
    filter: FeedFilter & { readonly userId: UserId },
    limit: number,
    before: number | null,
  ): Promise<FeedEvent[] | null>;

  abstract find(appId: AppId, id: EventId): Promise<FeedEvent | null>;
}

/** A history of the database that a feed was on, and the last position of the app when it began. */
export type FeedHistory = readonly [history: string, since: number];

const FEED_ID = /^feed_[0-9a-f]{12}\.\d{1,15}(?:-[0-9a-f]{12}\.\d{1,15}){0,7}$/;

/** The id that the responses of a feed carry. It names all histories, so two ids determine the last position that both feeds have. */
export function feedIdOf(histories: readonly FeedHistory[]): string {
  return `feed_${histories.map(([history, since]) => `${history}.${since}`).join('-')}`;
}

/**
 * The last position up to which a feed has the events of the feed with the id: the histories that both have are the same, and
 * where either goes on by another one, it had given no other position before. Zero when they have none in common.
 */
export function lastCommonPosition(histories: readonly FeedHistory[], feedId: string, lastPosition: number): number {
  const own = feedIdOf(histories).slice('feed_'.length).split('-');
  const other = FEED_ID.test(feedId) ? feedId.slice('feed_'.length).split('-') : [];
  const shared = own.findLastIndex((each) => other.includes(each));
  if (shared === -1) return 0;
  const later = [...own.slice(shared + 1), ...other.slice(other.indexOf(own[shared]!) + 1)];
  return Math.min(lastPosition, ...later.map((each) => Number(each.split('.')[1])));
}
