import { randomBytes } from '../../src/kernel/random.js';

describe('random bytes', () => {
  it('are as many as asked for, and never the same again', () => {
    const seen = new Set<string>();
    for (const size of [16, 12, 32, 56, 7]) {
      for (let n = 0; n < 2_000; n++) {
        const bytes = randomBytes(size);
        expect(bytes).toHaveLength(size);
        expect(bytes.every((byte) => byte === 0)).toBe(false);
        // Seven bytes of each, which nothing handed out before may begin with.
        seen.add(bytes.toString('hex', 0, 7));
      }
    }
    expect(seen.size).toBe(10_000);
  });

  it('handed out are nobody else’s to change', () => {
    const [one, other] = [randomBytes(32), randomBytes(32)];
    const before = other.toString('hex');
    one.fill(0);
    expect(other.toString('hex')).toBe(before);
  });

  it('may be more than are kept, but neither fewer than none nor nonsense', () => {
    expect(randomBytes(10_000)).toHaveLength(10_000);
    expect(randomBytes(10_000).subarray(-32).equals(Buffer.alloc(32))).toBe(false);
    for (const size of [-5, NaN]) expect(() => randomBytes(size)).toThrow('out of range');
    expect(randomBytes(32).equals(Buffer.alloc(32))).toBe(false);
  });
});
