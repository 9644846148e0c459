import { inPortions } from '../../src/kernel/other-calls.js';

it('long work on many items lets other calls have a turn, and keeps the order', async () => {
  let turns = 0;
  const other = setInterval(() => (turns += 1), 0);
  const begin = performance.now();
  const items = Array.from({ length: 60_000 }, (_, index) => index);
  const results = await inPortions(items, (item) => {
    // A millisecond of work for each 200 items.
    while (item % 200 === 0 && performance.now() - begin < item / 200);
    return item;
  });
  clearInterval(other);
  expect(turns).toBeGreaterThan(3);
  expect(results).toEqual(items);
});
