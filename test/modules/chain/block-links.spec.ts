import {
  descend,
  type Header,
  type Place,
  type Segment,
} from '../../../src/modules/chain/infrastructure/ethereum/block-links.js';

const placeOf = (number: number): Place => ({ number, hash: `0x${number}` });
const headerOf = ({ number }: Place): Header => ({ ...placeOf(number), parentHash: `0x${number - 1}` });
const segmentOf = (top: number, next: number): Segment => ({ top: placeOf(top), next: placeOf(next) });

/** One observation: nodes fail after `mostReads` reads. Returns the stored segments after it, and where the descent ended. */
async function observe(newest: number, target: number, stored: readonly Segment[], mostReads: number) {
  let left = mostReads;
  const read = (place: Place): Promise<Header> =>
    left-- > 0 ? Promise.resolve(headerOf(place)) : Promise.reject(new Error('connection reset'));
  const found = await descend(placeOf(newest), target, newest, stored, read, 256).catch(() => null);
  return { segments: found?.segments ?? stored, at: found?.at.number ?? null, reads: mostReads - Math.max(0, left) };
}

describe('a descent that faults of the nodes cut short', () => {
  it('keeps what earlier ones read, and goes on below each part that it meets', async () => {
    const stored = [segmentOf(2_000, 300)];
    const cut = await observe(2_100, 100, stored, 40);
    expect(cut.segments).toEqual([segmentOf(2_100, 2_060), ...stored]);
    const joined = await observe(2_110, 100, cut.segments, 80);
    expect(joined.segments).toEqual([segmentOf(2_110, 290)]);
  });

  it('reads no block twice, however early each one ends', async () => {
    let stored: readonly Segment[] = [];
    let reads = 0;
    let newest = 1_000;
    for (let at: number | null = null; at !== 0; newest += 3) {
      const seen = await observe(newest, 0, stored, 5);
      ({ at, segments: stored } = seen);
      reads += seen.reads;
    }
    expect(reads).toBe(newest - 3);
  });

  it('throws the fault when nothing was read', async () => {
    const read = () => Promise.reject(new Error('connection reset'));
    await expect(descend(placeOf(9), 0, 9, [segmentOf(9, 5)], read, 256)).rejects.toThrow('connection reset');
  });

  it('drops a part on an abandoned branch that it has passed, and keeps one that it has not reached', async () => {
    const abandoned: Segment = { top: { number: 2_000, hash: '0xabandoned' }, next: placeOf(1_990) };
    const stored = [abandoned, segmentOf(1_500, 300)];
    expect((await observe(2_100, 100, stored, 50)).segments).toEqual([segmentOf(2_100, 2_050), ...stored]);
    expect((await observe(2_100, 100, stored, 120)).segments).toEqual([segmentOf(2_100, 1_980), stored[1]]);
  });

  it('through a machine that lags behind stores nothing that is stored already', async () => {
    const stored = [segmentOf(2_000, 300)];
    expect((await observe(1_950, 100, stored, 40)).segments).toBe(stored);
  });
});
