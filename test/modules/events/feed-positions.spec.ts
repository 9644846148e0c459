import { FeedPositions } from '../../../src/modules/events/infrastructure/feed-positions.js';
import type { Database } from '../../../src/postgres/database.js';

/** The positions that the database shows. */
const shown = new Map<string, number>();
const list = jest.fn(async (_: string, [apps]: [string[]]) =>
  apps.flatMap((appId) => (shown.has(appId) ? [{ appId, position: shown.get(appId)! }] : [])),
);
let positions: FeedPositions;
beforeEach(() => {
  shown.clear();
  list.mockClear();
  positions = new FeedPositions({ list } as unknown as Database);
});

const others = Array.from({ length: 1_200 }, (_, i) => `other${i}`);

it('a known position outlasts feeds that are followed until the next comparison', async () => {
  positions.see('known', 5);
  for (const app of others) positions.follow(app);
  shown.set('known', 4);
  expect(await positions.haveGoneBack()).toBe(true);
});

it('feeds without later events are forgotten first, and as many are known as before', async () => {
  for (const app of ['idle', 'busy']) positions.see(app, 5);
  for (const app of others.slice(0, 999)) {
    shown.set(app, 7);
    positions.follow(app);
  }
  positions.follow('busy');
  expect(await positions.haveGoneBack()).toBe(false);
  shown.set('idle', 4);
  expect(await positions.haveGoneBack()).toBe(false);
  expect(list.mock.lastCall![1][0]).toHaveLength(1_000);
  for (const app of ['busy', 'other3']) {
    shown.set(app, 4);
    expect([app, await positions.haveGoneBack()]).toEqual([app, true]);
    shown.set(app, 9);
  }
});

it('a feed that is sequenced while its position is read keeps the later one', async () => {
  positions.follow('app');
  shown.set('app', 3);
  list.mockImplementationOnce(async (_, [apps]) => {
    positions.see('app', 4);
    return apps.map((appId) => ({ appId, position: 3 }));
  });
  expect(await positions.haveGoneBack()).toBe(false);
  expect(await positions.haveGoneBack()).toBe(true);
  positions.forget();
  expect(await positions.haveGoneBack()).toBe(false);
});
