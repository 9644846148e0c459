import { RecentlyUsed } from '../../src/kernel/recently-used.js';

describe('a map of what was used recently', () => {
  it.each([
    ['get, which counts as a use', 'get', ['a', 'c']],
    ['peek, which does not', 'peek', ['b', 'c']],
  ] as const)('removes the least recently used entry when it is full: after %s', (_, look, kept) => {
    const map = new RecentlyUsed<string, string>(2);
    map.set('a', 'a');
    map.set('b', 'b');
    expect(map[look]('a')).toBe('a');
    map.set('c', 'c');
    expect(['a', 'b', 'c'].filter((key) => map.peek(key))).toEqual(kept);
    expect(map.size).toBe(2);
  });
});
