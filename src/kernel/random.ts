import { randomFillSync } from 'node:crypto';

const pool = Buffer.alloc(4096);
let used = pool.length;

/** The bytes are no secret. They are drawn in portions, because a draw costs more than what most calls do with it. */
export function publicRandom(bytes: number): Buffer {
  if (used + bytes > pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  used += bytes;
  return Buffer.from(pool.subarray(used - bytes, used));
}
