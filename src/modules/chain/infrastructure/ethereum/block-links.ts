import type { BlockPlace } from '../../../../kernel/chain/payment.js';
import { NodeAnswerUnreadable } from '../node-faults.js';

/** The block may not have been read. */
export type Place = BlockPlace & { readonly hash: string };

export interface Header extends Place {
  readonly parentHash: string;
}

/** An earlier observation followed this part: the ancestor of `top` with the number of `next` is `next`. */
export interface Segment {
  readonly top: Place;
  readonly next: Place;
}

export interface Descent {
  /** The target, or above it when the read budget was exhausted or a block could not be read. */
  readonly at: Place;
  /** The segments to store; null when the stored ones say as much. */
  readonly segments: readonly Segment[] | null;
}

const MOST_MS = 5_000;
/** Newer blocks above the stored segments are stored when they are this many. */
const WORTH_STORING = 16;
/** Only failing nodes leave several segments. */
const MOST_SEGMENTS = 64;

/**
 * Follows parent hashes down to `target`; a null of `read` ends it. Where it meets the top of an `earlier` segment, it goes on below.
 * Blocks above `topNumber` may be reorganised and are not stored. An error of `read` is thrown only if there is no new step to store: so
 * each block is read once, however often the nodes fail.
 */
export async function descend(
  from: Place,
  target: number,
  topNumber: number,
  earlier: readonly Segment[],
  read: (place: Place) => Promise<Header | null>,
  mostReads: number,
  known: (place: Place) => Promise<Header> | undefined = () => undefined,
): Promise<Descent> {
  const end = performance.now() + MOST_MS;
  let at = from;
  let top: Place | null = null;
  let reads = 0;
  const descent = (): Descent => {
    const isNews = reads >= WORTH_STORING || (reads > 0 && !earlier.some(({ next }) => isAt(next, at)));
    const isLagging = earlier.some(({ top: newest, next }) => newest.number > from.number && next.number <= at.number);
    if (!top || at.number === top.number || !isNews || isLagging) return { at, segments: null };
    const segments = [{ top, next: at }, ...outside(earlier, from, at)];
    return { at, segments: segments.slice(0, MOST_SEGMENTS) };
  };
  try {
    while (at.number > target) {
      if (at.number <= topNumber) top ??= at;
      const met = earlier.find((segment) => isAt(at, segment.top) && segment.next.number >= target);
      if (met) {
        top ??= met.top;
        at = met.next;
        continue;
      }
      const cached = await known(at);
      // A wrong header that a node once reported as its newest block is read again.
      const isKnown = cached && isAt(cached, at);
      if (!isKnown && (reads === mostReads || performance.now() > end)) break;
      const header = isKnown ? cached : await read(at);
      if (!header) break;
      if (!isAt(header, at)) throw new NodeAnswerUnreadable('the block asked for');
      if (!isKnown) reads++;
      at = { number: at.number - 1, hash: header.parentHash };
    }
  } catch (error) {
    if (!descent().segments) throw error;
  }
  return descent();
}

/** Everything between was followed, or is on an abandoned branch. */
function outside(earlier: readonly Segment[], from: Place, end: Place): Segment[] {
  return earlier.filter(({ top }) => top.number <= end.number || top.number > from.number);
}

/** Invalid segments are left out: another version may have written them. */
export function segmentsOf(stored: unknown): Segment[] {
  return [stored].flat().flatMap((each) => {
    const { top, next } = (each ?? {}) as Partial<Segment>;
    // A segment that does not go down would make the descent endless.
    return isPlace(top) && isPlace(next) && next.number < top.number ? [{ top, next }] : [];
  });
}

function isPlace(stored: unknown): stored is Place {
  const { number, hash } = (stored ?? {}) as Partial<Place>;
  return Number.isSafeInteger(number) && typeof hash === 'string';
}

export function isAt(a: Place, b: Place): boolean {
  return a.number === b.number && a.hash === b.hash;
}
