import { randomBytes as freshBytes, randomFillSync } from 'node:crypto';

/** Random bytes nobody has yet: a call for some of them costs as much as one for all. */
const reserve = Buffer.alloc(4096);
let used = reserve.length;

/** Bytes fit for secrets (those of `node:crypto`): each is handed out once, and gone from here then. */
export function randomBytes(size: number): Buffer {
  // Too many, or nonsense, which must not be taken for few.
  if (!Number.isInteger(size) || size < 0 || size > reserve.length) return freshBytes(size);
  if (used + size > reserve.length) {
    randomFillSync(reserve);
    used = 0;
  }
  const source = reserve.subarray(used, (used += size));
  // In memory of their own, where `Buffer.from` would share it with others.
  const bytes = Buffer.alloc(size);
  source.copy(bytes);
  source.fill(0);
  return bytes;
}
