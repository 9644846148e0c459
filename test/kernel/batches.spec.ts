import { setTimeout as pause } from 'node:timers/promises';
import { Batches } from '../../src/kernel/batches.js';

describe('batches', () => {
  let carriedOut: (readonly number[])[];
  let ends: (() => void)[];
  const batches = (gatherMs = 1) =>
    new Batches<number>(gatherMs, async (items) => {
      carriedOut.push(items);
      await new Promise<void>((resolve) => ends.push(resolve));
      if (items.length > 1 && items.includes(13)) throw new Error('13 is refused');
    });
  beforeEach(() => {
    carriedOut = [];
    ends = [];
  });

  it('gather what comes within the time or while the batch before is under way, one batch at a time', async () => {
    const numbers = batches();
    const first = [1, 2].map((n) => numbers.add(n));
    await pause(10);
    const second = [3, 4].map((n) => numbers.add(n));
    await pause(10);
    expect(carriedOut).toEqual([[1, 2]]);
    ends[0]!();
    await Promise.all(first);
    await pause(1);
    expect(carriedOut).toEqual([
      [1, 2],
      [3, 4],
    ]);
    ends[1]!();
    await Promise.all(second);
  });

  it('fail for each of their items, each of which may then be carried out alone', async () => {
    const numbers = batches();
    const added = Promise.allSettled([13, 14].map((n) => numbers.add(n)));
    await pause(10);
    ends[0]!();
    expect((await added).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    const alone = [13, 14].map((n) => numbers.alone(n));
    const later = numbers.add(15);
    for (let n = 1; n < 4; n++) {
      await pause(5);
      ends[n]!();
    }
    await Promise.all([...alone, later]);
    expect(carriedOut).toEqual([[13, 14], [13], [14], [15]]);
  });

  it('are carried out at once by a flush, which waits for them', async () => {
    const numbers = batches(60_000);
    void numbers.add(1);
    let isFlushed = false;
    const flushed = numbers.flush().then(() => (isFlushed = true));
    await pause(1);
    expect([carriedOut, isFlushed]).toEqual([[[1]], false]);
    ends[0]!();
    await flushed;
  });
});
