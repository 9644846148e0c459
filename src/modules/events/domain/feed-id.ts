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
