import { kindOfKey, mintKey, mintManagementKey } from '../../../src/modules/apps/domain/api-key.js';

describe('a minted key', () => {
  it('says its kind and mode, and is 48 base62 characters', () => {
    expect(mintKey('secret', 'test')).toMatch(/^sk_test_[0-9A-Za-z]{48}$/);
    expect(mintKey('secret', 'live')).toMatch(/^sk_live_[0-9A-Za-z]{48}$/);
    expect(mintKey('public', 'test')).toMatch(/^pk_test_[0-9A-Za-z]{48}$/);
    expect(mintManagementKey()).toMatch(/^mk_[0-9A-Za-z]{48}$/);
  });

  it('is recognised as what it is', () => {
    expect(kindOfKey(mintKey('secret', 'live'))).toBe('secret');
    expect(kindOfKey(mintKey('public', 'test'))).toBe('public');
    expect(kindOfKey(mintManagementKey())).toBe('management');
    for (const text of ['', 'sk_test_', `sk_prod_${'A'.repeat(48)}`, `sk_test_${'A'.repeat(47)}_`, 'mk_short']) {
      expect(kindOfKey(text)).toBeNull();
    }
  });

  it('uses all 62 characters equally: a remainder of a byte would favour the first eight by a quarter', () => {
    const counts = new Map<string, number>();
    const keys = 4_000;
    for (let i = 0; i < keys; i++) {
      for (const character of mintKey('secret', 'test').slice('sk_test_'.length)) {
        counts.set(character, (counts.get(character) ?? 0) + 1);
      }
    }
    expect(counts.size).toBe(62);
    const expected = (keys * 48) / 62;
    const chiSquare = [...counts.values()].reduce((sum, count) => sum + (count - expected) ** 2 / expected, 0);
    // 61 degrees of freedom: beyond 130 once in ten million runs; a biased mint scores above 1,000.
    expect(chiSquare).toBeLessThan(130);
  });
});
