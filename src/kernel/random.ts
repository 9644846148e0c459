import { randomFillSync } from 'node:crypto';

/** Random bytes nobody has yet: a call for some of them costs the system as much as one for all. */
const reserve = Buffer.alloc(4096);
let used = reserve.length;

/** Bytes of the system's random source, fit for secrets: each is handed out once, and gone from here then. */
export function randomBytes(size: number): Buffer {
  if (size > reserve.length) return randomFillSync(Buffer.alloc(size));
  if (used + size > reserve.length) {
    randomFillSync(reserve);
    used = 0;
  }
  const source = reserve.subarray(used, (used += size));
  const bytes = Buffer.from(source);
  source.fill(0);
  return bytes;
}
