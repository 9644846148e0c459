import { randomFillSync } from 'node:crypto';

const pool = Buffer.alloc(4096);
let used = pool.length;

/** Random bytes that are no secret, such as a nonce or an id. They are drawn in portions: a draw costs more than what most calls do with it. */
export function publicRandom(bytes: number): Buffer {
  if (used + bytes > pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  used += bytes;
  return Buffer.from(pool.subarray(used - bytes, used));
}
