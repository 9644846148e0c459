import { createHash, createHmac, createSecretKey, hkdfSync } from 'node:crypto';
import { testTokens } from '../../support/secret-tokens.js';

const tokens = testTokens();

describe('minting a token', () => {
  it('returns 48 base62 characters that differ each time', () => {
    const minted = Array.from({ length: 2_000 }, () => tokens.mint());
    for (const token of minted) expect(token).toMatch(/^[0-9A-Za-z]{48}$/);
    expect(new Set(minted).size).toBe(minted.length);
  });

  it('uses all characters equally often', () => {
    const counts = new Map<string, number>();
    const minted = Array.from({ length: 5_000 }, () => tokens.mint()).join('');
    for (const character of minted) counts.set(character, (counts.get(character) ?? 0) + 1);
    const expected = minted.length / 62;
    const chiSquared = [...counts.values()].reduce((sum, n) => sum + (n - expected) ** 2 / expected, 0);
    expect(counts.size).toBe(62);
    // 61 degrees of freedom: exceeded by chance once in 10^9 runs; taking bytes modulo 62 as they come gives about 1,300.
    expect(chiSquared).toBeLessThan(153);
  });
});

describe('hashing a token', () => {
  it('is a version byte and an HMAC, under a key of the service, of the SHA-256 over purpose, NUL and token', () => {
    const secret = createSecretKey(Buffer.alloc(32, 1));
    const key = Buffer.from(hkdfSync('sha256', secret, '', 'token hash', 32));
    const sha256 = createHash('sha256').update('session_token\0abc').digest();
    const mac = createHmac('sha256', key).update(sha256).digest();
    expect(tokens.hash('session_token', 'abc')).toEqual(Buffer.concat([Buffer.of(1), mac]));
    expect(tokens.keyed(sha256)).toEqual(tokens.hash('session_token', 'abc'));
  });

  it('differs by purpose for the same token', () => {
    expect(tokens.hash('magic_link', 'abc').equals(tokens.hash('oauth_token', 'abc'))).toBe(false);
  });
});
