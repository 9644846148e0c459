import {
  descend,
  isNews,
  type Header,
  type Place,
  type Segment,
} from '../../../src/modules/chain/infrastructure/ethereum/block-links.js';

const placeOf = (number: number): Place => ({ number, hash: `0x${number}` });
const headerOf = ({ number }: Place): Header => ({ ...placeOf(number), parentHash: `0x${number - 1}` });

/** One observation: nodes fail after `mostReads` reads. Returns the stored segment after it, and where the descent ended. */
async function observe(newest: number, target: number, stored: Segment | null, mostReads: number) {
  let left = mostReads;
  const read = (place: Place): Promise<Header> =>
    left-- > 0 ? Promise.resolve(headerOf(place)) : Promise.reject(new Error('connection reset'));
  const found = await descend(placeOf(newest), target, newest, stored, read, 256).catch(() => null);
  const segment = found && isNews(stored, found.segment) ? found.segment : stored;
  return { segment, at: found?.at.number ?? newest };
}

describe('a descent that faults of the nodes cut short', () => {
  it('keeps a longer stored segment, and goes on below it when it reaches it again', async () => {
    const stored: Segment = { top: placeOf(2_000), next: placeOf(300) };
    const cut = await observe(2_100, 100, stored, 40);
    expect(cut.segment).toEqual(stored);
    const reached = await observe(2_100, 100, stored, 140);
    expect(reached.segment).toEqual({ top: placeOf(2_100), next: placeOf(260) });
  });

  it('replaces a shorter one, so that it goes on after a long gap', async () => {
    const stored: Segment = { top: placeOf(1_000), next: placeOf(990) };
    expect((await observe(2_000, 100, stored, 40)).segment).toEqual({ top: placeOf(2_000), next: placeOf(1_960) });
  });

  it('replaces one of an abandoned branch when it has passed it', async () => {
    const stored: Segment = { top: { number: 2_000, hash: '0xabandoned' }, next: placeOf(300) };
    expect((await observe(2_100, 100, stored, 120)).segment).toEqual({ top: placeOf(2_100), next: placeOf(1_980) });
  });

  it('ends although the chain grows and most observations fail early', async () => {
    let stored: Segment | null = null;
    let at = Infinity;
    let looks = 0;
    // Each third observation has a calm time.
    for (let newest = 3_000; at > 0 && looks < 100; newest += 30, looks++) {
      const seen = await observe(newest, 0, stored, looks % 3 === 2 ? 250 : 20);
      [stored, at] = [seen.segment, seen.at];
    }
    expect(looks).toBeLessThan(100);
  });
});
