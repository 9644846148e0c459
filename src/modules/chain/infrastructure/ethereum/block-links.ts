import type { BlockPlace } from '../../../../kernel/chain/payment.js';
import { NodeAnswerUnreadable } from '../node-faults.js';

/** A block whose number and hash are known, though it may not have been read. */
export type Place = BlockPlace & { readonly hash: string };

export interface Header extends Place {
  readonly parentHash: string;
}

/** A part of a hash chain that an earlier observation followed: the ancestor of `top` with the number of `next` is `next`. */
export interface Segment {
  readonly top: Place;
  readonly next: Place;
}

export interface Descent {
  /** Where it ended: the target, or above it when the read budget was exhausted or a block could not be read. */
  readonly at: Place;
  /** The part that was followed; null when there is none. */
  readonly segment: Segment | null;
}

/** No read begins later than this in one observation. */
const MOST_MS = 5_000;
/** A segment is stored again when its top is this much newer. */
const WORTH_STORING = 16;

/**
 * Follows parent hashes from a block down to the number `target`. `read` returns the header of a block, or null to end there, and is called
 * at most `mostReads` times; `known` returns cached headers. `earlier` is skipped where the descent meets its top. `topNumber`: blocks
 * above it may still be reorganised and are not stored. Throws the error of `read`, unless there is a step that was not stored before.
 */
export async function descend(
  from: Place,
  target: number,
  topNumber: number,
  earlier: Segment | null,
  read: (place: Place) => Promise<Header | null>,
  mostReads: number,
  known: (place: Place) => Promise<Header> | undefined = () => undefined,
): Promise<Descent> {
  const end = performance.now() + MOST_MS;
  let at = from;
  let top: Place | null = null;
  let left = mostReads;
  try {
    while (at.number > target) {
      if (at.number <= topNumber) top ??= at;
      if (earlier && isAt(at, earlier.top) && earlier.next.number >= target) {
        top ??= earlier.top;
        at = earlier.next;
        continue;
      }
      const cached = await known(at);
      // A wrong header that a node once reported as its newest block is read again.
      const isKnown = cached && isAt(cached, at);
      if (!isKnown && (left-- === 0 || performance.now() > end)) break;
      const header = isKnown ? cached : await read(at);
      if (!header) break;
      if (!isAt(header, at)) throw new NodeAnswerUnreadable('the block asked for');
      at = { number: at.number - 1, hash: header.parentHash };
    }
  } catch (error) {
    if (!isNews(earlier, top && { top, next: at })) throw error;
  }
  return { at, segment: top && { top, next: at } };
}

/** Whether a segment should replace the stored one. */
export function isNews(earlier: Segment | null, segment: Segment | null): segment is Segment {
  if (!segment || segment.next.number === segment.top.number) return false;
  if (earlier === null) return true;
  // A descent that a fault ended above the stored segment must not replace a longer one: while nodes fail, proofs would not end.
  if (segment.next.number >= earlier.top.number) return lengthOf(segment) > lengthOf(earlier);
  const newer = segment.top.number - earlier.top.number;
  // A machine that lags behind must not replace a segment that begins at a newer block.
  return newer >= WORTH_STORING || (newer >= 0 && !isAt(segment.next, earlier.next));
}

function lengthOf({ top, next }: Segment): number {
  return top.number - next.number;
}

/** The stored segment; null when it is invalid, since another version may have written it. */
export function segmentOf(stored: unknown): Segment | null {
  const { top, next } = (stored ?? {}) as Partial<Segment>;
  // A segment that does not go down would make the descent endless.
  return isPlace(top) && isPlace(next) && next.number < top.number ? { top, next } : null;
}

function isPlace(stored: unknown): stored is Place {
  const { number, hash } = (stored ?? {}) as Partial<Place>;
  return Number.isSafeInteger(number) && typeof hash === 'string';
}

export function isAt(a: Place, b: Place): boolean {
  return a.number === b.number && a.hash === b.hash;
}
